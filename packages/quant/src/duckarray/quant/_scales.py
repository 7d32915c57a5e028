"""`ScaleCodes`: scales that are quantized themselves."""

import dataclasses
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._format import FORMATS, decode, encode

BLOCK = 256
"""How many scales share a scale under double quantization."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class ScaleCodes:
    """Scales of one byte each, with scales of their own.

    Attributes:
        codes: bytes, one for each scale, of the shape of the scales.
        scale: what multiplies them, or None. `"flat"`: one for each block of 256 scales, counted
            row by row, `[*lead, blocks]`. `"along"`: one for each `block` groups along the axis.
            `"whole"`: an array that broadcasts.
        offset: what is added, `[*lead, 1]`, for `"flat"` alone.
        kind: how the bytes are read: `"int8"`, `"uint8"`, `"e4m3"`, or `"e8m0"`, powers of two.
        spread: which scales share one.
        block: how many.
        trail: how many axes follow that of the groups.
    """

    codes: jax.Array
    scale: Any
    offset: Any
    kind: Literal["int8", "uint8", "e4m3", "e8m0"] = dataclasses.field(metadata={"static": True})
    spread: Literal["flat", "along", "whole"] = dataclasses.field(metadata={"static": True})
    block: int = dataclasses.field(metadata={"static": True})
    trail: int = dataclasses.field(metadata={"static": True})

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the scales."""
        return tuple(self.codes.shape)

    @property
    def ndim(self) -> int:
        """The number of axes of the scales."""
        return len(self.codes.shape)

    @property
    def nbytes(self) -> int:
        """The bytes that they take."""
        return sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(self))

    def decode(self, dtype: Any = jnp.float32) -> jax.Array:
        """The scales."""
        if self.kind == "e8m0":
            out = _power_of_two(self.codes)
        elif self.kind == "e4m3":
            out = decode(self.codes, FORMATS["e4m3"], jnp.float32)
        else:
            out = self.codes.astype(jnp.float32)
        if self.scale is None:
            return out.astype(dtype)
        scale = self.scale.astype(jnp.float32)
        if self.spread == "along":
            axis = out.ndim - 1 - self.trail
            scale = jnp.repeat(scale, self.block, axis, total_repeat_length=out.shape[axis])
        elif self.spread == "flat":
            lead = out.shape[: out.ndim - 1 - self.trail]
            n = int(np.prod(out.shape[len(lead) :]))
            scale = jnp.repeat(scale, self.block, -1)[..., :n].reshape(out.shape)
        out = out * scale
        if self.offset is not None:
            out = out + self.offset.astype(jnp.float32).reshape(
                self.offset.shape[:-1] + (1,) * (self.trail + 1)
            )
        numbers: jax.Array = out.astype(dtype)
        return numbers

    def times(self, factor: Any) -> Any:
        """These scales times a number: coded still, if their scale can take it."""
        if self.scale is None:
            return self.decode() * factor
        offset = None if self.offset is None else self.offset * factor
        return dataclasses.replace(self, scale=self.scale * factor, offset=offset)


def plain(scale: Any, dtype: Any = jnp.float32) -> Any:
    """Scales as an array of numbers, in `dtype`."""
    if isinstance(scale, ScaleCodes):
        return scale.decode(dtype)
    return scale if scale is None or scale.dtype == dtype else scale.astype(dtype)


def double_quantize(scale: jax.Array, trail: int) -> ScaleCodes:
    """Eight bits for each scale, of their distance from the mean, in blocks of 256.

    References:
        Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs", 2023, section 3.
    """
    lead = scale.shape[: scale.ndim - 1 - trail]
    flat = scale.astype(jnp.float32).reshape(*lead, -1)
    n = flat.shape[-1]
    # The sum of the largest floats overflows, so it is one of smaller ones there.
    down = jnp.where(jnp.max(flat, -1, keepdims=True, initial=0) > 2.0**64, 2.0**-64, 1.0)
    mean = jnp.mean(flat * down, -1, keepdims=True) / down if n else jnp.zeros_like(down)
    blocks = -(-n // BLOCK)
    widths = [(0, 0)] * len(lead) + [(0, blocks * BLOCK - n)]
    centred = jnp.pad(flat - mean, widths).reshape(*lead, blocks, BLOCK)
    largest = jnp.max(jnp.abs(centred), -1, initial=0) / 127
    codes = encode(quotient(centred, largest[..., None]), FORMATS["int8"])
    codes = codes.reshape(*lead, blocks * BLOCK)[..., :n].reshape(scale.shape)
    return ScaleCodes(codes, largest, mean, "int8", "flat", BLOCK, trail)


def power_scales(exponent: jax.Array, trail: int) -> ScaleCodes:
    """Powers of two, of these exponents, as the eight bits of an exponent (e8m0)."""
    codes = jnp.clip(exponent + 127, 0, 254).astype(jnp.uint8)
    return ScaleCodes(codes, None, None, "e8m0", "whole", 1, trail)


def float8_scales(scale: jax.Array, whole: jax.Array, trail: int) -> ScaleCodes:
    """Scales over that of the whole array, `whole`, as e4m3."""
    codes = encode(quotient(scale, whole), FORMATS["e4m3"])
    return ScaleCodes(codes, whole, None, "e4m3", "whole", 1, trail)


def _power_of_two(codes: jax.Array) -> jax.Array:
    bits = codes.astype(jnp.uint32) << np.uint32(23)
    bits = jnp.where(codes == 0, np.uint32(1 << 22), bits)  # 2^-127
    bits = jnp.where(codes == 255, np.uint32(0x7FC00000), bits)
    return lax.bitcast_convert_type(bits, jnp.float32)


def inverse(x: jax.Array) -> jax.Array:
    return jnp.where(x == 0, 0.0, 1 / jnp.where(x == 0, 1.0, x)).astype(x.dtype)


def quotient(x: jax.Array, scale: jax.Array) -> jax.Array:
    """`x / scale`, and zero where the scale is zero.

    The inverse of the largest floats is smaller than the least that processors compute with, so
    that both are made smaller first where the scale is large.
    """
    down = jnp.where(jnp.abs(scale) > 1, 2.0**-4, 1.0).astype(scale.dtype)
    return (x * down) * inverse(scale * down)
