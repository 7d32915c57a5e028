"""Initialisations, matching rules, biases, merging and optimizers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from duckarray.core import materialize, quaxify
from duckarray.lora import (
    LoraArray,
    LoraConfig,
    TargetError,
    Trainable,
    loraify,
    loraplus,
    merge,
    merge_and_unload,
    partition,
    print_trainable_parameters,
    trainable_labels,
    trainable_mask,
    trainable_parameters,
    unload,
    unmerge,
)

pytestmark = pytest.mark.any_jax
KEY = jax.random.key(0)
RNG = np.random.default_rng(0)
W = jnp.asarray(RNG.normal(size=(12, 8)), "float32")


def adapt(init, w=W, **options):
    return loraify({"w": w}, LoraConfig(init_lora_weights=init, r=4, **options), key=KEY)["w"]


def test_singular_values_are_taken_out_of_the_weight():
    u, s, v = np.linalg.svd(np.asarray(W, "float64"), full_matrices=False)
    for init in ("pissa", "pissa_niter_8"):
        value = adapt(init, lora_alpha=2)
        np.testing.assert_allclose(0.5 * value.a @ value.b, u[:, :4] * s[:4] @ v[:4], atol=1e-2)
        np.testing.assert_allclose(materialize(value), W, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(value.w, 2), s[4], rtol=1e-2)


def test_olora_begins_with_the_qr_factors():
    value = adapt("olora")
    np.testing.assert_allclose(value.a.T @ value.a * 2, np.eye(4), atol=1e-5)
    np.testing.assert_allclose(materialize(value), W, rtol=1e-5, atol=1e-5)


def test_orthogonal_factors_have_no_product():
    value = adapt("orthogonal")
    np.testing.assert_allclose(value.a @ value.b, np.zeros((12, 8)), atol=1e-6)
    assert float(jnp.abs(value.a).max()) > 0.01
    assert float(jnp.abs(value.b).max()) > 0.01
    assert value.w is W
    with pytest.raises(ValueError, match=r"even rank, but that of `w` is 3[^$]*r=4"):
        loraify({"w": W}, LoraConfig(r=3, init_lora_weights="orthogonal"), key=KEY)


def test_kaiming_is_the_default_and_false_makes_both_random():
    np.testing.assert_array_equal(adapt("kaiming").a, adapt(True).a)
    assert not np.any(adapt(True).b)
    assert np.all(adapt(False).b != 0)
    assert float(jnp.abs(adapt(False).b).max()) <= 0.5


def test_stacks_and_convolutions_begin_matrix_by_matrix():
    stacked = jnp.stack([W, 2 * W])
    value = adapt("pissa", w=stacked, target_modules=["w"])
    np.testing.assert_allclose(materialize(value), stacked, rtol=1e-4, atol=1e-4)
    conv = eqx.nn.Conv1d(8, 4, 3, key=KEY)
    config = LoraConfig(r=2, init_lora_weights="pissa", target_modules=["weight"])
    got = merge(loraify(conv, config, key=KEY))
    np.testing.assert_allclose(got.weight, conv.weight, rtol=1e-4, atol=1e-5)


def test_a_weight_that_cannot_give_its_factors_is_refused():
    with pytest.raises(ValueError, match=r"`w`, which holds numbers that are not finite"):
        adapt("pissa", w=W.at[0, 0].set(jnp.nan))
    inner = LoraArray(W, jnp.ones((12, 1)), jnp.ones((1, 8)))
    with pytest.raises(TypeError, match=r"subtracts the factors from `w`, which is a `LoraArray`"):
        adapt("pissa", w=inner)


def layers():
    def layer(i):
        return {"q": {"weight": W + i, "bias": jnp.zeros(12)}, "norm": {"bias": jnp.zeros(8)}}

    return {"layers": [layer(0.0), layer(1.0), layer(2.0)], "lm_head": {"weight": W * 2}}


def adapted(config):
    leaves = jax.tree.leaves_with_path(
        loraify(layers(), config, key=KEY), is_leaf=lambda x: isinstance(x, LoraArray)
    )
    return [jax.tree_util.keystr(p) for p, x in leaves if isinstance(x, LoraArray)]


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({"layers_to_transform": 1}, [1]),
        ({"layers_to_transform": [0, 2]}, [0, 2]),
        ({"layers_to_transform": [0], "layers_pattern": "layers"}, [0]),
        ({"layers_to_transform": []}, [0, 1, 2]),
    ],
)
def test_layers_are_chosen_by_their_numbers(options, chosen):
    want = [f"['layers'][{i}]['q']['weight']" for i in chosen]
    assert adapted(LoraConfig(r=2, target_modules=["q"], **options)) == want


def test_no_layer_is_an_error():
    with pytest.raises(TargetError):
        adapted(LoraConfig(target_modules=["q"], layers_to_transform=[0], layers_pattern="h"))


def test_all_linear_leaves_out_the_output_layer():
    assert len(adapted(LoraConfig(r=2, target_modules="all-linear"))) == 3
    assert len(adapted(LoraConfig(r=2))) == 4


def test_embeddings_are_adapted_only_when_asked():
    params = {"embed_tokens": {"weight": W}, "q": {"weight": W}}
    assert isinstance(loraify(params, rank=2, key=KEY)["embed_tokens"]["weight"], jax.Array)
    table = loraify(params, rank=2, key=KEY, target="embed_tokens")["embed_tokens"]["weight"]
    assert isinstance(table, LoraArray)


@pytest.mark.parametrize(("bias", "count"), [("none", 0), ("lora_only", 36), ("all", 60)])
def test_biases_are_trained_as_the_option_says(bias, count, capsys):
    model = loraify(layers(), LoraConfig(r=2, target_modules=["q"], bias=bias), key=KEY)
    trainable, _ = partition(model)
    assert sum(x.size for x in jax.tree.leaves(trainable)) == 3 * 40 + count
    assert trainable_parameters(model) == (120 + count, 4 * 96 + 36 + 24)
    print_trainable_parameters(model)
    assert capsys.readouterr().out.startswith(f"{120 + count} trainable of 444")
    assert jax.tree.structure(merge(model)) == jax.tree.structure(layers())


def test_a_trained_bias_behaves_as_the_array_it_is():
    config = LoraConfig(r=2, bias="all")
    model = loraify({"weight": W, "bias": jnp.arange(12.0)}, config, key=KEY)
    x = jnp.ones(8)

    def program(p, x):
        return jnp.sum(jnp.tanh(p["weight"] @ x + p["bias"]))

    plain = {"weight": W, "bias": jnp.arange(12.0)}
    np.testing.assert_allclose(quaxify(program)(model, x), program(plain, x), rtol=1e-5)
    got = jax.grad(quaxify(program))(model, x)["bias"].array
    np.testing.assert_allclose(got, jax.grad(program)(plain, x)["bias"], rtol=1e-4, atol=1e-6)
    assert isinstance(model["bias"], Trainable)
    assert unload(model)["bias"] is model["bias"].before


def test_saved_modules_are_trained_whole():
    config = LoraConfig(r=2, target_modules=["q"], modules_to_save=["lm_head"])
    model = loraify(layers(), config, key=KEY)
    assert isinstance(model["lm_head"]["weight"], Trainable)
    with pytest.raises(TargetError, match=r"'classifier'[^$]*lm_head.weight"):
        loraify(layers(), LoraConfig(r=2, modules_to_save=["classifier"]), key=KEY)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"lora_dropout": 1.0}, r"lora_dropout=1.0\)`: that is the share[^$]*lora_dropout=0.1"),
        ({"lora_dropout": "x"}, r"lora_dropout='x'"),
        ({"bias": "some"}, r"bias='some'\)` does not say which[^$]*lora_only"),
        ({"layers_to_transform": ["a"]}, r"layers_to_transform=\['a'\]\)`[^$]*\[0, 1\]"),
    ],
)
def test_wrong_options_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        LoraConfig(**options)


def with_update(params=None, **options):
    config = LoraConfig(r=2, init_lora_weights=False, **options)
    return loraify(params or {"w": W}, config, key=KEY)


def test_what_is_merged_is_unmerged_bit_for_bit():
    model = with_update()
    merged = merge(model)
    want = np.asarray(W) + 4 * np.asarray(model["w"].a) @ np.asarray(model["w"].b)
    np.testing.assert_allclose(merged["w"], want, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(merge_and_unload(model)["w"], merged["w"])
    assert unload(model)["w"] is W
    assert unmerge(merged, model)["w"].w is W
    np.testing.assert_array_equal(jax.jit(unmerge)(merged, model)["w"].w, W)


def test_a_merged_weight_that_has_changed_keeps_the_change():
    model = with_update()
    changed = {"w": merge(model)["w"] + 1}
    again = unmerge(changed, model)
    np.testing.assert_allclose(again["w"].w, W + 1, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(merge(again)["w"], changed["w"], rtol=1e-5, atol=1e-5)
    dora = with_update(use_dora=True)
    with pytest.raises(ValueError, match=r"`w` has a magnitude and has changed[^$]*loraify"):
        unmerge({"w": merge(dora)["w"] + 1}, dora)


def test_models_that_are_not_alike_are_not_unmerged():
    for other in ({"v": W}, {"w": W.T}):
        with pytest.raises(ValueError, match=r"differ in structure[^$]*merge\(model\)"):
            unmerge(other, with_update())


def test_a_safe_merge_names_what_is_not_finite():
    model = with_update({"w": W.at[0, 0].set(jnp.inf), "v": {"w": W}})
    with pytest.raises(ValueError, match=r"not finite in `w`\.[^$]*unload"):
        merge(model, safe_merge=True)
    assert np.isinf(merge(model)["w"][0, 0])


def test_a_base_of_another_type_may_be_made_anew():
    inner = LoraArray(W, jnp.ones((12, 1)), jnp.ones((1, 8)))
    model = {"w": LoraArray(inner, jnp.ones((12, 1)), jnp.ones((1, 8)))}
    out = merge(model, requantize=lambda dense, old: (dense, type(old).__name__))["w"]
    np.testing.assert_allclose(out[0], W + 2, rtol=1e-6)
    assert out[1] == "LoraArray"
    assert unload(model)["w"] is W


@pytest.mark.parametrize("whole", [True, False])
def test_loraplus_trains_b_faster_and_keeps_no_state_for_what_is_frozen(whole):
    model = loraify(
        {"w": W, "bias": jnp.zeros(8)}, LoraConfig(r=2, bias="all", use_dora=True), key=KEY
    )
    params = model if whole else partition(model)[0]
    optimizer = loraplus(optax.adamw, 0.01, loraplus_lr_ratio=4, weight_decay=0.0)
    with jax.numpy_dtype_promotion("standard"):
        state = optimizer.init(params)
        updates, _ = optimizer.update(jax.tree.map(jnp.ones_like, params), state, params)
    w = updates["w"]
    found = [float(jnp.ravel(x)[0]) for x in (w.a, w.b, w.magnitude, updates["bias"].array)]
    np.testing.assert_allclose(found, [-0.01, -0.04, -0.01, -0.01], rtol=1e-4)
    if whole:
        assert not np.any(w.w)
    shapes = {x.shape for x in jax.tree.leaves(state)}
    assert W.shape not in shapes


def test_loraplus_takes_a_schedule_and_refuses_what_it_cannot_use():
    params, _ = partition(loraify({"w": W}, rank=2, key=KEY))
    optimizer = loraplus(
        optax.sgd, lambda step: 0.5 / (1.0 + jnp.float32(step)), loraplus_lr_ratio=2
    )
    ones = jax.tree.map(jnp.ones_like, params)
    first, state = optimizer.update(ones, optimizer.init(params), params)
    second, _ = optimizer.update(ones, state, params)
    assert [float(x["w"].b[0, 0]) for x in (first, second)] == [-1.0, -0.5]
    with pytest.raises(TypeError, match=r"takes the function that makes one[^$]*optax.adam, 1e-4"):
        loraplus(optax.sgd(0.1), 0.1)
    with pytest.raises(ValueError, match=r"loraplus_lr_ratio=0\)?`[^$]*loraplus_lr_ratio=16"):
        loraplus(optax.sgd, 0.1, loraplus_lr_ratio=0)


def test_masks_and_labels_are_those_that_other_libraries_take():
    model = loraify({"w": W, "x": jnp.ones(3)}, rank=2, key=KEY)
    trainable, frozen = eqx.partition(model, trainable_mask(model))
    mine = partition(model)
    assert jax.tree.structure(trainable) == jax.tree.structure(mine[0])
    assert jax.tree.structure(frozen) == jax.tree.structure(mine[1])
    state = optax.masked(optax.adam(0.1), trainable_mask(model)).init(model)
    assert W.shape not in {x.shape for x in jax.tree.leaves(state)}
    labels = trainable_labels(model)
    chosen = {"b": optax.adam(0.1), "trained": optax.adam(0.2), "frozen": optax.set_to_zero()}
    state = optax.multi_transform(chosen, labels).init(model)
    assert len(jax.tree.leaves(state)) == 2 + 4  # a count for each, two moments of `a` and of `b`
