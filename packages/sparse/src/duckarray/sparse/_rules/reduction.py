"""Reductions: over what is stored, and over as many fills as are not."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from duckarray.core import bind
from duckarray.sparse._fill import Constant, is_zero
from duckarray.sparse._pattern import Pattern, from_linear, linearize
from duckarray.sparse._plans import planned
from duckarray.sparse._segments import REDUCTIONS, first_of, reduce_segments
from duckarray.sparse._structure import Unstructured, absorb, rule
from duckarray.sparse._value import Sparse, raw_fill, unchecked


@rule(
    "reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or", "reduce_xor"
)
def _reduce_sparse(x: Sparse, *, axes: Any, primitive: Any, **params: Any) -> Any:
    """What is left of more than one axis is sparse, else dense."""
    name = str(primitive)
    lead = x.ndim - x.pattern.ndim
    of_batch = tuple(a for a in axes if a < lead)
    rest = tuple(a - lead for a in axes if a >= lead)
    if not axes:
        return x
    if of_batch and (not rest or name == "reduce_sum"):
        x = _over_batch(x, of_batch, primitive, params)
    elif of_batch:
        x = absorb(x)
        rest = tuple(axes)
    return _over_pattern(x, rest, name) if rest else x


def _over_batch(x: Sparse, axes: Any, primitive: Any, params: Any) -> Sparse:
    """Reduces data and fill alike."""
    data = bind(primitive, x.data, axes=axes, **params)
    if x.fill_constant is None:
        return unchecked(data, x.pattern, bind(primitive, x.fill_array, axes=axes, **params))
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    return unchecked(data, x.pattern, _repeated_fill(str(primitive), x.fill_constant, count))


def _over_pattern(x: Sparse, axes: tuple[int, ...], name: str) -> Any:
    segments = group(x.pattern, axes)
    data, fill = x.data, jnp.asarray(x.fill, x.dtype)
    out = reduce_segments(name, data, segments.ids, segments.count)
    stored = np.bincount(segments.ids, minlength=segments.count)
    missing = segments.size - stored
    kept = tuple(n for a, n in enumerate(x.pattern.shape) if a not in axes)
    if missing.any() and not (name == "reduce_sum" and is_zero(raw_fill(x))):
        out = _with_fill(name, out, fill, missing, stored)
    if not segments.size:
        out = jnp.full_like(out, _of_nothing(name, x.dtype))
    if segments.pattern is None:
        return out.reshape(*x.data.shape[:-1], *kept)
    constant = raw_fill(x)
    if isinstance(constant, Constant):
        return unchecked(out, segments.pattern, _repeated_fill(name, constant, segments.size))
    counts = np.full(1, segments.size)
    none = _of_nothing(name, x.dtype)
    unstored = _with_fill(name, jnp.full((*fill.shape, 1), none, x.dtype), fill, counts, 0 * counts)
    return unchecked(out, segments.pattern, unstored[..., 0])


def _with_fill(name: str, out: Any, fill: Any, missing: Any, stored: Any) -> Any:
    """Combines what the stored entries give with the fills of the others."""
    reduction = REDUCTIONS[name]
    fills = reduction.repeat(fill[..., None], np.maximum(missing, 1))
    both = reduction.combine(out, fills.astype(out.dtype))
    both = jnp.where(stored == 0, jnp.broadcast_to(fills, both.shape).astype(out.dtype), both)
    return jnp.where(missing > 0, both, out)


def _repeated_fill(name: str, fill: Constant, count: int) -> Constant:
    """What a reduction gives where nothing is stored."""
    if not count:
        return Constant(_of_nothing(name, fill.value.dtype))
    with np.errstate(all="ignore"):
        many = REDUCTIONS[name].repeat(fill.value, count)
    return Constant.of(many, fill.value.dtype)


def _of_nothing(name: str, dtype: Any) -> Any:
    """What JAX has a reduction of no entries give: for complex numbers a real one."""
    none = np.asarray(REDUCTIONS[name].identity(dtype)).astype(dtype)
    return none.real.astype(dtype) if dtype.kind == "c" else none


class _Group:
    """Which segment each entry belongs to, when axes are reduced."""

    def __init__(self, ids: Any, count: int, size: int, pattern: Pattern | None) -> None:
        self.ids, self.count, self.size, self.pattern = ids, count, size, pattern


def group(pattern: Pattern, axes: tuple[int, ...]) -> _Group:
    """The segments of a reduction over axes: one for each place of the result that has any."""
    kept = [a for a in range(pattern.ndim) if a not in axes]
    shape = tuple(pattern.shape[a] for a in kept)
    size = int(np.prod([pattern.shape[a] for a in axes], dtype=np.int64))

    def make() -> Any:
        indices = [pattern.indices[a].astype(np.int64) for a in kept]
        places = linearize(indices, shape) if kept else np.zeros(pattern.nnz, np.int64)
        if len(kept) < 2:
            return places.astype(np.int32), None
        stored, ids = np.unique(places, return_inverse=True)
        return ids.astype(np.int32), from_linear(stored, shape)

    ids, out = planned(("reduce", pattern, axes), make)
    return _Group(ids, int(np.prod(shape)) if out is None else out.nnz, size, out)


@rule("argmax", "argmin")
def _argmax_sparse(x: Sparse, *, axes: Any, index_dtype: Any, primitive: Any, **params: Any) -> Any:
    """The first of the extreme entries, stored or not; dense."""
    (axis,) = axes
    if x.dtype.kind == "c":
        raise Unstructured  # JAX has none of complex numbers, and says so
    x = absorb(x)
    fill = jnp.asarray(x.fill, x.dtype)
    name = "reduce_max" if str(primitive) == "argmax" else "reduce_min"
    segments = group(x.pattern, (axis,))
    n = x.shape[axis]
    kept = tuple(m for a, m in enumerate(x.shape) if a != axis)
    first_free = planned(("free", x.pattern, axis), lambda: _first_free(x.pattern, axis, segments))
    out = first_of(name, x.data, segments, x.pattern.indices[axis], fill, first_free, n)
    out = out.astype(index_dtype)
    if segments.pattern is None:
        return out.reshape(kept)
    dense = jnp.zeros(kept, index_dtype)
    return dense.at[segments.pattern.indices].set(out)


def _first_free(pattern: Pattern, axis: int, segments: _Group) -> Any:
    """For each segment the first place along the axis that is not stored, or the size."""
    order = np.lexsort((pattern.indices[axis], segments.ids))
    ids, at = segments.ids[order], pattern.indices[axis][order]
    starts = np.searchsorted(ids, np.arange(segments.count))
    rank = np.arange(len(ids)) - starts[ids]
    gap = at != rank  # the first entry whose place is further than its rank leaves one free
    counts = np.bincount(ids, minlength=segments.count)
    out = counts.copy()
    np.minimum.at(out, ids[gap], rank[gap])
    return out.astype(np.int32)
