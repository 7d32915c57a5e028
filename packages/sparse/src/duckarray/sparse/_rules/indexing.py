"""Picking entries: at places that are known a plan finds them, at traced ones a search does."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind
from duckarray.core.extend import extremes
from duckarray.sparse._fill import Constant
from duckarray.sparse._lookup import look_up
from duckarray.sparse._plans import Moved, planned, sorted_entries
from duckarray.sparse._structure import (
    Unstructured,
    absorb,
    check_size,
    concrete,
    constant_fill,
    finished,
    rule,
)
from duckarray.sparse._value import Sparse, raw_fill, take


@rule("dynamic_slice")
def _dynamic_slice_sparse(x: Sparse, *starts: ArrayLike, slice_sizes: Any, **params: Any) -> Any:
    """A slice, if it is known where; else the entries of the block are searched for."""
    known = [
        0 if n == size else concrete(s)
        for s, n, size in zip(starts, x.shape, slice_sizes, strict=True)
    ]
    if all(s is not None for s in known):
        low = [
            int(np.clip(s, 0, n - size))
            for s, n, size in zip(known, x.shape, slice_sizes, strict=True)
        ]
        high = [s + size for s, size in zip(low, slice_sizes, strict=True)]
        bounds = {"start_indices": tuple(low), "limit_indices": tuple(high), "strides": None}
        return bind(lax.slice_p, x, **bounds)
    x = absorb(x)
    at = []
    for axis, (s, n, size) in enumerate(zip(starts, x.shape, slice_sizes, strict=True)):
        start = jnp.clip(jnp.asarray(s, jnp.int32), 0, n - size)
        at.append(start + lax.broadcasted_iota(jnp.int32, tuple(slice_sizes), axis))
    return look_up(x, at)


@rule("gather")
def _gather_sparse(
    x: Sparse,
    indices: ArrayLike,
    *,
    dimension_numbers: Any,
    slice_sizes: Any,
    mode: Any,
    fill_value: Any,
    **params: Any,
) -> Any:
    """What is picked at known places is sparse, unless it is single entries; else dense."""
    x = absorb(x)
    known = concrete(indices)
    filling = "FILL" in str(mode)
    picks = _Picks(x.shape, dimension_numbers, tuple(slice_sizes), not filling)
    if known is not None and picks.whole:
        out = _gather_known(x, known, picks, fill_value)
        if out is not None:
            return out
    at, inside = picks.places(jnp.asarray(indices))
    out = look_up(x, at)
    if not filling or inside is None:
        return out
    return jnp.where(inside, out, _missing(fill_value, x.dtype))


def _missing(fill_value: Any, dtype: Any) -> Any:
    """What is picked where there is nothing."""
    if fill_value is not None:
        return jnp.asarray(fill_value, dtype)
    if jnp.issubdtype(dtype, jnp.inexact):
        return jnp.asarray(jnp.nan, dtype)
    least, greatest = extremes(dtype)
    return jnp.asarray(least if jnp.issubdtype(dtype, jnp.signedinteger) else greatest)


class _Picks:
    """The parameters of a gather: which axes are picked from, which are taken whole."""

    def __init__(self, shape: Any, numbers: Any, sizes: tuple[int, ...], clip: bool) -> None:
        self.shape, self.numbers, self.sizes, self.clip = tuple(shape), numbers, sizes, clip
        gone = {*numbers.collapsed_slice_dims, *getattr(numbers, "operand_batching_dims", ())}
        self.offsets = [d for d in range(len(self.shape)) if d not in gone]
        self.whole = [
            d
            for d in self.offsets
            if sizes[d] == self.shape[d]
            and not (self.shape[d] == 1 and d in numbers.start_index_map)
        ]
        self.picked = [d for d in range(len(self.shape)) if d not in self.whole]

    def output(self, picks: tuple[int, ...]) -> tuple[tuple[int, ...], list[int], list[int]]:
        """The shape of the result, which axes are of the picks, and which of the slices."""
        of_slices = list(self.numbers.offset_dims)
        ndim = len(picks) + len(of_slices)
        of_picks = [d for d in range(ndim) if d not in of_slices]
        shape = [0] * ndim
        for d, n in zip(of_picks, picks, strict=True):
            shape[d] = n
        for d, axis in zip(of_slices, self.offsets, strict=True):
            shape[d] = self.sizes[axis]
        return tuple(shape), of_picks, of_slices

    def starts(self, indices: Any, xp: Any) -> tuple[dict[int, Any], Any]:
        """Where slices start, for each axis picked from, and whether they are inside."""
        numbers = self.numbers
        out: dict[int, Any] = {}
        inside = None
        for k, d in enumerate(numbers.start_index_map):
            start, most = indices[..., k], self.shape[d] - self.sizes[d]
            if self.clip:
                start = xp.clip(start, 0, most)
            else:
                ok = (start >= 0) & (start <= most)
                inside = ok if inside is None else inside & ok
                start = xp.where(ok, start, 0)
            out[d] = start
        batching = getattr(numbers, "operand_batching_dims", ())
        of_indices = getattr(numbers, "start_indices_batching_dims", ())
        for d, axis in zip(batching, of_indices, strict=True):
            shape = indices.shape[:-1]
            counted = xp.arange(shape[axis]).reshape(
                [shape[axis] if i == axis else 1 for i in range(len(shape))]
            )
            out[d] = xp.broadcast_to(counted, shape)
        return out, inside

    def places(self, indices: Any) -> tuple[list[Any], Any]:
        """For each axis of the operand where each entry of the result is from."""
        shape, of_picks, of_slices = self.output(indices.shape[:-1])
        starts, inside = self.starts(indices.astype(jnp.int32), jnp)

        def spread(a: Any) -> Any:
            return lax.broadcast_in_dim(a, shape, of_picks)

        at = []
        for d in range(len(self.shape)):
            place: Any = spread(starts[d]) if d in starts else jnp.zeros(shape, jnp.int32)
            if d in self.offsets:
                axis = of_slices[self.offsets.index(d)]
                place = place + lax.broadcasted_iota(jnp.int32, shape, axis)
            at.append(place)
        return at, None if inside is None else spread(inside)


def _gather_known(x: Sparse, indices: Any, picks: _Picks, fill_value: Any) -> Any:
    """Finds the entries in each pick, on the host; None where something outside is picked."""
    pattern, fill = x.pattern, constant_fill(x)
    key = (
        "gather",
        pattern,
        picks.numbers,
        picks.sizes,
        picks.clip,
        indices.tobytes(),
        indices.shape,
        str(indices.dtype),
    )

    def make() -> Any:
        starts, inside = picks.starts(indices.astype(np.int64), np)
        outside = inside is not None and not inside.all()
        return (*_joined(pattern, picks, starts, indices.shape[:-1], inside), outside)

    moved_pattern, source, outside = planned(key, make)
    if outside:
        missing = np.asarray(_constant(_missing(fill_value, x.dtype)))
        if Constant(missing) != fill:
            return None
    return finished(take(x.data, source), moved_pattern, raw_fill(x))


def _constant(x: Any) -> Any:
    out = concrete(x)
    if out is None:
        raise Unstructured
    return out


def _joined(pattern: Any, picks: _Picks, starts: Any, shape: Any, inside: Any) -> Moved:
    """Pairs of a pick and an entry in it, and where such entries go."""
    windows = [picks.sizes[d] for d in picks.picked]
    offsets = np.indices(windows).reshape(len(windows), -1)
    n = int(np.prod(shape, dtype=np.int64))
    key_shape = [picks.shape[d] for d in picks.picked]
    wanted: Any = np.zeros((n, offsets.shape[1] if len(windows) else 1), np.int64)
    for k, d in enumerate(picks.picked):
        start = starts.get(d)
        base = np.zeros(n, np.int64) if start is None else np.asarray(start, np.int64).reshape(-1)
        wanted = wanted * key_shape[k] + base[:, None] + offsets[k]
    stored: Any = np.zeros(pattern.nnz, np.int64)
    for k, d in enumerate(picks.picked):
        stored = stored * key_shape[k] + pattern.indices[d]
    order = np.argsort(stored, kind="stable")
    low = np.searchsorted(stored[order], wanted.reshape(-1), "left")
    high = np.searchsorted(stored[order], wanted.reshape(-1), "right")
    if inside is not None:
        high = np.where(np.repeat(inside.reshape(-1), wanted.shape[1]), high, low)
    counts = high - low
    check_size(int(counts.sum()))
    which = np.repeat(np.arange(len(counts)), counts)
    begin = np.repeat(low - (np.cumsum(counts) - counts), counts)
    entry = order[begin + np.arange(len(which))]
    out_shape, of_picks, of_slices = picks.output(shape)
    pick, window = np.divmod(which, wanted.shape[1])
    place: list[Any] = [None] * len(out_shape)
    for d, i in zip(of_picks, np.unravel_index(pick, shape) if shape else (), strict=True):
        place[d] = i
    for d, axis in zip(of_slices, picks.offsets, strict=True):
        if axis in picks.whole:
            place[d] = pattern.indices[axis]
            place[d] = place[d][entry]
        else:
            place[d] = offsets[picks.picked.index(axis)][window]
    linear: Any = np.zeros(len(entry), np.int64)
    for i, size in zip(place, out_shape, strict=True):
        linear = linear * size + i
    return sorted_entries(linear, entry, out_shape, pattern.nnz)
