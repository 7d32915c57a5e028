"""`loraify`, `partition`, `merge` and the counts, on models of several kinds."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from duckarray.core import materialization, quaxify
from duckarray.lora import (
    LoraArray,
    LoraConfig,
    ParameterCount,
    TargetError,
    loraify,
    merge,
    partition,
    print_trainable_parameters,
    trainable_parameters,
)

KEY = jax.random.key(0)
X = jnp.asarray(np.random.default_rng(3).normal(size=(5, 8)), "float32")


def mlp():
    return eqx.nn.MLP(8, 3, 16, 2, key=KEY)


def adapted_paths(model):
    leaves = jax.tree.leaves_with_path(model, is_leaf=lambda x: isinstance(x, LoraArray))
    return [jax.tree_util.keystr(path) for path, x in leaves if isinstance(x, LoraArray)]


def blocks():
    def attention():
        return {name: {"weight": jnp.ones((8, 8)), "bias": jnp.ones(8)} for name in ("q", "k", "v")}

    return {"layers": [attention(), attention()], "embedding": jnp.ones((20, 8))}


def test_an_adapted_model_says_exactly_what_it_did():
    model = mlp()
    adapted = loraify(model, rank=2, key=KEY)
    with materialization("error"):
        got = jax.vmap(quaxify(adapted))(X)
    np.testing.assert_array_equal(got, jax.vmap(model)(X))


def test_everything_else_is_the_identical_object():
    model = mlp()
    adapted = loraify(model, rank=2, key=KEY)
    for layer, before in zip(adapted.layers, model.layers, strict=True):
        assert layer.weight.w is before.weight
        assert layer.bias is before.bias


def test_by_default_linear_layers_are_adapted():
    class Model(eqx.Module):
        embedding: eqx.nn.Embedding
        conv: eqx.nn.Conv1d
        linear: eqx.nn.Linear
        norm: eqx.nn.LayerNorm
        mine: dict

    w = jnp.ones((4, 4))
    model = Model(
        eqx.nn.Embedding(9, 4, key=KEY),
        eqx.nn.Conv1d(4, 4, 3, key=KEY),
        eqx.nn.Linear(4, 4, key=KEY),
        eqx.nn.LayerNorm((4, 4)),
        {"kernel": w, "w": w, "weight": w, "table": w},
    )
    assert adapted_paths(loraify(model, rank=1, key=KEY)) == [
        ".linear.weight",
        ".mine['kernel']",
        ".mine['w']",
        ".mine['weight']",
    ]


@pytest.mark.parametrize(
    ("target", "count"),
    [
        ("q", 2),
        ("q.weight", 2),
        (["q", "v"], 4),
        ("layers.0.*", 3),
        (r"layers\.\d+\.[qv]\.weight", 4),
        (["embedding"], 1),
        (lambda path, w: w.shape == (20, 8), 1),
        ("all-linear", 6),
        (None, 6),
    ],
)
def test_a_target_is_a_suffix_a_glob_a_regular_expression_or_a_function(target, count):
    assert len(adapted_paths(loraify(blocks(), rank=2, key=KEY, target=target))) == count
    config = LoraConfig(r=2, target_modules=target)
    assert len(adapted_paths(loraify(blocks(), config, key=KEY))) == count


def test_what_is_excluded_is_left_alone():
    model = loraify(blocks(), rank=2, key=KEY, exclude=["k", "layers.1.*"])
    assert adapted_paths(model) == ["['layers'][0]['q']['weight']", "['layers'][0]['v']['weight']"]


def test_scale_is_alpha_over_rank_or_over_its_root():
    def scale(**options):
        return float(loraify({"w": jnp.ones((9, 9))}, **options, key=KEY)["w"].scale)

    assert scale(rank=4) == 1.0
    assert scale(rank=4, alpha=8) == 2.0
    assert scale(rank=4, scale=0.5) == 0.5
    assert scale(config=LoraConfig(r=4)) == 2.0
    assert scale(config=LoraConfig(r=4, lora_alpha=8, use_rslora=True)) == 4.0


def test_patterns_give_some_weights_another_rank_and_alpha():
    config = LoraConfig(r=2, rank_pattern={"q": 4}, alpha_pattern={"layers.1.v": 16})
    layers = loraify(blocks(), config, key=KEY)["layers"]
    assert [layer[n]["weight"].rank for layer in layers for n in "qkv"] == [4, 2, 2, 4, 2, 2]
    assert float(layers[0]["v"]["weight"].scale) == 4.0
    assert float(layers[1]["v"]["weight"].scale) == 8.0


def test_the_random_factor_is_as_large_as_it_should_be():
    w = jnp.zeros((400, 300))
    a = loraify({"w": w}, rank=50, key=KEY)["w"].a
    assert float(jnp.abs(a).max()) <= 0.05
    np.testing.assert_allclose(a.std(), 0.05 / 3**0.5, rtol=0.05)
    config = LoraConfig(r=50, init_lora_weights="gaussian")
    np.testing.assert_allclose(loraify({"w": w}, config, key=KEY)["w"].a.std(), 1 / 50, rtol=0.05)


def test_a_weight_gets_the_same_numbers_whatever_else_is_adapted():
    one = loraify(blocks(), rank=2, key=KEY, target="layers.1.q")
    all_ = loraify(blocks(), rank=2, key=KEY)
    a, b, c = (m["layers"][i]["q"]["weight"].a for m, i in ((one, 1), (all_, 1), (all_, 0)))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(b, c)


def test_layers_stacked_by_vmap_are_adapted_and_scanned():
    make = eqx.filter_vmap(lambda key: eqx.nn.Linear(8, 8, key=key))
    layers = make(jax.random.split(KEY, 3))
    adapted = loraify(layers, rank=2, key=KEY)

    def run(layers, x):
        arrays, static = eqx.partition(layers, eqx.is_array)

        def body(x, layer):
            return jnp.tanh(eqx.combine(layer, static)(x)), None

        return jax.lax.scan(body, x, arrays)[0]

    assert adapted.weight.b.shape == (3, 2, 8)
    with materialization("error"):
        got = quaxify(run)(adapted, X[0])
    np.testing.assert_allclose(got, run(layers, X[0]), rtol=1e-6)


def test_convolutions_are_adapted_by_feature():
    conv = eqx.nn.Conv2d(3, 6, 3, padding="SAME", key=KEY)
    adapted = loraify(conv, rank=2, key=KEY, target="weight")
    assert adapted.weight.a.shape == (6, 2)
    assert adapted.weight.b.shape == (2, 3, 3, 3)
    adapted = eqx.tree_at(lambda m: m.weight.b, adapted, jnp.ones((2, 3, 3, 3)))
    image = jax.random.normal(KEY, (3, 5, 5))
    with materialization("error"):
        got = quaxify(adapted)(image)
    np.testing.assert_allclose(got, merge(adapted)(image), rtol=1e-4, atol=1e-4)


def test_a_tied_weight_has_one_adapter():
    w = jnp.ones((9, 4))
    adapted = loraify({"embed": w, "head": w}, rank=2, key=KEY, target=["embed", "head"])
    assert adapted["embed"] is adapted["head"]
    assert trainable_parameters(adapted) == ParameterCount(26, 36)
    merged = merge(adapted)
    assert merged["embed"] is merged["head"]


def test_shared_layers_stay_tied_in_training():
    class Model(eqx.Module):
        shared: eqx.nn.Shared

        def __init__(self):
            pair = (eqx.nn.Embedding(9, 4, key=KEY), eqx.nn.Linear(4, 9, key=KEY))
            self.shared = eqx.nn.Shared(pair, lambda p: p[1].weight, lambda p: p[0].weight)

        def __call__(self, token):
            embedding, head = self.shared()
            return head(embedding(token))

    adapted = loraify(Model(), rank=2, key=KEY, target=r"shared.*weight")
    trainable, frozen = partition(adapted)

    def loss(t):
        return jnp.sum(quaxify(eqx.combine(t, frozen))(jnp.int32(3)) ** 2)

    with materialization("error"):
        gradient = jax.grad(loss)(trainable)
    assert len(jax.tree.leaves(gradient)) == 2
    assert all(np.isfinite(g).all() for g in jax.tree.leaves(gradient))


def test_only_factors_are_trained_and_the_optimizer_keeps_state_for_nothing_else():
    adapted = loraify(mlp(), rank=2, key=KEY)
    trainable, frozen = partition(adapted)
    assert [x.shape for x in jax.tree.leaves(trainable)][:2] == [(16, 2), (2, 8)]
    n = len(jax.tree.leaves(trainable))
    assert n == 6
    assert len(jax.tree.leaves(optax.adamw(1e-3).init(trainable))) == 2 * n + 1

    def loss(t):
        return jnp.mean(jax.vmap(quaxify(eqx.combine(t, frozen)))(X) ** 2)

    optimizer = optax.sgd(0.05)
    state = optimizer.init(trainable)
    before = loss(trainable)
    for _ in range(20):
        updates, state = optimizer.update(jax.grad(loss)(trainable), state)
        trainable = optax.apply_updates(trainable, updates)
    assert loss(trainable) < before
    after = eqx.combine(trainable, frozen)
    for layer, old in zip(after.layers, adapted.layers, strict=True):
        assert layer.weight.w is old.weight.w


@pytest.mark.parametrize("wrap", [lambda f: f, eqx.filter_jit])
def test_a_merged_model_says_the_same_without_quaxify(wrap):
    adapted = loraify(mlp(), rank=2, key=KEY)
    adapted = eqx.tree_at(lambda m: m.layers[0].weight.b, adapted, jnp.ones((2, 8)))
    merged = wrap(merge)(adapted)
    w = adapted.layers[0].weight
    dense = np.asarray(w.w) + np.asarray(w.a) @ np.asarray(w.b)
    np.testing.assert_allclose(merged.layers[0].weight, dense, rtol=1e-5)
    got, want = jax.vmap(merged)(X), jax.vmap(quaxify(adapted))(X)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("layers", "width", "rank", "per_layer", "count"),
    [
        (12, 768, 8, 2, 294_912),  # RoBERTa base; Hu et al. 2021, table 2 gives 0.3M
        (24, 1024, 8, 2, 786_432),  # RoBERTa large; 0.8M there
        (48, 1536, 16, 2, 4_718_592),  # DeBERTa XXL; 4.7M there
        (32, 4096, 8, 2, 4_194_304),  # LLaMA 7B
        (96, 12288, 4, 2, 18_874_368),  # GPT-3 175B; table 4 gives 18M
        (72, 1024, 8, 2, 2_359_296),  # mt0-large; PEFT prints this
    ],
)
def test_published_parameter_counts(layers, width, rank, per_layer, count):
    matrix = jax.ShapeDtypeStruct((width, width), jnp.float32)
    model = [{n: {"weight": matrix} for n in "qv"[:per_layer]} for _ in range(layers)]
    adapted = jax.eval_shape(lambda m: loraify(m, rank=rank, key=KEY), model)
    assert trainable_parameters(adapted) == (count, layers * per_layer * width**2)


def test_the_counts_are_printed(capsys):
    print_trainable_parameters(loraify({"w": jnp.ones((8, 8)), "b": jnp.ones(8)}, rank=2, key=KEY))
    assert capsys.readouterr().out == "32 trainable of 72, 44.44%\n"
    assert str(ParameterCount(331_776, 22_713_216)) == "331,776 trainable of 22.7M, 1.46%"
    assert str(ParameterCount(0, 0)) == "0 trainable of 0, 0.00%"


def test_a_new_adapter_on_an_old_one_freezes_the_old():
    once = loraify({"w": jnp.ones((8, 8))}, rank=2, key=KEY)
    twice = loraify(once, rank=1, key=KEY)
    trainable, _ = partition(twice)
    assert [x.shape for x in jax.tree.leaves(trainable)] == [(8, 1), (1, 8)]
    assert trainable_parameters(twice) == (16, 64)


@pytest.mark.parametrize("target", ["query", ["q", "query"], lambda path, w: False])
def test_a_target_that_matches_nothing_lists_what_was_there(target):
    with pytest.raises(
        TargetError, match=r"nothing in the model matches[^$]*layers.0.q.weight"
    ) as e:
        loraify(blocks(), rank=2, key=KEY, target=target)
    assert "target=[" in str(e.value)
    assert e.value.available[0] == "embedding"


def test_long_lists_are_cut():
    with pytest.raises(TargetError, match="… and 10 more"):
        loraify([jnp.ones((2, 2))] * 30, rank=1, key=KEY)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        (
            {"rank": 9},
            ValueError,
            r"rank 9, but its shape \(8, 8\)[^$]*more than 8[^$]*rank_pattern",
        ),
        ({}, TypeError, r"not told the rank[^$]*`rank=8`"),
        ({"rank": 0}, ValueError, r"r=0\)`: the rank[^$]*LoraConfig\(r=8\)"),
        (
            {"rank": 2, "alpha": 1, "scale": 1},
            ValueError,
            "says the same thing twice[^$]*Leave out",
        ),
        ({"config": LoraConfig(), "rank": 2}, ValueError, "twice[^$]*Leave out `rank`"),
        ({"rank": "a"}, ValueError, r"r='a'\)`: the rank[^$]*LoraConfig\(r=8\)"),
        ({"rank": 2, "target": 3}, TypeError, r"3 is a `int`[^$]*Pass a string"),
        ({"rank": 2, "exclude": ["q", None]}, TypeError, r"None is a `NoneType`[^$]*Pass a string"),
        ({"rank": 2, "alpha": "x"}, TypeError, r"lora_alpha='x'\)[^$]*Pass one, such as"),
        ({"rank": 2, "scale": "x"}, TypeError, r"scale='x'\)[^$]*Pass one, such as `scale=2.0`"),
        ({"rank": 2, "key": 0}, TypeError, r"key=0\)` takes a key[^$]*jax.random.key\(0\)"),
    ],
)
def test_wrong_options_are_refused(options, error, match):
    with pytest.raises(error, match=match):
        loraify(blocks(), **{"key": KEY, **options})


def test_an_unknown_initialisation_is_refused():
    with pytest.raises(ValueError, match=r"not an initialisation[^$]*gaussian"):
        LoraConfig(init_lora_weights="eva")


def test_an_integer_weight_is_refused():
    with pytest.raises(TypeError, match=r"`q.w`, an array of dtype int8[^$]*exclude='q.w'"):
        loraify({"q": {"w": jnp.ones((4, 4), "int8")}}, rank=2, key=KEY)


def test_a_rank_in_the_place_of_the_options_is_refused():
    with pytest.raises(TypeError, match=r"second argument is a `LoraConfig`[^$]*rank=8, key=key"):
        loraify({"w": jnp.ones((4, 4))}, 8, key=jax.random.key(0))


def test_an_exclusion_that_matches_nothing_is_refused():
    with pytest.raises(TargetError, match=r"'missing', but nothing[^$]*target=\"w\""):
        loraify({"w": jnp.ones((4, 4))}, rank=2, exclude="missing", key=jax.random.key(0))


@pytest.mark.parametrize("half", [0, 1])
def test_half_a_model_cannot_be_merged(half):
    halves = partition(loraify({"w": jnp.ones((4, 4))}, rank=2, key=jax.random.key(0)))
    with pytest.raises(ValueError, match=r"half of what `partition`[^$]*combine"):
        merge(halves[half])


@pytest.mark.parametrize("half", [0, 1])
def test_the_parameters_of_half_a_model_cannot_be_counted(half):
    halves = partition(loraify({"w": jnp.ones((4, 4))}, rank=2, key=jax.random.key(0)))
    with pytest.raises(ValueError, match=r"half of what `partition`[^$]*combine[^$]*x.size"):
        trainable_parameters(halves[half])


def test_the_linear_layers_of_minilm_have_the_published_number_of_parameters():
    def linear(m, n):
        return {"weight": jax.ShapeDtypeStruct((m, n), jnp.float32)}

    sizes = dict.fromkeys(("query", "key", "value", "output"), (384, 384))
    sizes |= {"up": (1536, 384), "down": (384, 1536)}
    model = [{name: linear(*size) for name, size in sizes.items()} for _ in range(6)]
    adapted = jax.eval_shape(lambda m: loraify(m, rank=8, key=KEY), model)
    assert trainable_parameters(adapted).trainable == 331_776
