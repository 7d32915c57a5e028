"""Low-rank adapters on quantized weights: QLoRA without a class of its own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray import lora, quant
from duckarray.core import materialization, materialize, quaxify, tree

KEY = jax.random.key(0)
X = jnp.asarray(np.random.default_rng(1).normal(size=(3, 64)), jnp.float32)


def weights(*names, shape=(64, 64)):
    rng = np.random.default_rng(0)
    return {n: jnp.asarray(rng.normal(size=shape) / 8, jnp.float32) for n in names}


def adapted(scheme, params, **options):
    """Quantized weights with adapters that do something, and the dense arrays they stand for."""
    small = quant.quantize_tree(params, [quant.Rule(".*", scheme, **options)])
    config = lora.LoraConfig(r=4, target_modules=list(params), init_lora_weights=False)
    model = lora.loraify(small, config, key=KEY)
    dense = {
        name: np.asarray(quant.dequantize(small[name]), "float64")
        + 2 * np.asarray(w.a, "float64") @ np.asarray(w.b, "float64")
        for name, w in model.items()
    }
    return small, model, dense


def program(p, x):
    """Two layers, an embedding, heads."""
    h = jnp.tanh(x @ p["w"]) + p["w"][jnp.array([1, 5, 2])]
    return jnp.einsum("bd,kd->bk", h, p["v"])


@pytest.mark.parametrize(
    ("scheme", "options"), [("int8", {}), ("nf4", {"group_size": 32}), ("int4", {"group_size": 32})]
)
def test_a_program_on_adapted_quantized_weights_agrees(scheme, options):
    _, model, dense = adapted(scheme, weights("w", "v"), **options)
    with materialization("error"):
        got = jax.jit(quaxify(program))(model, X)
    want = program({n: jnp.asarray(w, jnp.float32) for n, w in dense.items()}, X)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_the_gradient_is_that_of_the_dense_weights_and_codes_get_none():
    _, model, _ = adapted("nf4", weights("w", "v"), group_size=32)
    trainable, frozen = lora.partition(model)

    def loss(t):
        return jnp.sum(quaxify(program)(tree.combine(t, frozen), X) ** 2)

    def by_hand(t):
        base = {n: quant.dequantize(frozen[n].w) for n in frozen}
        p = {n: base[n] + frozen[n].scale * t[n].a @ t[n].b for n in base}
        return jnp.sum(program(p, X) ** 2)

    got, want = jax.jit(jax.grad(loss))(trainable), jax.jit(jax.grad(by_hand))(trainable)
    assert len(jax.tree.leaves(got)) == 4
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-3, atol=2e-3 * float(jnp.abs(y).max()))


def test_stacked_quantized_layers_are_scanned_with_their_adapters():
    _, model, dense = adapted("int8", weights("w", shape=(3, 64, 64)), axis=-2)

    def run(p, x):
        return jax.lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, p["w"])[0]

    with materialization("error"):
        got = jax.jit(quaxify(run))(model, X)
    want = run({"w": jnp.asarray(dense["w"], jnp.float32)}, X)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_merging_gives_the_dense_sum_or_quantizes_it_again():
    small, model, dense = adapted("int8", weights("w"))
    np.testing.assert_allclose(lora.merge(model)["w"], dense["w"], rtol=1e-5, atol=1e-5)
    again = lora.merge(model, requantize=lambda w, old: quant.quantize(w, "int8"))["w"]
    assert isinstance(again, quant.QuantArray)
    error = np.abs(np.asarray(materialize(again)) - dense["w"]).max()
    assert error <= np.abs(dense["w"]).max() / 127
    assert lora.unload(model)["w"] is small["w"]
    model["codes"] = small["w"]  # a value that is no adapter, in front of the others
    assert lora.unmerge(lora.merge(model), model)["w"].w is small["w"]


def test_an_adapter_is_saved_and_put_on_other_codes(tmp_path):
    params = weights("q_proj", "v_proj")
    _, model, _ = adapted("int8", params)
    lora.save_pretrained(tmp_path, model)
    four = quant.quantize_tree(params, [quant.Rule(".*", "nf4", group_size=32)])
    again = lora.load_pretrained(tmp_path, four)
    assert isinstance(again["q_proj"].w, quant.QuantArray)
    np.testing.assert_array_equal(again["q_proj"].a, model["q_proj"].a)


def test_magnitudes_and_several_adapters_on_quantized_weights():
    small, model, dense = adapted("int8", weights("w"))
    w = model["w"]
    magnitude = jnp.asarray(np.linalg.norm(dense["w"], axis=0), jnp.float32) * 2
    dora = lora.LoraArray(w.w, w.a, w.b, w.scale, magnitude)
    got = quaxify(jnp.matmul)(X, dora)
    np.testing.assert_allclose(got, np.asarray(X) @ (2 * dense["w"]), rtol=1e-3, atol=1e-3)
    multi = lora.select(lora.stack({"one": model}), ["one", None, "one"])
    with materialization("error"):
        got = quaxify(jnp.matmul)(X, multi["w"])
    base = np.asarray(quant.dequantize(small["w"]))
    want = np.stack([X[0] @ dense["w"], X[1] @ base, X[2] @ dense["w"]])
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("axis", [-2, -1])
def test_stacked_magnitudes_on_quantized_weights_are_scanned_and_mapped(axis):
    _, model, dense = adapted("int8", weights("w", shape=(3, 64, 64)), axis=-2)
    w, v = model["w"], dense["w"]
    norm = np.linalg.norm(v, axis=axis, keepdims=True)
    magnitude = np.random.default_rng(5).uniform(0.5, 2, norm.shape)
    value = lora.LoraArray(w.w, w.a, w.b, w.scale, jnp.asarray(magnitude, jnp.float32))
    each = magnitude * v / norm

    def layers(w):
        return jax.lax.scan(lambda x, w: (jnp.tanh(x @ w), None), X, w)[0]

    want = np.asarray(X, "float64")
    for one in each:
        want = np.tanh(want @ one)
    with materialization("error"):
        np.testing.assert_allclose(quaxify(layers)(value), want, rtol=1e-3, atol=1e-3)
        mapped = quaxify(lambda w: jax.vmap(lambda w: X @ w)(w))(value)
    np.testing.assert_allclose(mapped, np.asarray(X) @ each, rtol=1e-3, atol=1e-3)


def test_two_adapted_quantized_weights_are_multiplied_and_added_to():
    _, model, dense = adapted("int8", weights("w"))
    w, v = model["w"], dense["w"]
    magnitude = np.linalg.norm(v, axis=0)
    dora = lora.LoraArray(w.w, w.a, w.b, w.scale, jnp.asarray(magnitude, jnp.float32))
    # Rows of a weight whose groups lie across them cannot be scaled by the magnitudes.
    for value, policy in ((w, "error"), (dora, "allow")):
        with materialization(policy):
            got = quaxify(lambda w: (w @ w) @ jnp.ones(64))(value)
        np.testing.assert_allclose(got, v @ v @ np.ones(64), rtol=1e-3, atol=1e-2)
        with materialization("allow"):
            got = jax.jit(quaxify(lambda w: jnp.hypot(w, 1.0)))(value)
        np.testing.assert_allclose(got, np.hypot(v, 1), rtol=1e-4, atol=1e-4)


@pytest.mark.any_jax
def test_magnitudes_over_four_bits_never_make_the_weight_dense():
    def shape(*sizes):
        return jax.ShapeDtypeStruct(sizes, jnp.float32)

    def loss(parts, w, x):
        return jnp.sum(jnp.sin(quaxify(jnp.matmul)(x, lora.LoraArray(w, *parts))))

    n, mb = 4096, 1 << 20
    w = jax.eval_shape(lambda w: quant.quantize(w, "nf4", group_size=64), shape(n, n))
    parts = (shape(n, 16), shape(16, n), shape(), shape(n, 1))
    compiled = jax.jit(jax.value_and_grad(loss)).lower(parts, w, shape(64, n)).compile()
    assert compiled.memory_analysis().temp_size_in_bytes <= 9 * mb  # 64 MB when dense
