"""Operations that move, repeat or drop entries at places known while tracing."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.core import bind
from duckarray.sparse._pattern import unlinearize
from duckarray.sparse._plans import moved
from duckarray.sparse._structure import absorb, check_size, rearranged, require, rule
from duckarray.sparse._value import Sparse, raw_fill, unchecked


@rule("transpose")
def _transpose_sparse(x: Sparse, *, permutation: Any, **params: Any) -> Any:
    """Sorts the entries anew; batch axes that stay in front stay a batch."""
    fits = sorted(permutation) == list(range(x.ndim))
    require(fits, "transpose", x, permutation=permutation)
    lead = x.ndim - x.pattern.ndim
    if set(permutation[:lead]) != set(range(lead)):
        x, lead = absorb(x), 0
    axes = tuple(p - lead for p in permutation[lead:])
    pattern = x.pattern

    def move() -> Any:
        shape = tuple(pattern.shape[a] for a in axes)
        return [pattern.indices[a] for a in axes], None, shape

    x = _on_batch(x, lambda a, k: lax.transpose(a, (*permutation[:lead], *range(lead, lead + k))))
    if axes == tuple(range(len(axes))):
        return x
    return rearranged(x, moved(("transpose", axes), pattern, move))


@rule("reshape")
def _reshape_sparse(x: Sparse, *, new_sizes: Any, dimensions: Any = None, **params: Any) -> Any:
    """Counts the places in another shape: their order stays."""
    if dimensions is not None and tuple(dimensions) != tuple(range(x.ndim)):
        x = bind(lax.transpose_p, x, permutation=tuple(dimensions))
    lead = x.ndim - x.pattern.ndim
    batch, rest = _split_sizes(x, tuple(new_sizes), lead)
    if batch is None:
        x, batch, rest = absorb(x), (), tuple(new_sizes)
    pattern = x.pattern
    x = _on_batch(x, lambda a, k: a.reshape(*batch, *a.shape[a.ndim - k :]))
    if rest == pattern.shape:
        return x

    def move() -> Any:
        return unlinearize(pattern.linear, rest), None, rest

    return rearranged(x, moved(("reshape", rest), pattern, move))


def _split_sizes(x: Sparse, sizes: tuple[int, ...], lead: int) -> tuple[Any, Any]:
    """A new shape as that of the batch and that of the pattern, if there is one so divided."""
    wanted = int(np.prod(x.shape[:lead], dtype=np.int64))
    sparse = x.pattern.size
    # The more of ones the pattern has the better: those of a batch may become its axes.
    for k in range(len(sizes) + 1):
        size = int(np.prod(sizes[:k], dtype=np.int64))
        rest = int(np.prod(sizes[k:], dtype=np.int64))
        if size == wanted and rest == sparse and (lead or k == 0):
            return sizes[:k], sizes[k:]
    return None, None


@rule("squeeze")
def _squeeze_sparse(x: Sparse, *, dimensions: Any, **params: Any) -> Any:
    """Drops axes of size one."""
    gone = {d % x.ndim for d in dimensions}
    sizes = tuple(n for i, n in enumerate(x.shape) if i not in gone)
    return bind(lax.reshape_p, x, new_sizes=sizes, dimensions=None, sharding=None)


@rule("broadcast_in_dim")
def _broadcast_in_dim_sparse(
    x: Sparse, *operands: Any, shape: Any, broadcast_dimensions: Any, **params: Any
) -> Any:
    """Repeats the data for new leading axes, and the places for others."""
    if operands:
        return NotImplemented
    lead, k = x.ndim - x.pattern.ndim, x.pattern.ndim
    dims = tuple(broadcast_dimensions)
    tail = tuple(range(len(shape) - k, len(shape)))
    if dims[lead:] == tail and tuple(shape[len(shape) - k :]) == x.pattern.shape:
        front, of_batch = tuple(shape[: len(shape) - k]), dims[:lead]
        return _on_batch(
            x,
            lambda a, k: lax.broadcast_in_dim(
                a,
                (*front, *a.shape[a.ndim - k :]),
                (*of_batch, *range(len(front), len(front) + k)),
            ),
        )
    x = absorb(x)
    pattern, shape = x.pattern, tuple(shape)
    # Axes in front, new ones, become a batch; all others are of the pattern.
    first = min(dims, default=len(shape))
    inner, places = shape[first:], [d - first for d in dims]
    sizes = dict(zip(places, pattern.shape, strict=True))
    copies = [n if sizes.get(d, 1) != n or d not in sizes else 1 for d, n in enumerate(inner)]
    many = int(np.prod(copies, dtype=np.int64))
    check_size(many * pattern.nnz)

    def move() -> Any:
        offsets = unlinearize(np.arange(many), copies)
        at = dict(zip(places, pattern.indices, strict=True))
        indices = []
        for d in range(len(inner)):
            base = at[d] if d in at else np.zeros(pattern.nnz, int)
            indices.append((offsets[d][:, None] + base).reshape(-1))
        return indices, np.tile(np.arange(pattern.nnz), many), inner

    out = rearranged(x, moved(("broadcast", inner, tuple(places)), pattern, move))
    if not first or not isinstance(out, Sparse):
        return out if not first else jnp.broadcast_to(out, shape)
    return _on_batch(out, lambda a, k: jnp.broadcast_to(a, (*shape[:first], *a.shape)))


@rule("tile")
def _tile_sparse(x: Sparse, *, reps: Any, **params: Any) -> Any:
    """Repeats the places along each axis."""
    added = tuple(reps)[: len(reps) - x.ndim]
    sizes = [n for r, n in zip(reps[len(added) :], x.shape, strict=True) for n in (r, n)]
    dims = [len(added) + 2 * i + 1 for i in range(x.ndim)]
    spread = bind(
        lax.broadcast_in_dim_p,
        x,
        shape=(*added, *sizes),
        broadcast_dimensions=tuple(dims),
        sharding=None,
    )
    pairs = zip(sizes[::2], sizes[1::2], strict=True)
    shape = (*added, *(r * n for r, n in pairs))
    return bind(lax.reshape_p, spread, new_sizes=shape, dimensions=None, sharding=None)


@rule("rev")
def _rev_sparse(x: Sparse, *, dimensions: Any, **params: Any) -> Any:
    """Counts places from the other end."""
    lead = x.ndim - x.pattern.ndim
    of_batch = tuple(d for d in dimensions if d < lead)
    axes = tuple(sorted(d - lead for d in dimensions if d >= lead))
    x = _on_batch(x, lambda a, k: lax.rev(a, of_batch))
    pattern = x.pattern

    def move() -> Any:
        pairs = enumerate(zip(pattern.indices, pattern.shape, strict=True))
        return [n - 1 - i if a in axes else i for a, (i, n) in pairs], None, pattern.shape

    return rearranged(x, moved(("rev", axes), pattern, move)) if axes else x


@rule("slice")
def _slice_sparse(
    x: Sparse, *, start_indices: Any, limit_indices: Any, strides: Any, **params: Any
) -> Any:
    """Keeps the entries within the bounds."""
    strides = strides or (1,) * x.ndim
    bounds = tuple(zip(start_indices, limit_indices, strides, strict=True))
    fits = all(0 <= i <= j <= n for (i, j, _), n in zip(bounds, x.shape, strict=True))
    limits = {"start_indices": start_indices, "limit_indices": limit_indices}
    require(fits, "slice", x, **limits, strides=strides)
    lead = x.ndim - x.pattern.ndim

    def cut(a: Any, k: int) -> Any:
        whole = [(0, n, 1) for n in a.shape[a.ndim - k :]]
        each = [*bounds[:lead], *whole]
        return lax.slice(a, *zip(*each, strict=True)) if each else a

    x = _on_batch(x, cut) if lead else x
    pattern, inner = x.pattern, bounds[lead:]
    if all((s, t, d) == (0, n, 1) for (s, t, d), n in zip(inner, pattern.shape, strict=True)):
        return x

    def move() -> Any:
        keep = np.ones(pattern.nnz, bool)
        for i, (start, stop, step) in zip(pattern.indices, inner, strict=True):
            keep &= (i >= start) & (i < stop) & ((i - start) % step == 0)
        indices = [
            (i[keep] - start) // step
            for i, (start, _, step) in zip(pattern.indices, inner, strict=True)
        ]
        shape = tuple(max(0, -(-(stop - start) // step)) for start, stop, step in inner)
        return indices, np.flatnonzero(keep), shape

    return rearranged(x, moved(("slice", inner), pattern, move))


@rule("split")
def _split_sparse(x: Sparse, *, sizes: Any, axis: Any, **params: Any) -> Any:
    """Slices, one after the other."""
    pieces, start = [], 0
    for n in sizes:
        low, high = [0] * x.ndim, list(x.shape)
        low[axis], high[axis] = start, start + n
        bounds = {"start_indices": tuple(low), "limit_indices": tuple(high), "strides": None}
        pieces.append(bind(lax.slice_p, x, **bounds))
        start += n
    return pieces


@rule("unstack")
def _unstack_sparse(x: Sparse, *, axis: Any, **params: Any) -> Any:
    """Slices of length one, without their axis."""
    pieces = bind("split", x, sizes=(1,) * x.shape[axis], axis=axis)
    return [bind(lax.squeeze_p, piece, dimensions=(axis,)) for piece in pieces]


def _on_batch(x: Sparse, f: Any) -> Sparse:
    """`f(array, k)` of data and fill, of which `k` trailing axes are not of the batch."""
    fill = raw_fill(x)
    fill = fill if x.fill_constant is not None else f(fill, 0)
    return unchecked(f(x.data, 1), x.pattern, fill)
