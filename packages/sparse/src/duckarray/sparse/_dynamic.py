"""`DynamicPattern`: places that are computed, in arrays of a fixed capacity."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._checked import checked_shape
from ._fill import Constant

_CAPACITY = """`DynamicPattern(capacity={capacity!r})` takes the largest number of entries there \
may be.
Pass a non-negative integer that is known while tracing."""

_UNFILLED = """`{method}` of a `DynamicPattern` that has no indices yet.
Give it some: `DynamicPattern({capacity}).coo(rows, cols, shape)`."""

_TOO_MANY = """`DynamicPattern({capacity}).coo(...)` was given {given} indices.
Make it as large: `DynamicPattern({given})`."""

_SIZE = """`DynamicPattern(...).coo(..., shape={shape})` has more places than 32 bits can count.
Use a `Pattern`, made on the host."""

EXCEEDED = "an array has more entries than its `DynamicPattern` of capacity {capacity} can hold"


@jax.tree_util.register_pytree_with_keys_class
class DynamicPattern:
    """Room for the places of at most `capacity` entries, which may be traced.

    Places that are not used come last and have the shape as their index. Operations on arrays with
    such a pattern sort, at every call; those with a `Pattern` do so once. What has no sorted form
    here is made dense, as `materialization` permits.

    Args:
        capacity: the number of entries there is room for.

    Raises:
        ValueError: if it is not a non-negative integer.

    Attributes:
        capacity: the number of entries there is room for.
        indices: for each axis an `int32[capacity]`, or None before `coo` gives them.
        count: how many there are, `int32[]`.
        shape: the shape of the array.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import materialize, quaxify
        >>> from duckarray.sparse import DynamicPattern, from_dense
        >>> @jax.jit
        ... def double(x):
        ...     sparse = from_dense(x, pattern=DynamicPattern(2))  # where x is not zero, traced
        ...     return sparse * 2
        >>> out = double(jnp.array([[0.0, 3.0], [0.0, 0.0]]))
        >>> out.pattern.count
        Array(1, dtype=int32)
        >>> materialize(out)
        Array([[0., 6.],
               [0., 0.]], dtype=float32)
    """

    def __init__(self, capacity: int) -> None:
        given: Any = capacity
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
            raise ValueError(_CAPACITY.format(capacity=capacity))
        self.capacity = int(capacity)
        self.indices: Any = None
        self.count: Any = None
        self.shape: tuple[int, ...] = ()

    def coo(self, *indices: Any, shape: Any = None) -> "DynamicPattern":
        """This much room with places in it; they need not be sorted, and may be traced.

        Data for it is in the order of the sorted places: `pattern.sort(data, *indices)` sorts both.

        Args:
            *indices: one vector for each axis, of at most `capacity` entries. Those outside of the
                shape are places that are not used.
            shape: the shape; it may also be the last positional argument.
        """
        if shape is None:
            *given, shape = indices
        else:
            given = list(indices)
        return self.sort(jnp.zeros(jnp.asarray(given[0]).shape), *given, shape=shape)[1]

    def sort(self, data: Any, *indices: Any, shape: Any) -> tuple[Any, "DynamicPattern"]:
        """Data and places in the order of the places; data of equal places is summed.

        Raises:
            ValueError: if there are more than `capacity`, or places cannot be counted.
        """
        shape = checked_shape(shape, "DynamicPattern.coo", len(indices))
        n = int(np.prod(shape, dtype=np.int64)) if shape else 1
        if np.prod([float(s) for s in shape]) > 2**31 - 2:
            raise ValueError(_SIZE.format(shape=shape))
        given = data.shape[-1]
        if given > self.capacity:
            raise ValueError(_TOO_MANY.format(capacity=self.capacity, given=given))
        key: Any = jnp.zeros(given, jnp.int32)
        inside: Any = jnp.ones(given, bool)
        for x, size in zip(indices, shape, strict=True):
            x = jnp.asarray(x, jnp.int32)
            inside &= (x >= 0) & (x < size)
            key = key * size + x
        key = jnp.where(inside, key, n)
        room = self.capacity - given
        key = jnp.concatenate([key, jnp.full(room, n, jnp.int32)])
        data = jnp.concatenate([data, jnp.zeros((*data.shape[:-1], room), data.dtype)], -1)
        return _merged(key, data, shape, self.capacity)

    @property
    def nnz(self) -> int:
        """The capacity: how many entries the data has."""
        return self.capacity

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries of the whole array."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def used(self) -> Any:
        """Which of the places are used, `bool[capacity]`."""
        if self.indices is None:
            raise ValueError(_UNFILLED.format(method="used", capacity=self.capacity))
        return jnp.arange(self.capacity) < self.count

    def spread(self, data: Any, fill: Any) -> Any:
        """The dense array with `data` at these places and `fill` elsewhere."""
        if self.indices is None:
            raise ValueError(_UNFILLED.format(method="materialize", capacity=self.capacity))
        batch = data.shape[:-1]
        fill = jnp.asarray(fill, data.dtype)
        fill = fill.reshape(*fill.shape, *[1] * self.ndim)
        out = jnp.broadcast_to(fill, (*batch, *self.shape))
        return out.at[(..., *self.indices)].set(data, mode="drop")

    def tree_flatten_with_keys(self) -> Any:
        keys = jax.tree_util.GetAttrKey
        children = ((keys("indices"), self.indices), (keys("count"), self.count))
        return children, (self.capacity, self.shape)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> "DynamicPattern":
        """The inverse of flattening, as JAX asks for it."""
        self = object.__new__(cls)
        self.capacity, self.shape = aux
        self.indices, self.count = children
        return self

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"DynamicPattern({self.capacity}{', ' + shape if shape else ''})"


def dynamic(indices: Any, count: Any, shape: tuple[int, ...]) -> DynamicPattern:
    """A pattern of places that are sorted and unique."""
    return DynamicPattern.tree_unflatten((indices[0].shape[0], shape), (tuple(indices), count))


def found_in(dense: Any, capacity: int, fill: Constant) -> tuple[Any, DynamicPattern]:
    """Where a dense array is not its fill, and the entries there; more than `capacity` fail."""
    differs = dense != jnp.asarray(fill.value)
    if fill.value != fill.value:
        differs = dense == dense
    count = jnp.sum(differs, dtype=jnp.int32)
    text = EXCEEDED.format(capacity=capacity)
    differs = eqx.error_if(differs, count > capacity, text)
    indices = jnp.nonzero(differs, size=capacity, fill_value=dense.shape)
    data = dense.at[indices].get(mode="fill", fill_value=0)
    return data, dynamic([i.astype(jnp.int32) for i in indices], count, dense.shape)


def _merged(key: Any, data: Any, shape: Any, capacity: int) -> tuple[Any, DynamicPattern]:
    """Sorted by one integer key, which is faster than by several; equal keys are summed."""
    n = int(np.prod(shape, dtype=np.int64))
    order = jnp.argsort(key, stable=True)
    key, data = key[order], data[..., order]
    first = jnp.concatenate([jnp.ones(1, bool), key[1:] != key[:-1]])[:capacity] & (key < n)
    place = jnp.where(key < n, jnp.cumsum(first) - 1, capacity)
    merged = jnp.zeros_like(data).at[..., place].add(data, mode="drop")
    keys = jnp.full(capacity, n, jnp.int32).at[place].set(key, mode="drop")
    indices = []
    rest = keys
    for size in reversed(shape):
        indices.append(jnp.where(keys < n, rest % max(size, 1), size).astype(jnp.int32))
        rest = lax.div(rest, jnp.int32(max(size, 1)))
    count = jnp.sum(first, dtype=jnp.int32)
    return merged, dynamic(indices[::-1], count, tuple(shape))
