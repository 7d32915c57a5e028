import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import Box, Doubled, LowRank, Quantized, Zero, dense, make_lowrank, make_quantized
from jax import lax

from duckarray.core import ArrayValue, materialization, materialize, quaxify, register

pytestmark = pytest.mark.long

X = jnp.arange(3.0)


def deep():
    """A value in a value in a value: a box of a low-rank change of small integers."""
    return Box(LowRank(make_quantized(), jnp.ones((3, 2)), jnp.full((2, 3), 0.5)), "n")


def test_the_shape_and_the_dense_array_are_those_of_the_innermost():
    x = deep()
    assert (x.shape, x.dtype) == ((3, 3), jnp.float32)
    assert x.array.shape == (3, 3)
    np.testing.assert_allclose(materialize(x), dense(x), rtol=1e-6)
    assert not isinstance(materialize(x), ArrayValue)


def test_rules_fire_at_every_level_and_nothing_is_made_dense():
    w = LowRank(make_quantized(), jnp.ones((3, 2)), jnp.full((2, 3), 0.5))
    with materialization("error"):
        got = quaxify(lambda w, x: w @ x)(w, X)
    assert_same(got, dense(w) @ X)


def test_plain_jnp_in_a_rule_works_on_fields_that_are_values(own_rules):
    class Row(ArrayValue):
        inner: jax.Array | ArrayValue
        materialization = "error"

        def materialize(self):
            return self.inner

    @register("sin")
    def _sin_row(x: Row, **params):
        return Row(jnp.negative(x.inner) * 2.0)

    got = quaxify(jnp.sin)(Row(Box(X, "r")))
    assert isinstance(got, Row)
    assert isinstance(got.inner, Box)
    np.testing.assert_allclose(got.inner.array, -2 * X)


def test_a_value_made_in_a_rule_of_parts_that_are_values_has_operators(own_rules):
    class Scaled(ArrayValue):
        inner: jax.Array | ArrayValue
        factor: jax.Array
        materialization = "error"

        def materialize(self):
            return self.inner * self.factor

    @register("sin")
    def _sin_scaled(x: Scaled, **params):
        return -Scaled(x.inner, 2 * x.factor)

    @register("neg")
    def _neg_scaled(x: Scaled, **params):
        return Scaled(x.inner, -x.factor)

    for run in (quaxify(jnp.sin), jax.jit(quaxify(jnp.sin))):
        got = run(Scaled(Box(X, "r"), jnp.float32(3)))
        assert isinstance(got, Scaled)
        assert isinstance(got.inner, Box)
        np.testing.assert_allclose(got.inner.array * got.factor, -6 * X)


def test_a_box_of_a_value_passes_the_operation_inwards():
    got = quaxify(lambda x: -(x * 2.0))(Box(Box(X, "in"), "out"))
    assert (got.tag, got.array.tag) == ("out", "in")
    np.testing.assert_allclose(got.array.array, -2 * X)


def test_three_levels_pass_the_operation_inwards():
    got = quaxify(lambda x: -x)(Box(Box(Box(X, "a"), "b"), "c"))
    assert (got.tag, got.array.tag, got.array.array.tag) == ("c", "b", "a")
    np.testing.assert_allclose(dense(got), -X)


def test_two_nested_values_meet():
    x, y = Box(Box(X, "i"), "o"), Box(Box(X + 1.0, "i"), "o")
    got = quaxify(lambda x, y: x + y)(x, y)
    assert (got.tag, got.array.tag) == ("o", "i")
    np.testing.assert_allclose(dense(got), 2 * X + 1)


def test_a_nested_value_meets_one_that_is_not():
    got = quaxify(lambda x, y: x * y)(Box(Box(X, "i"), "o"), Box(X, "p"))
    assert got.tag == "op"
    np.testing.assert_allclose(dense(got), X * X)


def test_a_value_inside_a_container_field_is_found():
    class Many(ArrayValue):
        parts: tuple
        materialization = "allow"

        def materialize(self):
            return jnp.concatenate([jnp.asarray(materialize(p)) for p in self.parts])

    x = Many((Doubled(X), X, Box(X)))
    want = np.concatenate([2 * X, X, X])
    assert x.shape == (9,)
    np.testing.assert_allclose(materialize(x), want)
    np.testing.assert_allclose(quaxify(lambda x: jnp.cumsum(x))(x), np.cumsum(want))


PROGRAMS = {
    "product": lambda x: x @ jnp.ones(3),
    "jit": lambda x: jax.jit(lambda x: jnp.tanh(x @ jnp.ones(3)))(x),
    "cond": lambda x: lax.cond(True, lambda x: x, lambda x: x * 2.0, x),
    "scan": lambda x: lax.scan(lambda c, _: (x @ c, c), X, None, length=2),
    "scan carry": lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=2)[0],
    "while": lambda x: lax.fori_loop(0, 2, lambda i, c: -c, x),
    "remat": lambda x: jax.checkpoint(lambda x: jnp.sin(x @ X))(x),
    "vmap": lambda x: jax.vmap(lambda r: r @ X)(x),
    "grad": lambda x: jax.grad(lambda y: jnp.sum((x @ y) ** 2))(X),
    "custom_jvp": lambda x: jax.nn.relu(x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_on_nested_values_agree(name):
    agrees(PROGRAMS[name], deep())


@pytest.mark.parametrize("name", ["product", "jit", "remat", "custom_jvp", "scan"])
def test_gradients_of_nested_values_agree(name):
    gradients_agree(PROGRAMS[name], deep())


def test_the_gradient_outside_has_the_structure_of_the_nested_value():
    w = LowRank(Doubled(jnp.eye(3)), Box(jnp.ones((3, 1))), jnp.ones((1, 3)))
    got = jax.grad(lambda w: quaxify(jnp.matmul)(w, X).sum())(w)
    assert isinstance(got.w, Doubled)
    assert isinstance(got.a, Box)
    np.testing.assert_allclose(got.w.half, 2 * np.outer(np.ones(3), X))
    np.testing.assert_allclose(got.a.array, np.full((3, 1), 3.0))


def test_low_rank_over_zeros_is_its_product():
    w = LowRank(Zero(jnp.zeros((3, 3, 0))), jnp.ones((3, 1)), jnp.ones((1, 3)))
    agrees(lambda w: w @ X, w)
    gradients_agree(lambda w: w @ X, w)


def test_vmap_outside_of_a_nested_value_maps_the_innermost_leaves():
    layers = LowRank(
        Quantized(jnp.ones((2, 3, 3), jnp.int8), jnp.array([0.5, 1.0])),
        jnp.ones((2, 3, 1)),
        Box(jnp.ones((2, 1, 3))),
    )
    got = jax.vmap(quaxify(jnp.matmul), (0, None))(layers, X)
    want = [(s * np.ones((3, 3)) + np.ones((3, 3))) @ X for s in (0.5, 1.0)]
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_the_contents_are_whatever_the_transforms_outside_put_there():
    def program(x):
        return quaxify(lambda y: jnp.sin(y) * 2.0)(Box(x))

    assert_same(quaxify(program)(Doubled(X)), 2 * jnp.sin(2 * X))
    got = jax.vmap(jax.grad(lambda x: dense(program(x)).sum()))(X[:, None])
    np.testing.assert_allclose(got[:, 0], 2 * np.cos(X), rtol=1e-5)


def test_nested_low_rank_updates_add_up():
    w = LowRank(make_lowrank(seed=1), jnp.ones((3, 1)), jnp.ones((1, 3)))
    with materialization("error"):
        got = quaxify(lambda w: (w @ X, X @ w, w.T @ X))(w)
    m = dense(w)
    assert_same(got, (m @ X, X @ m, m.T @ X))
