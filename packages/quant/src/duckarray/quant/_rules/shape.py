"""Changes of shape that keep groups together: on codes, scales and zero points alike."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from duckarray.core import register
from duckarray.quant._axes import (
    add_axes,
    k_axis,
    on_each,
    permutation_of,
    rebuild,
    remove_axes,
    spread_scales,
    step_of,
    stored_parts,
)
from duckarray.quant._value import QuantArray, unchecked


@register("transpose")
def _transpose_quant(x: QuantArray, *, permutation: Any, **params: Any) -> QuantArray:
    """What is stored stays; the order of axes changes."""
    before = permutation_of(x)
    layout = x.layout.with_permutation([before[i] for i in permutation])
    return unchecked(x.codes, x.scale, x.zero_point, x.scheme, layout)  # type: ignore[no-any-return]


@register("squeeze")
def _squeeze_quant(x: QuantArray, *, dimensions: Any, **params: Any) -> Any:
    """Leaves out axes of size one; without that of the groups, no codes share a scale any more."""
    axes = [permutation_of(x)[i] for i in dimensions]
    if k_axis(x) in axes:
        return lax.squeeze(x.materialize(), dimensions)
    return remove_axes(x, axes)


@register("rev")
def _rev_quant(x: QuantArray, *, dimensions: Any, **params: Any) -> Any:
    """Turns codes and scales round, along other axes than that of the groups."""
    axes = [permutation_of(x)[i] for i in dimensions]
    if k_axis(x) in axes:
        return NotImplemented
    parts = on_each(x, lambda a: lax.rev(a, axes))
    return rebuild(x, parts, permutation_of(x), x.layout.trail)


@register("broadcast_in_dim")
def _broadcast_in_dim_quant(
    x: QuantArray, *, shape: Any, broadcast_dimensions: Any, **params: Any
) -> Any:
    """New axes are stored in front; others are repeated, but not that of the groups."""
    if params.get("sharding") is not None:
        return NotImplemented
    k = permutation_of(x).index(k_axis(x))
    if shape[broadcast_dimensions[k]] != x.shape[k]:
        return NotImplemented
    new = [i for i in range(len(shape)) if i not in broadcast_dimensions]
    out = add_axes(x, new) if new else x
    if tuple(shape) == out.shape:
        return out
    permutation = permutation_of(out)
    grown = [permutation[i] for i in range(len(shape)) if out.shape[i] != shape[i]]
    codes, scale, zero = stored_parts(out)
    sizes = {permutation[i]: shape[i] for i in range(len(shape))}

    def spread(a: Any) -> Any:
        wanted = [sizes[i] if i in grown else n for i, n in enumerate(a.shape)]
        return jnp.broadcast_to(a, wanted)

    parts = spread(codes), spread(scale), None if zero is None else spread(zero)
    return rebuild(out, parts, permutation, out.layout.trail)


@register("reshape")
def _reshape_quant(x: QuantArray, *, new_sizes: Any, dimensions: Any, **params: Any) -> Any:
    """Axes may be split or merged; that of the groups only between groups."""
    k = permutation_of(x).index(k_axis(x))
    if dimensions is not None or x.size == 0 or x.shape[k] == 1:
        return NotImplemented
    ones = [permutation_of(x)[i] for i, n in enumerate(x.shape) if n == 1]
    out: Any = remove_axes(x, ones)
    sizes = [n for n in new_sizes if n != 1]
    for place, (old, new) in enumerate(_groups(out.shape, sizes)):
        # The groups in front of this one are done: they have as many axes as they will have.
        start = sum(len(n) for _, n in _groups(out.shape, sizes)[:place])
        if len(old) == len(new) == 1:
            continue
        if len(old) == 1:
            out = _split_axis(out, start, [sizes[i] for i in new])
        elif len(new) == 1:
            out = _merge_axes(out, start, len(old))
        else:
            return NotImplemented
        if out is None:
            return NotImplemented
    return add_axes(out, [i for i, n in enumerate(new_sizes) if n == 1])


def _split_axis(x: QuantArray, axis: int, sizes: Sequence[int]) -> QuantArray | None:
    permutation, k = permutation_of(x), k_axis(x)
    at = permutation[axis]
    more = len(sizes) - 1
    if at == k and sizes[-1] % step_of(x):
        return None
    outer = math.prod(sizes[:-1])

    def split(a: Any) -> Any:
        n = a.shape[at]
        inner = (1,) * len(sizes) if n == 1 else (*sizes[:-1], n // outer)
        return a.reshape(*a.shape[:at], *inner, *a.shape[at + 1 :])

    def moved(i: int) -> list[int]:
        return [i + j for j in range(more + 1)] if i == at else [i + more if i > at else i]

    new = [j for i in permutation for j in moved(i)]
    return rebuild(x, on_each(x, split), new, x.layout.trail + (more if at > k else 0))


def _merge_axes(x: QuantArray, axis: int, count: int) -> QuantArray | None:
    permutation, k = permutation_of(x), k_axis(x)
    axes = list(permutation[axis : axis + count])
    if axes != list(range(axes[0], axes[0] + count)) or k in axes[:-1]:
        return None
    changes = {}
    if axes[-1] == k and x.scheme.group_size is None:
        changes["group_size"] = x.shape[axis + count - 1]
    x = spread_scales(x, [i for i in axes if i != k])
    first = axes[0]

    def merge(a: Any) -> Any:
        n = math.prod(a.shape[first : first + count])
        return a.reshape(*a.shape[:first], n, *a.shape[first + count :])

    less = count - 1
    rest = [i for i in permutation if i not in axes[1:]]
    new = [i - less if i > first else i for i in rest]
    return rebuild(
        x, on_each(x, merge), new, x.layout.trail - (less if first > k else 0), **changes
    )


def _groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The smallest groups of axes, none of size one, that a reshape turns into one another."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old):
        before, after = [i], [j]
        size_before, size_after = old[i], new[j]
        i, j = i + 1, j + 1
        while size_before != size_after:
            if size_before < size_after:
                before.append(i)
                size_before *= old[i]
                i += 1
            else:
                after.append(j)
                size_after *= new[j]
                j += 1
        groups.append((before, after))
    return groups
