"""Weights that other tools have quantized: AWQ, GPTQ and bitsandbytes, code by code."""

import json
import os
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from ._errors import FileFormatError
from ._format import NF4, pack_numpy
from ._layout import layout_for
from ._reordered import Reordered
from ._safetensors import read_tensors
from ._scheme import Scheme
from ._value import QuantArray

_AGAIN = "Download or convert it again."
_AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


def load_awq(path: str | os.PathLike[str], *, dtype: Any = jnp.float32) -> dict[str, Any]:
    """Reads a file of safetensors with weights of AWQ: groups of four-bit integers.

    `NAME.qweight`, `NAME.qzeros` and `NAME.scales` become `NAME.weight`, a `QuantArray` of shape
    `[out, in]` with the same codes, zero points and scales. Other tensors stay as they are.

    Args:
        path: the file.
        dtype: the dtype that quantized weights have for programs.

    Raises:
        FileFormatError: if the file is truncated or corrupt, or its tensors do not fit.

    Example:
        >>> from duckarray.quant import load_awq
        >>> params = load_awq("model.safetensors")  # doctest: +SKIP

    References:
        Lin et al., "AWQ: Activation-aware Weight Quantization", 2024; the "GEMM" layout.
    """

    def read(get: Callable[[str], Any], fail: Any) -> QuantArray:
        qweight, scales = get("qweight"), get("scales")
        codes = _unpacked(qweight, 4, 1, _AWQ_ORDER)
        zeros = _unpacked(get("qzeros"), 4, 1, _AWQ_ORDER)
        return _grouped(codes, zeros, scales, 4, dtype, fail)

    return _load(path, "qweight", read)


def load_gptq(path: str | os.PathLike[str], *, dtype: Any = jnp.float32) -> dict[str, Any]:
    """Reads a file of safetensors with weights of GPTQ: groups of integers of 2, 4 or 8 bits.

    Args:
        path: the file.
        dtype: the dtype that quantized weights have for programs.

    Returns:
        As `load_awq`; where groups are not of neighbours (`desc_act=True`), a `Reordered`.

    Raises:
        FileFormatError: if the file is truncated or corrupt, or its tensors do not fit.

    Example:
        >>> from duckarray.quant import load_gptq
        >>> params = load_gptq("model.safetensors")  # doctest: +SKIP

    References:
        Frantar et al., "GPTQ: Accurate Post-Training Quantization", 2023.
    """

    def read(get: Callable[[str], Any], fail: Any) -> QuantArray | Reordered:
        qweight, scales, index = get("qweight"), get("scales"), get("g_idx")
        length = len(index)
        bits = qweight.shape[0] * 32 // max(length, 1)
        if bits not in (2, 4, 8) or qweight.shape[0] * 32 != bits * length:
            fail(f"{qweight.shape[0]} words for {length} entries are not 2, 4 or 8 bits for each")
        group = length // max(scales.shape[0], 1)
        codes = _unpacked(qweight, bits, 0)
        zeros = _unpacked(get("qzeros"), bits, 1) + np.uint8(1)  # stored less one
        in_order = np.arange(length) // max(group, 1)
        if np.array_equal(index, in_order):
            return _grouped(codes, zeros, scales, bits, dtype, fail)
        order = np.argsort(index, kind="stable")
        if not np.array_equal(index[order], in_order):
            fail(f"its groups, by `g_idx`, do not all have {group} of the {length} entries")
        weight = _grouped(codes[order], zeros, scales, bits, dtype, fail)
        return Reordered(weight, jnp.asarray(order, jnp.int32), -1)

    return _load(path, "qweight", read)


def load_bnb(path: str | os.PathLike[str], *, dtype: Any = None) -> dict[str, Any]:
    """Reads a file of safetensors with four-bit weights of bitsandbytes, nf4 or fp4.

    Scales that are quantized themselves become numbers of single precision.

    Args:
        path: the file.
        dtype: the dtype that quantized weights have for programs; by default that which the file
            names.

    Returns:
        The tensors by name; those that were quantized as `QuantArray`s with the same codes.

    Raises:
        FileFormatError: if the file is truncated or corrupt, its tensors do not fit, or blocks
            run over the ends of rows.

    Example:
        >>> from duckarray.quant import load_bnb
        >>> params = load_bnb("model.safetensors")  # doctest: +SKIP
    """
    tensors, _ = read_tensors(path)
    mark = ".quant_state.bitsandbytes__"
    states = {key.partition(mark)[0]: key for key in tensors if mark in key}
    out: dict[str, Any] = {}
    for name, key in states.items():
        out[name] = _read_bnb(path, name, key, tensors, dtype)
    used = {key for key in tensors if any(key == n or key.startswith(f"{n}.") for n in states)}
    return out | {key: jnp.asarray(x) for key, x in tensors.items() if key not in used}


def _load(path: Any, mark: str, read: Callable[..., QuantArray | Reordered]) -> dict[str, Any]:
    tensors, _ = read_tensors(path)
    names = [key.removesuffix(f".{mark}") for key in tensors if key.endswith(f".{mark}")]
    out: dict[str, Any] = {}
    used: set[str] = set()
    for name in names:

        def fail(problem: str, advice: str = _AGAIN, name: str = name) -> None:
            raise FileFormatError(path, problem, advice, name)

        def get(part: str, name: str = name, fail: Any = fail) -> Any:
            used.add(f"{name}.{part}")
            if f"{name}.{part}" not in tensors:
                fail(f"`{name}.{part}` is missing")
            return tensors[f"{name}.{part}"]

        out[f"{name}.weight"] = read(get, fail)
        used.add(f"{name}.g_idx")
    return out | {key: jnp.asarray(x) for key, x in tensors.items() if key not in used}


def _unpacked(words: Any, bits: int, axis: int, order: Any = None) -> Any:
    """The codes in words of 32 bits, which lie along `axis`; `order` is that within a word."""
    words = np.moveaxis(words.astype("uint32"), axis, -1)
    n = 32 // bits
    shifts = (np.arange(n) * bits).astype("uint32")
    codes = ((words[..., None] >> shifts) & ((1 << bits) - 1)).astype("uint8")
    if order is not None:
        codes = codes[..., np.argsort(order)]
    return np.moveaxis(codes.reshape(*words.shape[:-1], -1), -1, axis)


def _grouped(codes: Any, zeros: Any, scales: Any, bits: int, dtype: Any, fail: Any) -> QuantArray:
    length, n = codes.shape
    groups = scales.shape[0]
    if scales.shape != (groups, n) or zeros.shape != (groups, n) or not groups or length % groups:
        fail(
            f"codes of shape {codes.shape}, scales of shape {scales.shape} and zero points of "
            f"shape {zeros.shape} do not fit"
        )
    if not np.isfinite(scales.astype("float32")).all():
        fail("it has scales that are not finite")
    group = length // groups
    apart = np.moveaxis(codes.reshape(groups, group, n), 1, -1)
    stored = np.moveaxis(pack_numpy(apart, bits), -1, 1).reshape(-1, n)
    scheme = Scheme(f"int{bits}", group, symmetric=False, scale_dtype=scales.dtype.name)
    layout = layout_for(2, 1, group, jnp.dtype(dtype).name)
    arrays = [jnp.asarray(np.ascontiguousarray(x)) for x in (stored, scales, zeros)]
    return QuantArray(arrays[0], arrays[1], arrays[2], scheme, layout)


def _read_bnb(path: Any, name: str, key: str, tensors: Any, dtype: Any) -> QuantArray:
    def fail(problem: str, advice: str = _AGAIN) -> None:
        raise FileFormatError(path, problem, advice, name)

    try:
        state = json.loads(tensors[key].tobytes())
        shape, block = tuple(state["shape"]), int(state["blocksize"])
        absmax, table = tensors[f"{name}.absmax"], tensors[f"{name}.quant_map"]
        if "nested_blocksize" in state:
            each = tensors[f"{name}.nested_absmax"].astype("float32")
            book = tensors[f"{name}.nested_quant_map"].astype("float32")
            blocks = np.arange(absmax.size) // int(state["nested_blocksize"])
            absmax = book[absmax] * each[blocks] + np.float32(state["nested_offset"])
        data = tensors[name].reshape(-1)
        made = jnp.dtype(state["dtype"] if dtype is None else dtype).name
    except (KeyError, ValueError, IndexError, TypeError) as error:
        fail(f"its quantization cannot be read ({error!r})")
        raise
    if len(shape) != 2 or data.size * 2 != np.prod(shape) or len(table) != 16:
        fail(f"{data.size:,} bytes of codes do not fit the shape {shape}")
    if shape[1] % block or absmax.size * block != np.prod(shape):
        fail(f"blocks of {block} do not divide rows of {shape[1]}", "Choose a smaller blocksize.")
    codes = np.stack([data >> 4, data & 15], -1).reshape(shape[0], -1, block)
    stored = pack_numpy(codes, 4).reshape(shape[0], -1).T
    is_nf4 = np.allclose(table, NF4, atol=1e-6)
    scheme = Scheme("nf4", block) if is_nf4 else Scheme("table", block, table=tuple(table.tolist()))
    scale = absmax.astype("float32").reshape(shape[0], -1).T
    arrays = [jnp.asarray(np.ascontiguousarray(x)) for x in (stored, scale)]
    return QuantArray(arrays[0], arrays[1], None, scheme, layout_for(2, 1, block, made))
