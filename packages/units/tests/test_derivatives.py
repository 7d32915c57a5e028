# ruff: noqa: PT018
"""Derivatives: numbers by hand, and the unit of the result by that of the argument."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.units as u
from duckarray.core import quaxify

Q = u.Quantity
X = Q(jnp.array([1.0, 2.0]), "m")
T = Q(2.0, "s")


def speed(x, t):
    return jnp.sum(x) / t


def test_grad_has_a_unit_for_every_leaf():
    value, (gx, gt) = u.value_and_grad(speed, (0, 1))(X, T)
    assert (value.unit, gx.unit, gt.unit) == (u.m / u.s, u.Hz, u.Unit("m/s2"))
    assert value.value == 1.5 and gt.value == -0.75
    np.testing.assert_allclose(gx.value, [0.5, 0.5])


def test_an_unused_argument_has_a_zero_with_a_unit():
    g = u.grad(lambda p: jnp.sum(p["x"] ** 2), 0)({"x": X, "unused": T, "plain": jnp.ones(2)})
    assert g["x"].unit == u.m
    assert g["unused"].unit == u.Unit("m2/s") and g["unused"].value == 0.0
    assert g["plain"].unit == u.Unit("m2")


def test_a_function_of_plain_numbers_has_plain_gradients():
    g = u.grad(lambda w: jnp.sum(w**2))(jnp.array([1.0, 2.0]))
    assert isinstance(g, jax.Array)
    g, aux = u.grad(lambda w, x: (jnp.sum(w * x), x), has_aux=True)(jnp.ones(2), X)
    assert g.unit is u.m and aux.unit is u.m


def test_inside_quaxify_jax_gives_the_same():
    for argnum in (0, 1):
        inside = quaxify(jax.grad(speed, argnum))(X, T)
        outside = u.grad(speed, argnum)(X, T)
        assert inside.unit == outside.unit
        np.testing.assert_allclose(inside.value, outside.value)


def test_jvp_takes_rates():
    out, rate = u.jvp(lambda x: x**2, (Q(3.0, "m"),), (Q(2.0, "m/s"),))
    assert (out.unit, rate.unit) == (u.m**2, u.Unit("m2/s"))
    assert (out.value, rate.value) == (9.0, 12.0)
    out, rate = quaxify(lambda x, t: jax.jvp(lambda x: x**2, (x,), (t,)))(
        Q(3.0, "m"), Q(2.0, "m/s")
    )
    assert rate.unit == u.Unit("m2/s") and rate.value == 12.0
    _, rate = u.jvp(speed, (X, T), (Q(jnp.ones(2), "m/s"), Q(1.0, "1")))
    np.testing.assert_allclose(rate.to("m/s2").value, 1.0 - 0.75, rtol=1e-5)
    with pytest.raises(u.DimensionError):
        u.jvp(speed, (X, T), (Q(jnp.ones(2), "m/s"), Q(1.0, "s")))
    with pytest.raises(TypeError, match="another structure"):
        u.jvp(speed, (X, T), (X,))


def test_vjp_takes_so_much_of_a_loss_per_unit():
    out, pullback = u.vjp(lambda x: x**2, Q(3.0, "m"))
    (g,) = pullback(Q(2.0, "J/m2"))
    assert out.value == 9.0 and g.unit == u.Unit("J/m") and g.value == 12.0
    (g,) = pullback(1.0)
    assert g.unit == u.Unit("1/m")
    with pytest.raises(TypeError, match="another structure"):
        pullback((1.0, 2.0))


def test_jacobians_and_hessians():
    for transform in (u.jacfwd, u.jacrev):
        j = transform(lambda x, t: {"v": x / t, "n": jnp.sum(x) / Q(1.0, "m")}, (0, 1))(X, T)
        assert j["v"][0].unit == u.Hz and j["v"][1].unit == u.Unit("m/s2")
        assert j["n"][0].unit == u.Unit("1/m")
        np.testing.assert_allclose(j["v"][0].value, np.eye(2) / 2)
    h = u.hessian(lambda x: jnp.sum(x**3))(X)
    assert h.unit == u.m
    np.testing.assert_allclose(h.value, np.diag([6.0, 12.0]))
    h = u.hessian(speed, (0, 1))(X, T)
    assert h[0][1].unit == u.Unit("1/s2") and h[1][1].unit == u.Unit("m/s3")
    np.testing.assert_allclose(h[1][1].value, 2 * 3.0 / 8.0)


@pytest.mark.parametrize(
    ("function", "operand", "unit"),
    [
        (
            lambda a: jnp.sum(jnp.linalg.cholesky(a)),
            Q(jnp.diag(jnp.array([4.0, 9.0])), "m2"),
            "1/m",
        ),
        (lambda a: jnp.linalg.eigvalsh(a)[0], Q(jnp.diag(jnp.array([1.0, 3.0])), "m2"), "1"),
        (lambda a: jnp.sum(jnp.linalg.solve(a, a)), Q(jnp.diag(jnp.array([1.0, 3.0])), "m"), "1/m"),
        (lambda a: jax.checkpoint(lambda b: jnp.sum(b**3))(a), X, "m2"),
        (lambda a: a.at[0].mul(2.0).sum(), X, "1"),
        (lambda a: jax.nn.relu(a).sum(), X, "1"),
    ],
)
def test_gradients_through_linear_algebra_and_custom_rules(function, operand, unit):
    g = u.grad(function)(operand)
    assert g.unit == u.Unit(unit)
    plain = jax.grad(
        lambda v: u.unit_of(v) and quaxify(lambda x: _number(function(x)))(Q(v, operand.unit))
    )(operand.value)
    np.testing.assert_allclose(g.value, plain, rtol=1e-5)


def _number(x):
    return u.strip(x, u.unit_of(x))


def test_custom_rules_keep_quantities_outside_too():
    @jax.custom_vjp
    def double(x):
        return x * 2

    double.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 3,))  # not its derivative, on purpose
    g = jax.grad(lambda x: u.strip(quaxify(double)(x), "m"))(Q(1.0, "m"))
    assert g.value == 3.0
    g = u.grad(double)(Q(1.0, "m"))
    assert g.value == 3.0 and g.unit == u.Unit("1")
