"""`load_gguf`: quantized weights from files of GGUF, as they are, none dequantized."""

import math
import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from ._errors import FileFormatError
from ._format import pack_numpy
from ._gguf_blocks import BLOCK_FORMATS, PLAIN_TYPES, BlockFormat
from ._layout import layout_for
from ._progress import Progress
from ._scales import ScaleCodes
from ._value import unchecked

_AGAIN = "Download or convert it again."
_KINDS = "`load_gguf` reads the tensor types {known}. Convert the file to one of these."

_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
_MOST = 1 << 32


class Tensor(NamedTuple):
    """The entry of a tensor in the head of the file."""

    name: str
    shape: tuple[int, ...]
    kind: int
    start: int
    size: int


def load_gguf(
    path: str | os.PathLike[str], *, dtype: Any = jnp.float32, progress: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads a file of GGUF: quantized tensors become `QuantArray`s with the same codes and scales.

    Codes are put into another order, none is changed and nothing is dequantized. The shapes are
    those of PyTorch, `[out, in]` for the weight of a linear layer.

    Args:
        path: the file.
        dtype: the dtype that quantized tensors have for programs.
        progress: whether to show a progress bar.

    Returns:
        The tensors by name, and the metadata by key.

    Raises:
        FileFormatError: if the file is truncated, corrupt or of an unknown kind; it names the
            tensor and the place. Nothing has been loaded then.
        FileNotFoundError: if there is no such file.

    Example:
        >>> from duckarray.quant import load_gguf
        >>> params, metadata = load_gguf("model.gguf")  # doctest: +SKIP
        >>> params["blk.0.ffn_up.weight"]  # doctest: +SKIP
        QuantArray(float32[1536,576], int4, group_size=32)

    References:
        "GGUF", a file format of the GGML library, version 3, and its block formats.
    """
    size = Path(path).stat().st_size
    if size < 24:
        raise FileFormatError(path, f"it has {size} bytes, too few for a file of GGUF", _AGAIN)
    data = np.memmap(path, np.uint8, "r")
    metadata, tensors = _read_head(path, data)
    params: dict[str, Any] = {}
    with Progress("load_gguf", len(tensors), progress) as bar:
        for tensor in tensors:
            raw = np.asarray(data[tensor.start : tensor.start + tensor.size])
            params[tensor.name] = _array(path, tensor, raw, jnp.dtype(dtype).name)
            bar.advance(tensor.name)
    return params, metadata


def _read_head(path: Any, data: Any) -> tuple[dict[str, Any], list[Tensor]]:
    head = _Reader(path, data)
    magic = head.take(4).tobytes()
    if magic != b"GGUF":
        raise FileFormatError(path, f"it begins with {magic!r}, not with b'GGUF'", _AGAIN)
    version = head.number("<I")
    if version not in (2, 3):
        problem = f"it has version {version}, and only versions 2 and 3 can be read"
        raise FileFormatError(path, problem, "Convert it with a newer tool.", None, 4)
    n_tensors, n_keys = head.count("tensors"), head.count("keys")
    metadata: dict[str, Any] = {}
    for _ in range(n_keys):
        key = head.string()
        metadata[key] = head.value(head.number("<I"), key)
    entries = [_read_entry(head) for _ in range(n_tensors)]
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        problem = f"`general.alignment` is {alignment!r}, which is no power of two"
        raise FileFormatError(path, problem, _AGAIN)
    _check_places(path, entries, head.position, alignment, data.size)
    start = _aligned(head.position, alignment)
    return metadata, [entry._replace(start=start + entry.start) for entry in entries]


def _check_places(
    path: Any, entries: list[Tensor], position: int, alignment: int, size: int
) -> None:
    """Tensors follow one another without gaps, to the end of the file."""
    start = _aligned(position, alignment)
    names: set[str] = set()
    expected = end = 0
    for entry in entries:
        at = start + entry.start
        if entry.name in names:
            raise FileFormatError(path, "there are two of this name", _AGAIN, entry.name)
        if at + entry.size > size:
            missing = at + entry.size - size
            problem = f"{missing:,} bytes of it are missing"
            raise FileFormatError(path, problem, _AGAIN, entry.name, at)
        if entry.start != expected:
            problem = f"it is said to be here, but the tensor before it ends at {start + end:,}"
            raise FileFormatError(path, problem, _AGAIN, entry.name, at)
        names.add(entry.name)
        end = entry.start + entry.size
        expected = _aligned(end, alignment)
    if size - start > expected:
        problem = f"{size - start - end:,} bytes of it belong to no tensor"
        raise FileFormatError(path, problem, _AGAIN, None, start + end)


def _aligned(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment


def _read_entry(head: "_Reader") -> Tensor:
    at = head.position
    name = head.string()
    n_axes = head.number("<I")
    if n_axes > 8:
        raise FileFormatError(head.path, f"it has {n_axes} axes", _AGAIN, name, at)
    shape = tuple(head.number("<Q") for _ in range(n_axes))[::-1]
    kind, start = head.number("<I"), head.number("<Q")
    count = math.prod(shape)
    if kind in PLAIN_TYPES:
        dtype = PLAIN_TYPES[kind][1]
        size = count * (2 if dtype == "bfloat16" else np.dtype(dtype).itemsize)
        return Tensor(name, shape, kind, start, size)
    if kind not in BLOCK_FORMATS:
        known = ", ".join([*(f.name for f in BLOCK_FORMATS.values()), "F32, F16, BF16, integers"])
        problem = f"it is of type {kind}, which is unknown here"
        raise FileFormatError(head.path, problem, _KINDS.format(known=known), name, at)
    fmt = BLOCK_FORMATS[kind]
    if not shape or shape[-1] % fmt.block:
        problem = f"its shape is {shape}, but rows of {fmt.name} are multiples of {fmt.block}"
        raise FileFormatError(head.path, problem, _AGAIN, name, at)
    return Tensor(name, shape, kind, start, count // fmt.block * fmt.size)


def _array(path: Any, tensor: Tensor, raw: Any, dtype: str) -> Any:
    if tensor.kind in PLAIN_TYPES:
        name = PLAIN_TYPES[tensor.kind][1]
        numbers = raw.view(jnp.bfloat16 if name == "bfloat16" else np.dtype(name))
        return jnp.asarray(numbers.reshape(tensor.shape))
    fmt = BLOCK_FORMATS[tensor.kind]
    *lead, n, length = (1, *tensor.shape) if len(tensor.shape) == 1 else tensor.shape
    rows = math.prod(lead) * n
    blocks = fmt.read(raw.reshape(rows, length // fmt.block, fmt.size))
    scheme = fmt.scheme
    codes = pack_numpy(blocks.codes.reshape(rows, -1, scheme.group_size), scheme.bits)

    def stored(x: Any) -> Any:
        """`[rows, ...]` as `[*lead, ..., n]`, or without rows for a vector."""
        x = np.moveaxis(x.reshape(*lead, n, -1), -1, -2)
        return jnp.asarray(x[..., 0] if len(tensor.shape) == 1 else np.ascontiguousarray(x))

    trail = min(len(tensor.shape) - 1, 1)
    ndim = len(tensor.shape)
    assert scheme.group_size is not None
    layout = layout_for(ndim, ndim - 1, scheme.group_size, dtype, trail)
    scale, zero = _scales(blocks, fmt, trail, stored)
    if not _is_finite(blocks):
        raise FileFormatError(path, "it has scales that are not finite", _AGAIN, tensor.name)
    return unchecked(stored(codes), scale, zero, scheme, layout)


def _scales(blocks: Any, fmt: BlockFormat, trail: int, stored: Any) -> tuple[Any, Any]:
    if fmt.scheme.scale_code == "e8m0":
        return ScaleCodes(stored(blocks.scale), None, None, "e8m0", "whole", 1, trail), None
    found: list[Any] = []
    for part, whole in ((blocks.scale, blocks.super_scale), (blocks.zero, blocks.super_zero)):
        if part is None or whole is None:
            found.append(None if part is None else stored(part))
            continue
        kind: Any = "int8" if part.dtype == np.int8 else "uint8"
        codes = ScaleCodes(stored(part), stored(whole), None, kind, "along", blocks.per, trail)
        found.append(codes)
    return found[0], found[1]


def _is_finite(blocks: Any) -> bool:
    parts = (blocks.scale, blocks.zero, blocks.super_scale, blocks.super_zero)
    return all(np.isfinite(x).all() for x in parts if x is not None and x.dtype.kind == "f")


class _Reader:
    """Reads numbers and strings, one after the other, and says where it could not."""

    def __init__(self, path: Any, data: Any) -> None:
        self.path, self.data, self.position = path, data, 0

    def take(self, n: int) -> Any:
        if n > self.data.size - self.position:
            problem = f"it ends in its head, where {n:,} more bytes were expected"
            raise FileFormatError(self.path, problem, _AGAIN, None, self.position)
        self.position += n
        return self.data[self.position - n : self.position]

    def number(self, kind: str) -> Any:
        return struct.unpack(kind, self.take(struct.calcsize(kind)).tobytes())[0]

    def count(self, what: str) -> int:
        at, n = self.position, int(self.number("<Q"))
        if n > min(self.data.size, _MOST):
            problem = f"it claims to hold {n:,} {what}"
            raise FileFormatError(self.path, problem, _AGAIN, None, at)
        return n

    def string(self) -> str:
        at = self.position
        text = self.take(self.count("characters")).tobytes()
        try:
            return str(text, "utf-8")
        except UnicodeDecodeError:
            problem = "a name is not text in UTF-8"
            raise FileFormatError(self.path, problem, _AGAIN, None, at) from None

    def value(self, kind: int, key: str) -> Any:
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _STRING:
            at = self.position
            text = self.take(self.count("characters")).tobytes()
            try:
                return str(text, "utf-8")
            except UnicodeDecodeError:
                problem = f"the value of `{key}` is not text in UTF-8"
                raise FileFormatError(self.path, problem, _AGAIN, None, at) from None
        if kind == _ARRAY:
            inner, n = self.number("<I"), self.count("entries")
            if inner in _SCALARS:
                dtype = np.dtype("?" if inner == 7 else _SCALARS[inner])
                return self.take(n * dtype.itemsize).view(dtype).tolist()
            if inner == _STRING:
                return [self.value(inner, key) for _ in range(n)]
            kind = inner
        problem = f"the value of `{key}` has the unknown type {kind}"
        raise FileFormatError(self.path, problem, _AGAIN, None, self.position)
