"""Differential equations solved with Diffrax."""

import diffrax
import jax
import jax.numpy as jnp
import pytest
from _values import (
    Case,
    Refusing,
    Tagged,
    agree,
    assert_same,
    checks,
    counting,
    dense,
    lowrank,
    numbers,
)

from duckarray.core import quaxify

Y0 = numbers(1, 3)


def field(t, y, w):
    return jnp.tanh(jnp.matmul(w, y)) - 0.5 * y


def weight(kind=None):
    w = 0.5 * numbers(2, 3, 3)
    return lowrank(w) if kind is None else lowrank(w, kind)


def solve(w, y0, solver=None, **options):
    """Everything by default but what `options` say."""
    options = {"saveat": diffrax.SaveAt(ts=jnp.array([0.0, 0.3, 1.0])), **options}
    solver = diffrax.Tsit5() if solver is None else solver
    out = diffrax.diffeqsolve(
        diffrax.ODETerm(field), solver, 0.0, 1.0, 0.25, y0, args=w, max_steps=16, **options
    )
    return out.ts, out.ys


def controller():
    return diffrax.PIDController(rtol=1e-3, atol=1e-4)


def run(arrange, args, keeps=False, rtol=1e-3):
    """A program that solves as `arrange()` says."""

    def make():
        options = arrange()
        return Case(lambda w, y0: solve(w, y0, **options), args(), keeps, rtol)

    return make


def low_rank():
    return weight(), Y0


def refusing():
    return weight(Refusing), Y0


def tagged_state():
    return weight(), Tagged(Y0)


def constant():
    return {}


def adaptive():
    return {"stepsize_controller": controller()}


def direct():
    return {"adjoint": diffrax.DirectAdjoint(), "stepsize_controller": controller()}


def backsolve():
    return {"adjoint": diffrax.BacksolveAdjoint(), "saveat": diffrax.SaveAt(t1=True)}


def implicit():
    return {"solver": diffrax.Kvaerno3(), "stepsize_controller": controller()}


def steps():
    return {"solver": diffrax.Heun(), "saveat": diffrax.SaveAt(t0=True, steps=True)}


def run_dense_output():
    """An interpolation of the whole solution, evaluated afterwards."""

    def program(w, y0):
        out = diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Tsit5(),
            0.0,
            1.0,
            0.25,
            y0,
            args=w,
            saveat=diffrax.SaveAt(dense=True),
            max_steps=16,
        )
        return jax.vmap(out.evaluate)(jnp.array([0.1, 0.7]))

    return Case(program, low_rank(), keeps=True, rtol=1e-3)


def run_mapped():
    """A batch of solutions with step sizes of their own."""

    def program(w, y0):
        return jax.vmap(lambda y0: solve(w, y0, stepsize_controller=controller()))(y0)

    return Case(program, (weight(), numbers(1, 4, 3)), keeps=True, rtol=1e-3)


def run_event():
    """Stops when the first component crosses a threshold."""

    def program(w, y0):
        event = diffrax.Event(lambda t, y, args, **kwargs: y[0] > 1.0)
        return solve(w, y0, event=event, saveat=diffrax.SaveAt(t1=True))

    return Case(program, (weight(Refusing), jnp.array([0.9, 2.0, -1.0])), keeps=True, rtol=1e-3)


def run_tree():
    """The state is a tree, one part of which is tagged."""

    def program(y0):
        term = diffrax.ODETerm(lambda t, y, args: {"x": y["v"], "v": -y["x"]})
        saveat = diffrax.SaveAt(ts=jnp.array([0.5, 1.0]))
        out = diffrax.diffeqsolve(
            term, diffrax.Euler(), 0.0, 1.0, 0.1, y0, saveat=saveat, max_steps=16
        )
        return out.ys

    return Case(program, ({"x": Tagged(numbers(1, 2)), "v": numbers(2, 2)},), rtol=1e-3)


def run_stochastic():
    """Brownian noise, whose amplitude is the product of a weight and the state."""

    def program(w, y0):
        noise = diffrax.VirtualBrownianTree(0.0, 1.0, 1e-2, (), jax.random.key(0))
        terms = diffrax.MultiTerm(
            diffrax.ODETerm(field),
            diffrax.ControlTerm(lambda t, y, w: 0.1 * jnp.matmul(w, y), noise),
        )
        out = diffrax.diffeqsolve(terms, diffrax.Euler(), 0.0, 1.0, 0.25, y0, args=w, max_steps=8)
        return out.ys

    return Case(program, low_rank(), keeps=True, rtol=1e-3)


PROGRAMS = {
    "constant steps": run(constant, low_rank, keeps=True),
    "PID controller, no dense form": run(adaptive, refusing, keeps=True),
    "PID controller, tagged state": run(adaptive, tagged_state),
    "DirectAdjoint, tagged state": run(direct, tagged_state),
    "BacksolveAdjoint": run(backsolve, low_rank, keeps=True),
    "Kvaerno3": run(implicit, low_rank),
    "every step, tagged state": run(steps, tagged_state),
    "dense output": run_dense_output,
    "mapped": run_mapped,
    "event": run_event,
    "a tree, Euler": run_tree,
    "stochastic": run_stochastic,
}
EAGER = {"constant steps"}
# Compiling a gradient takes long: all of the first and of the third, one or none of the others.
WITHOUT = {
    # The adjoint gives the cotangent of the dense weight, which has to go to its leaves.
    "PID controller, no dense form-gradient outside",
    "event",
    "constant steps-gradient outside-eager",
    "constant steps-gradient inside-eager",
    "DirectAdjoint, tagged state-gradient outside",
    "BacksolveAdjoint-gradient inside",
    "Kvaerno3",
    "every step, tagged state",
    "dense output",
    "mapped",
    "a tree, Euler-gradient inside",
    "stochastic",
}


LONG = {
    "PID controller, tagged state-gradient outside",
    "DirectAdjoint, tagged state-gradient inside",
    "BacksolveAdjoint-gradient outside",
    "a tree, Euler-gradient outside",
    "stochastic-value",
}


@pytest.mark.parametrize(
    ("program", "check"), checks(PROGRAMS, EAGER, WITHOUT, eager_values=False, long=LONG)
)
def test_agrees_with_the_program_on_dense_arrays(program, check):
    agree(PROGRAMS[program], check)


def test_rules_answer_inside_the_solver():
    def program(w, y0):
        term = diffrax.ODETerm(lambda t, y, w: jnp.cos(jnp.matmul(w, y)))
        return diffrax.diffeqsolve(term, diffrax.Heun(), 0.0, 1.0, 0.25, y0, args=w).ys

    with counting() as hits:
        ys = jax.jit(quaxify(program))(*tagged_state())
    assert hits["cos"] > 0
    assert_same(dense(ys), program(*dense(tagged_state())))
