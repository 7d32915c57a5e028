"""What compiled products hold: scratch bytes, and no weight folded into a constant."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize, quaxify
from duckarray.quant import _squares, quantize
from duckarray.quant._product import Budget

MB = 1 << 20


def abstract(shape, scheme, **options):
    w = jax.ShapeDtypeStruct(shape, jnp.float32)
    return jax.eval_shape(lambda w: quantize(w, scheme, **options), w)


def scratch(fn, *args):
    return jax.jit(fn).lower(*args).compile().memory_analysis().temp_size_in_bytes


def forward(w, x):
    return quaxify(jnp.matmul)(x, w)


@pytest.mark.parametrize(
    ("scheme", "options", "most"),
    [
        ("int8", {}, 4),
        ("int4", {"group_size": 64}, 4),
        ("nf4", {"group_size": 64}, 4),
        ("e4m3", {}, 4),
        ("w8a8", {}, 1),
    ],
)
def test_a_product_of_4096_by_4096_takes_few_megabytes(scheme, options, most):
    w = abstract((4096, 4096), scheme, **options)
    for rows in (1, 64):
        x = jax.ShapeDtypeStruct((rows, 4096), jnp.float32)
        assert scratch(forward, w, x) <= most * MB + 4096


@pytest.mark.parametrize("scheme", ["int8", "nf4"])
def test_a_gradient_stores_no_block(scheme):
    w = abstract((4096, 4096), scheme)
    x = jax.ShapeDtypeStruct((64, 4096), jnp.float32)
    gradient = jax.value_and_grad(lambda x, w: jnp.sum(jnp.sin(forward(w, x))))
    assert scratch(gradient, x, w) <= 8 * MB


def test_the_head_of_a_language_model_fits_too():
    w = abstract((49152, 576), "int8", group_size=32, axis=-1)
    x = jax.ShapeDtypeStruct((1, 576), jnp.float32)
    assert scratch(lambda w, x: quaxify(lambda w, x: x @ w.T)(w, x), w, x) <= 8 * MB


@pytest.mark.parametrize("rows", [1, 16])
def test_the_layers_of_a_model_are_not_dequantized_all_at_once(rows):
    layers = [abstract((512, 512), "int8") for _ in range(8)]  # 8 MB when dense

    def run(layers, x):
        for w in layers:
            x = jnp.tanh(forward(w, x))
        return x

    assert scratch(run, layers, jax.ShapeDtypeStruct((rows, 512), jnp.float32)) <= 3 * MB


@pytest.mark.parametrize("n", [256, 2048])
def test_a_captured_weight_is_not_folded_into_numbers(n):
    w = quantize(jnp.asarray(np.random.default_rng(0).normal(size=(n, n)), jnp.float32), "int8")
    x = jnp.ones((1, n))
    text = jax.jit(lambda x: forward(w, x)).lower(x).compile().as_text()
    assert not re.search(rf"f32\[{n},{n}\]\S* constant", text)
    assert re.search(rf"s8\[{n},{n}\]\S* constant", text)


@pytest.mark.parametrize("axis", [0, 1])
def test_norms_of_a_large_matrix_take_few_megabytes(axis):
    w = abstract((4096, 4096), "nf4", group_size=64)
    assert scratch(lambda w: w.sum_of_squares((axis,)), w) <= 4 * MB


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (1, 2), (2, 0, 1)])
@pytest.mark.parametrize("axis", [-1, -2])
def test_norms_in_blocks_are_those_of_the_whole(axes, axis, monkeypatch):
    monkeypatch.setattr(_squares, "CPU", Budget(0, 256))
    x = np.random.default_rng(0).normal(size=(2, 24, 16)).astype("float32")
    q = quantize(jnp.asarray(x), "int4", group_size=8, axis=axis, symmetric=False)
    want = np.sum(np.square(np.asarray(materialize(q), "float64")), axes)
    np.testing.assert_allclose(q.sum_of_squares(axes), want, rtol=1e-5)
