"""The block formats of GGUF files: from their bytes to codes, scales and zero points, bit by bit.

Every function takes the blocks of a tensor, `[rows, blocks, bytes]`, and gives codes one a byte,
`[rows, blocks, block]`, and scales `[rows, groups]`; nothing is computed with the numbers.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._scheme import Scheme

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_IQ4_NL = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


class Blocks(NamedTuple):
    """What the blocks of a tensor hold.

    Attributes:
        codes: `[rows, blocks, block]`, one a byte.
        scale: `[rows, groups]`, of two bytes, or of one byte if there is a `super_scale`.
        zero: likewise, or None.
        super_scale: what multiplies the scales of `per` groups, `[rows, groups / per]`, or None.
        super_zero: what multiplies the zero points, with its sign.
        per: how many groups share these.
    """

    codes: Any
    scale: Any
    zero: Any = None
    super_scale: Any = None
    super_zero: Any = None
    per: int = 1


class BlockFormat(NamedTuple):
    """A block format: how many entries a block has, how many bytes, the scheme, how to read it."""

    name: str
    block: int
    size: int
    scheme: Scheme
    read: Callable[[Bytes], Blocks]


def _half(b: Bytes, start: int) -> Any:
    return np.ascontiguousarray(b[..., start : start + 2]).view("<f2")[..., 0]


def _nibbles(b: Bytes) -> Any:
    return np.concatenate([b & 15, b >> 4], -1)


def _fifth_bits(b: Bytes) -> Any:
    return np.unpackbits(np.ascontiguousarray(b), axis=-1, bitorder="little") << 4


def _q4_0(b: Bytes) -> Blocks:
    return Blocks(_nibbles(b[..., 2:]), _half(b, 0))


def _q4_1(b: Bytes) -> Blocks:
    return Blocks(_nibbles(b[..., 4:]), _half(b, 0), _half(b, 2))


def _q5_0(b: Bytes) -> Blocks:
    return Blocks(_nibbles(b[..., 6:]) | _fifth_bits(b[..., 2:6]), _half(b, 0))


def _q5_1(b: Bytes) -> Blocks:
    codes = _nibbles(b[..., 8:]) | _fifth_bits(b[..., 4:8])
    return Blocks(codes, _half(b, 0), _half(b, 2))


def _q8_0(b: Bytes) -> Blocks:
    return Blocks(np.ascontiguousarray(b[..., 2:]).view(np.int8), _half(b, 0))


def _q8_k(b: Bytes) -> Blocks:
    scale = np.ascontiguousarray(b[..., :4]).view("<f4")[..., 0]
    return Blocks(np.ascontiguousarray(b[..., 4:260]).view(np.int8), scale)


def _q2_k(b: Bytes) -> Blocks:
    scales, qs = b[..., :16], b[..., 16:80]
    halves = qs.reshape(*qs.shape[:-1], 2, 1, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8)[:, None]
    codes = ((halves >> shifts) & 3).reshape(*qs.shape[:-1], 256)
    return Blocks(
        codes, _flat(scales & 15), _flat(scales >> 4), _half(b, 80), -_half(b, 82), per=16
    )


def _q3_k(b: Bytes) -> Blocks:
    hmask, qs, packed = b[..., :32], b[..., 32:96], b[..., 96:108]
    halves = qs.reshape(*qs.shape[:-1], 2, 1, 32)
    low = (halves >> np.array([0, 2, 4, 6], np.uint8)[:, None]) & 3
    bits = (hmask[..., None, :] >> np.arange(8, dtype=np.uint8)[:, None]) & 1
    codes = low | (bits.reshape(*low.shape) << 2)
    lows = np.concatenate([packed[..., :8] & 15, packed[..., :8] >> 4], -1)
    highs = (packed[..., None, 8:] >> np.array([0, 2, 4, 6], np.uint8)[:, None]) & 3
    scales = (lows | (highs.reshape(lows.shape) << 4)).astype(np.int8) - np.int8(32)
    return Blocks(codes.reshape(*qs.shape[:-1], 256), _flat(scales), None, _half(b, 108), per=16)


def _q4_k(b: Bytes) -> Blocks:
    scale, least = _six_bit_scales(b[..., 4:16])
    codes = _nibbles(b[..., 16:].reshape(*b.shape[:-1], 4, 32)).reshape(*b.shape[:-1], 256)
    return Blocks(codes, scale, least, _half(b, 0), -_half(b, 2), per=8)


def _q5_k(b: Bytes) -> Blocks:
    scale, least = _six_bit_scales(b[..., 4:16])
    low = _nibbles(b[..., 48:].reshape(*b.shape[:-1], 4, 32)).reshape(*b.shape[:-1], 8, 32)
    high = (b[..., None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]) & 1
    codes = (low | (high << 4)).reshape(*b.shape[:-1], 256)
    return Blocks(codes, scale, least, _half(b, 0), -_half(b, 2), per=8)


def _q6_k(b: Bytes) -> Blocks:
    ql = b[..., :128].reshape(*b.shape[:-1], 2, 2, 32)
    qh = b[..., 128:192].reshape(*b.shape[:-1], 2, 1, 32)
    low = np.concatenate([ql & 15, ql >> 4], -2)
    high = (qh >> np.array([0, 2, 4, 6], np.uint8)[:, None]) & 3
    codes = (low | (high << 4)).reshape(*b.shape[:-1], 256)
    scales = np.ascontiguousarray(b[..., 192:208]).view(np.int8)
    return Blocks(codes, _flat(scales), None, _half(b, 208), per=16)


def _mxfp4(b: Bytes) -> Blocks:
    return Blocks(_nibbles(b[..., 1:]), b[..., 0])


def _six_bit_scales(b: Bytes) -> tuple[Any, Any]:
    first, second, third = b[..., :4], b[..., 4:8], b[..., 8:]
    scale = np.concatenate([first & 63, (third & 15) | ((first >> 6) << 4)], -1)
    least = np.concatenate([second & 63, (third >> 4) | ((second >> 6) << 4)], -1)
    return _flat(scale), _flat(least)


def _flat(x: Any) -> Any:
    return x.reshape(*x.shape[:-2], -1)


def _scheme(name: str, group: int, **options: Any) -> Scheme:
    return Scheme(name, group_size=group, scale_dtype="float16", **options)


def _offset(name: str, group: int) -> Scheme:
    return _scheme(name, group, symmetric=False, offset=True)


BLOCK_FORMATS = {
    2: BlockFormat("Q4_0", 32, 18, _scheme("int4", 32), _q4_0),
    3: BlockFormat("Q4_1", 32, 20, _offset("int4", 32), _q4_1),
    6: BlockFormat("Q5_0", 32, 22, _scheme("int5", 32), _q5_0),
    7: BlockFormat("Q5_1", 32, 24, _offset("int5", 32), _q5_1),
    8: BlockFormat("Q8_0", 32, 34, _scheme("int8", 32), _q8_0),
    10: BlockFormat("Q2_K", 256, 84, _offset("int2", 16), _q2_k),
    11: BlockFormat("Q3_K", 256, 110, _scheme("int3", 16), _q3_k),
    12: BlockFormat("Q4_K", 256, 144, _offset("int4", 32), _q4_k),
    13: BlockFormat("Q5_K", 256, 176, _offset("int5", 32), _q5_k),
    14: BlockFormat("Q6_K", 256, 210, _scheme("int6", 16), _q6_k),
    15: BlockFormat("Q8_K", 256, 292, Scheme("int8", group_size=256), _q8_k),
    20: BlockFormat(
        "IQ4_NL", 32, 18, _scheme("table", 32, table=tuple(map(float, _IQ4_NL))), _q4_0
    ),
    39: BlockFormat("MXFP4", 32, 17, Scheme("mxfp4"), _mxfp4),
}
"""The formats that can be read, by their number in files of GGUF."""

PLAIN_TYPES = {
    0: ("F32", "<f4"),
    1: ("F16", "<f2"),
    24: ("I8", "i1"),
    25: ("I16", "<i2"),
    26: ("I32", "<i4"),
    27: ("I64", "<i8"),
    28: ("F64", "<f8"),
    30: ("BF16", "bfloat16"),
}
"""Types of one number per entry."""
