"""Where the array is that a value stands for: the leaves answer, outside `quaxify` and inside it.

Where a transform of JAX stands between, they say what JAX always says.
"""

from collections.abc import Callable
from typing import Any

import jax
from jax import tree_util as jtu
from jax.core import Tracer

from ._computed import computed

_NO_SHARDING = """the array that {value} stands for has no sharding of its own: its leaves are \
placed differently, or split along axes of their own.
Ask for that of its leaves, `value_of(x)`, or make it dense first: `materialize(x).sharding`."""

_NO_SHARDS = """what one device holds of {value} stands for no part of the array by itself: its \
leaves are split, and it is no array in a wrapper.
Ask its leaves, `jax.tree.leaves(value_of(x))`, or make it dense first: `materialize(x)`."""

_NOT_OF_VALUES = """`{name}` is not there for {value}: {reason}"""

_OF_A_BUFFER = """it is about one buffer, and a value may be stored in several.
Ask its leaves: `[leaf.{name} for leaf in jax.tree.leaves(value_of(x))]`."""

_DEPRECATED = "JAX has deprecated it.\nTake `x.addressable_data(0)`, or `x.addressable_shards`."

# What an array of JAX has and a value does not, with the reason.
NOT_OF_VALUES = {
    "clone": _OF_A_BUFFER,
    "device_buffer": _DEPRECATED,
    "device_buffers": _DEPRECATED,
    "flat": "arrays of JAX refuse it too.\nTake `x.ravel()`, and `x.at[...]` to change entries.",
    "format": _OF_A_BUFFER,
    "on_device_size_in_bytes": _OF_A_BUFFER,
    "platform": _OF_A_BUFFER,
    "traceback": _OF_A_BUFFER,
    "unsafe_buffer_pointer": _OF_A_BUFFER,
    "unsafe_raw_buffer": _OF_A_BUFFER,
}


def _value_of(x: Any) -> Any:
    return x.value if isinstance(x, Tracer) else x


def _arrays(x: Any) -> list[jax.Array]:
    return [leaf for leaf in jtu.tree_leaves(_value_of(x)) if isinstance(leaf, jax.Array)]


def _shape(x: Any) -> Any:
    aval: Any = x.aval if isinstance(x, Tracer) else x.aval()
    return aval.shape


class Placed:
    """The questions, as of an array; a base of values, and of the tracer that stands for one."""

    __slots__ = ()

    def devices(self) -> set[jax.Device]:
        """The devices that leaves are on."""
        return set().union(*[x.devices() for x in _arrays(self)])

    def is_deleted(self) -> bool:
        """Whether a leaf is deleted, as by donating it."""
        return any(x.is_deleted() for x in _arrays(self))

    def is_ready(self) -> bool:
        """Whether all leaves have been computed."""
        return all(x.is_ready() for x in _arrays(self))  # type: ignore[attr-defined]

    def delete(self) -> None:
        """Deletes all leaves."""
        for x in _arrays(self):
            x.delete()

    def copy_to_host_async(self) -> None:
        """Begins to copy all leaves to the host."""
        for x in _arrays(self):
            x.copy_to_host_async()

    @computed
    def committed(self) -> bool:
        """Whether a leaf stays where it is, rather than following other operands."""
        return any(x.committed for x in _arrays(self))

    @computed
    def is_fully_addressable(self) -> bool:
        """Whether this process can read all leaves."""
        return all(x.is_fully_addressable for x in _arrays(self))

    @computed
    def is_fully_replicated(self) -> bool:
        """Whether each device that has leaves has all of each."""
        return all(x.is_fully_replicated for x in _arrays(self))

    @computed
    def device(self) -> Any:
        """The device of all leaves, or the sharding if they are on several; None without leaves."""
        places = {x.device for x in _arrays(self)}
        if not places:
            return None
        only = next(iter(places))
        return only if len(places) == 1 and isinstance(only, jax.Device) else self.sharding

    @computed
    def sharding(self) -> jax.sharding.Sharding:
        """How the array is spread over devices, where leaves that are spread are of its shape.

        Raises:
            AttributeError: if the leaves do not say.
        """
        arrays = _arrays(self)
        found = {x.sharding for x in arrays}
        if len(found) == 1:
            (sharding,) = found
            shape = _shape(self)
            if sharding.is_fully_replicated or all(x.shape == shape for x in arrays):
                return sharding
        raise AttributeError(_NO_SHARDING.format(value=type(_value_of(self)).__name__))

    def addressable_data(self, index: int) -> Any:
        """What the device number `index` holds, as a value.

        Raises:
            AttributeError: if that stands for no part of the array.
        """
        return _part(self, lambda x: x.addressable_data(index))

    @computed
    def global_shards(self) -> list[jax.Shard]:
        """What each device holds; `data` is a value, or None on devices of other processes.

        Raises:
            AttributeError: if that stands for no part of the array.
        """
        sharding, shape = self.sharding, _shape(self)
        first = _arrays(self)[0]
        here = {
            shard.device: _part(self, lambda x, i=i: x.addressable_shards[i].data)  # type: ignore[misc]
            for i, shard in enumerate(first.addressable_shards)
        }
        return [
            jax.Shard(s.device, sharding, shape, here.get(s.device)) for s in first.global_shards
        ]

    @computed
    def addressable_shards(self) -> list[jax.Shard]:
        """What each device of this process holds; `data` is a value.

        Raises:
            AttributeError: if that stands for no part of the array.
        """
        return [shard for shard in self.global_shards if shard.data is not None]


def _part(x: Placed, of: Callable[[jax.Array], jax.Array]) -> Any:
    """The value with a part of each leaf, where that stands for the same part of the array."""
    value = _value_of(x)
    if not x.sharding.is_fully_replicated and not _is_wrapper(value):
        raise AttributeError(_NO_SHARDS.format(value=type(value).__name__))
    return jtu.tree_map(lambda leaf: of(leaf) if isinstance(leaf, jax.Array) else leaf, value)


def _is_wrapper(value: Any) -> bool:
    """Whether it is one array with something said about it, so that a part of that is a part."""
    children = jtu.tree_leaves(value, is_leaf=lambda x: x is not value)
    return bool(value.leaf_linear) and len(children) == 1 and isinstance(children[0], jax.Array)


def _refused(name: str) -> Any:
    """The property in the place of an attribute among `NOT_OF_VALUES`."""
    reason = NOT_OF_VALUES[name].format(name=name)

    def refuse(self: Any) -> Any:
        value = _value_of(self)
        text = _NOT_OF_VALUES.format(name=name, value=type(value).__name__, reason=reason)
        raise AttributeError(text, name=name, obj=value)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Is not there: {reason}"
    return computed(refuse)


for _name in NOT_OF_VALUES:
    setattr(Placed, _name, _refused(_name))
