"""Writing into a quantized array: what is written is quantized."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.quant._axes import k_axis, permutation_of, stored_parts
from duckarray.quant._quantize import Plan, quantized_parts
from duckarray.quant._scales import ScaleCodes
from duckarray.quant._value import QuantArray, unchecked


@register("dynamic_update_slice")
def _dynamic_update_slice_quant_dense(
    x: QuantArray, update: ArrayLike, *starts: ArrayLike, **params: Any
) -> Any:
    """Quantizes whole rows by the scheme of `x`, and stores their codes and scales."""
    update = jnp.asarray(update)
    k, permutation = k_axis(x), permutation_of(x)
    at = permutation.index(k)
    shared = isinstance(x.scale, ScaleCodes) or any(
        n != m for i, (n, m) in enumerate(zip(x.scale.shape, x.codes.shape, strict=True)) if i != k
    )
    if shared or update.shape[at] != x.shape[at] or 0 in update.shape or x.scheme.offset:
        return NotImplemented
    plan = Plan(x.scheme, x.layout, tuple(update.shape), (), "absmax", None)
    new = quantized_parts(update, None, plan)
    where = [jnp.asarray(starts[permutation.index(i)]) for i in range(x.ndim)]
    where[k] = jnp.zeros_like(where[k])

    def put(old: Any, piece: Any) -> Any:
        return (
            None if old is None else lax.dynamic_update_slice(old, piece.astype(old.dtype), where)
        )

    codes, scale, zero = [put(old, piece) for old, piece in zip(stored_parts(x), new, strict=True)]
    return unchecked(codes, scale, zero, x.scheme, x.layout)


@register("dynamic_update_slice")
def _dynamic_update_slice_quant_quant(
    x: QuantArray, update: QuantArray, *starts: ArrayLike, **params: Any
) -> Any:
    """Of an update quantized alike the codes and scales are stored, of another its numbers."""
    return _dynamic_update_slice_quant_dense(x, update.materialize(), *starts, **params)
