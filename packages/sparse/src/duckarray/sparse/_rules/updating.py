"""`x.at[...]`: entries changed, or added to the pattern, at places that are known."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from duckarray.sparse._lookup import NOT_STORED, find
from duckarray.sparse._pattern import from_linear, unlinearize
from duckarray.sparse._plans import planned
from duckarray.sparse._structure import Unstructured, absorb, as_sparse, concrete, rule
from duckarray.sparse._value import Sparse, raw_fill, unchecked, values_at

_METHODS = {
    "scatter": "set",
    "scatter-add": "add",
    "scatter-mul": "multiply",
    "scatter-min": "min",
    "scatter-max": "max",
}
_MOST_UPDATES = 2**24


@rule("scatter", "scatter-add", "scatter-mul", "scatter-min", "scatter-max")
def _scatter_sparse_dense(
    x: Sparse,
    indices: ArrayLike,
    updates: Sparse | ArrayLike,
    *,
    dimension_numbers: Any,
    mode: Any,
    primitive: Any,
    **params: Any,
) -> Any:
    """Changes stored entries; places that are not stored join the pattern."""
    known = concrete(indices)
    if isinstance(updates, Sparse):
        raise Unstructured
    if str(primitive) == "scatter" and params["update_jaxpr"] is not None:
        raise Unstructured  # `x.at[i].apply(f)`, where the updates are zeros that nobody reads
    x = absorb(x)
    updates = jnp.asarray(updates)
    if known is None:
        indices = jnp.asarray(indices)
        return _at_traced(x, indices, updates, dimension_numbers, str(mode), str(primitive))
    target, places, chosen = _where(x, known, updates.shape, dimension_numbers, str(mode))
    data = values_at(x, target)
    at = data.at[places]
    value = updates.reshape(-1)
    value = value if chosen is None else value[chosen]
    name = str(primitive)
    out = getattr(at, _METHODS[name])(value, mode="promise_in_bounds")
    return unchecked(out, target, raw_fill(x))


def _at_traced(x: Sparse, indices: Any, updates: Any, numbers: Any, mode: str, name: str) -> Sparse:
    """Searches for the places; one that is not stored is an error, when it happens."""
    if not updates.size:
        return x
    places, inside = _places(x.shape, indices, updates.shape, numbers, mode, jnp)
    if not x.nnz:
        data = eqx.error_if(x.data, jnp.any(inside), NOT_STORED)
        return unchecked(data, x.pattern, raw_fill(x))
    entry, stored = find(x.pattern, [jnp.where(inside, p, 0) for p in places])
    data = eqx.error_if(x.data, jnp.any(inside & ~stored), NOT_STORED)
    at = data.at[jnp.where(inside & stored, entry, x.nnz).reshape(-1)]
    out = getattr(at, _METHODS[name])(updates.reshape(-1), mode="drop")
    return unchecked(out, x.pattern, raw_fill(x))


def _places(
    shape: Any, indices: Any, of_updates: Any, numbers: Any, mode: str, xp: Any
) -> tuple[list[Any], Any]:
    """For each axis where each of the updates goes, and whether that is anywhere."""
    windows = list(numbers.update_window_dims)
    of_picks = [d for d in range(len(of_updates)) if d not in windows]
    gone = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    offsets = [d for d in range(len(shape)) if d not in gone]
    size = dict.fromkeys(range(len(shape)), 1)
    for d, axis in zip(offsets, windows, strict=True):
        size[d] = of_updates[axis]

    def spread(a: Any) -> Any:
        kept = [1] * len(of_updates)
        for d, n in zip(of_picks, a.shape, strict=True):
            kept[d] = n
        return xp.broadcast_to(a.reshape(kept), of_updates)

    def count(axis: int) -> Any:
        kept = [1] * len(of_updates)
        kept[axis] = of_updates[axis]
        return xp.arange(of_updates[axis]).reshape(kept)

    place: list[Any] = [xp.zeros(of_updates, int) for _ in shape]
    inside = xp.ones(of_updates, bool)
    for k, d in enumerate(numbers.scatter_dims_to_operand_dims):
        start = spread(indices[..., k])
        if "CLIP" in mode:
            start = xp.clip(start, 0, shape[d] - size[d])
        inside &= (start >= 0) & (start <= shape[d] - size[d])
        place[d] = place[d] + start
    of_indices = numbers.scatter_indices_batching_dims
    for d, axis in zip(numbers.operand_batching_dims, of_indices, strict=True):
        place[d] = place[d] + count(of_picks[axis])
    for d, axis in zip(offsets, windows, strict=True):
        place[d] = place[d] + count(axis)
    return place, inside


@rule("dynamic_update_slice")
def _dynamic_update_slice_sparse(
    x: Sparse, update: Sparse | ArrayLike, *starts: ArrayLike, **params: Any
) -> Any:
    """Replaces a block at a known place: its entries are those of `update`."""
    known = [concrete(s) for s in starts]
    if any(s is None for s in known):
        raise Unstructured
    x = absorb(x)
    block = absorb(as_sparse(update))
    if isinstance(update, Sparse) and block.fill_constant != x.fill_constant:
        raise Unstructured
    shape = x.pattern.shape
    sizes = block.pattern.shape
    if x.fill_constant is None or block.pattern.nnz > _MOST_UPDATES:
        raise Unstructured
    low = tuple(int(np.clip(s, 0, n - m)) for s, n, m in zip(known, shape, sizes, strict=True))

    def make() -> Any:
        inside = np.ones(x.pattern.nnz, bool)
        for i, start, m in zip(x.pattern.indices, low, sizes, strict=True):
            inside &= (i >= start) & (i < start + m)
        linear: Any = np.zeros(block.pattern.nnz, np.int64)
        for i, start, n in zip(block.pattern.indices, low, shape, strict=True):
            linear = linear * n + i + start
        kept = x.pattern.linear[~inside]
        target = from_linear(np.union1d(kept, linear), shape)
        return (
            target,
            np.flatnonzero(~inside).astype(np.int32),
            np.searchsorted(target.linear, kept).astype(np.int32),
            np.searchsorted(target.linear, linear).astype(np.int32),
        )

    key = ("update", x.pattern, block.pattern, low)
    target, source, of_x, of_block = planned(key, make)
    data = jnp.zeros(target.nnz, x.dtype)
    data = data.at[of_x].set(x.data[source], mode="promise_in_bounds")
    data = data.at[of_block].set(block.data, mode="promise_in_bounds")
    return unchecked(data, target, x.fill_constant)


@rule("scatter-add")
def _scatter_add_dense_sparse(
    x: ArrayLike,
    indices: ArrayLike,
    updates: Sparse,
    *,
    dimension_numbers: Any,
    mode: Any,
    **params: Any,
) -> Any:
    """Adds the stored entries: the others are zero."""
    known = concrete(indices)
    updates = absorb(updates)
    if known is None or updates.fill_constant is None or not updates.fill_constant.is_zero:
        raise Unstructured
    x = jnp.asarray(x)
    linear, kept = _targets(
        x.shape, known, updates.shape, dimension_numbers, str(mode), updates.pattern.linear
    )
    at = tuple(np.asarray(i, np.int32) for i in unlinearize(linear, x.shape))
    return x.at[at].add(updates.data[kept], mode="promise_in_bounds")


def _where(x: Sparse, indices: Any, shape: Any, numbers: Any, mode: str) -> Any:
    """The pattern with the changed places, where these are in it, and which updates count."""
    count = int(np.prod(shape, dtype=np.int64))
    if count > _MOST_UPDATES or x.fill_constant is None:
        raise Unstructured
    key = ("scatter", x.pattern, shape, numbers, mode, indices.tobytes(), indices.shape)

    def make() -> Any:
        linear, kept = _targets(x.shape, indices, shape, numbers, mode, np.arange(count))
        target = from_linear(np.union1d(x.pattern.linear, linear), x.pattern.shape)
        places = np.searchsorted(target.linear, linear).astype(np.int32)
        return target, places, None if len(kept) == count else kept.astype(np.int32)

    return planned(key, make)


def _targets(
    shape: Any, indices: Any, of_updates: Any, numbers: Any, mode: str, updates: Any
) -> tuple[Any, Any]:
    """Where updates, counted through their array, go; and which of them go anywhere."""
    place, inside = _places(shape, indices.astype(np.int64), of_updates, numbers, mode, np)
    linear: Any = np.zeros(of_updates, np.int64)
    for i, n in zip(place, shape, strict=True):
        linear = linear * n + i
    linear, inside = linear.reshape(-1)[updates], inside.reshape(-1)[updates]
    return linear[inside], np.flatnonzero(inside)
