"""Solvers of other libraries with units: the numbers of the plain program, and its equations."""

import diffrax
import jax
import jax.numpy as jnp
import lineax as lx
import numpy as np
import optax
import optimistix as optx
import pytest

import duckarray.units as u
from duckarray.core import quaxify

Q = u.Quantity


def equations(program, *args):
    """The primitives of a program and of those within it, without conversions.

    A conversion is a product with a number, and a number that is not known to be an array yet.
    """
    found = []

    def is_scalar(v):
        return type(v).__name__ == "Literal" and v.aval.shape == ()

    def each(jaxpr):
        for eqn in jaxpr.eqns:
            name = eqn.primitive.name
            if name in ("mul", "div") and any(map(is_scalar, eqn.invars)):
                continue
            if name != "jit":  # what is in it counts
                found.append((name, tuple(v.aval.shape for v in eqn.outvars)))
            for part in jax.tree.leaves(list(eqn.params.values()), is_leaf=has_equations):
                if has_equations(part):
                    each(getattr(part, "jaxpr", part))

    def has_equations(x):
        return hasattr(x, "eqns") or hasattr(getattr(x, "jaxpr", None), "eqns")

    each(jax.make_jaxpr(program)(*args).jaxpr)
    return found


# --- an orbit, by Diffrax -------------------------------------------------------------------------

GM = 4 * np.pi**2  # of the Sun, in au3/yr2, by Kepler's third law
EARTH = (0.983, 1.017)  # its least and its greatest distance, in au, of which the mean is 1


def field(t, state, gm):
    """A planet: its place and its velocity change."""
    r, v = state
    return v, -gm * r / jnp.linalg.norm(r) ** 3


def plain_flight(r, v, gm, years, step, solve=diffrax.diffeqsolve, **options):
    """Where it is after so many years, and how fast, in at most 16 steps."""
    term, solver, adjoint = diffrax.ODETerm(field), diffrax.Tsit5(), diffrax.DirectAdjoint()
    state = (r, v)
    out = solve(term, solver, 0.0, years, step, state, gm, adjoint=adjoint, max_steps=16, **options)
    return jax.tree.map(lambda x: x[-1], out.ys)


def flight(r, v, gm, years, step):
    return plain_flight(r, v, gm, years, step, u.diffeqsolve, units=("au", "au/yr"))


def start():
    """At the least distance; the speed there is of the conservation of energy."""
    near, far = EARTH
    speed = np.sqrt(2 * GM * (1 / near - 1 / (near + far)))
    numbers = [jnp.array(x, jnp.float32) for x in ([near, 0], [0, speed], GM, 0.5, 0.5 / 16)]
    units = ("au", "au/yr", "au3/yr2", "yr", "yr")
    return numbers, [Q(x, unit) for x, unit in zip(numbers, units, strict=True)]


def test_an_orbit_with_units_in_state_and_time_has_gradients_with_units():
    _, quantities = start()
    r, v, gm, half, step = quantities

    def distance(r, v, gm):
        return jnp.linalg.norm(flight(r, v, gm, half, step)[0])

    far, slopes = jax.jit(u.value_and_grad(distance, (0, 1, 2)))(r, v, gm)
    np.testing.assert_allclose(far.to("au").value, EARTH[1], rtol=1e-4)
    assert [slope.unit for slope in slopes] == [u.Unit(t) for t in ("1", "yr", "yr2/au2")]
    # By energy and angular momentum the greatest distance is r k / (2 - k), k = r v² / GM.
    x, y = float(r.value[0]), float(v.value[1])
    k = x * y**2 / GM
    by_k = 2 * x / (2 - k) ** 2
    expected = [k / (2 - k) + by_k * y**2 / GM, by_k * 2 * k / y, -by_k * k / GM]
    got = [slopes[0].value[0], slopes[1].value[1], slopes[2].value]
    np.testing.assert_allclose(got, expected, rtol=2e-3)


@pytest.mark.long
def test_an_orbit_is_the_same_whatever_units_it_is_given_in():
    numbers, (r, v, gm, half, step) = start()
    given = (r.to("Gm"), v.to("km/s"), gm.to("km3/s2"), half.to("day"), step.to("h"))
    place, velocity = jax.jit(flight)(*given)
    assert (place.unit, velocity.unit) == (u.au, u.Unit("au/yr"))
    expected = jax.jit(plain_flight)(*numbers)
    np.testing.assert_allclose(place.value, expected[0], atol=1e-4)
    np.testing.assert_allclose(velocity.value, expected[1], atol=1e-3)


def test_an_orbit_is_the_plain_program():
    numbers, quantities = start()
    assert equations(flight, *quantities) == equations(plain_flight, *numbers)


def test_a_field_that_forgets_something_is_told_of_by_its_part():
    r, v, gm, half, _ = start()[1]
    with pytest.raises(u.DimensionError, match=r"result\[1\] is to be in .* \(acceleration\)"):
        u.diffeqsolve(
            diffrax.ODETerm(lambda t, state, gm: (state[1], gm / state[0])),
            diffrax.Euler(),
            0.0,
            half,
            half,
            (r, v),
            gm,
        )
    term = diffrax.ODETerm(field)
    saveat = diffrax.SaveAt(t1=True)
    with pytest.raises(ValueError, match=r"given twice[^$]*times in yr"):
        u.diffeqsolve(term, diffrax.Euler(), 0.0, half, half, (r, v), gm, saveat=saveat, ts=half)
    saveat = diffrax.SaveAt(dense=True)
    with pytest.raises(ValueError, match=r"evaluated later[^$]*ts=u\.Quantity"):
        u.diffeqsolve(term, diffrax.Euler(), 0.0, half, half, (r, v), gm, saveat=saveat)
    with pytest.raises(TypeError, match=r"a `MultiTerm`[^$]*`u\.nondimensional`"):
        u.diffeqsolve(diffrax.MultiTerm(term), diffrax.Euler(), 0.0, half, half, (r, v), gm)
    with pytest.raises(u.DimensionError, match="au is a length"):
        u.diffeqsolve(term, diffrax.Euler(), 0.0, half, r[0], (r, v), gm)


@pytest.mark.long
def test_what_is_saved_and_what_stops_a_solution_see_quantities():
    event = diffrax.Event(lambda t, y, rate, **others: y - Q(50.0, "cm"))
    out = u.diffeqsolve(
        diffrax.ODETerm(lambda t, y, rate: -rate * y),
        diffrax.Euler(),
        Q(0.0, "s"),
        Q(0.05, "min"),
        Q(250.0, "ms"),
        Q(1.0, "m"),
        Q(1.0, "Hz"),
        saveat=diffrax.SaveAt(t1=True, fn=lambda t, y, rate: {"speed": rate * y, "t": t}),
        event=event,
        adjoint=diffrax.DirectAdjoint(),
        max_steps=16,
    )
    # 0.75³ = 0.421875 is the first below 0.5.
    assert (out.ys["speed"].unit, out.ys["t"].unit) == (u.m * u.Hz, u.s)
    np.testing.assert_allclose(out.ys["speed"].to("m/s").value, [0.75**3], rtol=1e-6)
    np.testing.assert_allclose(out.ts.value, [0.75])


# --- a fit, by Optimistix -------------------------------------------------------------------------

T = np.linspace(0.0, 2.0, 9, dtype=np.float32)
UNITS = {"amplitude": "V", "time": "s"}


def residual(p, data):
    """A decaying voltage less what was measured."""
    t, volts = data
    return p["amplitude"] * jnp.exp(-t / p["time"]) - volts


def solve(residual, p, data):
    solver = optx.LevenbergMarquardt(rtol=1e-5, atol=1e-5)
    return optx.least_squares(residual, solver, p, data).value


def fit(p, data):
    of_numbers = u.nondimensional(residual, p=UNITS, data=("s", "V"), out="V")
    found = solve(of_numbers, u.strip(p, UNITS), u.strip(data, ("s", "V")))
    return u.attach(found, UNITS)


@pytest.mark.long
def test_parameters_fitted_by_optimistix_have_units_and_so_have_their_gradients():
    data = Q(T, "s"), Q(3.0 * np.exp(-T / 0.7) * 1e3, "mV")
    p = {"amplitude": Q(2000.0, "mV"), "time": Q(1000.0, "ms")}

    def sensitivity(volts):
        found = fit(p, (data[0], volts))
        return found["time"], found

    slope, found = jax.jit(u.grad(sensitivity, has_aux=True))(data[1])
    assert {name: x.unit for name, x in found.items()} == {"amplitude": u.V, "time": u.s}
    np.testing.assert_allclose(found["amplitude"].value, 3.0, rtol=1e-3)
    np.testing.assert_allclose(found["time"].value, 0.7, rtol=1e-3)
    # Of least squares: dp/dvolts = (Jᵀ J)⁻¹ Jᵀ, with J by hand.
    j = np.stack([np.exp(-T / 0.7), 3.0 * np.exp(-T / 0.7) * T / 0.7**2], 1)
    expected = np.linalg.solve(j.T @ j, j.T)[1]
    assert slope.unit == u.s / u.mV
    np.testing.assert_allclose(slope.to("s/V").value, expected, rtol=2e-2, atol=1e-3)


def test_a_fit_is_the_plain_program():
    p = {"amplitude": Q(jnp.float32(2.0), "V"), "time": Q(jnp.float32(1.0), "s")}
    data = Q(jnp.asarray(T), "s"), Q(jnp.asarray(T), "V")
    plain = [jax.tree.map(jnp.asarray, u.strip(x, t)) for x, t in ((p, UNITS), (data, ("s", "V")))]
    assert equations(fit, p, data) == equations(lambda p, data: solve(residual, p, data), *plain)


# --- a linear system, by Lineax -------------------------------------------------------------------

STIFFNESS, FORCE = np.float32([[4.0, 1.0], [1.0, 3.0]]), np.float32([1.0, 2.0])


def bend(k, f, solver):
    tags = lx.positive_semidefinite_tag
    return lx.linear_solve(lx.MatrixLinearOperator(k, tags), f, solver).value


SOLVERS = {
    "LU": lx.LU,
    "QR": lx.QR,
    "SVD": lx.SVD,
    "Cholesky": lx.Cholesky,
    "CG": lambda: lx.CG(1e-6, 1e-6),
    "GMRES": lambda: lx.GMRES(1e-6, 1e-6),
    "Auto": lambda: lx.AutoLinearSolver(well_posed=None),
}


SHORT = ("LU", "CG")


@pytest.mark.parametrize(
    "name", [n if n in SHORT else pytest.param(n, marks=pytest.mark.long) for n in SOLVERS]
)
def test_lineax_solves_for_what_has_the_unit_of_force_by_stiffness(name):
    k, f = Q(jnp.asarray(STIFFNESS), "kN/m"), Q(jnp.asarray(FORCE), "N")
    program = lambda k, f: bend(k, f, SOLVERS[name]())
    got = quaxify(program)(k, f)
    assert got.unit == u.N / (u.kN / u.m)
    expected = np.linalg.solve(STIFFNESS, FORCE)
    np.testing.assert_allclose(got.to("mm").value, expected, rtol=1e-4)
    assert equations(quaxify(program), k, f) == equations(program, k.value, f.value)


def test_gradients_of_a_linear_solve_have_units():
    k, f = Q(jnp.asarray(STIFFNESS), "N/m"), Q(jnp.asarray(FORCE), "N")
    first = lambda k, f: bend(k, f, lx.LU())[0]
    slopes = u.grad(first, (0, 1))(k, f)
    inside = quaxify(jax.grad(first, (0, 1)))(k, f)
    assert [s.unit for s in inside] == [s.unit for s in slopes]
    np.testing.assert_allclose(inside[0].value, slopes[0].value, rtol=1e-5)
    assert [s.unit for s in slopes] == [u.Unit("m2/N"), u.Unit("m/N")]
    x, inverse = np.linalg.solve(STIFFNESS, FORCE), np.linalg.inv(STIFFNESS)
    np.testing.assert_allclose(slopes[0].value, -np.outer(inverse[0], x), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(slopes[1].value, inverse[0], rtol=1e-4)


def test_a_batch_of_linear_systems_has_units():
    forces = np.float32([[1, 2], [0, 1], [-1, 3]])
    k, f = Q(jnp.asarray(STIFFNESS), "N/m"), Q(jnp.asarray(forces), "N")
    got = quaxify(jax.vmap(lambda f: bend(k, f, lx.LU())))(f)
    assert got.unit == u.m
    np.testing.assert_allclose(got.value, np.linalg.solve(STIFFNESS, forces.T).T, rtol=1e-4)


def test_an_operator_whose_inside_is_not_known_is_refused():
    k, f = Q(jnp.asarray(STIFFNESS), "N/m"), Q(jnp.asarray(FORCE), "N")

    def program(k, f):
        structure = jax.ShapeDtypeStruct((2,), jnp.float32)
        operator = lx.FunctionLinearOperator(lambda x: k @ x, structure)
        return lx.linear_solve(operator, f, lx.LU()).value

    with pytest.raises(u.UnitError, match=r"FunctionLinearOperator[^$]*nondimensional"):
        quaxify(program)(k, f)


# --- an optimizer, of Optax -----------------------------------------------------------------------


def test_a_step_of_adam_is_the_plain_one():
    data = Q(jnp.asarray(T), "s"), Q(jnp.asarray(T), "V")
    p = {"amplitude": Q(jnp.float32(2.0), "V"), "time": Q(jnp.float32(1.0), "s")}
    plain = [jax.tree.map(jnp.asarray, u.strip(x, t)) for x, t in ((p, UNITS), (data, ("s", "V")))]

    def loss(p, data):
        return jnp.mean(residual(p, data) ** 2)

    def step(tx, grad):
        def one(p, data):
            updates, state = tx.update(grad(loss)(p, data), tx.init(p), p)
            return optax.apply_updates(p, updates), state

        return one

    ours = step(u.optim(optax.adam(0.1), scale=UNITS, loss="V2"), u.grad)
    theirs = step(optax.adam(0.1), jax.grad)
    assert sorted(equations(ours, p, data)) == sorted(equations(theirs, *plain))
