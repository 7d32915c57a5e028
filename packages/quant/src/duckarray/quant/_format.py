"""Formats of single codes: how many bits they have, how they are packed, which numbers they are.

Codes are unsigned integers of `bits` bits. Several of them share bytes in *planes*: a plane of `b`
bits holds `8 / b` codes a byte, the first codes of a unit in the low bits of its bytes, the last in
the high ones. Five bits are a plane of four and a plane of one.
"""

import dataclasses
import functools
import itertools
import math
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Quantiles of the normal distribution, 8 of the positive half and 7 of the negative, over the
# greatest: Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs", 2023, appendix E.
NF4 = (
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
)
_E2M1_POSITIVE = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
E2M1 = _E2M1_POSITIVE + tuple(-x for x in _E2M1_POSITIVE)

PLANES = {1: (1,), 2: (2,), 3: (2, 1), 4: (4,), 5: (4, 1), 6: (4, 2), 8: (8,)}


@dataclasses.dataclass(frozen=True)
class Format:
    """What one code is.

    Attributes:
        name: what it is called in schemes.
        bits: how many bits a code has.
        kind: `"signed"` integers with a bias of half their range, `"unsigned"` ones, a `"table"`,
            or floating-point numbers of eight bits, `"e4m3"` and `"e5m2"`.
        table: the numbers of a table, by code.
    """

    name: str
    bits: int
    kind: Literal["signed", "unsigned", "table", "e4m3", "e5m2"]
    table: tuple[float, ...] = ()

    @property
    def bias(self) -> int:
        """What is subtracted from an integer code."""
        return 1 << (self.bits - 1) if self.kind == "signed" else 0

    @property
    def largest(self) -> float:
        """The greatest magnitude that absmax scaling maps the greatest number to."""
        if self.kind == "table":
            return max(map(abs, self.table))
        if self.kind in ("e4m3", "e5m2"):
            return 448.0 if self.kind == "e4m3" else 57344.0
        return float((1 << (self.bits - 1)) - 1)

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored codes: bytes, signed ones for signed integers of eight bits."""
        return np.dtype("int8" if self.kind == "signed" and self.bits == 8 else "uint8")


def plane_size(bits: int, n: int) -> int:
    """How many bytes `n` codes take in a plane of so many bits."""
    return math.ceil(n * bits / 8)


def packed_size(bits: int, n: int) -> int:
    """How many bytes `n` codes take."""
    return sum(plane_size(b, n) for b in PLANES[bits])


def pack(codes: jax.Array, bits: int, axis: int) -> jax.Array:
    """Packs unsigned codes along `axis`, all of which is one unit.

    Args:
        codes: `uint8`, less than `2 ** bits`.
        bits: the bits of one code.
        axis: counted from the end.
    """
    if bits == 8:
        return codes
    n, parts, low = codes.shape[axis], [], 0
    for b in PLANES[bits]:
        per_byte = 8 // b
        size = math.ceil(n / per_byte)
        plane = (codes >> np.uint8(low)) & np.uint8((1 << b) - 1)
        widths = [(0, 0)] * codes.ndim
        widths[axis] = (0, size * per_byte - n)
        plane = jnp.pad(plane, widths)
        byte = jnp.zeros_like(lax.slice_in_dim(plane, 0, size, axis=axis))
        for i in range(per_byte):
            piece = lax.slice_in_dim(plane, i * size, (i + 1) * size, axis=axis)
            byte = byte | (piece << np.uint8(i * b))
        parts.append(byte)
        low += b
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis)


def pack_numpy(codes: Any, bits: int) -> Any:
    """`pack` along the last axis, for NumPy."""
    if bits == 8:
        return codes
    n, parts, low = codes.shape[-1], [], 0
    for b in PLANES[bits]:
        per_byte = 8 // b
        size = math.ceil(n / per_byte)
        plane = (codes >> low) & ((1 << b) - 1)
        padded = np.zeros((*codes.shape[:-1], size * per_byte), np.uint8)
        padded[..., :n] = plane
        pieces = padded.reshape(*codes.shape[:-1], per_byte, size)
        shifts = np.arange(0, 8, b, dtype=np.uint8)[:, None]
        parts.append(np.bitwise_or.reduce(pieces << shifts, axis=-2))
        low += b
    return np.concatenate(parts, -1)


def unpack(stored: jax.Array, bits: int, n: int, axis: int) -> jax.Array:
    """The inverse of `pack`, to `n` codes along `axis`."""
    if bits == 8:
        return stored
    out: Any = None
    start = low = 0
    for b in PLANES[bits]:
        size = math.ceil(n * b / 8)
        plane = lax.slice_in_dim(stored, start, start + size, axis=axis)
        mask = np.uint8((1 << b) - 1)
        pieces = [
            (plane >> np.uint8(i * b) if i else plane) & mask
            if (i + 1) * b < 8
            else plane >> np.uint8(i * b)
            for i in range(8 // b)
        ]
        codes = pieces[0] if len(pieces) == 1 else jnp.concatenate(pieces, axis)
        if codes.shape[axis] != n:
            codes = lax.slice_in_dim(codes, 0, n, axis=axis)
        out = codes if out is None else out | (codes << np.uint8(low))
        start, low = start + size, low + b
    return out  # type: ignore[no-any-return]


def decode(codes: jax.Array, fmt: Format, dtype: Any) -> jax.Array:
    """The numbers that unpacked codes stand for, before any scale."""
    if fmt.kind == "table":
        return _look_up(codes, fmt.table, dtype)
    if fmt.kind in ("e4m3", "e5m2"):
        return _decode_float8(codes, fmt.kind).astype(dtype)
    if fmt.kind == "signed" and fmt.bits < 8:
        codes = codes.astype(jnp.int8) - np.int8(fmt.bias)
    return codes.astype(dtype)


def encode(x: jax.Array, fmt: Format, key: Any = None) -> jax.Array:
    """The codes of the numbers nearest to `x`, or of one of its two neighbours, by chance.

    Args:
        x: scaled numbers. For integers the zero point is added already.
        fmt: the format.
        key: for stochastic rounding, which is right on average.
    """
    if fmt.kind in ("e4m3", "e5m2", "table"):
        if key is None and fmt.kind != "table":
            return _encode_float8(x, fmt.kind)
        return _encode_table(x, fmt, key)
    if key is None:
        rounded = jnp.round(x)
    else:
        rounded = jnp.floor(x + jax.random.uniform(key, x.shape, x.dtype))
    if fmt.kind == "unsigned":
        return jnp.clip(rounded, 0, (1 << fmt.bits) - 1).astype(jnp.uint8)
    low = -127 if fmt.bits == 8 else -fmt.bias
    whole = jnp.clip(rounded, low, fmt.bias - 1)
    return whole.astype(jnp.int8) if fmt.bits == 8 else (whole + fmt.bias).astype(jnp.uint8)


def _look_up(codes: jax.Array, table: tuple[float, ...], dtype: Any) -> jax.Array:
    """A tree of selections by the bits of the code: quicker than a gather, and it fuses."""
    values = [jnp.full(codes.shape, np.float32(x), dtype) for x in table]
    level: list[Any] = list(values)
    bit = 0
    while len(level) > 1:
        is_set = (codes & np.uint8(1 << bit)) != 0
        level = [
            lax.select_n(is_set, low, high)
            for low, high in zip(level[::2], level[1::2], strict=True)
        ]
        bit += 1
    return level[0]  # type: ignore[no-any-return]


def _decode_float8(codes: jax.Array, kind: str) -> jax.Array:
    """By shifting bits; what is smaller than the least normal number by a multiplication."""
    fraction, bias, least = (3, 120, 2.0**-9) if kind == "e4m3" else (2, 112, 2.0**-16)
    wide = codes.astype(jnp.uint32)
    magnitude = wide & np.uint32(0x7F)
    sign = (wide & np.uint32(0x80)) << np.uint32(24)
    bits = (magnitude << np.uint32(23 - fraction)) + np.uint32(bias << 23)
    normal = lax.bitcast_convert_type(bits, jnp.float32)
    small = magnitude.astype(jnp.float32) * np.float32(least)
    out = jnp.where(magnitude < np.uint32(1 << fraction), small, normal)
    if kind == "e4m3":
        out = jnp.where(magnitude == np.uint32(0x7F), np.float32(np.nan), out)
    else:
        out = jnp.where(magnitude == np.uint32(0x7C), np.float32(np.inf), out)
        out = jnp.where(magnitude > np.uint32(0x7C), np.float32(np.nan), out)
    return lax.bitcast_convert_type(lax.bitcast_convert_type(out, jnp.uint32) | sign, jnp.float32)


def _encode_float8(x: jax.Array, kind: str) -> jax.Array:
    dtype, largest = (jnp.float8_e4m3fn, 448.0) if kind == "e4m3" else (jnp.float8_e5m2, 57344.0)
    return lax.bitcast_convert_type(jnp.clip(x, -largest, largest).astype(dtype), jnp.uint8)


def _encode_table(x: jax.Array, fmt: Format, key: Any) -> jax.Array:
    numbers, codes = _ascending(fmt)
    low = jnp.zeros(x.shape, jnp.uint8)
    if key is None:
        for left, right in itertools.pairwise(numbers):
            low += (x > np.asarray((left + right) / 2, x.dtype)).astype(jnp.uint8)
        place = low
    else:
        table = jnp.asarray(numbers, x.dtype)
        place = jnp.clip(jnp.searchsorted(table, x, side="right") - 1, 0, len(numbers) - 2)
        below, above = table[place], table[place + 1]
        up = jax.random.uniform(key, x.shape, x.dtype) < (x - below) / (above - below)
        place = place + up.astype(place.dtype)
    if codes == tuple(range(len(codes))):
        return place.astype(jnp.uint8)
    return jnp.asarray(codes, jnp.uint8)[place.astype(jnp.int32)]


@functools.lru_cache
def _ascending(fmt: Format) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The distinct finite numbers of a format in order, and their codes."""
    if fmt.kind == "table":
        table = fmt.table
    else:
        dtype = jnp.float8_e4m3fn if fmt.kind == "e4m3" else jnp.float8_e5m2
        table = tuple(np.arange(256, dtype="uint8").view(dtype).astype("float64").tolist())
    found: dict[float, int] = {}
    for code, number in enumerate(table):
        if math.isfinite(number):
            found.setdefault(number, code)
    numbers = tuple(sorted(found))
    return numbers, tuple(found[x] for x in numbers)


FORMATS = {
    fmt.name: fmt
    for fmt in (
        *(Format(f"int{b}", b, "signed") for b in (2, 3, 4, 5, 6, 8)),
        *(Format(f"uint{b}", b, "unsigned") for b in (1, 2, 3, 4, 5, 6, 8)),
        Format("nf4", 4, "table", NF4),
        Format("e2m1", 4, "table", E2M1),
        Format("e4m3", 8, "e4m3"),
        Format("e5m2", 8, "e5m2"),
    )
}
