"""Weights with a magnitude: `magnitude * v / norm(v)` with `v = w + scale * a @ b`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, materialize, quaxify
from duckarray.lora import LoraArray, LoraConfig, loraify

pytestmark = pytest.mark.any_jax
X = jnp.asarray(np.random.default_rng(3).normal(size=(3, 6)), "float32")
KEY = jax.random.key(0)


@pytest.fixture
def dora(make):
    """A value with one magnitude per row or per column, and its dense array by NumPy."""

    def dora(axis, shape=(6, 4), **options):
        value, v = make(shape, **options)
        norm = np.sqrt(np.sum(v**2, axis=axis, keepdims=True))
        magnitude = np.random.default_rng(8).uniform(0.5, 2, size=norm.shape)
        parts = (value.w, value.a, value.b, value.scale, jnp.asarray(magnitude, "float32"))
        return LoraArray(*parts, value.rows, value.columns), magnitude * v / norm

    return dora


@pytest.mark.parametrize("axis", [-1, -2])
def test_it_stands_for_the_directions_times_the_magnitudes(dora, axis):
    for shape in [(6, 4), (1, 4), (6, 1), (2, 6, 4)]:
        value, dense = dora(axis, shape)
        np.testing.assert_allclose(materialize(value), dense, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("axis", [-1, -2])
@pytest.mark.parametrize(
    "program",
    [
        lambda w: X @ w,
        lambda w: w.T @ X.T,
        lambda w: X[:, :4] @ w.T,
        lambda w: jnp.einsum("mn,kn->mk", w, X[:, :4]),
        lambda w: jnp.einsum("mn,mn->", w, X[:1, :4] * jnp.ones((6, 1))),
        lambda w: jax.vmap(lambda x: x @ w)(X),
        lambda w: w[jnp.array([3, 0])],
        lambda w: -w @ X[:, :4].T * 2 + (w * 3) @ X[:, :4].T,
        lambda w: X @ (w + 1),
        lambda w: X[:, :2] @ w[1:3],
        lambda w: X @ jnp.concatenate([w, w], axis=1),
        lambda w: X @ w.reshape(6, 2, 2).reshape(6, 4),
    ],
)
def test_programs_agree_and_build_no_sum(dora, agree, axis, program):
    agree(program, dora(axis), jit=False)


@pytest.mark.parametrize("axis", [-1, -2])
def test_stacked_layers_are_scanned_and_mapped(dora, agree, axis):
    w = dora(axis, (3, 6, 6))
    agree(lambda w: jax.lax.scan(lambda x, w: (jnp.tanh(x @ w), None), X, w)[0], w)
    agree(lambda w: jnp.einsum("bd,ldn->lbn", X, w), w, jit=False)
    agree(lambda w: jnp.einsum("lnd,bd->nlb", w, X), w, jit=False)
    agree(lambda w: jax.vmap(lambda w: X @ w)(w), w, jit=False)


@pytest.mark.parametrize("axis", [-1, -3])
@pytest.mark.parametrize("shape", [(4, 4, 5), (3, 4, 5)])
def test_a_batch_axis_between_rows_and_columns_has_norms_of_its_own(make, axis, shape):
    value, v = make(shape, rows=(-3,), columns=(-1,))
    norm = np.sqrt(np.sum(v**2, axis=axis, keepdims=True))
    magnitude = np.random.default_rng(8).uniform(0.5, 2, size=norm.shape)
    parts = (value.w, value.a, value.b, value.scale, jnp.asarray(magnitude, "float32"))
    got = materialize(LoraArray(*parts, value.rows, value.columns))
    np.testing.assert_allclose(got, magnitude * v / norm, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("axis", [-1, -2])
def test_layers_are_picked_and_stay_of_low_rank(dora, agree, axis):
    w = dora(axis, (3, 6, 4))
    for ids in ([2, 0], [[2], [0]]):
        assert isinstance(agree(lambda w, ids=ids: w[jnp.array(ids)], w), LoraArray)
    agree(lambda w: jnp.take(w, jnp.array([1, 9]), axis=0, fill_value=7.0), w)
    agree(lambda w: jnp.take(w, jnp.array([1, 9]), axis=1, fill_value=7.0), w)
    agree(lambda w: jax.vmap(lambda w, i: w[i])(w, jnp.array([3, 1, 0])), w)


def test_a_convolution_agrees(dora, agree):
    w = dora((-3, -2, -1), (6, 4, 2, 2), rows=(-4,), columns=(-3, -2, -1))
    image = jnp.asarray(np.random.default_rng(4).normal(size=(1, 4, 5, 5)), "float32")
    agree(lambda w: jax.lax.conv_general_dilated(image, w, (1, 1), "SAME"), w)


def test_the_gradient_takes_the_norm_for_a_constant(dora):
    value, _ = dora(-2)

    def ours(a, b, magnitude):
        parts = (value.w, a, b, value.scale, magnitude)
        return jnp.sum(jnp.sin(quaxify(jnp.matmul)(X, LoraArray(*parts))))

    def by_hand(a, b, magnitude):
        v = value.w + value.scale * a @ b
        norm = jax.lax.stop_gradient(jnp.linalg.norm(v, axis=0, keepdims=True))
        return jnp.sum(jnp.sin(X @ (magnitude * v / norm)))

    args = (value.a, value.b, value.magnitude)
    for x, y in zip(
        jax.grad(ours, (0, 1, 2))(*args), jax.grad(by_hand, (0, 1, 2))(*args), strict=True
    ):
        np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)


def test_a_vector_is_the_magnitudes_of_the_columns():
    w, a, b = jnp.ones((3, 4)), jnp.zeros((3, 1)), jnp.zeros((1, 4))
    value = LoraArray(w, a, b, 1.0, jnp.arange(4.0))
    assert value.magnitude.shape == (1, 4)
    np.testing.assert_allclose(materialize(value), np.arange(4) / np.sqrt(3) * np.ones((3, 4)))


def test_a_column_of_zeros_stays_zero():
    w, a, b = jnp.zeros((3, 2)), jnp.zeros((3, 1)), jnp.zeros((1, 2))
    np.testing.assert_array_equal(materialize(LoraArray(w, a, b, 1.0, jnp.ones(2))), 0)


def test_a_magnitude_of_another_shape_is_refused():
    w, a, b = jnp.ones((3, 4)), jnp.zeros((3, 1)), jnp.zeros((1, 4))
    with pytest.raises(ValueError, match=r"magnitude of shape \(3,\)[^$]*\(1, 4\)[^$]*\(3, 1\)"):
        LoraArray(w, a, b, 1.0, jnp.ones(3))


@pytest.mark.parametrize(
    ("name", "shape"), [("weight", (6, 1)), ("kernel", (1, 4)), ("embedding", (1, 4))]
)
def test_loraify_takes_the_norms_of_the_outputs_and_changes_nothing(name, shape):
    w = jnp.asarray(np.random.default_rng(0).normal(size=(6, 4)), "float32")
    config = LoraConfig(r=2, use_dora=True, target_modules=[name])
    value = loraify({name: w}, config, key=KEY)[name]
    assert value.magnitude.shape == shape
    want = np.linalg.norm(w, axis=shape.index(1), keepdims=True)
    np.testing.assert_allclose(value.magnitude, want, rtol=1e-6)
    with materialization("error"):
        np.testing.assert_allclose(quaxify(jnp.matmul)(X, value), X @ w, rtol=1e-4, atol=1e-5)
