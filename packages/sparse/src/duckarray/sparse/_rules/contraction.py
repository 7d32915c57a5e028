"""`dot_general`, in every orientation: all are the product of one matrix made of the axes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind
from duckarray.sparse._fill import Constant, is_zero
from duckarray.sparse._pattern import linearize, unlinearize
from duckarray.sparse._plans import moved
from duckarray.sparse._products import (
    matmat,
    matvec,
    multiply_entries,
    pick,
    product_plan,
    rows_of,
    scatter_sum,
)
from duckarray.sparse._segments import wide_dtype
from duckarray.sparse._structure import Unstructured, absorb, finished, require, rule
from duckarray.sparse._value import Sparse, take, unchecked


@rule("dot_general")
def _dot_general_sparse_dense(
    x: Sparse,
    y: ArrayLike,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any = None,
    **params: Any,
) -> Any:
    """Sums the products of stored entries and rows of the dense operand; the result is dense."""
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    y = jnp.asarray(y)
    _check_shapes(x, y, dimension_numbers)
    # [*batch, *free of x, *free of y]
    return _times_dense(x, y, of_x, of_y, batch_x, batch_y, preferred_element_type)


@rule("dot_general")
def _dot_general_dense_sparse(
    x: ArrayLike,
    y: Sparse,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any = None,
    **params: Any,
) -> Any:
    """The same, with the free axes of the dense operand first."""
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    x = jnp.asarray(x)
    _check_shapes(x, y, dimension_numbers)
    out = _times_dense(y, x, of_y, of_x, batch_y, batch_x, preferred_element_type)
    b, free = len(batch_x), y.ndim - len(of_y) - len(batch_y)
    return _free_last(out, b, free)


def _check_shapes(x: Any, y: Any, numbers: Any) -> None:
    """Axes that are summed over or shared are of one size in both."""
    (of_x, of_y), (batch_x, batch_y) = numbers
    pairs = zip((*of_x, *batch_x), (*of_y, *batch_y), strict=True)
    fits = all(x.shape[i] == y.shape[j] for i, j in pairs)
    others = {"precision": None, "preferred_element_type": None, "out_sharding": None}
    require(fits, "dot_general", x, y, dimension_numbers=numbers, **others)


def _free_last(out: Any, batch: int, free: int) -> Any:
    """Moves the free axes of the sparse operand, those after the batch, to the end."""
    axes = [*range(batch), *range(batch + free, out.ndim), *range(batch, batch + free)]
    return bind(lax.transpose_p, out, permutation=tuple(axes))


def _times_dense(
    a: Sparse, y: Any, of_a: Any, of_y: Any, batch_a: Any, batch_y: Any, preferred: Any
) -> Any:
    """`[*batch, *free of a, *free of y]`."""
    if _takes_real_part(a, y, preferred):
        out = _times_dense(a, y, of_a, of_y, batch_a, batch_y, None)
        return bind(lax.real_p, out).astype(preferred)
    dtype = jnp.dtype(preferred or jnp.result_type(a.dtype, y.dtype))
    if not of_a:
        return _outer(a, y, batch_a, batch_y, dtype)
    lead = a.ndim - a.pattern.ndim
    if lead and tuple(batch_a[:1]) == (0,) and a.fill_constant is not None:
        return _batched(a, y, of_a, of_y, batch_a, batch_y, preferred)
    if lead and a.fill_constant is not None and not any(i < lead for i in (*of_a, *batch_a)):
        return _stacked(a, y, of_a, of_y, batch_a, batch_y, preferred)
    a = absorb(a)
    _check_fill(a)
    free_y = [i for i in range(y.ndim) if i not in (*of_y, *batch_y)]
    free_a = [i for i in range(a.ndim) if i not in (*of_a, *batch_a)]
    dense = y.transpose(*batch_y, *of_y, *free_y)
    batch, inner = tuple(a.shape[i] for i in batch_a), tuple(a.shape[i] for i in of_a)
    rest, outer = tuple(y.shape[i] for i in free_y), tuple(a.shape[i] for i in free_a)
    n, m = _count((*batch, *outer)), _count((*batch, *inner))
    wide = wide_dtype(dtype)
    dense = dense.reshape(m, _count(rest)).astype(wide)
    out = _product(a, (tuple(batch_a), tuple(free_a), tuple(of_a)), n, wide, dense)
    out = out.reshape(*batch, *outer, *rest)
    if not (isinstance(a.fill_constant, Constant) and is_zero(a.fill_constant)):
        sums = dense.reshape(_count(batch), _count(inner), _count(rest)).sum(1)
        sums = sums.reshape(*batch, *[1] * len(outer), *rest)
        out = out + jnp.asarray(a.fill).astype(wide) * sums
    return _narrow(out, dtype)


def _takes_real_part(x: Any, y: Any, preferred: Any) -> bool:
    """Whether the product of complex numbers is asked for as real ones."""
    kinds = jnp.result_type(x.dtype, y.dtype).kind, jnp.dtype(preferred or "complex64").kind
    return kinds[0] == "c" != kinds[1]


def _check_fill(a: Sparse) -> None:
    """A fill is taken off the entries and added again, which infinities and NaN do not survive."""
    if a.fill_constant is not None and not a.fill_constant.is_finite:
        raise Unstructured


def _outer(a: Sparse, y: Any, batch_a: Any, batch_y: Any, dtype: Any) -> Any:
    """With nothing summed it is a product of entries."""
    free_a = [i for i in range(a.ndim) if i not in batch_a]
    free_y = [i for i in range(y.ndim) if i not in batch_y]
    a = bind(lax.transpose_p, a, permutation=(*batch_a, *free_a)).astype(dtype)
    shape = (*a.shape, *[1] * len(free_y))
    a = bind(lax.reshape_p, a, new_sizes=shape, dimensions=None, sharding=None)
    y = y.transpose(*batch_y, *free_y).astype(dtype)
    b = len(batch_y)
    y = y.reshape(*y.shape[:b], *[1] * len(free_a), *y.shape[b:])
    return a * y


def _product(a: Sparse, axes: Any, n: int, dtype: Any, dense: Any) -> Any:
    """`[n, k]`, of the matrix whose rows are batch and free axes, its columns the others."""
    batch, free, inner = axes
    pattern = a.pattern
    if n > 2**31 - 1 or dense.shape[0] > 2**31 - 1:
        raise Unstructured
    data = a.data.astype(dtype)
    if a.fill_constant is None or not a.fill_constant.is_zero:
        data = data - jnp.asarray(a.fill).astype(dtype)
    if not dense.shape[1] or not n:
        return jnp.zeros((n, dense.shape[1]), dtype)
    rows, cols = _matrix(pattern, (*batch, *free)), _matrix(pattern, (*batch, *inner))
    ordered = pattern.remember(("rows", batch, free), lambda: bool((np.diff(rows) >= 0).all()))
    if dense.shape[1] == 1 and not ordered:
        terms = data * pick(dense[:, 0], cols)
        return scatter_sum(terms, rows, n, ordered=False)[:, None]
    plan = rows_of(axes, pattern, rows, cols, n)
    data = take(data, plan.order)
    if dense.shape[1] == 1:
        return matvec(plan, data, dense[:, 0])[:, None]
    return matmat(plan, data, dense)


def _matrix(pattern: Any, axes: tuple[int, ...]) -> Any:
    """Places along several axes as one number for each entry."""
    if len(axes) == 1:
        return pattern.indices[axes[0]]
    if not axes:
        return np.zeros(pattern.nnz, np.int32)
    shape = [pattern.shape[i] for i in axes]
    return linearize([pattern.indices[i] for i in axes], shape).astype(np.int32)


def _batched(
    a: Sparse, y: Any, of_a: Any, of_y: Any, batch_a: Any, batch_y: Any, preferred: Any
) -> Any:
    """One product for each of a batch that both have, all of one pattern."""

    def one(data: Any, y: Any) -> Any:
        rest = unchecked(data, a.pattern, a.fill_constant)

        def less(axes: Any, gone: int) -> Any:
            return tuple(i - (i > gone) for i in axes)

        return _times_dense(
            rest,
            y,
            less(of_a, 0),
            less(of_y, batch_y[0]),
            less(batch_a[1:], 0),
            less(batch_y[1:], batch_y[0]),
            preferred,
        )

    return jax.vmap(one, in_axes=(0, batch_y[0]))(a.data, y)


def _stacked(
    a: Sparse, y: Any, of_a: Any, of_y: Any, batch_a: Any, batch_y: Any, preferred: Any
) -> Any:
    """The same product with each of a batch of one pattern."""

    def one(data: Any) -> Any:
        rest = unchecked(data, a.pattern, a.fill_constant)
        less = [tuple(i - 1 for i in axes) for axes in (of_a, batch_a)]
        return _times_dense(rest, y, less[0], of_y, less[1], batch_y, preferred)

    out = jax.vmap(one)(a.data)
    return jnp.moveaxis(out, 0, len(batch_a))


@rule("dot_general")
def _dot_general_sparse_sparse(
    x: Sparse,
    y: Sparse,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any = None,
    **params: Any,
) -> Any:
    """Sums the products of entries that meet, by a plan; the result is sparse."""
    (of_x, of_y), (batch_x, batch_y) = dimension_numbers
    _check_shapes(x, y, dimension_numbers)
    x, y = absorb(x), absorb(y)
    if not (is_zero(x.fill_constant) and is_zero(y.fill_constant)):
        return _with_fills(x, y, dimension_numbers, preferred_element_type)
    if _takes_real_part(x, y, preferred_element_type):
        numbers = {"dimension_numbers": dimension_numbers, "preferred_element_type": None}
        out = bind(lax.dot_general_p, x, y, **numbers, **params)
        return bind(lax.real_p, out).astype(preferred_element_type)
    dtype = jnp.dtype(preferred_element_type or jnp.result_type(x.dtype, y.dtype))
    free_x = [i for i in range(x.ndim) if i not in (*of_x, *batch_x)]
    free_y = [i for i in range(y.ndim) if i not in (*of_y, *batch_y)]
    p, q = x.pattern, y.pattern
    batch = tuple(p.shape[i] for i in batch_x)
    outer, rest = tuple(p.shape[i] for i in free_x), tuple(q.shape[i] for i in free_y)
    left = _matrix64(p, (*batch_x, *free_x)), _matrix64(p, (*batch_x, *of_x)), p
    right = _matrix64(q, (*batch_y, *of_y)), _matrix64(q, tuple(free_y)), q
    sizes = _count((*batch, *outer)), _count(rest)
    key = (dimension_numbers, "product")
    plan = product_plan(key, left, right, sizes)
    wide = wide_dtype(dtype)
    data = multiply_entries(plan, x.data.astype(wide), y.data.astype(wide))
    data = _narrow(data, dtype)
    fill = Constant.of(0, dtype)
    shape = (*batch, *outer, *rest)
    if shape == sizes:
        return finished(data, plan.pattern, fill)
    out = moved(
        ("unflatten", shape),
        plan.pattern,
        lambda: (unlinearize(plan.pattern.linear, shape), None, shape),
    )
    return finished(take(data, out.source), out.pattern, fill)


def _with_fills(x: Sparse, y: Sparse, numbers: Any, preferred: Any) -> Any:
    """With another fill the result has no zeros: that of a small operand is dense anyway."""
    small, other = sorted((x, y), key=lambda a: a.size)
    if small.size > 4 * max(other.nnz, small.nnz):
        raise Unstructured
    (of_x, of_y), (batch_x, batch_y) = numbers
    if small is y:
        return _times_dense(x, y.materialize(), of_x, of_y, batch_x, batch_y, preferred)
    out = _times_dense(y, x.materialize(), of_y, of_x, batch_y, batch_x, preferred)
    b, free = len(batch_x), y.ndim - len(of_y) - len(batch_y)
    return _free_last(out, b, free)


def _matrix64(pattern: Any, axes: tuple[int, ...]) -> Any:
    if not axes:
        return np.zeros(pattern.nnz, np.int64)
    return linearize([pattern.indices[i] for i in axes], [pattern.shape[i] for i in axes])


def _count(sizes: Any) -> int:
    return int(np.prod(sizes, dtype=np.int64))


def _narrow(x: Any, dtype: Any) -> Any:
    return x != 0 if dtype.kind == "b" else x.astype(dtype)
