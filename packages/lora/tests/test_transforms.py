"""Stacked layers, control flow and transformations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import ArrayValue, materialization, materialize, quaxify, register
from duckarray.lora import LoraArray

X = jnp.asarray(np.random.default_rng(3).normal(size=(3, 8)), "float32")


@pytest.mark.parametrize(
    "program",
    [
        lambda w: lax.scan(lambda x, w: (jnp.tanh(x @ w), None), X, w)[0],
        lambda w: lax.scan(lambda x, w: (jnp.tanh(x @ w), x @ w.T), X, w, reverse=True),
        lambda w: lax.scan(jax.checkpoint(lambda x, w: (jnp.tanh(x @ w), None)), X, w)[0],
        lambda w: X @ lax.scan(lambda c, w: (c, w * 2), 0.0, w)[1],
        lambda w: lax.fori_loop(0, 3, lambda i, x: jnp.tanh(x @ w[i]), X),
        lambda w: lax.map(lambda w: X @ w, w),
        lambda w: jax.vmap(lambda w: X @ w.T)(w),
        lambda w: jax.vmap(lambda w, c: X @ (c * w))(w, jnp.arange(3.0)),
        lambda w: jax.vmap(lambda w: jnp.einsum("bd,dhk->bhk", X, w.reshape(8, 2, 4)))(w),
        lambda w: jnp.einsum("bi,bio->bo", X, w[jnp.array([2, 0, 2])]),
        lambda w: X @ w[1] + X @ w[jnp.int32(2)],
        lambda w: X @ lax.cond(True, lambda w: w[0], lambda w: w[1] * 2, w),
        lambda w: jax.jit(lambda w: X @ w)(w),
        lambda w: jax.grad(lambda x: lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, w)[0].sum())(
            X
        ),
    ],
)
def test_stacked_layers_stay_low_rank(make, agree, program):
    agree(program, make((3, 8, 8)))


def test_a_loop_may_carry_a_weight(make, agree):
    w = make((8, 8))
    agree(lambda w: X @ lax.fori_loop(0, 3, lambda i, w: w * 0.5, w), w)
    agree(lambda w: lax.while_loop(lambda x: x.sum() < 9, lambda x: x + jnp.abs(x @ w), X), w)


def test_vmap_outside_takes_every_leaf_apart(make):
    w, dense = make((3, 8, 5))
    got = jax.vmap(quaxify(lambda w: X @ w))(w)
    np.testing.assert_allclose(got, np.asarray(X, "float64") @ dense, rtol=1e-4, atol=1e-4)


def test_the_frozen_weight_has_no_gradient_in_the_program(make):
    w, _ = make((8, 5))

    def loss(a, b):
        return jnp.sum(quaxify(jnp.matmul)(X, LoraArray(w.w, a, b, w.scale)))

    jaxpr = jax.make_jaxpr(jax.grad(loss, (0, 1)))(w.a, w.b)
    shapes = {v.aval.shape for e in jaxpr.eqns for v in e.outvars}
    assert not shapes & {(8, 5), (5, 8)}


class Halves(ArrayValue):
    """Stands for an array stored as twice its half; for a weight inside a weight."""

    half: jax.Array

    def materialize(self):
        return self.half * 2

    def drop_leading(self):
        return self

    add_leading = drop_leading


for _primitive in ("transpose", "slice", "squeeze", "reshape", "neg"):

    @register(_primitive)
    def _linear_halves(x: Halves, *, primitive, **params) -> Halves:
        return Halves(primitive.bind(x.half, **params))


@register("dot_general")
def _dot_general_dense_halves(x: jax.Array, y: Halves, **params) -> jax.Array:
    return lax.dot_general_p.bind(x, y.half * 2, **params)


@pytest.mark.parametrize(
    "program",
    [
        lambda w: X @ w,
        lambda w: X @ w.T,
        lambda w: X @ -w,
        lambda w: jnp.einsum("bd,dhk->bhk", X, w.reshape(8, 2, 4)),
        lambda w: X[:, :4] @ w[:4],
        lambda w: w[3],
    ],
)
def test_the_weight_may_be_a_value_itself(make, program):
    w, dense = make((8, 8))
    nested = LoraArray(Halves(w.w / 2), w.a, w.b, w.scale)
    with materialization("error"):
        got = quaxify(program)(nested)
        jitted = jax.jit(quaxify(program))(nested)
    want = program(jnp.asarray(dense, "float32"))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(jitted, want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(materialize(nested), dense, rtol=1e-4, atol=1e-4)


def test_stacked_values_inside_stacked_weights_are_scanned(make):
    w, dense = make((3, 8, 8))
    nested = LoraArray(Halves(w.w / 2), w.a, w.b, w.scale)

    def program(w):
        return lax.scan(lambda x, w: (jnp.tanh(x @ w), None), X, w)[0]

    with materialization("error"):
        got = quaxify(program)(nested)
    np.testing.assert_allclose(got, program(jnp.asarray(dense, "float32")), rtol=1e-4, atol=1e-4)


def test_an_adapter_on_an_adapter_agrees(make, agree):
    inner, dense = make((8, 8))
    outer, _ = make((8, 8), seed=1)
    both = LoraArray(inner, outer.a, outer.b, outer.scale)
    want = dense + np.asarray(outer.scale * (outer.a @ outer.b), "float64")
    agree(lambda w: X @ w, (both, want), rtol=1e-4)


@pytest.mark.parametrize(
    "program",
    [
        lambda w: lax.scan(lambda w, _: (w.T, None), w, length=3)[0] @ X.T,
        lambda w: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1].T), (0, w))[1] @ X.T,
        lambda w: lax.cond(X[0, 0] > 0, lambda: w, lambda: w.T) @ X.T,
        lambda w: lax.scan(lambda c, row: (c + 1.0, jnp.sin(row)), 0.0, w, reverse=True)[1],
    ],
)
def test_two_layouts_meet_in_a_loop_and_rows_are_scanned(make, agree, program):
    agree(program, make((8, 8)))


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_gradient_inside_keeps_a_weight_that_a_branch_closes_over(make, agree, index):
    def loss(x, w):
        branches = [lambda x: w @ (w @ x), lambda x: 2.0 * x, lambda x: w.T @ x]
        return jnp.sum(jnp.sin(lax.switch(index, branches, x)))

    agree(jax.grad(loss), X[0], make((8, 8)))
