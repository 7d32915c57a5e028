"""Matrix products."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import known_constant
from duckarray.structured._apply import apply, can_apply, transpose
from duckarray.structured._base import Structured
from duckarray.structured._closure import matmul
from duckarray.structured._policy import dense_under_policy
from duckarray.structured._rules._common import with_dtype
from duckarray.structured._rules._register import register


@register("dot_general")
def _dot_general_structured_dense(
    x: Structured, y: ArrayLike, *, dimension_numbers: Any, **params: Any
) -> Any:
    """`x @ y`, or `x.T @ y`, for each matrix of a batch."""
    return _product(x, y, dimension_numbers, params, left=True)


@register("dot_general")
def _dot_general_dense_structured(
    x: ArrayLike, y: Structured, *, dimension_numbers: Any, **params: Any
) -> Any:
    """`x @ y = (y.T @ x.T).T`."""
    (cx, cy), (bx, by) = dimension_numbers
    return _product(y, x, ((cy, cx), (by, bx)), params, left=False)


@register("dot_general")
def _dot_general_structured_structured(
    x: Structured, y: Structured, *, dimension_numbers: Any, **params: Any
) -> Any:
    """The product has the type that the closure table says."""
    (cx, cy), (bx, by) = dimension_numbers
    batch = tuple(range(x.ndim - 2))
    aligned = tuple(bx) == tuple(by) == batch and x.ndim == y.ndim
    if not aligned or len(cx) != 1 or cx[0] < x.ndim - 2 or cy[0] < y.ndim - 2:
        return NotImplemented
    dtype = params.get("preferred_element_type") or jnp.result_type(x.dtype, y.dtype)
    left = with_dtype(transpose(x) if cx[0] == x.ndim - 2 else x, dtype)
    right = with_dtype(transpose(y) if cy[0] == y.ndim - 1 else y, dtype)
    if left is None or right is None:
        return NotImplemented
    out = matmul(left, right)
    if out is not None:
        return out
    # The result is dense, and the cheaper way to it is by the structure of one of the two.
    if not can_apply(left):
        return NotImplemented
    return apply(left, dense_under_policy(right, lax.dot_general_p, (x, y)))


def _product(x: Any, y: Any, dimension_numbers: Any, params: Any, left: bool) -> Any:
    (cx, cy), (bx, by) = dimension_numbers
    n_batch = x.ndim - 2
    if len(cx) != 1 or cx[0] < n_batch or any(axis >= n_batch for axis in bx):
        return NotImplemented
    dtype = params.get("preferred_element_type") or jnp.result_type(x.dtype, jnp.result_type(y))
    y = jnp.asarray(y)
    free = [axis for axis in range(y.ndim) if axis not in (*by, cy[0])]
    rows = x.shape[-2] if cx[0] == x.ndim - 1 else x.shape[-1]
    if known_constant(y) == 0:
        rest = [x.shape[i] for i in range(n_batch) if i not in bx]
        sizes = [x.shape[i] for i in bx]
        mine, others = [*rest, rows], [y.shape[i] for i in free]
        return jnp.zeros([*sizes, *(mine + others if left else others + mine)], dtype)
    matrix = with_dtype(transpose(x) if cx[0] == x.ndim - 2 else x, dtype)
    if matrix is None:
        return NotImplemented
    # Axes of `x`: those of the batch that both have, then its own.
    own = [axis for axis in range(n_batch) if axis not in bx]
    from duckarray.structured._rules.batch import reorder

    matrix = reorder(matrix, [*bx, *own])
    # [*shared, 1 ..., n, k]
    columns = lax.transpose(y.astype(dtype), [*by, cy[0], *free])
    shared = columns.shape[: len(by)]
    columns = columns.reshape(
        *shared, *[1] * len(own), y.shape[cy[0]], -1 if y.size else _size(y, free)
    )
    out = apply(matrix, columns)
    if out is NotImplemented:
        return NotImplemented
    outer = (*(x.shape[axis] for axis in own), rows)
    out = out.astype(dtype).reshape(*shared, *outer, *[y.shape[axis] for axis in free])
    if left:
        return out
    first, middle = len(by), len(by) + len(outer)
    order = [*range(first), *range(middle, out.ndim), *range(first, middle)]
    return lax.transpose(out, order)


def _size(y: Any, axes: Any) -> int:
    out = 1
    for axis in axes:
        out *= y.shape[axis]
    return out
