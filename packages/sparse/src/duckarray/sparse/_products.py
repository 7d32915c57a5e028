"""Products of a sparse matrix, as plain arrays: with a vector, a matrix, another sparse matrix.

With a vector all products of entries are computed first, then those of each row are summed: the
row is cut into pieces of `width`, which are read by as many gathers, and the pieces of longer rows
are added up by one sorted scatter. A scatter of every product takes twice as long.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._pattern import Pattern, from_linear
from ._plans import planned
from ._structure import Unstructured

MOST_PRODUCTS = 2**27
_WIDEST = 16


class Rows(NamedTuple):
    """The layout of a matrix for products: its entries by rows, cut into pieces."""

    rows: Any  # of each entry, int32
    cols: Any
    order: Any  # which entries of the data, or None for all in their order
    start: Any  # of each piece: its first entry
    length: Any  # how many entries it has
    row: Any  # which row it is of, or None where each row is one piece
    width: int
    rows_count: int
    diagonals: tuple[int, ...]  # the offsets, if there are few of them
    on_diagonal: Any  # for each diagonal and row: which entry, or -1
    digest: bytes

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.digest == other.digest


def rows_of(
    key: Any, pattern: Pattern, rows: Any, cols: Any, count: int, width: int | None = None
) -> Rows:
    """Plans products of a matrix with these rows and columns, one of each for every entry."""

    def make() -> Rows:
        order = None
        r, c = np.asarray(rows), np.asarray(cols)
        if (np.diff(r) < 0).any():
            order = np.argsort(r, kind="stable").astype(np.int32)
            r, c = r[order], c[order]
        degrees = np.bincount(r, minlength=count)
        k = width or _best_width(degrees)
        pieces = -(-degrees // k)
        row = np.repeat(np.arange(count), pieces)
        within = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        starts = np.cumsum(degrees) - degrees
        start = starts[row] + within * k
        length = np.minimum(degrees[row] - within * k, k)
        single = len(row) == count and bool((row == np.arange(count)).all())
        r, c, start, length = (np.asarray(x, np.int32) for x in (r, c, start, length))
        which = None if single else row.astype(np.int32)
        digest = pattern.digest + repr(key).encode()
        offsets, entries = _diagonals(r, c, count)
        return Rows(r, c, order, start, length, which, k, count, offsets, entries, digest)

    return planned(("rows", key, pattern), make)


def _best_width(degrees: Any) -> int:
    """The width with the least work: slots to read, and pieces to scatter."""
    best = (float("inf"), 1)
    longest = int(degrees.max(initial=1))
    for k in range(1, min(_WIDEST, max(longest, 1)) + 1):
        pieces = int((-(-degrees // k)).sum())
        cost = pieces * k + (3 * pieces if longest > k or (degrees == 0).any() else 0)
        best = min(best, (cost, k))
    return best[1]


def _diagonals(rows: Any, cols: Any, count: int) -> tuple[tuple[int, ...], Any]:
    """The diagonals of a stencil, and where their entries are; nothing of another matrix."""
    distance = cols.astype(np.int64) - rows
    some = np.unique(distance[:: max(1, len(distance) // 256)])
    few = 0 < len(some) <= _WIDEST and len(distance) > 0.7 * len(some) * count
    offsets = np.unique(distance) if few else some
    if not few or len(offsets) > _WIDEST or len(distance) < 0.7 * len(offsets) * count:
        return (), np.zeros((0, 0), np.int32)
    entries = np.full((len(offsets), count), -1, np.int32)
    entries[np.searchsorted(offsets, distance), rows] = np.arange(len(rows))
    return tuple(map(int, offsets)), entries


def matvec(plan: Rows, data: Any, x: Any) -> Any:
    """The matrix times a vector; `plan.order` is taken care of by the caller."""
    if not jnp.issubdtype(jnp.result_type(data, x), jnp.inexact):
        return _matvec(plan, data, x)
    return _differentiable_matvec(plan, data, x)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _differentiable_matvec(plan: Rows, data: Any, x: Any) -> Any:
    return _matvec(plan, data, x)


@_differentiable_matvec.defjvp
def _matvec_jvp(plan: Rows, primals: Any, tangents: Any) -> Any:
    """In a form whose transposes are cheap: a gather for the data, a scatter for the vector."""
    (data, x), (of_data, of_x) = primals, tangents
    out = _differentiable_matvec(plan, data, x)
    product = of_data * pick(x, plan.cols) + data * pick(of_x, plan.cols)
    return out, scatter_sum(product, plan.rows, plan.rows_count, ordered=True)


def _matvec(plan: Rows, data: Any, x: Any) -> Any:
    if not plan.cols.size:
        return jnp.zeros(plan.rows_count, data.dtype)
    if plan.diagonals:
        return _by_diagonals(plan, data, x)
    product = lax.optimization_barrier(data * pick(x, plan.cols))
    start, length = jnp.asarray(plan.start), jnp.asarray(plan.length)
    last = plan.cols.size - 1
    total: Any = 0
    for k in range(plan.width):
        part = pick(product, jnp.minimum(start + k, last) if k else start)
        if k and not (plan.length > k).all():
            part = jnp.where(k < length, part, 0)
        elif not k and not (plan.length > 0).all():
            part = jnp.where(length > 0, part, 0)
        total = total + part
    if plan.row is None:
        return total
    return scatter_sum(total, plan.row, plan.rows_count, ordered=True)


def _by_diagonals(plan: Rows, data: Any, x: Any) -> Any:
    """A stencil reads `x` by shifted slices, not by gathers."""
    n, low, high = plan.rows_count, min(plan.diagonals), max(plan.diagonals)
    before, after = max(0, -low), max(0, n + high - x.size)
    x = jnp.pad(x, (before, after))
    entries = jnp.asarray(plan.on_diagonal)
    total: Any = 0
    for k, offset in enumerate(plan.diagonals):
        part = pick(data, jnp.maximum(entries[k], 0)) * lax.slice_in_dim(
            x, before + offset, before + offset + n
        )
        total = total + jnp.where(entries[k] >= 0, part, 0)
    return total


def matmat(plan: Rows, data: Any, x: Any) -> Any:
    """The matrix times a dense one, `[columns, k]`."""
    if not jnp.issubdtype(jnp.result_type(data, x), jnp.inexact):
        return _matmat(plan, data, x)
    return _differentiable_matmat(plan, data, x)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _differentiable_matmat(plan: Rows, data: Any, x: Any) -> Any:
    return _matmat(plan, data, x)


@_differentiable_matmat.defjvp
def _matmat_jvp(plan: Rows, primals: Any, tangents: Any) -> Any:
    """As for a vector; the part of the dense matrix stays piecewise, which needs less memory."""
    (data, x), (of_data, of_x) = primals, tangents
    out = _differentiable_matmat(plan, data, x)
    product = of_data[:, None] * x.at[plan.cols].get(mode="promise_in_bounds")
    of_entries = jnp.zeros((plan.rows_count, x.shape[1]), product.dtype)
    of_entries = of_entries.at[plan.rows].add(
        product, indices_are_sorted=True, mode="promise_in_bounds"
    )
    return out, of_entries + _matmat(plan, data, of_x)


def _matmat(plan: Rows, data: Any, x: Any) -> Any:
    """Pieces of rows, each of the `width` gathers reading whole rows of `x`."""
    if not plan.cols.size:
        return jnp.zeros((plan.rows_count, x.shape[1]), data.dtype)
    last = plan.cols.size - 1
    total: Any = jnp.zeros((), data.dtype)
    for k in range(plan.width):
        entry = np.minimum(plan.start + k, last)
        value = data.at[entry].get(mode="promise_in_bounds")[:, None]
        part = value * x.at[plan.cols[entry]].get(mode="promise_in_bounds")
        if not (plan.length > k).all():
            part = jnp.where((k < plan.length)[:, None], part, 0)
        total = total + part
    if plan.row is None:
        return total
    out = jnp.zeros((plan.rows_count, x.shape[1]), total.dtype)
    return out.at[plan.row].add(total, indices_are_sorted=True, mode="promise_in_bounds")


def pick(x: Any, index: Any) -> Any:
    """Entries of a vector at indices that are in bounds."""
    return x.at[index].get(mode="promise_in_bounds")


def scatter_sum(x: Any, ids: Any, count: int, *, ordered: bool) -> Any:
    """The sums of the entries with each index."""
    out = jnp.zeros(count, x.dtype)
    return out.at[ids].add(x, indices_are_sorted=ordered, mode="promise_in_bounds")


class Product(NamedTuple):
    """The product of two patterns: which entries are multiplied, and what they are added to."""

    pattern: Pattern
    left: Any
    right: Any
    out: Any  # None if every product is an entry of its own, in order


def product_plan(
    key: Any,
    left: tuple[Any, Any, Pattern],
    right: tuple[Any, Any, Pattern],
    shape: tuple[int, int],
) -> Product:
    """Plans the product of two matrices, given rows, columns and pattern of each."""

    def make() -> Product:
        rows, inner, _ = left
        inner_right, cols, _ = right
        by_inner = np.argsort(inner_right, kind="stable")
        keys = inner_right[by_inner]
        low, high = np.searchsorted(keys, inner, "left"), np.searchsorted(keys, inner, "right")
        counts = high - low
        total = int(counts.sum())
        if total > MOST_PRODUCTS:
            raise Unstructured
        of_left = np.repeat(np.arange(len(inner), dtype=np.int32), counts)
        begin = np.repeat(low - (np.cumsum(counts) - counts), counts)
        of_right = by_inner[begin + np.arange(total)].astype(np.int32)
        place = np.asarray(rows, np.int64)[of_left] * shape[1] + np.asarray(cols)[of_right]
        stored, out = np.unique(place, return_inverse=True)
        own = total == len(stored) and bool((out == np.arange(total)).all())
        pattern = from_linear(stored, shape)
        return Product(pattern, of_left, of_right, None if own else out.astype(np.int32))

    return planned(("product", key, left[2], right[2]), make)


def multiply_entries(plan: Product, a: Any, b: Any) -> Any:
    """The entries of the product, given those of both factors."""
    product = pick(a, plan.left) * pick(b, plan.right)
    if plan.out is None:
        return product
    return scatter_sum(product, plan.out, plan.pattern.nnz, ordered=False)
