"""Parts of an array: slices stay quantized, rows that are picked are dequantized."""

import math
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.quant._axes import (
    cut_groups,
    k_axis,
    on_each,
    permutation_of,
    rebuild,
    settle,
    spread_scales,
    step_of,
)
from duckarray.quant._rows import pick_rows, take_entries
from duckarray.quant._value import QuantArray

_SMALL = 4
"""Less than a quarter of an array may be dequantized unasked, where it is cut out of it."""


@register("slice")
def _slice_quant(
    x: QuantArray, *, start_indices: Any, limit_indices: Any, strides: Any, **params: Any
) -> Any:
    """Cuts codes and scales; within a group, it dequantizes what is cut out."""
    steps = strides or (1,) * x.ndim
    k, permutation = k_axis(x), permutation_of(x)
    at = permutation.index(k)
    start, limit = start_indices[at], limit_indices[at]
    every = list(zip(start_indices, limit_indices, steps, strict=True))
    cuts = {i: every[axis] for axis, i in enumerate(permutation) if i != k}

    def cut(a: Any) -> Any:
        each = [(0, a.shape[i], 1) if i == k or a.shape[i] == 1 else cuts[i] for i in range(a.ndim)]
        return lax.slice(a, *zip(*each, strict=True))

    if any(cuts[i][0] >= cuts[i][1] for i in cuts) or start >= limit:
        return NotImplemented
    out = rebuild(x, on_each(x, cut), permutation, x.layout.trail)
    if (start, limit, steps[at]) == (0, x.shape[at], 1):
        return settle(out)
    unit = step_of(x)
    low, high = start // unit * unit, min(-(-limit // unit) * unit, x.shape[at])
    if (low, high, steps[at]) == (start, limit, 1):
        return settle(cut_groups(out, low, high))
    if out.size * (high - low) > x.size * x.shape[at] // _SMALL:
        return NotImplemented
    dense = cut_groups(out, low, high).materialize()
    return lax.slice_in_dim(dense, start - low, limit - low, steps[at], axis=at)


@register("split")
def _split_quant(x: QuantArray, *, sizes: Any, axis: Any, **params: Any) -> Any:
    """Slices, one after the other."""
    out, stop = [], 0
    for size in sizes:
        start, stop = stop, stop + size
        starts, limits = [0] * x.ndim, list(x.shape)
        starts[axis], limits[axis] = start, stop
        piece = _slice_quant(x, start_indices=starts, limit_indices=limits, strides=None)
        if piece is NotImplemented:
            return NotImplemented
        out.append(piece)
    return out


@register("dynamic_slice")
def _dynamic_slice_quant(x: QuantArray, *starts: ArrayLike, slice_sizes: Any, **params: Any) -> Any:
    """Cuts codes and scales; a single row across the groups is dequantized."""
    k, permutation = k_axis(x), permutation_of(x)
    at = permutation.index(k)

    def cut(a: Any) -> Any:
        for axis, i in enumerate(permutation):
            if i != k and a.shape[i] not in (1, slice_sizes[axis]):
                start = jnp.asarray(starts[axis])
                a = lax.dynamic_slice_in_dim(a, start, slice_sizes[axis], i)
        return a

    if 0 in slice_sizes:
        return NotImplemented
    whole = slice_sizes[at] == x.shape[at]
    if not whole and slice_sizes[at] != 1:
        return NotImplemented
    out = rebuild(x, on_each(x, cut), permutation, x.layout.trail)
    if whole:
        return settle(out)
    row = jnp.clip(jnp.asarray(starts[at]), 0, x.shape[at] - 1)
    entries = take_entries(out, jnp.reshape(row, (1,)))
    return lax.transpose(entries, permutation).astype(x.dtype)


@register("gather")
def _gather_quant(
    x: QuantArray,
    indices: ArrayLike,
    *,
    dimension_numbers: Any,
    slice_sizes: Any,
    mode: Any,
    fill_value: Any,
    **params: Any,
) -> Any:
    """Picks codes and scales; if no matrix is left, as from an embedding, it dequantizes them."""
    numbers = dimension_numbers
    k, permutation = k_axis(x), permutation_of(x)
    at = permutation.index(k)
    indices = jnp.asarray(indices)
    n_picked = indices.ndim - 1
    filling = mode == lax.GatherScatterMode.FILL_OR_DROP
    if 0 in slice_sizes or (filling and not (fill_value in (None, 0) or math.isnan(fill_value))):
        return NotImplemented
    if not filling:
        indices, numbers = _without_whole_axes(x, indices, numbers, slice_sizes)
    if at in numbers.start_index_map or slice_sizes[at] != x.shape[at]:
        fill = None if not filling else math.nan if fill_value is None else fill_value
        return pick_rows(x, indices, numbers, slice_sizes, fill)
    gone = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    if at in gone:
        return NotImplemented
    x = spread_scales(x, [permutation[i] for i in (*numbers.start_index_map, *gone)])
    batching = sorted(
        (permutation[i], j)
        for i, j in zip(
            numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
        )
    )
    kept = [permutation[i] for i in range(x.ndim) if i not in gone]  # in the order of the array
    own = lax.GatherDimensionNumbers(
        offset_dims=tuple(range(n_picked, n_picked + len(kept))),
        collapsed_slice_dims=tuple(sorted(permutation[i] for i in numbers.collapsed_slice_dims)),
        start_index_map=tuple(permutation[i] for i in numbers.start_index_map),
        operand_batching_dims=tuple(i for i, _ in batching),
        start_indices_batching_dims=tuple(j for _, j in batching),
    )
    sizes = {permutation[i]: n for i, n in enumerate(slice_sizes)}

    def pick(a: Any) -> Any:
        is_scale = jnp.issubdtype(a.dtype, jnp.floating)
        return lax.gather_p.bind(
            a,
            indices,
            dimension_numbers=own,
            slice_sizes=tuple(
                a.shape[i] if i == k or a.shape[i] == 1 else sizes[i] for i in range(a.ndim)
            ),
            mode=mode,
            fill_value=fill_value if is_scale or not filling else 0,
            **params,
        )

    in_order = sorted(kept)
    rest, offsets = iter(range(n_picked)), dict(zip(numbers.offset_dims, kept, strict=True))
    new = [
        n_picked + in_order.index(offsets[i]) if i in offsets else next(rest)
        for i in range(n_picked + len(kept))
    ]
    trail = sum(i > k for i in kept)
    return settle(rebuild(x, on_each(x, pick), new, trail))


def _without_whole_axes(
    x: QuantArray, indices: Any, numbers: Any, slice_sizes: Any
) -> tuple[Any, Any]:
    """Leaves out indices along axes that are taken whole: they can only be 0."""
    used = [i for i, a in enumerate(numbers.start_index_map) if slice_sizes[a] != x.shape[a]]
    if len(used) == len(numbers.start_index_map):
        return indices, numbers
    kept = tuple(numbers.start_index_map[i] for i in used)
    picked = [lax.slice_in_dim(indices, i, i + 1, axis=indices.ndim - 1) for i in used]
    shape = (*indices.shape[:-1], 0)
    indices = lax.concatenate(picked, indices.ndim - 1) if used else jnp.zeros(shape, indices.dtype)
    return indices, numbers._replace(start_index_map=kept)
