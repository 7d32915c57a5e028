"""Entries, rows and matrices of a batch, at places that are operands themselves."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core.extend import extremes
from duckarray.structured._apply import entries
from duckarray.structured._base import Structured, on_batch
from duckarray.structured._rules._register import register


@register("dynamic_slice")
def _dynamic_slice_structured(
    x: Structured, *starts: ArrayLike, slice_sizes: Any, **params: Any
) -> Any:
    """Matrices of a batch; or a row, or a column, or an entry, which is dense."""
    n = x.ndim - 2
    if tuple(slice_sizes[:n]) != x.shape[:n]:

        def cut(leaf: Any, own: int) -> Any:
            sizes = (*slice_sizes[:n], *leaf.shape[leaf.ndim - own :])
            zero = jnp.zeros((), jnp.result_type(starts[0]) if starts else jnp.int32)
            return lax.dynamic_slice(leaf, (*starts[:n], *[zero] * own), sizes)

        x = on_batch(x, cut)
    p, q = slice_sizes[-2:]
    if (p, q) == x.shape[-2:]:
        return x
    if p != 1 and q != 1:
        return NotImplemented
    r, c = (
        jnp.clip(jnp.asarray(s), 0, size - k)
        for s, size, k in zip(starts[-2:], x.shape[-2:], (p, q), strict=True)
    )
    i, j = jnp.broadcast_arrays(r + jnp.arange(p)[:, None], c + jnp.arange(q))
    return entries(x, i, j)


@register("gather")
def _gather_structured_dense(
    x: Structured,
    indices: ArrayLike,
    *,
    dimension_numbers: Any,
    slice_sizes: Any,
    mode: Any,
    fill_value: Any,
    **params: Any,
) -> Any:
    """Single entries, rows or columns of each matrix; or matrices of the batch."""
    numbers, n = dimension_numbers, x.ndim - 2
    indices = jnp.asarray(indices)
    if numbers.operand_batching_dims or numbers.start_indices_batching_dims:
        return NotImplemented
    mapped = tuple(numbers.start_index_map)
    if all(axis < n for axis in mapped):
        return _of_batch(x, indices, numbers, slice_sizes, mode, fill_value, params)
    if any(axis < n for axis in mapped) or tuple(slice_sizes[:n]) != x.shape[:n]:
        return NotImplemented
    if tuple(numbers.collapsed_slice_dims) != tuple(sorted(mapped)):
        return NotImplemented
    if any(slice_sizes[axis] != 1 for axis in mapped):
        return NotImplemented
    return _entries(x, indices, numbers, mapped, mode, fill_value)


def _entries(x: Any, indices: Any, numbers: Any, mapped: Any, mode: Any, fill: Any) -> Any:
    n, picked = x.ndim - 2, indices.ndim - 1
    at, inside = {}, jnp.ones(indices.shape[:-1], bool)
    for position, axis in enumerate(mapped):
        index = indices[..., position]
        top = x.shape[axis] - 1
        inside &= (index >= 0) & (index <= top)
        at[axis] = jnp.clip(index, 0, max(top, 0))
    if x.size == 0:
        return NotImplemented
    whole = [axis for axis in (n, n + 1) if axis not in at]
    for axis in whole:  # one of the two, a whole row or column
        at[axis] = jnp.arange(x.shape[axis])
        at = {k: (v[..., None] if k != axis else v) for k, v in at.items()}
    out = entries(x, *jnp.broadcast_arrays(at[n], at[n + 1]))  # [*batch, *picked, whole?]
    if mode == lax.GatherScatterMode.FILL_OR_DROP:
        default = jnp.nan if jnp.issubdtype(x.dtype, jnp.inexact) else _worst(x.dtype)
        value = jnp.asarray(default if fill is None else fill, x.dtype)
        out = jnp.where(inside[..., None] if whole else inside, out, value)
    # The axes that are not picked go to `offset_dims`, in their order.
    order: list[int] = [-1] * out.ndim
    kept = [*range(n), *([out.ndim - 1] if whole else [])]
    for position, axis in zip(numbers.offset_dims, kept, strict=True):
        order[position] = axis
    rest = iter(range(n, n + picked))
    order = [axis if axis >= 0 else next(rest) for axis in order]
    return lax.transpose(out, order)


def _worst(dtype: Any) -> Any:
    """What JAX fills with where an index is out of bounds."""
    least, greatest = extremes(dtype)
    return least if jnp.issubdtype(dtype, jnp.signedinteger) else greatest


def _of_batch(
    x: Any, indices: Any, numbers: Any, sizes: Any, mode: Any, fill: Any, params: Any
) -> Any:
    """The same gather from each leaf, if the matrices come last in the result."""
    n = x.ndim - 2
    out_ndim = len(numbers.offset_dims) + indices.ndim - 1
    ends = tuple(numbers.offset_dims[-2:])
    if ends != (out_ndim - 2, out_ndim - 1) or tuple(sizes[n:]) != x.shape[n:]:
        return NotImplemented
    if mode == lax.GatherScatterMode.FILL_OR_DROP:
        return NotImplemented  # what is filled in is no such matrix
    batch_offsets = tuple(numbers.offset_dims[:-2])

    def gather(leaf: Any, own: int) -> Any:
        width = len(batch_offsets) + indices.ndim - 1
        of_leaf = lax.GatherDimensionNumbers(
            offset_dims=(*batch_offsets, *range(width, width + own)),
            collapsed_slice_dims=numbers.collapsed_slice_dims,
            start_index_map=numbers.start_index_map,
        )
        tail = leaf.shape[leaf.ndim - own :]
        return lax.gather(leaf, indices, of_leaf, (*sizes[:n], *tail), mode=mode)

    return on_batch(x, gather)
