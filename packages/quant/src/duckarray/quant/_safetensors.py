"""Reading and writing files of safetensors, and quantized arrays in them."""

import dataclasses
import json
import math
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from ._errors import FileFormatError
from ._layout import Layout
from ._reordered import Reordered
from ._scales import ScaleCodes
from ._scheme import Scheme
from ._tree import path_of
from ._value import QuantArray

_TWO_NAMES = """`save_safetensors(path, tree)`: two arrays of the tree are called `{name}` in the \
file.
Rename one: dots in keys are like steps into a dictionary."""

_AGAIN = "Download or convert it again."
_VERSION = "1"
_KEY = "duckarray.quant"
_CHECKSUM = f"{_KEY}.crc32"

_DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U64": "uint64",
    "U32": "uint32",
    "U16": "uint16",
    "U8": "uint8",
    "BOOL": "bool",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


Entry = tuple[str, tuple[int, ...], int, int]


def read_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The tensors of a file of safetensors as NumPy arrays, and its metadata.

    Raises:
        FileFormatError: if the file is truncated or corrupt; nothing is returned then.
    """
    size = Path(path).stat().st_size
    if size < 8:
        raise FileFormatError(path, f"it has {size} bytes, too few for safetensors", _AGAIN)
    data = np.memmap(path, np.uint8, "r")
    (length,) = struct.unpack("<Q", data[:8].tobytes())
    if length > size - 8:
        problem = f"its head claims {length:,} bytes, and the file has {size:,}"
        raise FileFormatError(path, problem, _AGAIN, None, 0)
    try:
        head = json.loads(data[8 : 8 + length].tobytes(), object_pairs_hook=_once)
        metadata = head.pop("__metadata__", {})
        if not all(isinstance(text, str) for text in metadata.values()):
            raise TypeError("its metadata is not text")
        entries = {name: _entry(entry) for name, entry in head.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileFormatError(path, f"its head cannot be read ({error})", _AGAIN, None, 8) from None
    start = 8 + length
    _check_places(path, entries, start, size)
    tensors = {
        name: np.array(data[start + begin : start + end]).view(jnp.dtype(dtype)).reshape(shape)
        for name, (dtype, shape, begin, end) in entries.items()
    }
    return tensors, metadata


def _check_places(path: Any, entries: dict[str, Entry], start: int, size: int) -> None:
    """Tensors have the bytes that their shapes take, without gaps, to the end of the file."""
    expected = 0
    for name, (dtype, shape, begin, end) in sorted(entries.items(), key=lambda e: e[1][2:]):
        needed = math.prod(shape) * jnp.dtype(dtype).itemsize
        if end - begin != needed:
            problem = f"it has {end - begin:,} bytes, but its shape {shape} takes {needed:,}"
            raise FileFormatError(path, problem, _AGAIN, name, start + begin)
        if start + end > size:
            problem = f"{start + end - size:,} bytes of it are missing"
            raise FileFormatError(path, problem, _AGAIN, name, start + begin)
        if begin != expected:
            problem = (
                f"it is said to be here, but the tensor before it ends at {start + expected:,}"
            )
            raise FileFormatError(path, problem, _AGAIN, name, start + begin)
        expected = end
    if start + expected != size:
        problem = f"{size - start - expected:,} bytes of it belong to no tensor"
        raise FileFormatError(path, problem, _AGAIN, None, start + expected)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary of JSON in which no key is twice."""
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a name is in it twice")
    return out


def _entry(entry: Any) -> Entry:
    begin, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
        raise ValueError(f"{entry} has sizes that are no whole numbers")
    return _DTYPES[entry["dtype"]], shape, begin, end


def write_tensors(
    path: str | os.PathLike[str], tensors: Mapping[str, Any], metadata: Mapping[str, str]
) -> None:
    """Writes a file of safetensors; there is either all of it or nothing."""
    head: dict[str, Any] = {"__metadata__": dict(metadata)}
    arrays, at = [], 0
    for name, tensor in tensors.items():
        array = np.ascontiguousarray(np.asarray(tensor)).reshape(np.shape(tensor))
        head[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        arrays.append(array)
        at += array.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    part = Path(f"{os.fspath(path)}.part")
    try:
        with part.open("wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for array in arrays:
                file.write(array.tobytes())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def save_safetensors(path: str | os.PathLike[str], tree: Any) -> None:
    """Writes a tree of arrays and `QuantArray`s to a file of safetensors.

    The codes are written as they are, as `NAME.codes`, next to `NAME.scale` and `NAME.zero_point`;
    what is static is in the metadata. Any reader of safetensors can open the file.

    Args:
        path: the file to write.
        tree: arrays and `QuantArray`s; its paths become names.

    Raises:
        TypeError: if something in it is neither.
        ValueError: if two have the same name.

    Example:
        >>> import jax.numpy as jnp, tempfile, os
        >>> from duckarray.quant import load_safetensors, quantize, save_safetensors
        >>> path = os.path.join(tempfile.mkdtemp(), "w.safetensors")
        >>> save_safetensors(path, {"w": quantize(jnp.ones((64, 2)), "nf4")})
        >>> load_safetensors(path)
        {'w': QuantArray(float32[64,2], nf4, group_size=64)}
    """
    tensors: dict[str, Any] = {}
    described: dict[str, Any] = {}
    leaves, _ = jtu.tree_flatten_with_path(tree, is_leaf=_is_quantized)
    for keys, x in leaves:
        name = path_of(keys)
        parts: dict[str, Any] = {}
        if _is_quantized(x):
            described[name] = _describe(name, x, parts)
        elif hasattr(x, "dtype"):
            parts[name] = x
        else:
            raise TypeError(
                f"`save_safetensors(path, tree)`: `{name}` is a `{type(x).__name__}`, and only "
                "arrays and `QuantArray`s are written.\nTake out what is not: "
                "`duckarray.core.tree.partition(tree, ...)`."
            )
        if not tensors.keys().isdisjoint(parts):
            raise ValueError(_TWO_NAMES.format(name=name))
        tensors |= parts
    tensors = {name: np.asarray(x) for name, x in tensors.items()}
    metadata = {
        _KEY: json.dumps(described),
        f"{_KEY}.version": _VERSION,
        _CHECKSUM: _checksum(described, tensors),
    }
    write_tensors(path, tensors, metadata)


def load_safetensors(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads a file of `save_safetensors`, or any file of safetensors, into arrays by name.

    Args:
        path: the file.

    Raises:
        FileFormatError: if it is truncated, corrupt, or written by a later version. Where
            `save_safetensors` has written it, any change of a byte is seen.

    Example:
        >>> import os, tempfile
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import load_safetensors, quantize, save_safetensors
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> save_safetensors(path, {"w": quantize(jnp.ones((4, 2)), "int8")})
        >>> load_safetensors(path)["w"].scheme.name
        'int8'
    """
    tensors, metadata = read_tensors(path)
    version = metadata.get(f"{_KEY}.version", _VERSION)
    if version != _VERSION:
        raise FileFormatError(path, f"it was written in version {version}", "Update this package.")
    try:
        described = json.loads(metadata.get(_KEY, "{}"))
        if metadata.get(_CHECKSUM, None) not in (None, _checksum(described, tensors)):
            problem = "its checksum is another: bytes of it have changed since it was written"
            raise FileFormatError(path, problem, _AGAIN)
        out = {
            name: _restore(name, description, tensors) for name, description in described.items()
        }
    except FileFormatError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"what it says of quantized arrays cannot be read ({error})"
        raise FileFormatError(path, problem, _AGAIN) from None
    return out | {name: jnp.asarray(x) for name, x in tensors.items()}


def _checksum(described: Any, tensors: Mapping[str, Any]) -> str:
    """Of all that the file says, so that no damage goes unseen."""
    head = [[name, x.dtype.name, list(x.shape)] for name, x in tensors.items()]
    value = zlib.crc32(json.dumps([described, head]).encode())
    for x in tensors.values():
        value = zlib.crc32(np.asarray(x).tobytes(), value)
    return f"{value:08x}"


def _is_quantized(x: Any) -> bool:
    return isinstance(x, QuantArray | Reordered)


def _describe(name: str, x: QuantArray | Reordered, tensors: dict[str, Any]) -> Any:
    if isinstance(x, Reordered):
        tensors[f"{name}.places"] = x.places
        return _describe(name, x.array, tensors) | {"axis": x.axis}
    tensors[f"{name}.codes"] = x.codes
    scales = {}
    for part in ("scale", "zero_point"):
        value = getattr(x, part)
        if isinstance(value, ScaleCodes):
            static = ("kind", "spread", "block", "trail")
            scales[part] = {key: getattr(value, key) for key in static}
            for key in ("codes", "scale", "offset"):
                if getattr(value, key) is not None:
                    tensors[f"{name}.{part}.{key}"] = getattr(value, key)
        elif value is not None:
            tensors[f"{name}.{part}"] = value
    return {
        "scheme": dataclasses.asdict(x.scheme),
        "layout": {k: v for k, v in dataclasses.asdict(x.layout).items() if k != "origins"},
        "scales": scales,
    }


def _restore(name: str, description: Any, tensors: dict[str, Any]) -> Any:
    def take(key: str) -> Any:
        array = tensors.pop(f"{name}.{key}", None)
        return None if array is None else jnp.asarray(array)

    parts = []
    for part in ("scale", "zero_point"):
        static = description["scales"].get(part)
        if static is None:
            parts.append(take(part))
        else:
            inner = [take(f"{part}.{key}") for key in ("codes", "scale", "offset")]
            parts.append(ScaleCodes(*inner, **static))
    scheme = description["scheme"] | {"table": tuple(description["scheme"]["table"])}
    layout = description["layout"] | {"axes": tuple(description["layout"]["axes"])}
    codes: jax.Array = take("codes")
    array = QuantArray(codes, parts[0], parts[1], Scheme(**scheme), Layout(**layout))
    axis = description.get("axis")
    return array if axis is None else Reordered(array, take("places"), axis)
