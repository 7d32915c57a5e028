"""Joining quantized arrays of one scheme."""

from dataclasses import replace
from typing import Any

from jax import lax

from duckarray.core import register
from duckarray.quant._axes import (
    add_axes,
    k_axis,
    permutation_of,
    rebuild,
    spread_scales,
    stored_parts,
    with_origins,
)
from duckarray.quant._value import QuantArray


@register("stack")
def _stack_quant(*arrays: QuantArray, axis: int, **params: Any) -> Any:
    """Joins them along a new axis."""
    return _concatenate_quant(*(add_axes(x, [axis]) for x in arrays), dimension=axis)


@register("concatenate")
def _concatenate_quant(*arrays: QuantArray, dimension: int, **params: Any) -> Any:
    """Joins codes and scales, of arrays that are stored alike."""
    first = arrays[0]
    k, axis = k_axis(first), permutation_of(first)[dimension]
    kinds = {(x.scheme, replace(x.layout, origins=()), x.codes.ndim) for x in arrays}
    alike = len(kinds) == 1
    if not alike or any(x.size == 0 for x in arrays):
        return NotImplemented
    changes = {}
    if axis == k and first.scheme.group_size is None:
        lengths = {x.shape[dimension] for x in arrays}
        if len(lengths) > 1:
            return NotImplemented
        changes["group_size"] = lengths.pop()
    every = list(range(first.codes.ndim))
    alike_scales = [spread_scales(x, [i for i in every if i != k]) for x in arrays]
    parts = zip(*map(stored_parts, alike_scales), strict=True)
    joined = [None if p[0] is None else lax.concatenate(p, axis) for p in parts]
    codes, scale, zero = joined
    out = rebuild(first, (codes, scale, zero), permutation_of(first), first.layout.trail, **changes)
    origins = tuple(sorted({i for x in arrays for i in x.layout.origins}))
    return out if origins == out.layout.origins else with_origins(out, origins)
