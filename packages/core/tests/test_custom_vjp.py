import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree, new_custom_vjp_of_0_10
from _core_types import (
    Box,
    Doubled,
    Length,
    Pair,
    Quantized,
    Zero,
    dense,
    make_lowrank,
    matrix,
)
from jax import lax

from duckarray.core import ArrayValue, materialization, materialize, quaxify
from duckarray.core._rules.tangents import _leaf_cotangents

X = jnp.array([-1.0, 0.5, 2.0])


@jax.custom_vjp
def tripled_sine(x):
    """A sine whose derivative is said to be three times what it is."""
    return jnp.sin(x)


tripled_sine.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (3 * jnp.cos(x) * g,))


@jax.custom_vjp
def product(x, y):
    return x * y


product.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: (5 * g * r[1], 7 * g * r[0]))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 2))
def applied(f, x, n):
    return f(x) * n


applied.defvjp(lambda f, x, n: (f(x) * n, jnp.cos(x)), lambda f, n, c, g: (2.0 * n * c * g,))


@jax.custom_vjp
def no_second(x, y):
    return x + y


no_second.defvjp(lambda x, y: (x + y, None), lambda _, g: (2.0 * g, None))


@jax.custom_vjp
def symbolic(x, y):
    return x * 1.0, y * 1.0


def _symbolic_fwd(x, y):
    return (x.value * 1.0, y.value * 1.0), (x.perturbed, y.perturbed)


def _symbolic_bwd(perturbed, cotangents):
    zero = jax.custom_derivatives.SymbolicZero
    factor = 10.0 * perturbed[0] + perturbed[1]
    a, b = (0.0 if type(g) is zero else g for g in cotangents)
    return factor * a + jnp.zeros((3, 3)), jnp.zeros((3, 3)) + 2.0 * b


symbolic.defvjp(_symbolic_fwd, _symbolic_bwd, symbolic_zeros=True)


@jax.custom_vjp
def counted(x, n):
    return x * n.astype(x.dtype)


counted.defvjp(
    lambda x, n: (counted(x, n), n),
    lambda n, g: (4.0 * g, np.zeros(n.shape, jax.dtypes.float0)),
)


@jax.custom_gradient
def with_gradient(x):
    return x**2, lambda g: 9.0 * g * x


PROGRAMS = {
    "plain": tripled_sine,
    "twice": lambda x: tripled_sine(tripled_sine(x)),
    "both operands": lambda x: product(x, x),
    "one dense operand": lambda x: product(jnp.full((3, 3), 2.0), x),
    "nondiff": lambda x: applied(jnp.sin, x, 2.0),
    "no cotangent": lambda x: no_second(x, x * 2.0),
    "symbolic zeros": lambda x: symbolic(x, jnp.ones((3, 3)))[0],
    "symbolic zeros, both": lambda x: symbolic(x, x),
    "integer operand": lambda x: counted(x, jnp.int32(3)),
    "custom_gradient": with_gradient,
    "in jit": lambda x: jax.jit(tripled_sine)(x),
    "in vmap": lambda x: jax.vmap(tripled_sine)(x),
    "in scan": lambda x: lax.scan(lambda c, _: (tripled_sine(c), c.sum()), x, None, length=2),
    "over rows": lambda x: lax.scan(lambda c, row: (c + tripled_sine(row), None), jnp.zeros(3), x)[
        0
    ],
    "in remat": lambda x: jax.checkpoint(lambda x: tripled_sine(x) * 2.0)(x),
    "in cond": lambda x: lax.cond(x.sum() > 0, tripled_sine, tripled_sine, x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_function_gives_its_value(name, value):
    assert_same(quaxify(PROGRAMS[name])(value), PROGRAMS[name](dense(value)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rule_is_the_derivative_outside_and_inside(name):
    gradients_agree(PROGRAMS[name], Doubled(matrix()))


@pytest.mark.parametrize("name", ["plain", "both operands", "nondiff", "symbolic zeros", "in scan"])
def test_the_rule_is_the_derivative_for_each_type(name, value):
    gradients_agree(PROGRAMS[name], value)


@pytest.mark.parametrize("jitted", [False, True])
def test_vmap_outside_maps_the_leaves(jitted):
    xs = Doubled(jnp.arange(6.0).reshape(2, 3))
    gradient = jax.vmap(jax.grad(lambda x: quaxify(tripled_sine)(x).sum()))
    got = (jax.jit(gradient) if jitted else gradient)(xs)
    np.testing.assert_allclose(got.half, 6 * np.cos(dense(xs)), rtol=1e-5)


def test_the_rule_sees_residuals_as_the_values_they_were():
    seen = []

    @jax.custom_vjp
    def f(w, x):
        return w @ x

    def backward(residuals, g):
        w, x = residuals
        seen.append(w.shape)
        return jnp.outer(g, x), 2.0 * (w.T @ g)

    f.defvjp(lambda w, x: (f(w, x), (w, x)), backward)
    w = make_lowrank()
    with materialization("error"):
        got = jax.grad(lambda x: quaxify(f)(w, x).sum())(X)
    assert_same(got, 2.0 * (dense(w).T @ jnp.ones(3)))
    gradients_agree(f, w, X)
    gradients_agree(lambda x, w: f(w, x), X, w)


def test_residuals_may_be_new_values_and_inputs_mixed():
    @jax.custom_vjp
    def f(x, y):
        return jnp.sin(x) * y

    f.defvjp(
        lambda x, y: (f(x, y), {"y": y, "neg": -x, "x": (x, None)}),
        lambda r, g: (g * r["y"] * jnp.cos(r["neg"]), 2.0 * g * jnp.sin(r["x"][0])),
    )
    gradients_agree(f, Box(X), X + 1.0)
    gradients_agree(f, Doubled(X), Pair(X, X))
    gradients_agree(lambda y, x: f(x, y), Doubled(X), Box(X))


def test_integer_leaves_get_no_cotangent():
    x = Quantized(jnp.array([1, -2], jnp.int8), jnp.float32(0.5))
    gradients_agree(tripled_sine, x)
    got = jax.grad(lambda x: quaxify(tripled_sine)(x).sum(), allow_int=True)(x)
    assert got.codes.dtype == jax.dtypes.float0
    want = 3 * np.cos([0.5, -1.0]) @ np.array([1.0, -2.0])
    np.testing.assert_allclose(got.scale, want, rtol=1e-5)


def test_a_cotangent_may_be_a_value():
    def program(x, g):
        return jax.vjp(tripled_sine, x)[1](g)[0]

    agrees(program, Doubled(X), Doubled(X))
    agrees(program, X, Doubled(X))
    agrees(program, Doubled(X), Zero(jnp.zeros((3, 0))))


class Sum(ArrayValue):
    """The sum of its leaves, and says that it is linear in them."""

    x: jax.Array
    y: jax.Array

    leaf_linear = True
    materialization = "allow"

    def materialize(self):
        return self.x + self.y


LINEAR = {
    "a scale": lambda: Length(matrix(), 0.5),
    "a sum": lambda: Sum(matrix(), matrix(2)),
    "a wrapper": lambda: Box(matrix()),
    "a wrapper of a scale": lambda: Box(Length(matrix(), 0.5)),
    "a wrapper of a wrapper": lambda: Box(Box(matrix())),
    "a wrapper of a product": lambda: Box(make_lowrank()),
}


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("name", LINEAR)
def test_a_cotangent_of_the_type_of_its_operand_is_pulled_back(name, jitted):
    f = jax.custom_vjp(lambda x: jnp.sum(x))
    f.defvjp(lambda x: (jnp.sum(x), x), lambda x, g: (x,))
    x = LINEAR[name]()
    leaves, tree = jax.tree.flatten(x)
    gradient = jax.grad(lambda x: materialize(quaxify(f)(x)))
    got = (jax.jit(gradient) if jitted else gradient)(x)
    (want,) = jax.vjp(lambda leaves: materialize(tree.unflatten(leaves)), leaves)[1](materialize(x))
    assert_same(jax.tree.leaves(got), want)


@pytest.mark.skipif(new_custom_vjp_of_0_10(), reason="JAX refuses closures over tracers")
@pytest.mark.parametrize("nondiff", [False, True])
def test_a_value_that_is_closed_over_takes_part(nondiff):
    def program(x, w):
        f = jax.custom_vjp(lambda x: jnp.matmul(w, x))
        f.defvjp(lambda x: (jnp.matmul(w, x), x), lambda x, g: (2.0 * jnp.matmul(g, w),))
        return f(x)

    w = make_lowrank()
    want = jax.grad(lambda x: jnp.sum(program(x, dense(w))))(X)
    if nondiff:
        assert_same(quaxify(lambda w, x: jax.grad(lambda x: jnp.sum(program(x, w)))(x))(w, X), want)
    else:
        assert_same(quaxify(jax.grad(lambda x: jnp.sum(program(x, w))))(X), want)
    assert_same(jax.grad(lambda x: jnp.sum(quaxify(program)(x, w)))(X), want)


def test_a_tree_of_arguments_and_outputs_passes():
    @jax.custom_vjp
    def f(tree):
        return {"sum": tree["a"] + tree["b"][0], "a": tree["a"]}

    f.defvjp(
        lambda t: (f(t), None),
        lambda _, g: ({"a": 2 * g["sum"] + g["a"], "b": (3 * g["sum"],)},),
    )
    gradients_agree(lambda x: f({"a": x, "b": (x * 2.0,)}), Doubled(X))


def test_second_derivatives_differentiate_the_rule():
    def program(x):
        return jax.grad(lambda x: jnp.sum(tripled_sine(x) ** 2))(x)

    agrees(program, Doubled(X))
    gradients_agree(program, Doubled(X))


def test_linearize_and_jacobians_use_the_rule(value):
    agrees(lambda x: jax.jacrev(tripled_sine)(x[0]), value)


def test_the_rule_is_the_same_when_traced_twice_by_jit():
    gradient = jax.jit(jax.grad(lambda x: quaxify(tripled_sine)(x).sum()))
    for x in (Doubled(X), Doubled(jnp.ones((2, 2))), Doubled(X)):
        np.testing.assert_allclose(gradient(x).half, 6 * np.cos(dense(x)), rtol=1e-5)


def test_backward_alone_runs_on_another_cotangent():
    out, pull = jax.vjp(lambda x: quaxify(tripled_sine)(x), Doubled(X))
    np.testing.assert_allclose(out, np.sin(2 * X), rtol=1e-5)
    for g in (jnp.ones(3), jnp.arange(3.0)):
        np.testing.assert_allclose(pull(g)[0].half, 6 * np.cos(2 * X) * g, rtol=1e-5)


def test_optimize_remat_is_honoured():
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (3 * g * jnp.cos(x),), optimize_remat=True)
    gradients_agree(f, Doubled(X))
    gradients_agree(jax.checkpoint(f), Doubled(X))


def test_a_rule_that_raises_is_the_users_error():
    f = jax.custom_vjp(jnp.sin)

    def backward(x, g):
        raise RuntimeError("in the rule")

    f.defvjp(lambda x: (jnp.sin(x), x), backward)
    with pytest.raises(RuntimeError, match="in the rule"):
        jax.grad(lambda x: quaxify(f)(x).sum())(Doubled(X))
    gradients_agree(tripled_sine, Doubled(X))


def test_cotangents_reach_the_leaves_without_the_dense_array():
    w = make_lowrank(8)
    f = jax.custom_vjp(lambda w, x: w @ x)
    f.defvjp(lambda w, x: (w @ x, x), lambda x, g: (jnp.outer(g, x), jnp.zeros(8)))
    x = jnp.arange(8.0)
    gradient = jax.jit(jax.grad(lambda w: quaxify(f)(w, x).sum()))
    with materialization("error"):
        got = gradient(w)
    g = jnp.outer(jnp.ones(8), x)
    assert_same([got.w, got.a, got.b], [g, g @ w.b.T, w.a.T @ g])
    leaves, tree = jax.tree.flatten(w)
    compiled = _leaf_cotangents.lower(tree, (0, 1, 2), leaves, g).compile().as_text()
    assert len(re.findall(r"= f32\[8,8\]\S* dot\(", compiled)) == 0
    assert len(re.findall(r" dot\(", compiled)) == 2
