"""Entries at traced places: searched for among the sorted ones, by bisection."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from ._pattern import Pattern
from ._plans import planned
from ._structure import Unstructured
from ._value import Sparse

_MOST = 2**31 - 1

NOT_STORED = (
    "`x.at[...]` of a sparse array changes a place that is not stored, found while the program"
    " runs.\nStore it first: outside of `quaxify`, `x.at[index]` with a known index does; so does"
    " adding an array that has the place."
)


def look_up(x: Sparse, places: list[Any]) -> Any:
    """The entries of `x` at traced places, one array of indices for each axis, of one shape.

    Costs a bisection for each: as many steps as the logarithm of the longest row has.
    """
    if not x.pattern.nnz or not places[0].size:
        return jnp.broadcast_to(jnp.asarray(x.fill, x.dtype), places[0].shape)
    entry, stored = find(x.pattern, places)
    return jnp.where(stored, x.data.at[entry].get(mode="promise_in_bounds"), x.fill)


def find(pattern: Pattern, places: list[Any]) -> tuple[Any, Any]:
    """Which entry is at each place, and whether there is one."""
    split, starts, rest, steps = planned(("search", pattern), lambda: _prepare(pattern))
    row: Any = jnp.zeros((), jnp.int32)
    for i, n in zip(places[:split], pattern.shape[:split], strict=True):
        row = row * n + i
    col: Any = jnp.zeros((), jnp.int32)
    for i, n in zip(places[split:], pattern.shape[split:], strict=True):
        col = col * n + i
    shape = places[0].shape
    starts, rest = jnp.asarray(starts), jnp.asarray(rest)
    low = jnp.broadcast_to(starts[row], shape)
    end = high = jnp.broadcast_to(starts[row + 1], shape)
    for _ in range(steps):  # the first entry of the row that is not left of `col`
        middle = (low + high) // 2
        right = rest[jnp.minimum(middle, pattern.nnz - 1)] < col
        open_ = low < high
        low = jnp.where(open_ & right, middle + 1, low)
        high = jnp.where(open_ & ~right, middle, high)
    entry = jnp.minimum(low, pattern.nnz - 1)
    return entry, (low < end) & (rest[entry] == col)


def _prepare(pattern: Pattern) -> tuple[int, Any, Any, int]:
    """Divides the axes into those of rows, which are counted, and those searched in a row."""
    sizes = pattern.shape
    split = 1 if len(sizes) > 1 else 0
    while split < len(sizes) and np.prod([float(n) for n in sizes[split:]]) > _MOST:
        split += 1
    rows = int(np.prod([float(n) for n in sizes[:split]]))
    if rows > 2**26:
        raise Unstructured
    width = int(np.prod(sizes[split:], dtype=np.int64))
    row, rest = np.divmod(pattern.linear, max(width, 1))
    counts = np.bincount(row, minlength=rows)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    steps = int(counts.max(initial=0)).bit_length()
    return split, starts, rest.astype(np.int32), steps
