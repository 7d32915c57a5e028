"""Rows across the groups: single entries along the axis of the groups, wherever they are packed."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ._axes import k_axis, permutation_of, stored_parts
from ._format import PLANES, decode, packed_size, plane_size
from ._layout import length_of
from ._value import QuantArray, compute_dtype


def take_entries(x: QuantArray, rows: Any) -> Any:
    """Entries at these places along the axis of the groups, dense, in canonical order.

    Args:
        x: the array.
        rows: `[n]` places within bounds.
    """
    codes, scale, zero = stored_parts(x)
    compute = compute_dtype(x.layout.dtype)
    zero = None if zero is None else zero.astype(compute)
    return entries_at(codes, scale.astype(compute), zero, x, rows)


def entries_at(codes: Any, scale: Any, zero: Any, like: Any, rows: Any) -> Any:
    """The same, for the parts of an array with the scheme and layout of `like`."""
    scheme, layout = like.scheme, like.layout
    compute = scale.dtype
    k = codes.ndim + layout.k
    length = length_of(codes.shape[k], layout.unit, scheme.bits)

    def across(v: Any) -> Any:
        """`[n]` with axes of size one to meet what is stored."""
        return jnp.reshape(v, (1,) * k + (-1,) + (1,) * layout.trail)

    picked: Any = None
    if scheme.bits == 8:
        picked = jnp.take(codes, rows, axis=k, mode="clip")
    else:
        low = 0
        start = rows // layout.unit * packed_size(scheme.bits, layout.unit)
        place = rows % layout.unit
        for b in PLANES[scheme.bits]:
            size = plane_size(b, layout.unit)
            byte = jnp.take(codes, start + place % size, axis=k, mode="clip")
            shift = across((place // size * b).astype(jnp.uint8))
            part = (byte >> shift) & np.uint8((1 << b) - 1)
            picked = part if picked is None else picked | (part << np.uint8(low))
            start, low = start + size, low + b
    numbers = decode(picked, scheme.format, compute)

    def of_row(a: Any) -> Any:
        groups = a.shape[k]
        return a if groups == 1 else jnp.take(a, rows // (length // groups), axis=k, mode="clip")

    if zero is not None and not scheme.offset:
        numbers = numbers - of_row(zero)
    numbers = numbers * of_row(scale)
    return numbers + of_row(zero) if zero is not None and scheme.offset else numbers


def pick_rows(x: QuantArray, indices: Any, numbers: Any, slice_sizes: Any, fill: Any) -> Any:
    """A gather of single rows across the groups, as `w[i]`, dense; `NotImplemented` for others.

    Args:
        x: the array.
        indices: as of `lax.gather`.
        numbers: its dimension numbers.
        slice_sizes: its slice sizes.
        fill: what takes the place of rows out of bounds; None for the nearest row.
    """
    permutation = permutation_of(x)
    at = permutation.index(k_axis(x))
    sizes = enumerate(zip(slice_sizes, x.shape, strict=True))
    whole = all(n == m for i, (n, m) in sizes if i != at)
    others = set(numbers.collapsed_slice_dims) - {at}
    single = tuple(numbers.start_index_map) == (at,) and slice_sizes[at] == 1
    if not (single and whole) or others or numbers.operand_batching_dims:
        return NotImplemented
    places = indices[..., 0]
    rows = jnp.clip(places, 0, x.shape[at] - 1).reshape(-1).astype(jnp.int32)
    out = lax.transpose(take_entries(x, rows), permutation)
    if fill is not None:
        inside = ((places >= 0) & (places < x.shape[at])).reshape(-1)
        shape = [-1 if i == at else 1 for i in range(x.ndim)]
        out = jnp.where(inside.reshape(shape), out, fill)
    out = jnp.moveaxis(out, at, 0).reshape(*places.shape, *np.delete(x.shape, at))
    n = places.ndim
    if at not in numbers.collapsed_slice_dims:
        out = lax.expand_dims(out, [n + at])
    order, offsets = iter(range(n)), iter(range(n, out.ndim))
    wanted = [next(offsets) if i in numbers.offset_dims else next(order) for i in range(out.ndim)]
    return lax.transpose(out, wanted).astype(x.dtype)
