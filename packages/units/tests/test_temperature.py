"""Absolute temperatures, differences, and levels."""

import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.units as u
from duckarray.core import quaxify

Q = u.Quantity

# Exact points of the scales: freezing and boiling water, absolute zero, where F and C meet.
SAME = [(0.0, 32.0, 273.15), (100.0, 212.0, 373.15), (-40.0, -40.0, 233.15)]


@pytest.mark.parametrize(("c", "f", "k"), SAME)
def test_scales_agree_at_known_points(c, f, k):
    for value, unit in ((c, "degC"), (f, "degF"), (k, "K")):
        x = Q(value, unit)
        np.testing.assert_allclose(x.to("degC").value, c, atol=1e-4)
        np.testing.assert_allclose(x.to("degF").value, f, atol=1e-4)
        np.testing.assert_allclose(x.to("K").value, k, rtol=1e-6)
        np.testing.assert_allclose(x.to("degR").value, 1.8 * k, rtol=1e-6)


# (left, right, sum, difference): the algebra of absolute temperatures and differences, where "-"
# says that there is none.
ALGEBRA = [
    ((20.0, "degC"), (10.0, "degC"), "-", (10.0, "delta_degC")),
    ((20.0, "degC"), (50.0, "degF"), "-", (10.0, "delta_degC")),
    ((20.0, "degC"), (10.0, "delta_degC"), (30.0, "degC"), (10.0, "degC")),
    ((20.0, "degC"), (9.0, "delta_degF"), (25.0, "degC"), (15.0, "degC")),
    ((20.0, "delta_degC"), (10.0, "degC"), (30.0, "degC"), "-"),
    ((20.0, "degC"), (283.15, "K"), "-", (10.0, "delta_degC")),
    ((293.15, "K"), (10.0, "degC"), "-", (10.0, "K")),
    ((300.0, "K"), (10.0, "delta_degC"), (310.0, "K"), (290.0, "K")),
    ((10.0, "delta_degC"), (300.0, "K"), (310.0, "delta_degC"), (-290.0, "delta_degC")),
    ((20.0, "delta_degC"), (18.0, "delta_degF"), (30.0, "delta_degC"), (10.0, "delta_degC")),
    ((20.0, "K"), (10.0, "K"), (30.0, "K"), (10.0, "K")),
]


@pytest.mark.parametrize(("left", "right", "total", "difference"), ALGEBRA)
def test_the_algebra_of_temperatures(left, right, total, difference):
    x, y = Q(*left), Q(*right)
    for operation, expected in ((lambda: x + y, total), (lambda: x - y, difference)):
        if expected == "-":
            with pytest.raises(u.AffineUnitError):
                operation()
        else:
            out = operation()
            assert out.unit == u.Unit(expected[1])
            np.testing.assert_allclose(out.value, expected[0], rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    "program",
    [
        lambda t: t * 2,
        lambda t: 2 * t,
        lambda t: t / 2,
        lambda t: 1 / t,
        lambda t: t * t,
        lambda t: t**2,
        lambda t: -t,
        lambda t: abs(t),
        lambda t: t.sum(),
        lambda t: t.mean(),
        lambda t: t.cumsum(),
        quaxify(jnp.sqrt),
        quaxify(jnp.fft.fft),
        quaxify(lambda t: jnp.maximum(t, 0)),
        quaxify(lambda t: jnp.dot(t, jnp.ones(2))),
    ],
)
def test_an_absolute_temperature_has_no_multiples(program):
    with pytest.raises(u.AffineUnitError):
        program(Q([20.0, 30.0], "degC"))


def test_absolute_temperatures_are_moved_and_compared():
    t = Q([20.0, 30.0], "degC")
    assert t[0].unit == t.max().unit == t.reshape(2, 1).unit == u.degC
    np.testing.assert_array_equal(t > Q(77.0, "degF"), [False, True])
    np.testing.assert_allclose(quaxify(jnp.diff)(t).value, [10.0], rtol=1e-6)
    assert quaxify(jnp.diff)(t).unit == u.delta_degC
    assert (t + 0).unit == u.degC


def test_a_difference_is_not_an_absolute_temperature():
    with pytest.raises(u.AffineUnitError, match="absolute temperature, the other a difference"):
        Q(20.0, "degC").to("delta_degC")
    with pytest.raises(u.AffineUnitError, match=r'x\.to\("K"\)'):
        Q(20.0, "degC") * 2
    with pytest.raises(u.AffineUnitError, match='"delta_degC"'):
        Q(20.0, "degC") + Q(1.0, "degC")


def test_heat_capacity_takes_differences():
    heat = Q(4184.0, "J/(kg K)") * Q(2.0, "kg") * (Q(30.0, "degC") - Q(20.0, "degC"))
    np.testing.assert_allclose(heat.to("kJ").value, 83.68, rtol=1e-6)


def test_the_gradient_by_a_temperature_is_so_much_per_difference():
    slope = u.grad(lambda t: u.to(t, "K") * u.Quantity(2.0, "J/K"))(Q(20.0, "degC"))
    assert slope.unit == u.Unit("J/K")
    assert slope.value == 2.0


def test_levels_convert_and_have_no_sums():
    np.testing.assert_allclose(Q(30.0, "dBm").to("W").value, 1.0, rtol=1e-5)
    np.testing.assert_allclose(Q(100.0, "1").to("dB").value, 20.0, rtol=1e-6)
    np.testing.assert_allclose(Q(5.0, "mag").to("1").value, 0.01, rtol=1e-5)
    with pytest.raises(u.AffineUnitError, match="level"):
        Q(30.0, "dB") + Q(30.0, "dB")
