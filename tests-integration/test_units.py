"""Programs of physics with units, and that they are the plain programs up to conversions."""

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import duckarray.units as u
from duckarray.core import quaxify

Q = u.Quantity
EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "labelled_axes.svg"
GM = Q(4 * np.pi**2, "au3/yr2")


def equations(program, *args):
    """The primitives of a program and of those within it, and the shapes they give."""

    def each(jaxpr):
        for eqn in jaxpr.eqns:
            inner = [getattr(p, "jaxpr", p) for p in eqn.params.values() if hasattr(p, "eqns")]
            yield eqn.primitive.name, tuple(v.aval.shape for v in eqn.outvars)
            for part in inner:
                yield from each(part)

    return list(each(jax.make_jaxpr(program)(*args).jaxpr))


def leapfrog(x, v, gm, dt):
    """A planet, for a hundred steps."""

    def acceleration(x):
        return -gm * x / jnp.sqrt(jnp.sum(x * x)) ** 3

    def step(state, _):
        x, v = state
        v = v + 0.5 * dt * acceleration(x)
        x = x + dt * v
        v = v + 0.5 * dt * acceleration(x)
        return (x, v), None

    return jax.lax.scan(step, (x, v), None, length=100)[0]


def test_an_orbit_with_units_in_state_and_time_comes_back():
    x, v = Q(jnp.array([1.0, 0.0]), "au"), Q(jnp.array([0.0, 2 * np.pi]), "au/yr")
    run = jax.jit(quaxify(leapfrog))
    end, speed = run(x, v, GM, Q(0.01, "yr"))
    assert (end.unit, speed.unit) == (u.au, u.Unit("au/yr"))
    np.testing.assert_allclose(end.value, [1.0, 0.0], atol=0.01)
    # The same planet in other units, which are converted to those of the carry.
    again, _ = run(x.to("km"), v.to("km/s"), GM, Q(3.6525, "d"))
    assert again.unit is u.km
    np.testing.assert_allclose(again.to("au").value, end.value, atol=1e-3)


def test_it_is_the_plain_program():
    numbers = (jnp.array([1.0, 0.0]), jnp.array([0.0, 6.28]), jnp.float32(39.5), jnp.float32(0.01))
    units = ("au", "au/yr", "au3/yr2", "yr")
    quantities = [Q(n, t) for n, t in zip(numbers, units, strict=True)]
    assert equations(quaxify(leapfrog), *quantities) == equations(leapfrog, *numbers)


def decay(p, t):
    return p["amplitude"] * jnp.exp(-t / p["time"])


def test_parameters_with_units_are_fitted_whatever_units_they_are_given_in():
    t = Q(jnp.linspace(0.0, 2.0, 9), "s")
    volts = decay({"amplitude": Q(3.0, "V"), "time": Q(0.7, "s")}, t)
    tx = u.optim(optax.adam(0.1), scale={"amplitude": "V", "time": "s"}, loss="V2")

    def loss(p, t, y):
        return jnp.mean((decay(p, t) - y) ** 2)

    @jax.jit
    def step(p, state):
        slope = u.grad(loss)(p, t, volts)
        updates, state = tx.update(slope, state, p)
        return optax.apply_updates(p, updates), state, slope

    found = []
    for units in (("V", "s"), ("mV", "ms")):
        p = {"amplitude": Q(1.0, "V").to(units[0]), "time": Q(1.0, "s").to(units[1])}
        state = tx.init(p)
        for _ in range(150):
            p, state, slope = step(p, state)
        assert u.unit_of(slope["time"]).dimension is u.Unit("V2/s").dimension
        found.append([p["amplitude"].to("V").value, p["time"].to("s").value])
        assert (p["amplitude"].unit, p["time"].unit) == (u.Unit(units[0]), u.Unit(units[1]))
    np.testing.assert_allclose(found[0], [3.0, 0.7], rtol=0.05)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-3)
    with pytest.raises(u.DimensionError, match=r"optim.*another"):
        tx.update({"amplitude": Q(1.0, "V"), "time": Q(1.0, "s")}, tx.init(p), p)


def test_checks_of_equinox_let_quantities_through_and_raise():
    def root(x):
        return jnp.sqrt(eqx.error_if(x, x < Q(0.0, "m2"), "a negative area"))

    got = jax.jit(quaxify(root))(Q(4.0, "m2"))
    assert got.unit == u.m
    assert got.value == 2.0
    with pytest.raises(Exception, match="a negative area"):
        eqx.filter_jit(quaxify(root))(Q(-4.0, "m2")).value.block_until_ready()


def test_a_plot_has_the_units_on_its_axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots()
    axes.plot(Q(jnp.arange(3.0), "s"), Q(jnp.arange(3.0), "km/h"))
    (line,) = axes.plot(Q(jnp.arange(3.0), "min"), Q(jnp.ones(3), "m/s"))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("s", "km/h")
    np.testing.assert_allclose(line.get_xydata(), [[0, 3.6], [60, 3.6], [120, 3.6]], rtol=1e-6)
    plt.close("all")


def test_the_plot_in_the_tutorial_has_the_units_on_its_axes(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import labelled_axes

    labelled_axes.main(tmp_path / "plot.svg")
    drawn = [(tmp_path / "plot.svg").read_text("utf-8"), PICTURE.read_text("utf-8")]
    for text in drawn:  # Matplotlib draws letters as paths, and says beside which they are
        assert "<!-- km/h -->" in text
        assert "<!-- s -->" in text
