"""Several adapters in one batch, and dropout."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import materialization, quaxify
from duckarray.lora import (
    LoraArray,
    LoraConfig,
    MultiLora,
    loraify,
    merge,
    partition,
    select,
    stack,
    unload,
    with_dropout,
)

pytestmark = pytest.mark.any_jax
KEY = jax.random.key(0)
RNG = np.random.default_rng(3)
X = jnp.asarray(RNG.normal(size=(4, 5, 6)), "float32")  # [batch, tokens, d]
IDS = [1, 0, -1, 1]


def adapted(params, seed, rank):
    """A model with an adapter that does something."""
    model = loraify(params, LoraConfig(r=rank, lora_alpha=3), key=jax.random.key(seed))

    def fill(x):
        if not isinstance(x, LoraArray):
            return x
        b = jax.random.normal(jax.random.key(seed), x.b.shape)
        return LoraArray(x.w, x.a, b, x.scale, None, x.rows, x.columns)

    return jax.tree.map(fill, model, is_leaf=lambda x: isinstance(x, LoraArray))


@pytest.fixture
def models():
    """Two models on one base, with adapters of different ranks, and the weight of each row."""
    params = {"w": jnp.asarray(RNG.normal(size=(6, 6)), "float32")}
    fr, de = adapted(params, 1, 2), adapted(params, 2, 3)
    return {"fr": fr, "de": de}, [merge(de)["w"], merge(fr)["w"], params["w"], merge(de)["w"]]


PROGRAMS = {
    "x @ w": lambda w, x: x @ w,
    "x @ w.T": lambda w, x: x @ w.T,
    "w @ x": lambda w, x: jnp.einsum("mn,btn->btm", w, x),
    "vector": lambda w, x: x[:, 0] @ w,
    "einsum": lambda w, x: jnp.einsum("mn,btm->nbt", w, x),
    "vmap": lambda w, x: jax.vmap(lambda x: jnp.tanh(x @ w) @ w.T)(x),
    "heads": lambda w, x: jnp.einsum("btd,dhk->bhtk", x, w.reshape(6, 2, 3)),
    "embedding": lambda w, x: w[jnp.arange(20).reshape(4, 5) % 6],
    "scaled": lambda w, x: x @ (2 * w).astype("float32"),
    "slice": lambda w, x: x[..., :3] @ w[:3],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_row_goes_through_its_own_adapter(models, name):
    given, rows = models
    multi = select(stack(given), IDS)["w"]
    program = PROGRAMS[name]
    with materialization("error"):
        got = quaxify(program)(multi, X)
    if name == "einsum":
        got = np.moveaxis(got, 1, 0)
    for i, w in enumerate(rows):
        want = np.asarray(program(w, X))
        want = np.moveaxis(want, 1, 0)[i] if name == "einsum" else want[i]
        np.testing.assert_allclose(got[i], want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("ids", [["de", "fr", None, "de"], np.array(IDS), jnp.array(IDS)])
def test_ids_are_names_or_numbers_and_may_be_traced(models, ids):
    given, _ = models
    multi = stack(given)
    want = quaxify(jnp.matmul)(X, select(multi, IDS)["w"])
    np.testing.assert_array_equal(quaxify(jnp.matmul)(X, select(multi, ids)["w"]), want)
    if isinstance(ids, jax.Array):
        program = jax.jit(lambda m, i, x: quaxify(jnp.matmul)(x, select(m, i)["w"]))
        np.testing.assert_allclose(program(multi, ids, X), want, rtol=1e-5)
        each = jax.vmap(lambda i, x: quaxify(jnp.matmul)(x, select(multi, i)["w"]))(ids, X)
        np.testing.assert_allclose(each, want, rtol=1e-4, atol=1e-5)


def test_one_name_gives_the_model_with_that_adapter(models):
    given, _ = models
    for name, model in given.items():
        got = select(stack(given), name)["w"]
        assert type(got) is LoraArray
        np.testing.assert_array_equal(merge({"w": got})["w"], merge(model)["w"])
    assert select(stack(given), None)["w"] is given["fr"]["w"].w


def test_it_is_two_products_for_all_adapters(models):
    given, _ = models
    multi = select(stack(given), IDS)["w"]
    jaxpr = jax.make_jaxpr(quaxify(jnp.matmul))(X, multi)
    shapes = [
        v.aval.shape for e in jaxpr.eqns if e.primitive.name == "dot_general" for v in e.invars
    ]
    assert shapes == [(4, 5, 6), (6, 6), (4, 5, 6), (6, 5), (4, 5, 5), (5, 6)]


def test_it_needs_an_eighth_of_the_memory_of_gathering_the_factors():
    n, rank, width, rows = 8, 16, 256, 64
    w, x = jnp.ones((width, width)), jnp.ones((rows, width))
    a, b = jnp.ones((n, width, rank)), jnp.ones((n, rank, width))
    multi, ids = stack({f"{i}": LoraArray(w, a[i], b[i]) for i in range(n)}), jnp.arange(rows) % n

    def ours(multi, a, b, ids, x):
        return quaxify(jnp.matmul)(x, select(multi, ids))

    def gathered(multi, a, b, ids, x):
        return x @ multi.w + jnp.einsum("br,brn->bn", jnp.einsum("bm,bmr->br", x, a[ids]), b[ids])

    scratch = [
        jax.jit(f).lower(multi, a, b, ids, x).compile().memory_analysis().temp_size_in_bytes
        for f in (ours, gathered)
    ]
    assert scratch[0] * 8 <= scratch[1]


def test_stacked_layers_are_scanned():
    params = {"w": jnp.asarray(RNG.normal(size=(3, 6, 6)), "float32")}
    config = LoraConfig(r=2, target_modules=["w"])
    given = {}
    for i, name in enumerate(("fr", "de")):
        w = loraify(params, config, key=jax.random.key(i))["w"]
        given[name] = {"w": LoraArray(w.w, w.a, jax.random.normal(KEY, w.b.shape) * (i + 1))}

    def run(params, x):
        return lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, params["w"])[0]

    with materialization("error"):
        got = quaxify(run)(select(stack(given), ["fr", "de", None, "de"]), X)
    for i, model in enumerate([merge(given["fr"]), merge(given["de"]), params, merge(given["de"])]):
        np.testing.assert_allclose(got[i], run(model, X)[i], rtol=1e-4, atol=1e-4)


def test_a_weight_that_only_one_model_adapts_has_no_update_for_the_other():
    params = {"q": jnp.ones((6, 6)), "v": jnp.ones((6, 6))}
    q, v = (loraify(params, rank=2, key=KEY, target=name) for name in "qv")
    multi = stack({"q": q, "v": v})
    assert (multi["q"].ranks, multi["v"].ranks) == ((2, 0), (0, 2))
    assert select(multi, "v")["q"] is params["q"]


def test_unload_gives_the_model_that_all_share(models):
    given, _ = models
    assert unload(stack(given))["w"] is given["fr"]["w"].w


def test_what_cannot_be_is_refused_with_what_to_do(models):
    given, _ = models
    multi = stack(given)
    matmul = quaxify(jnp.matmul)
    with pytest.raises(TypeError, match=r"nobody has said which[^$]*`fr`, `de`[^$]*select\(multi"):
        matmul(X, multi["w"])
    with pytest.raises(ValueError, match=r"chosen for 3 rows[^$]*\(4, 5, 6\)[^$]*jnp.repeat"):
        matmul(X, select(multi, [0, 1, 1])["w"])
    with materialization("allow"), pytest.raises(TypeError, match=r"another weight for each row"):
        quaxify(jnp.exp)(select(multi, IDS)["w"])
    with pytest.raises(ValueError, match=r"no adapter 'es' among 'fr', 'de'[^$]*Pass names"):
        select(multi, "es")
    with pytest.raises(ValueError, match=r"no adapter 2 among[^$]*0 to 1"):
        select(multi, [0, 2])
    with pytest.raises(TypeError, match=r"takes a name[^$]*select\(multi, \[\"fr\""):
        select(multi, [0.5])
    with pytest.raises(TypeError, match=r"without a `MultiLora`[^$]*stack"):
        select(given["fr"], "fr")
    with pytest.raises(TypeError, match=r"takes a dictionary of models"):
        stack([given["fr"]])
    with pytest.raises(ValueError, match=r"several adapters, `fr`, `de`, at `w`[^$]*Choose one"):
        merge(multi)
    other = {"w": loraify({"w": jnp.ones((6, 6))}, rank=2, key=KEY)["w"]}
    with pytest.raises(ValueError, match=r"at `w` the model 'de' has another array than 'fr'"):
        stack({"fr": given["fr"], "de": other})
    dora = loraify({"w": jnp.ones((6, 6))}, LoraConfig(r=1, use_dora=True), key=KEY)
    with pytest.raises(ValueError, match=r"has a magnitude \(DoRA\)"):
        stack({"fr": dora})
    with pytest.raises(ValueError, match=r"different structures[^$]*load_pretrained"):
        stack({"fr": given["fr"], "de": {"v": jnp.ones((6, 6))}})


def test_multi_lora_is_a_lora_array(models):
    given, _ = models
    multi = stack(given)["w"]
    assert isinstance(multi, MultiLora)
    assert (multi.names, multi.ranks, multi.a.shape) == (("fr", "de"), (2, 3), (6, 5))


def test_dropout_leaves_out_a_share_and_keeps_the_mean():
    n = 4000
    w = LoraArray(jnp.zeros((n, 1)), jnp.ones((n, 1)), jnp.ones((1, 1)), dropout=0.25)
    apply = quaxify(jnp.matmul)
    eye = jnp.ones(n)
    assert float(apply(eye, w)[0]) == n  # not in training
    got = float(apply(eye, with_dropout(w, KEY))[0])
    kept = got * 0.75
    assert kept == pytest.approx(round(kept), abs=1e-2)
    assert kept == pytest.approx(0.75 * n, abs=4 * (n * 0.75 * 0.25) ** 0.5)
    assert float(apply(eye, with_dropout(w, jax.random.key(1)))[0]) != got
    assert float(apply(eye, with_dropout(with_dropout(w, KEY), None))[0]) == n


def test_dropout_does_not_touch_the_weight_itself():
    w = LoraArray(jnp.eye(6), jnp.zeros((6, 1)), jnp.zeros((1, 6)), dropout=0.5)
    np.testing.assert_array_equal(quaxify(jnp.matmul)(X, with_dropout(w, KEY)), X)


def test_dropout_in_a_compiled_step_with_stacked_layers_and_convolutions():
    params = {"w": jnp.ones((3, 6, 6))}
    config = LoraConfig(r=2, target_modules=["w"], lora_dropout=0.5)
    trainable, frozen = partition(loraify(params, config, key=KEY))

    @jax.jit
    def gradient(t, key):
        def loss(t):
            model = jax.tree.map(
                lambda x, y: y if x is None else x, t, frozen, is_leaf=lambda x: x is None
            )
            model = with_dropout(model, key)
            return jnp.sum(
                quaxify(lambda p: lax.scan(lambda x, w: (jnp.tanh(x @ w), None), X / 9, p["w"])[0])(
                    model
                )
            )

        return jax.grad(loss)(t)

    first, again, other = (gradient(trainable, jax.random.key(i))["w"].b for i in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    conv = LoraArray(
        jnp.zeros((2, 3, 1)), jnp.ones((2, 1)), jnp.ones((1, 3, 1)), rows=(-3,), columns=(-2, -1)
    )
    out = quaxify(lambda w: lax.conv_general_dilated(jnp.ones((1, 3, 9)), w, (1,), "SAME"))(
        with_dropout(conv, KEY, rate=0.5)
    )
    assert set(np.unique(out)) <= {0.0, 2.0, 4.0, 6.0}


def test_dropout_that_is_not_asked_for_or_is_no_share_is_refused():
    model = loraify({"w": jnp.ones((4, 4))}, rank=2, key=KEY)
    with pytest.raises(ValueError, match=r"no dropout[^$]*lora_dropout=0.1"):
        with_dropout(model, KEY)
    with pytest.raises(ValueError, match=r"dropout=1.5\)`: that is the share"):
        with_dropout(model, KEY, rate=1.5)
