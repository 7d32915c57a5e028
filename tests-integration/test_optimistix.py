"""Root finding, least squares, minimisation and fixed points with Optimistix."""

import jax
import jax.numpy as jnp
import optax
import optimistix as optx
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

N = 3


def weight(kind=None):
    w = 0.2 * numbers(1, N, N)
    return lowrank(w) if kind is None else lowrank(w, kind)


def residual(x, w):
    return x + 0.2 * jnp.tanh(jnp.matmul(w, x)) - 1.0


def run(find, args):
    return lambda: Case(lambda w, x: find(w, x).value, args(), rtol=1e-3)


def low_rank():
    return weight(), numbers(2, N)


def tagged_guess():
    return weight(), Tagged(numbers(2, N))


def newton(w, x):
    return optx.root_find(residual, optx.Newton(1e-5, 1e-5), x, w)


def newton_direct(w, x):
    adjoint = optx.RecursiveCheckpointAdjoint()
    return optx.root_find(residual, optx.Newton(1e-5, 1e-5), x, w, adjoint=adjoint, max_steps=8)


def chord(w, x):
    return optx.root_find(residual, optx.Chord(1e-5, 1e-5), x, w)


def levenberg(w, x):
    return optx.least_squares(residual, optx.LevenbergMarquardt(1e-5, 1e-5), x, w)


def gauss(w, x):
    return optx.least_squares(residual, optx.GaussNewton(1e-5, 1e-5), x, w)


def bfgs(w, x):
    objective = lambda x, w: jnp.sum(residual(x, w) ** 2)
    return optx.minimise(objective, optx.BFGS(1e-5, 1e-5), x, w)


def adam(w, x):
    objective = lambda x, w: jnp.sum(residual(x, w) ** 2)
    solver = optx.OptaxMinimiser(optax.adam(0.1), 1e-6, 1e-6)
    return optx.minimise(objective, solver, x, w, max_steps=400)


def fixed_point(w, x):
    step = lambda x, w: 1.0 - 0.2 * jnp.tanh(jnp.matmul(w, x))
    return optx.fixed_point(step, optx.FixedPointIteration(1e-6, 1e-6), x, w)


def run_bisection():
    """The unknown is a scalar, and the value decides where the root is."""

    def program(c):
        solver = optx.Bisection(1e-5, 1e-5)
        options = {"lower": -4.0, "upper": 4.0}
        f = lambda x, c: x**3 - jnp.sum(c)
        return optx.root_find(f, solver, jnp.array(0.5), c, options=options).value

    return Case(program, (Tagged(numbers(4, 2)),), rtol=1e-3)


PROGRAMS = {
    "Newton": run(newton, low_rank),
    "Newton, tagged guess": run(newton, tagged_guess),
    "Newton, differentiated through": run(newton_direct, low_rank),
    "Chord": run(chord, low_rank),
    "LevenbergMarquardt": run(levenberg, low_rank),
    "GaussNewton, tagged guess": run(gauss, tagged_guess),
    "BFGS": run(bfgs, low_rank),
    "Adam": run(adam, low_rank),
    "FixedPointIteration": run(fixed_point, low_rank),
    "FixedPointIteration, tagged guess": run(fixed_point, tagged_guess),
    "Bisection": run_bisection,
}
EAGER = {"FixedPointIteration, tagged guess"}
# Compiling these takes long.
WITHOUT = {
    "Newton, differentiated through-gradient inside",
    "Chord-gradient inside",
    "LevenbergMarquardt-gradient outside",
    "GaussNewton, tagged guess-gradient inside",
    "BFGS-gradient outside",
}


@pytest.mark.parametrize(("program", "check"), checks(PROGRAMS, EAGER, WITHOUT, eager_values=False))
def test_agrees_with_the_program_on_dense_arrays(program, check):
    agree(PROGRAMS[program], check)


@pytest.mark.parametrize("find", [fixed_point, bfgs])
def test_a_weight_that_has_no_dense_form_is_iterated_with(find):
    w, x = weight(Refusing), numbers(2, N)
    got = jax.jit(quaxify(lambda w, x: find(w, x).value))(w, x)
    assert_same(got, find(dense(w), x).value, rtol=1e-3)


def test_rules_answer_inside_the_iteration():
    def program(w, x):
        objective = lambda x, w: jnp.sin(x) + residual(x, w)  # one that was not traced before
        return optx.root_find(objective, optx.Newton(1e-5, 1e-5), x, w).value

    with counting() as hits:
        jax.jit(quaxify(program)).trace(*tagged_guess())
    assert hits["sin"] > 0
