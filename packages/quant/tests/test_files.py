"""Weights of other tools, in files written here as these tools write them."""

import json
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, materialize, quaxify
from duckarray.quant import (
    FileFormatError,
    Reordered,
    load_awq,
    load_bnb,
    load_gptq,
    load_safetensors,
    quantize,
    save_safetensors,
)
from duckarray.quant._safetensors import write_tensors

pytestmark = pytest.mark.any_jax

K, N, GROUP = 64, 16, 32


@pytest.fixture
def integers():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 16, (K, N))
    zeros = rng.integers(1, 15, (K // GROUP, N))
    scales = rng.uniform(0.1, 1, (K // GROUP, N)).astype("float16")
    dense = (codes - np.repeat(zeros, GROUP, 0)) * np.repeat(scales.astype("float64"), GROUP, 0)
    return codes, zeros, scales, dense.T


def words(codes, order=range(8)):
    """Eight codes of four bits along the last axis to a word, the one at `order[i]` in place i."""
    apart = codes.reshape(*codes.shape[:-1], -1, 8)
    return sum(apart[..., j].astype("uint32") << (4 * i) for i, j in enumerate(order)).view("int32")


def test_awq(integers, tmp_path):
    codes, zeros, scales, dense = integers
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    tensors = {
        "layer.qweight": words(codes, order),
        "layer.qzeros": words(zeros, order),
        "layer.scales": scales,
        "norm.weight": np.ones(3, "float32"),
    }
    write_tensors(tmp_path / "f", tensors, {})
    params = load_awq(tmp_path / "f")
    np.testing.assert_allclose(materialize(params["layer.weight"]), dense, rtol=1e-6)
    assert set(params) == {"layer.weight", "norm.weight"}


def test_gptq(integers, tmp_path):
    codes, zeros, scales, dense = integers
    tensors = {
        "layer.qweight": np.ascontiguousarray(words(codes.T).T),
        "layer.qzeros": words(zeros - 1),
        "layer.scales": scales,
        "layer.g_idx": (np.arange(K) // GROUP).astype("int32"),
    }
    write_tensors(tmp_path / "f", tensors, {})
    params = load_gptq(tmp_path / "f")
    np.testing.assert_allclose(materialize(params["layer.weight"]), dense, rtol=1e-6)
    assert set(params) == {"layer.weight"}
    tensors["layer.g_idx"] = tensors["layer.g_idx"] * 0
    write_tensors(tmp_path / "f", tensors, {})
    with pytest.raises(FileFormatError, match=r"`layer`: its groups, by `g_idx`, do not all have"):
        load_gptq(tmp_path / "f")
    del tensors["layer.scales"]
    write_tensors(tmp_path / "f", tensors, {})
    with pytest.raises(FileFormatError, match=r"`layer\.scales` is missing"):
        load_gptq(tmp_path / "f")


@pytest.fixture
def reordered(integers, tmp_path):
    """A weight of GPTQ with `desc_act=True`, and the numbers that it stands for."""
    codes, zeros, scales, _ = integers
    group_of = np.random.default_rng(1).permutation(np.arange(K) // GROUP)
    tensors = {
        "layer.qweight": np.ascontiguousarray(words(codes.T).T),
        "layer.qzeros": words(zeros - 1),
        "layer.scales": scales,
        "layer.g_idx": group_of.astype("int32"),
    }
    write_tensors(tmp_path / "f", tensors, {})
    dense = (codes - zeros[group_of]) * scales.astype("float64")[group_of]
    return load_gptq(tmp_path / "f")["layer.weight"], dense.T


def test_groups_of_gptq_that_are_not_of_neighbours(reordered, tmp_path):
    w, dense = reordered
    np.testing.assert_allclose(materialize(w), dense, rtol=1e-6)
    save_safetensors(tmp_path / "g", {"w": w})
    np.testing.assert_allclose(materialize(load_safetensors(tmp_path / "g")["w"]), dense, rtol=1e-6)
    x, y = (np.random.default_rng(2).normal(size=(3, n)).astype("float32") for n in (K, N))
    stacked = jax.tree.map(lambda a: jnp.stack([a, a]), w)
    programs = {
        "x @ w.T": (lambda w: x @ w.T, x @ dense.T),
        "w @ x": (lambda w: -w @ x.T, -dense @ x.T),
        "y @ w": (lambda w: y @ (w * 2), y @ dense * 2),
        "w.T @ y": (lambda w: w.T.astype("float32") @ y.T, dense.T @ y.T),
        "batch": (lambda w: jnp.einsum("nk,mk->kn", w, x), dense.T * x.sum(0)[:, None]),
        "vmap": (lambda w: jax.vmap(lambda v: w @ v)(x), x @ dense.T),
    }
    with materialization("error"):
        for name, (program, want) in programs.items():
            np.testing.assert_allclose(
                materialize(quaxify(program)(w)), want, rtol=1e-4, atol=1e-3, err_msg=name
            )
        scanned = quaxify(lambda w: jax.lax.scan(lambda c, v: (c, x @ v.T), 0, w)[1])(stacked)
    np.testing.assert_allclose(scanned, np.stack([x @ dense.T] * 2), rtol=1e-4, atol=1e-3)
    with pytest.raises(ValueError, match=r"axis 0[\s\S]*counted from the end"):
        Reordered(w.array, w.places, 0)


@pytest.mark.parametrize("nested", [False, True])
def test_bitsandbytes(nested, tmp_path):
    rng = np.random.default_rng(0)
    table = np.sort(rng.normal(size=16)).astype("float32")
    codes = rng.integers(0, 16, (8, 128))
    absmax = rng.uniform(0.5, 1, 8 * 128 // 64).astype("float32")
    state = {"shape": [8, 128], "blocksize": 64, "dtype": "float16", "quant_type": "nf4"}
    flat = codes.reshape(-1).astype("uint8")
    tensors = {"w": (flat[::2] << 4 | flat[1::2])[:, None], "w.quant_map": table}
    if nested:
        book = np.linspace(-1, 1, 256).astype("float32")
        places = rng.integers(0, 256, absmax.size).astype("uint8")
        absmax = book[places] * np.float32(0.25) + np.float32(0.75)
        state |= {"nested_blocksize": 256, "nested_offset": 0.75}
        tensors |= {"w.nested_absmax": np.array([0.25], "float32"), "w.nested_quant_map": book}
    tensors["w.absmax"] = places if nested else absmax
    key = "w.quant_state.bitsandbytes__nf4"
    tensors[key] = np.frombuffer(json.dumps(state).encode(), "uint8")
    write_tensors(tmp_path / "f", tensors, {})
    got = load_bnb(tmp_path / "f", dtype="float32")["w"]
    want = table[codes].astype("float64") * np.repeat(absmax.reshape(8, 2), 64, 1)
    np.testing.assert_allclose(materialize(got), want, rtol=1e-6)
    assert load_bnb(tmp_path / "f")["w"].dtype == jnp.float16


def test_what_is_saved_comes_back_bit_by_bit(tmp_path):
    w = jax.random.normal(jax.random.key(0), (64, 8))
    tree = {
        "a": quantize(w, "nf4", double_quant=True),
        "b": [quantize(w, "int4", group_size=32, symmetric=False, axis=0), quantize(w, "nvfp4")],
        "c": jnp.arange(3),
    }
    save_safetensors(tmp_path / "f", tree)
    back = load_safetensors(tmp_path / "f")
    assert set(back) == {"a", "b.0", "b.1", "c"}
    for x, y in ((tree["a"], back["a"]), (tree["b"][0], back["b.0"]), (tree["b"][1], back["b.1"])):
        assert jax.tree.structure(x) == jax.tree.structure(y)
        jax.tree.map(np.testing.assert_array_equal, x, y)
    with pytest.raises(TypeError, match=r"`c` is a `str`"):
        save_safetensors(tmp_path / "g", {"c": "text"})
    assert not (tmp_path / "g").exists()


@pytest.mark.parametrize("n", [0, 7, 20, -1])
def test_a_truncated_file_of_safetensors_is_an_error(n, tmp_path):
    save_safetensors(tmp_path / "f", {"w": jnp.ones((4, 4))})
    (tmp_path / "f").write_bytes((tmp_path / "f").read_bytes()[:n])
    with pytest.raises(FileFormatError, match="again") as caught:
        load_safetensors(tmp_path / "f")
    assert n != -1 or caught.value.tensor == "w"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.tensor) == (str(caught.value), caught.value.tensor)


def test_no_damage_to_a_saved_file_goes_unseen(tmp_path):
    w = jax.random.normal(jax.random.key(0), (8, 2))
    save_safetensors(tmp_path / "f", {"w": quantize(w, "nf4", group_size=4), "b": jnp.arange(3.0)})
    raw, want = (tmp_path / "f").read_bytes(), load_safetensors(tmp_path / "f")
    for at in range(0, len(raw), 7):
        damaged = bytearray(raw)
        damaged[at] ^= 1 << at % 7
        (tmp_path / "g").write_bytes(bytes(damaged))
        try:
            got = load_safetensors(tmp_path / "g")
        except FileFormatError:
            continue
        assert jax.tree.structure(got) == jax.tree.structure(want)
        jax.tree.map(np.testing.assert_array_equal, got, want)


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ({"a": [0, 4], "b": [8, 12]}, r"`b`[\s\S]*the tensor before it ends"),
        ({"a": [0, 4], "b": [0, 4]}, r"`b`[\s\S]*the tensor before it ends"),
        ({"a": [0, 4]}, r"8 bytes of it belong to no tensor"),
        ({"a": [True, 4]}, r"no whole numbers"),
    ],
)
def test_tensors_that_overlap_or_leave_gaps_are_refused(head, text, tmp_path):
    entries = {
        name: {"dtype": "F32", "shape": [1], "data_offsets": at} for name, at in head.items()
    }
    written = json.dumps(entries).encode()
    raw = len(written).to_bytes(8, "little") + written + b"\0" * 12
    (tmp_path / "f").write_bytes(raw)
    with pytest.raises(FileFormatError, match=text):
        load_safetensors(tmp_path / "f")
    twice = b'{"a": 1, "a": 2}'
    (tmp_path / "f").write_bytes(len(twice).to_bytes(8, "little") + twice)
    with pytest.raises(FileFormatError, match="a name is in it twice"):
        load_safetensors(tmp_path / "f")


def test_two_arrays_of_one_name_are_not_written(tmp_path):
    with pytest.raises(ValueError, match=r"called `a\.b`[\s\S]*Rename"):
        save_safetensors(tmp_path / "f", {"a.b": jnp.ones(1), "a": {"b": jnp.ones(1)}})
