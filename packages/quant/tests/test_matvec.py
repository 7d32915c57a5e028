"""Products of one row, which decode codes where they are multiplied, against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize, quaxify
from duckarray.quant import _matvec, _product, quantize

RNG = np.random.default_rng(0)
X = RNG.normal(size=64).astype("float32")
W = RNG.normal(size=(64, 12)).astype("float32")
SCHEMES = [
    ("int8", {}),
    ("int8", {"group_size": 32, "symmetric": False}),
    ("int4", {"group_size": 32, "symmetric": False}),
    ("int2", {"group_size": 64}),
    ("nf4", {"group_size": 16, "double_quant": True}),
    ("nvfp4", {}),
    ("e5m2", {"channel_axes": ()}),
]


@pytest.fixture(autouse=True)
def _every_size(monkeypatch):
    monkeypatch.setattr(_product, "CPU", _product.Budget(0, 256))
    monkeypatch.setattr(_matvec, "LEAST_BYTES", 0)


@pytest.fixture
def used(monkeypatch):
    """How often a product was taken row by row."""
    calls = []

    def counting(*args, **options):
        calls.append(1)
        return real(*args, **options)

    real = _matvec.row_sum
    monkeypatch.setattr(_matvec, "row_sum", counting)
    return calls


def close(got, want):
    want = np.asarray(want, "float64")
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize(("scheme", "options"), SCHEMES)
def test_a_row_in_every_scheme_and_place(scheme, options, used):
    q = quantize(jnp.asarray(W), scheme, **options)
    want = X.astype("float64") @ np.asarray(materialize(q), "float64")
    close(jax.jit(quaxify(lambda q, x: (q.T @ x[:, None])[:, 0]))(q, X), want)
    assert used


def test_vmap_over_rows_is_one_product_and_over_weights_is_right():
    q = quantize(jnp.asarray(W), "int8")
    rows = jnp.asarray(RNG.normal(size=(5, 64)), jnp.float32)
    dense = np.asarray(materialize(q))
    product = lambda x, q: quaxify(jnp.matmul)(x, q)
    close(jax.jit(jax.vmap(product, (0, None)))(rows, q), rows @ dense)
    several = str(jax.make_jaxpr(jax.vmap(product, (0, None)))(rows, q))
    assert "f32[5,64]" in several
    assert "dot_general" in several
    both = jax.tree.map(lambda x: jnp.stack([x, x]), q)
    each = jax.vmap(lambda codes, scale: product(rows[0], _with(q, codes, scale)))
    got = jax.jit(each)(both.codes, both.scale)
    close(got, np.stack([rows[0] @ dense] * 2))


def _with(q, codes, scale):
    import dataclasses

    return dataclasses.replace(q, codes=codes, scale=scale)


@pytest.mark.parametrize(
    ("scheme", "options"), [("nf4", {"group_size": 16}), ("int4", {"symmetric": False})]
)
def test_gradients_by_the_row_and_by_scales(scheme, options):
    q = quantize(jnp.asarray(W), scheme, **options)
    dense = np.asarray(materialize(q), "float64")

    def loss(x, scale):
        return jnp.sum(jnp.sin(quaxify(jnp.matmul)(x, _with(q, q.codes, scale))))

    by_row, by_scale = jax.jit(jax.grad(loss, (0, 1)))(X, q.scale)
    slope = np.cos(X @ dense)
    close(by_row, dense @ slope)
    groups = q.scale.shape[0]
    each = dense * X[:, None] * slope / np.repeat(np.asarray(q.scale), 64 // groups, 0)
    close(by_scale, each.reshape(groups, -1, 12).sum(1))


def test_integers_of_one_row_are_summed_exactly(used):
    w = jnp.asarray(RNG.normal(size=(4096, 2)), jnp.float32)
    x = jnp.asarray(RNG.integers(-127, 128, 4096), jnp.float32).at[0].set(127)
    q = quantize(w, "w8a8")
    want = (np.asarray(x, "int64") @ np.asarray(q.codes, "int64")) * np.asarray(q.scale, "float64")
    np.testing.assert_allclose(jax.jit(quaxify(jnp.matmul))(x, q), want[0], rtol=3e-7)
    assert used
