"""Rearranging the axes of a `QuantArray`: the same on codes, scales and zero points."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from ._scales import plain
from ._value import QuantArray, compute_dtype, unchecked

Stored = tuple[Any, Any, Any]


def stored_parts(x: QuantArray) -> Stored:
    """Codes, scale and zero point as arrays with the same axes, scales as plain numbers."""
    scale, zero = x.scale, x.zero_point
    if not hasattr(scale, "dtype"):
        scale = plain(scale, compute_dtype(x.layout.dtype))
    if zero is not None and not hasattr(zero, "dtype"):
        zero = plain(zero, compute_dtype(x.layout.dtype))
    return x.codes, scale, zero


def on_each(x: QuantArray, change: Callable[[Any], Any]) -> Stored:
    """`change` applied to codes, scale and zero point."""
    codes, scale, zero = stored_parts(x)
    return change(codes), change(scale), None if zero is None else change(zero)


def k_axis(x: QuantArray) -> int:
    """The canonical axis of the groups, from the front."""
    return int(x.codes.ndim + x.layout.k)


def permutation_of(x: QuantArray) -> tuple[int, ...]:
    """For each axis of the array the canonical axis."""
    return x.layout.permutation(x.codes.ndim)


def step_of(x: QuantArray) -> int:
    """Where the axis of the groups can be cut: at multiples of this."""
    group = x.scheme.group_size
    return x.layout.unit if group is None else max(group, x.layout.unit)


def rebuild(
    x: QuantArray, parts: Stored, permutation: Sequence[int], trail: int, **changes: Any
) -> QuantArray:
    """A `QuantArray` like `x` of other parts; `changes` are to its scheme."""
    layout = x.layout.with_permutation(tuple(permutation), trail=trail)
    scheme = dataclasses.replace(x.scheme, **changes) if changes else x.scheme
    return unchecked(*parts, scheme, layout)  # type: ignore[no-any-return]


def with_origins(x: QuantArray, origins: tuple[int, ...]) -> QuantArray:
    """`x`, said to be made of these weights."""
    layout = dataclasses.replace(x.layout, origins=origins)
    return unchecked(x.codes, x.scale, x.zero_point, x.scheme, layout)  # type: ignore[no-any-return]


def settle(x: QuantArray) -> Any:
    """`x`, but what is no matrix any more, such as rows of an embedding, as a dense array."""
    trail = x.layout.trail
    shape = x.canonical_shape
    if all(n == 1 for n in shape[len(shape) - trail :]):
        return x.materialize()
    return x


def remove_axes(x: QuantArray, axes: Sequence[int]) -> QuantArray:
    """`x` without these canonical axes of size one, not that of the groups."""
    ndim, k = x.codes.ndim, k_axis(x)
    kept = [i for i in range(ndim) if i not in axes]
    parts = on_each(x, lambda a: lax.squeeze(a, sorted(axes)) if axes else a)
    permutation = [kept.index(i) for i in permutation_of(x) if i in kept]
    return rebuild(x, parts, permutation, x.layout.trail - sum(i > k for i in axes))


def add_axes(x: QuantArray, at: Sequence[int]) -> QuantArray:
    """`x` with new axes of size one at these places of the result."""
    n = len(at)
    parts = on_each(x, lambda a: lax.expand_dims(a, range(n)))
    old = iter(i + n for i in permutation_of(x))
    new = iter(range(n))
    permutation = [next(new) if i in at else next(old) for i in range(x.codes.ndim + n)]
    return rebuild(x, parts, permutation, x.layout.trail)


def spread_scales(x: QuantArray, axes: Sequence[int]) -> QuantArray:
    """`x` with scales of their own along these canonical axes, even if they are all the same."""
    codes, scale, zero = stored_parts(x)

    def spread(a: Any) -> Any:
        if a is None:
            return None
        shape = [codes.shape[i] if i in axes else n for i, n in enumerate(a.shape)]
        return a if tuple(shape) == a.shape else jnp.broadcast_to(a, shape)

    return unchecked(codes, spread(scale), spread(zero), x.scheme, x.layout)  # type: ignore[no-any-return]


def cut_groups(x: QuantArray, start: int, stop: int) -> QuantArray:
    """`x` between two multiples of `step_of(x)` along the axis of the groups."""
    k = k_axis(x)
    length = x.canonical_shape[k]
    codes, scale, zero = stored_parts(x)

    def cut(a: Any, shared: bool) -> Any:
        if a is None or (shared and a.shape[k] == 1):
            return a
        n = a.shape[k]
        return lax.slice_in_dim(a, start * n // length, stop * n // length, axis=k)

    parts = cut(codes, False), cut(scale, True), cut(zero, True)
    return unchecked(*parts, x.scheme, x.layout)  # type: ignore[no-any-return]
