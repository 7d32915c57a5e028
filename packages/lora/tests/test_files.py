"""Files in the format of PEFT, made here from what that format says, and written by us."""

import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from duckarray.core import materialize
from duckarray.lora import (
    AdapterError,
    LoraArray,
    LoraConfig,
    Trainable,
    load_pretrained,
    loraify,
    merge,
    save_pretrained,
    select,
    stack,
)

pytestmark = pytest.mark.any_jax
KEY = jax.random.key(0)
RNG = np.random.default_rng(0)
P = "base_model.model."


def normal(*shape):
    return RNG.normal(size=shape).astype("float32")


def params():
    """In the layout of PyTorch: `[out, in]`, embeddings `[vocabulary, d]`."""
    layer = {n: {"weight": normal(6, 4), "bias": normal(6)} for n in ("q_proj", "v_proj")}
    return {"model": {"embed_tokens": {"weight": normal(9, 4)}, "layers": [{"self_attn": layer}]}}


def write(folder, tensors, **config):
    """What PEFT writes."""
    base = {"peft_type": "LORA", "r": 2, "lora_alpha": 6, "target_modules": ["q_proj"]}
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps({**base, **config}))
    save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    return folder


def of(model, name):
    return model["model"]["layers"][0]["self_attn"][name]["weight"]


def test_a_file_of_peft_is_read(tmp_path):
    base = params()
    q = f"{P}model.layers.0.self_attn.q_proj"
    a, b, ea, eb = normal(2, 4), normal(6, 2), normal(2, 9), normal(4, 2)
    tensors = {
        f"{q}.lora_A.weight": a,
        f"{q}.lora_B.weight": b,
        f"{P}model.embed_tokens.lora_embedding_A": ea,
        f"{P}model.embed_tokens.lora_embedding_B": eb,
    }
    model = load_pretrained(write(tmp_path, tensors, target_modules=["q_proj"]), base)
    # PEFT: `result = W x + scaling * B A x`, and for embeddings `W[i] + scaling * (A.T[i] @ B.T)`.
    want = of(base, "q_proj") + 3 * b @ a
    np.testing.assert_allclose(materialize(of(model, "q_proj")), want, rtol=1e-5, atol=1e-5)
    table = model["model"]["embed_tokens"]["weight"]
    want = base["model"]["embed_tokens"]["weight"] + 3 * ea.T @ eb.T
    np.testing.assert_allclose(materialize(table), want, rtol=1e-5, atol=1e-5)
    assert of(model, "v_proj") is of(base, "v_proj")


def test_options_of_the_file_are_heeded(tmp_path):
    base = params()
    tensors, tree = {}, f"{P}model.layers.0.self_attn."
    for name, r in (("q_proj", 1), ("v_proj", 4)):
        tensors |= {f"{tree}{name}.lora_A.weight": normal(r, 4)}
        tensors |= {f"{tree}{name}.lora_B.weight": normal(6, r)}
        tensors |= {f"{tree}{name}.lora_magnitude_vector": normal(6)}
    tensors |= {f"{tree}q_proj.base_layer.bias": normal(6)}
    options = {
        "rank_pattern": {"q_proj": 1},
        "alpha_pattern": {"self_attn.v_proj": 5},
    }
    options |= {"r": 4, "use_rslora": True, "use_dora": True, "lora_dropout": 0.1, "bias": "all"}
    model = load_pretrained(write(tmp_path, tensors, **options), base)
    q, v = of(model, "q_proj"), of(model, "v_proj")
    assert (q.rank, float(q.scale), v.rank, float(v.scale)) == (1, 6.0, 4, 2.5)
    assert q.dropout == 0.1
    dense = (
        of(base, "v_proj")
        + 2.5 * tensors[f"{tree}v_proj.lora_B.weight"] @ tensors[f"{tree}v_proj.lora_A.weight"]
    )
    norm = np.sqrt(np.sum(dense**2, 1, keepdims=True))
    want = tensors[f"{tree}v_proj.lora_magnitude_vector"][:, None] * dense / norm
    np.testing.assert_allclose(materialize(v), want, rtol=1e-4, atol=1e-5)
    bias = model["model"]["layers"][0]["self_attn"]["q_proj"]["bias"]
    assert isinstance(bias, Trainable)
    np.testing.assert_array_equal(bias.array, tensors[f"{tree}q_proj.base_layer.bias"])


def test_we_write_exactly_the_names_and_shapes_of_peft(tmp_path):
    config = LoraConfig(
        r=2, lora_alpha=6, target_modules=["q_proj", "embed_tokens"], use_dora=True, bias="all"
    )
    save_pretrained(tmp_path, loraify(params(), config, key=KEY), config)
    written = load_file(tmp_path / "adapter_model.safetensors")
    q = "base_model.model.model.layers.0.self_attn.q_proj"
    assert {key: x.shape for key, x in written.items()} == {
        f"{q}.lora_A.weight": (2, 4),
        f"{q}.lora_B.weight": (6, 2),
        f"{q}.lora_magnitude_vector": (6,),
        f"{q}.base_layer.bias": (6,),
        "base_model.model.model.layers.0.self_attn.v_proj.bias": (6,),
        "base_model.model.model.embed_tokens.lora_embedding_A": (2, 9),
        "base_model.model.model.embed_tokens.lora_embedding_B": (4, 2),
        "base_model.model.model.embed_tokens.lora_magnitude_vector": (4,),
    }
    said = json.loads((tmp_path / "adapter_config.json").read_text())
    want = {"peft_type": "LORA", "r": 2, "lora_alpha": 6, "use_dora": True, "bias": "all"}
    want |= {"target_modules": ["embed_tokens", "q_proj"], "use_rslora": False, "lora_dropout": 0.0}
    assert {name: said[name] for name in want} == want


def conv_model():
    return {"conv": eqx.nn.Conv2d(3, 6, 5, key=KEY), "linear": eqx.nn.Linear(4, 6, key=KEY)}


@pytest.mark.parametrize("options", [{}, {"use_dora": True}, {"use_rslora": True}])
@pytest.mark.parametrize(
    ("make", "targets"),
    [
        (params, ["q_proj", "v_proj", "embed_tokens"]),
        (conv_model, ["conv", "linear"]),
        (
            lambda: {"Dense_0": {"kernel": normal(4, 6)}, "Embed_0": {"embedding": normal(9, 4)}},
            ["Dense_0", "Embed_0"],
        ),
    ],
)
def test_what_is_written_is_read_back(tmp_path, make, targets, options):
    config = LoraConfig(
        r=2,
        target_modules=targets,
        init_lora_weights=False,
        rank_pattern={targets[0]: 3},
        **options,
    )
    base = make()
    model = loraify(base, config, key=KEY)
    save_pretrained(tmp_path, model, config)
    again = load_pretrained(tmp_path, base)
    for x, y in zip(jax.tree.leaves(merge(model)), jax.tree.leaves(merge(again)), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_convolutions_have_the_shapes_of_peft(tmp_path):
    save_pretrained(
        tmp_path, loraify(conv_model(), LoraConfig(r=2, target_modules=["conv"]), key=KEY)
    )
    written = load_file(tmp_path / "adapter_model.safetensors")
    assert {key[len(P) :]: x.shape for key, x in written.items()} == {
        "conv.lora_A.weight": (2, 3, 5, 5),
        "conv.lora_B.weight": (6, 2, 1, 1),
    }


def test_stacked_layers_are_written_one_by_one_under_the_names_that_are_given(tmp_path):
    base = {"q": normal(3, 4, 6), "norm": normal(3, 4)}  # [layer, in, out]
    config = LoraConfig(r=2, target_modules=["q"], init_lora_weights=False, fan_in_fan_out=True)
    model = loraify(base, config, key=KEY)
    names = {"q": "model.layers.{}.self_attn.q_proj", "norm": "model.layers.{}.norm"}
    save_pretrained(tmp_path, model, config, names=names)
    written = load_file(tmp_path / "adapter_model.safetensors")
    last = written[f"{P}model.layers.2.self_attn.q_proj.lora_B.weight"]
    np.testing.assert_array_equal(last, model["q"].b[2].T)
    assert len(written) == 6
    again = load_pretrained(tmp_path, base, names=lambda path: names.get(path))
    np.testing.assert_array_equal(again["q"].a, model["q"].a)
    with pytest.raises(ValueError, match=r"`q` is a stack of \(3,\) layers[^$]*names=lambda path"):
        save_pretrained(tmp_path, model)


def test_a_changed_base_is_undone_in_the_file(tmp_path):
    base = {"q": {"weight": normal(6, 4)}}
    initial = loraify(base, LoraConfig(r=2, init_lora_weights="pissa"), key=KEY)
    w = initial["q"]["weight"]
    trained = {"q": {"weight": LoraArray(w.w, w.a + 1, w.b * 2, w.scale)}}
    save_pretrained(tmp_path, trained, initial=initial)
    again = load_pretrained(tmp_path, base)
    assert again["q"]["weight"].rank == 4
    want = merge(trained)["q"]["weight"]
    np.testing.assert_allclose(merge(again)["q"]["weight"], want, rtol=1e-4, atol=1e-5)


def test_saved_modules_are_read_back(tmp_path):
    base = {"q": {"weight": normal(6, 4)}, "head": {"weight": normal(3, 6), "bias": normal(3)}}
    config = LoraConfig(r=2, target_modules=["q"], modules_to_save=["head"])
    model = loraify(base, config, key=KEY)
    save_pretrained(tmp_path, model, config)
    written = load_file(tmp_path / "adapter_model.safetensors")
    assert {f"{P}head.weight", f"{P}head.bias"} <= set(written)
    again = load_pretrained(tmp_path, base)
    np.testing.assert_array_equal(again["head"]["weight"].array, base["head"]["weight"])


def test_bfloat16_is_kept(tmp_path):
    base = {"q": {"weight": jnp.ones((4, 4), "bfloat16")}}
    save_pretrained(tmp_path, loraify(base, rank=2, key=KEY))
    assert load_pretrained(tmp_path, base)["q"]["weight"].a.dtype == jnp.bfloat16


def tensors_of_q(r=2, m=6, n=4):
    q = f"{P}model.layers.0.self_attn.q_proj"
    return {f"{q}.lora_A.weight": normal(r, n), f"{q}.lora_B.weight": normal(m, r)}


def test_an_adapter_of_another_model_is_refused_with_what_there_is(tmp_path):
    folder = write(tmp_path, {f"{P}encoder.query.lora_A.weight": normal(2, 4)})
    with pytest.raises(
        AdapterError, match=r"`base_model.model.encoder.query[^$]*self_attn.q_proj"
    ) as e:
        load_pretrained(folder, params())
    assert "names=lambda path" in str(e.value)
    assert e.value.missing == (f"{P}encoder.query.lora_A.weight",)


@pytest.mark.parametrize(
    ("tensors", "match"),
    [
        (lambda: tensors_of_q(r=3), r"\(6, 4\)[^$]*lora_A.weight` of shape \(3, 4\)[^$]*\(2, 4\)"),
        (lambda: tensors_of_q(n=5), r"of shape \(2, 5\), where \(2, 4\)[^$]*another model"),
        (lambda: tensors_of_q(m=7), r"lora_B.weight` of shape \(7, 2\), where \(6, 2\)"),
    ],
)
def test_another_rank_or_shape_is_refused(tmp_path, tensors, match):
    with pytest.raises(AdapterError, match=match):
        load_pretrained(write(tmp_path, tensors()), params())


@pytest.mark.parametrize(
    ("config", "match"),
    [
        ({"peft_type": "IA3"}, r'"peft_type": "IA3"`, which is not supported'),
        ({"lora_bias": True}, r'"lora_bias": true`, which is not'),
        ({"r": 0}, r"r=0\)`: the rank"),
    ],
)
def test_files_of_other_methods_are_refused(tmp_path, config, match):
    with pytest.raises(ValueError, match=match):
        load_pretrained(write(tmp_path, tensors_of_q(), **config), params())


def test_broken_files_are_refused_by_name(tmp_path):
    folder = write(tmp_path / "a", tensors_of_q())
    file = folder / "adapter_model.safetensors"
    whole = file.read_bytes()
    for broken in (whole[:-5], whole[:20], b"", b"\xff" * 40):
        file.write_bytes(broken)
        with pytest.raises(ValueError, match=r"cannot read `[^$]*adapter_model.safetensors`"):
            load_pretrained(folder, params())
    file.unlink()
    with pytest.raises(FileNotFoundError, match=r"no such file[^$]*as PEFT writes them"):
        load_pretrained(folder, params())
    for text in ("{", "[]"):
        (folder / "adapter_config.json").write_text(text)
        with pytest.raises(ValueError, match=r"cannot read `[^$]*adapter_config.json`"):
            load_pretrained(folder, params())
    with pytest.raises(FileNotFoundError, match=r"adapter_config.json`: there is no such file"):
        load_pretrained(tmp_path, params())


@pytest.mark.any_jax
def test_tensors_damaged_at_any_byte_are_an_error_or_load_as_they_were(tmp_path):
    model = params()
    save_pretrained(tmp_path, loraify(model, rank=1, key=KEY))
    file = tmp_path / "adapter_model.safetensors"
    whole = file.read_bytes()
    want = load_pretrained(tmp_path, model)
    head = 8 + int.from_bytes(whole[:8], "little")
    places = [*range(0, head, 7), *range(head, len(whole))]
    noticed = 0
    for at in places:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            got = load_pretrained(tmp_path, model)
        except ValueError:
            noticed += 1
            continue
        assert jax.tree.structure(got) == jax.tree.structure(want), at
        jax.tree.map(np.testing.assert_array_equal, got, want)
    # What is left is the name of the checksum, what PyTorch is told, and blanks.
    assert noticed > len(places) - 20


def test_a_model_that_cannot_be_saved_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"a model without adapters[^$]*loraify"):
        save_pretrained(tmp_path, params())
    multi = stack({"fr": loraify(params(), rank=2, key=KEY)} | {})
    with pytest.raises(ValueError, match=r"several adapters at `model[^$]*select\(multi|\"fr\""):
        save_pretrained(tmp_path, multi)
    save_pretrained(tmp_path, select(multi, "fr"))
    model = loraify(params(), rank=2, key=KEY)
    with pytest.raises(ValueError, match=r"two weights have the name[^$]*names="):
        save_pretrained(tmp_path, model, names=lambda path: "same")
    with pytest.raises(TypeError, match=r"`names` gave 3 for[^$]*or None"):
        save_pretrained(tmp_path, model, names=lambda path: 3)
