"""Making sparse arrays: from others, by diagonals, at random, out of blocks."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core import ArrayValue, bind, materialize

from ._checked import checked_integer, checked_shape
from ._dynamic import DynamicPattern, found_in
from ._fill import Constant
from ._pattern import Pattern, empty_pattern, from_linear
from ._plans import planned, sorted_entries
from ._structure import MOST_ENTRIES, absorb, as_sparse
from ._value import Sparse, as_fill, take, unchecked

_TRACED = """`from_dense(x)`: `x` is traced, so where it is not zero is not known while tracing.
Pass `pattern=`, a `Pattern` of the entries to keep, or `DynamicPattern(capacity)` with room for \
as many as there may be."""

_TRACED_FILL = """`from_dense(x, pattern=DynamicPattern(...), fill=...)`: the fill is traced.
Pass a number, or leave it out for zero."""

_TOO_FEW = """`from_dense(x, nnz={nnz})`: `x` has {found} entries that are not zero, the first of \
the others at {where}.
Pass `nnz={found}`, or leave it out."""

_ANOTHER_SHAPE = """`from_dense(x, pattern=...)`: `x` of shape {shape} for a pattern of shape \
{of_pattern}.
Pass a pattern of the shape of `x`, or of its last axes: all others are a batch."""

_DENSITY = """`random(key, {shape}, density={density})` takes a fraction.
Pass a density between 0 and 1."""

_DIAGONALS = """`diags(diagonals, offsets={offsets})`: {problem}.
Pass as many diagonals as offsets, each with one entry for each place of its diagonal, or one."""

_BLOCKS = """`block_array(blocks)`: {problem}.
Pass rows of equally many blocks, matrices or None, those of a row with equally many rows."""

_TOO_MANY = """`kron(a, b)` of shapes {a} and {b} has {nnz:,} entries, more than are planned for.
Multiply by the factors one after the other: `a @ x @ b.T` is `kron(a, b)` times a matrix `x`."""

_MATRICES = """`kron(a, b)` takes two matrices, but got shapes {a} and {b}.
Reshape them: `a.reshape(1, -1)` is one."""


def from_dense(x: Any, *, nnz: int | None = None, pattern: Any = None, fill: Any = 0) -> Sparse:
    """The sparse array of a dense one.

    Args:
        x: the dense array, `[*shape]`.
        nnz: how many entries to store; `x` may have fewer that are not zero, not more.
        pattern: which entries to keep, a `Pattern`, all others being taken for zero; or a
            `DynamicPattern(capacity)`, to find them while running. Needed where `x` is traced.
        fill: the value of the entries not to store.

    Raises:
        TypeError: if `x` is traced and there is no `pattern`.
        ValueError: if there are more than `nnz` entries, or `pattern` is of another shape.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.sparse import from_dense
        >>> from_dense(jnp.array([[0, 3], [0, 0]])).data
        Array([3], dtype=int32)
    """
    x = jnp.asarray(x) if not isinstance(x, ArrayValue) else materialize(x)
    if isinstance(pattern, DynamicPattern):
        constant, _ = as_fill(fill, x.reshape(-1))
        if constant is None:
            raise TypeError(_TRACED_FILL)
        data, places = found_in(x, pattern.capacity, constant)
        return unchecked(data, places, constant)
    if pattern is None:
        if isinstance(x, jax.core.Tracer):
            raise TypeError(_TRACED)
        pattern = _stored_in(np.asarray(x), nnz, fill)
    pattern = pattern.canonical
    if x.shape[x.ndim - pattern.ndim :] != pattern.shape or x.ndim < pattern.ndim:
        raise ValueError(_ANOTHER_SHAPE.format(shape=x.shape, of_pattern=pattern.shape))
    if not pattern.ndim:
        return Sparse(x[..., None][..., : pattern.nnz], pattern, fill)
    return Sparse(x[(..., *pattern.indices)], pattern, fill)


def _stored_in(x: Any, nnz: int | None, fill: Any) -> Pattern:
    with np.errstate(all="ignore"):
        fill = np.asarray(fill).astype(x.dtype)
    differs = (x != fill) & ~((x != x) & (fill != fill))
    linear = np.flatnonzero(differs)
    if nnz is not None:
        if len(linear) > nnz:
            where = tuple(map(int, np.unravel_index(linear[nnz], x.shape)))
            raise ValueError(_TOO_FEW.format(nnz=nnz, found=len(linear), where=where))
        room = min(nnz, x.size) - len(linear)
        linear = np.union1d(linear, np.flatnonzero(~differs)[:room])
    return from_linear(linear, x.shape)


def eye(n: int, m: int | None = None, k: int = 0, dtype: Any = None) -> Sparse:
    """The matrix with ones on a diagonal.

    Args:
        n: the number of rows.
        m: the number of columns, `n` by default.
        k: which diagonal: 0 the main one, positive ones above it.
        dtype: float by default.

    Raises:
        TypeError: if `n`, `m` or `k` is no integer.
        ValueError: if `n` or `m` is negative.

    Example:
        >>> from duckarray.sparse import eye
        >>> eye(2, 3)
        Sparse(f32[2,3], nnz=2, 33.3%)
        x . .
        . x .
    """
    n = checked_integer(n, "eye", "n", "the number of rows")
    m = n if m is None else checked_integer(m, "eye", "m", "the number of columns")
    k = checked_integer(k, "eye", "k", "the number of a diagonal")
    checked_shape((n, m), "eye", 2)
    offsets = [k] if -n < k < m else []
    pattern = Pattern.dia(offsets, (n, m))
    return Sparse(jnp.ones(pattern.nnz, dtype or float), pattern)


def diags(
    diagonals: Any, offsets: Any = 0, shape: tuple[int, int] | None = None, dtype: Any = None
) -> Sparse:
    """The matrix with given diagonals; they may be traced.

    Args:
        diagonals: a vector for each offset, from the top of the diagonal, or a number that is
            repeated; for a single offset a vector will do.
        offsets: which diagonals: 0 the main one, positive ones above it.
        shape: that of the matrix; square and as small as the diagonals allow by default.
        dtype: that of the diagonals by default.

    Raises:
        ValueError: if diagonals, offsets and shape do not fit together.

    Example:
        >>> from duckarray.sparse import diags
        >>> diags([-1.0, 2.0, -1.0], [-1, 0, 1], (3, 3)).to_dense()
        Array([[ 2., -1.,  0.],
               [-1.,  2., -1.],
               [ 0., -1.,  2.]], dtype=float32)
    """
    if np.ndim(offsets) == 0:
        offsets = [offsets]
        if not isinstance(diagonals, list | tuple) or all(jnp.ndim(d) == 0 for d in diagonals):
            diagonals = [diagonals]
    given = [jnp.atleast_1d(jnp.asarray(d)) for d in diagonals]
    if len(given) != len(offsets):
        problem = f"there are {len(given)} diagonals"
        raise ValueError(_DIAGONALS.format(offsets=list(offsets), problem=problem))
    if shape is None:
        n = max((d.size + abs(int(k)) for d, k in zip(given, offsets, strict=True)), default=0)
        shape = (n, n)
    n, m = checked_shape(shape, "diags", 2)
    pattern = Pattern.dia(offsets, (n, m))
    dtype = dtype or jnp.result_type(*given) if given else float
    parts = []
    for d, k in zip(given, map(int, offsets), strict=True):
        length = max(0, min(n, m - k) - max(0, -k))
        if d.size not in (1, length):
            problem = f"diagonal {k} of shape {(n, m)} has {length} entries, not {d.size}"
            raise ValueError(_DIAGONALS.format(offsets=list(offsets), problem=problem))
        parts.append(jnp.broadcast_to(d.reshape(-1), (length,)).astype(dtype))
    return Sparse(jnp.concatenate([*parts, jnp.zeros(0, dtype)]), pattern)


def random(key: Any, shape: tuple[int, ...], density: float = 0.01, dtype: Any = None) -> Sparse:
    """An array with entries uniform in [0, 1) at random places.

    Args:
        key: a random key of JAX, which is not traced.
        shape: the shape.
        density: the fraction of the entries to store, rounded to a number of entries.
        dtype: a floating-point dtype; float by default.

    Raises:
        ValueError: if `density` is not between 0 and 1, or `shape` is no shape.

    Example:
        >>> import jax
        >>> from duckarray.sparse import random
        >>> random(jax.random.key(0), (100, 50), density=0.02).nnz
        100
    """
    if not 0 <= density <= 1:
        raise ValueError(_DENSITY.format(shape=shape, density=density))
    shape = checked_shape(shape, "random")
    size = math.prod(shape)
    nnz = round(size * density)
    of_places, of_data = jax.random.split(key)
    seed = np.asarray(jax.random.key_data(of_places)).tolist()
    generator = np.random.default_rng(seed)
    linear = np.sort(generator.choice(size, nnz, replace=False)) if size < 2**24 else None
    if linear is None:
        linear = np.unique(generator.integers(0, size, nnz))
        while len(linear) < nnz:
            more = generator.integers(0, size, nnz - len(linear))
            linear = np.union1d(linear, more)
    data = jax.random.uniform(of_data, (nnz,), dtype or float)
    return Sparse(data, from_linear(linear, shape))


def kron(a: Any, b: Any) -> Sparse:
    """The Kronecker product of two matrices, either of which may be dense.

    Raises:
        ValueError: if one is no matrix, or the product has more than `2**28` entries.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.sparse import eye, kron
        >>> kron(eye(2), jnp.ones((1, 2)))
        Sparse(f32[2,4], nnz=4, 50%)
        x x . .
        . . x x
    """
    a, b = absorb(as_sparse(a)), absorb(as_sparse(b))
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(_MATRICES.format(a=a.shape, b=b.shape))
    p, q = a.pattern, b.pattern
    shape = (p.shape[0] * q.shape[0], p.shape[1] * q.shape[1])
    if p.nnz * q.nnz > MOST_ENTRIES:
        raise ValueError(_TOO_MANY.format(a=a.shape, b=b.shape, nnz=p.nnz * q.nnz))

    def make() -> Any:
        i, j = (x.astype(np.int64) for x in p.indices)
        rows = i[:, None] * q.shape[0] + q.indices[0]
        cols = j[:, None] * q.shape[1] + q.indices[1]
        linear = (rows * shape[1] + cols).reshape(-1)
        return sorted_entries(linear, np.arange(len(linear)), shape, len(linear))

    plan = planned(("kron", p, q), make)
    data = (a.data[:, None] * b.data[None]).reshape(-1)
    return Sparse(take(data, plan.source), plan.pattern)


def block_array(blocks: Sequence[Sequence[Any]]) -> Sparse:
    """The matrix made of blocks: sparse ones, dense ones, None for zeros.

    Args:
        blocks: rows of blocks, `[p, q]` of them.

    Raises:
        ValueError: if the blocks do not fit together, or a row or column of them is all None.

    Example:
        >>> from duckarray.sparse import block_array, eye
        >>> block_array([[eye(2), None], [None, eye(1)]])
        Sparse(f32[3,3], nnz=3, 33.3%)
        x . .
        . x .
        . . x
    """
    rows = [list(row) for row in blocks]
    if not rows or any(len(row) != len(rows[0]) for row in rows) or not rows[0]:
        raise ValueError(_BLOCKS.format(problem=f"rows have {[len(r) for r in rows]} blocks"))
    heights = [_common(row, 0, f"row {i}") for i, row in enumerate(rows)]
    columns = list(zip(*rows, strict=True))
    widths = [_common(column, 1, f"column {j}") for j, column in enumerate(columns)]
    dtype = jnp.result_type(*[b.dtype for row in rows for b in row if b is not None])
    lines = []
    for row, n in zip(rows, heights, strict=True):
        line = []
        for block, m in zip(row, widths, strict=True):
            if block is None:
                zero = Constant.of(0, dtype)
                line.append(unchecked(jnp.zeros(0, dtype), empty_pattern((n, m)), zero))
            else:
                line.append(as_sparse(block).astype(dtype))
        lines.append(hstack(line))
    return vstack(lines)


def _common(blocks: Sequence[Any], axis: int, where: str) -> int:
    sizes = {b.shape[axis] for b in blocks if b is not None}
    if len(sizes) != 1:
        found = f"sizes {sorted(sizes)}" if sizes else "no block but None"
        raise ValueError(_BLOCKS.format(problem=f"{where} has {found}"))
    return int(sizes.pop())


def hstack(blocks: Sequence[Any]) -> Sparse:
    """Matrices side by side, any of which may be dense.

    Args:
        blocks: matrices of as many rows, `[m, n_i]`.

    Returns:
        A matrix `[m, sum(n_i)]`, which costs one pass over the stored entries.

    Raises:
        ValueError: if their rows differ.

    Example:
        >>> from duckarray.sparse import eye, hstack
        >>> hstack([eye(2), eye(2)]).shape
        (2, 4)
    """
    return _joined(blocks, 1)


def vstack(blocks: Sequence[Any]) -> Sparse:
    """Matrices one below the other, any of which may be dense.

    Args:
        blocks: matrices of as many columns, `[m_i, n]`.

    Returns:
        A matrix `[sum(m_i), n]`, which costs one pass over the stored entries.

    Raises:
        ValueError: if their columns differ.

    Example:
        >>> from duckarray.sparse import eye, vstack
        >>> vstack([eye(2), eye(2)]).shape
        (4, 2)
    """
    return _joined(blocks, 0)


def _joined(blocks: Sequence[Any], axis: int) -> Sparse:
    dtype = jnp.result_type(*[b.dtype for b in blocks])
    parts = [as_sparse(b).astype(dtype) for b in blocks]
    out: Sparse = bind("concatenate", *parts, dimension=axis)
    return out
