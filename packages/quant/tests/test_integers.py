"""Products of integers, rewrites for them, caches, and training with rounding."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize, quaxify
from duckarray.quant import (
    KVCache,
    Rule,
    fake_quant,
    hadamard,
    quantize,
    quantize_tree,
    report,
    smooth,
    zeros,
)

RNG = np.random.default_rng(0)
W = RNG.normal(size=(256, 64)).astype("float32")
X = RNG.normal(size=(16, 256)).astype("float32")
WILD = X.copy()
WILD[:, [3, 50, 99]] *= 60


def error(got, want):
    return float(np.sqrt(np.mean((np.asarray(got, "float64") - want) ** 2) / np.mean(want**2)))


def multiply(q, x):
    return jax.jit(quaxify(jnp.matmul))(jnp.asarray(x), q)


def test_integer_products_are_as_exact_as_eight_bits_allow():
    want = X.astype("float64") @ W
    assert error(multiply(quantize(jnp.asarray(W), "w8a8"), X), want) < 0.012
    assert error(multiply(quantize(jnp.asarray(W), "w4a8", group_size=64), X), want) < 0.1
    one = multiply(quantize(jnp.asarray(W), "w8a8"), X[:1])
    assert error(one, want[:1]) < 0.015


def test_integers_are_multiplied_as_integers():
    q = quantize(jnp.asarray(W), "w8a8")
    text = str(jax.make_jaxpr(lambda q, x: quaxify(jnp.matmul)(x, q))(q, X))
    assert "preferred_element_type=int32" in text


def test_outliers_that_are_kept_in_floating_point_do_no_harm():
    want = WILD.astype("float64") @ W
    without = error(multiply(quantize(jnp.asarray(W), "w8a8"), WILD), want)
    kept = error(multiply(quantize(jnp.asarray(W), "w8a8", outliers=3), WILD), want)
    assert kept < 0.012 < without


def test_smoothing_and_rotating_are_exact_and_help():
    want = WILD.astype("float64") @ W
    plain = error(multiply(quantize(jnp.asarray(W), "w8a8"), WILD), want)
    w2, factors = smooth(jnp.asarray(W), jnp.max(jnp.abs(WILD), 0))
    np.testing.assert_allclose((WILD / factors[None]) @ w2, want, rtol=1e-3, atol=1e-2)
    assert error(multiply(quantize(w2, "w8a8"), WILD / factors[None]), want) < plain
    x3, w3 = hadamard(jnp.asarray(WILD)), hadamard(jnp.asarray(W), axis=0)
    np.testing.assert_allclose(x3 @ w3, want, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(hadamard(x3), WILD, rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match=r"3 entries[\s\S]*zeros to 4"):
        hadamard(jnp.ones(3))
    with pytest.raises(ValueError, match=r"256 entries[\s\S]*jnp\.max"):
        smooth(jnp.asarray(W), jnp.ones(3))


def test_the_gradient_through_integers_is_that_of_the_weight():
    q = quantize(jnp.asarray(W), "w8a8")
    g = jnp.asarray(RNG.normal(size=(16, 64)), jnp.float32)
    _, pull = jax.vjp(lambda x: quaxify(jnp.matmul)(x, q), jnp.asarray(X))
    np.testing.assert_allclose(pull(g)[0], g @ materialize(q).T, rtol=1e-4, atol=1e-3)


def test_a_cache_is_quantized_as_it_fills():
    rows = jnp.asarray(RNG.normal(size=(4, 2, 64)), jnp.float32)
    cache = KVCache.zeros((8, 2, 64))
    append = jax.jit(lambda cache, row, i: cache.append(row, row, i))
    for i in range(4):
        cache = append(cache, rows[i : i + 1], i)
    keys, values = materialize(cache.keys), materialize(cache.values)
    largest = np.abs(np.asarray(rows)).max(-1, keepdims=True)
    assert np.all(np.abs(keys[:4] - rows) <= largest / 253)
    assert np.all(np.abs(values[:4] - rows) <= largest / 7.9)
    assert not np.any(keys[4:])
    assert not np.any(values[4:])
    query = jnp.asarray(RNG.normal(size=(2, 64)), jnp.float32)
    scores = quaxify(lambda q, k: jnp.einsum("hd,thd->ht", q, k))(query, cache.keys)
    want = np.einsum("hd,thd->ht", query, keys)
    np.testing.assert_allclose(scores, want, rtol=1e-4, atol=1e-4)
    assert zeros((3, 4), "nf4", group_size=2).shape == (3, 4)


def test_fake_quantization_rounds_and_lets_gradients_through():
    w = jnp.asarray(W[:64])
    rounded = fake_quant(w, "int4", group_size=16)
    np.testing.assert_allclose(rounded, materialize(quantize(w, "int4", group_size=16)), atol=1e-6)
    gradient = jax.grad(lambda w: jnp.sum(fake_quant(w, "int4", group_size=16) * w))(w)
    np.testing.assert_allclose(gradient, rounded + w, rtol=1e-5, atol=1e-6)


def test_a_learned_step_has_the_gradient_of_lsq():
    x, step = jnp.array([0.26, -0.9, 5.0, -5.0]), 0.5  # int3: -4 to 3
    dx, dstep = jax.grad(lambda x, s: jnp.sum(fake_quant(x, "int3", step=s)), (0, 1))(x, step)
    np.testing.assert_allclose(dx, [1, 1, 0, 0])
    inside = [1 - 0.26 / 0.5, -2 + 0.9 / 0.5]  # round(v) - v
    np.testing.assert_allclose(dstep, (sum(inside) + 3 - 4) / np.sqrt(4 * 3), rtol=1e-5)


def test_a_report_names_errors_and_what_was_made_dense():
    model = {"a": jnp.asarray(W), "b": jnp.asarray(W)}
    quantized = quantize_tree(model, [Rule("a", "int4", group_size=64), Rule("b", "int8")])
    errors = report(model, quantized)
    assert [x.path for x in errors.worst(1)] == ["a"]
    dense = np.asarray(materialize(quantized["a"]), "float64")
    assert errors.weights[0].error == pytest.approx(error(dense, W.astype("float64")))
    assert errors.nbytes == sum(x.nbytes for x in quantized.values())
    model = {"a": quantized["a"], "b": quantize(jnp.asarray(W[:, :32]), "int8")}
    program = report(model, lambda m, x: (x @ m["a"], jnp.exp(m["b"])), jnp.asarray(X))
    assert [x.path for x in program.materialized] == ["b"]
    assert program.weights[0].operations == {"dot_general: rule": 1}
    assert "b is made dense at" in str(program)
    with pytest.raises(ValueError, match="no `QuantArray` in the model"):
        report({"a": 1.0}, lambda m: m)


def test_a_report_tells_weights_of_one_shape_apart():
    w = quantize(jnp.asarray(W), "int8")
    x = jnp.asarray(X)

    def forward(m, x):
        both = jnp.concatenate([m["b"], m["c"]], 1)
        return x @ m["a"], jnp.exp(m["b"].T), x @ both, x[:, :64] @ m["c"].T

    found = {r.path: r for r in report({"a": w, "b": w, "c": w}, forward, x).weights}
    assert found["a"].operations == {"dot_general: rule": 1}
    assert [path for path, r in found.items() if r.materialized] == ["b"]
    assert found["b"].operations["exp: materialized"] == 1
    assert found["b"].operations["concatenate: rule"] == 1
    assert found["b"].operations["dot_general: rule"] == 1
    assert found["c"].operations["dot_general: rule"] == 2
    branches = report(
        {"a": w, "b": w}, lambda m: jax.lax.cond(True, lambda: m["a"], lambda: m["b"]) @ x.T[:64]
    )
    assert not branches.materialized
