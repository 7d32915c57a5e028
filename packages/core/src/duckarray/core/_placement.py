"""Where a value is, asked of what stands for it inside `quaxify`: the leaves answer.

Where they are not at hand, because a transform of JAX stands between, JAX says what it always says.
"""

from typing import Any

import jax
from jax import tree_util as jtu
from jax.core import Tracer

_NO_SHARDING = """the array that {value} stands for has no sharding of its own: its leaves are \
placed differently, or split along axes of their own.
Ask for that of its leaves, `value_of(x)`, or make it dense first: `materialize(x).sharding`."""


class Placed:
    """The questions; a base of a tracer whose `value` answers."""

    __slots__ = ()
    value: Any
    aval: Any

    def _arrays(self) -> list[jax.Array] | None:
        """The leaves that are arrays of JAX, or None if one is not at hand."""
        leaves = [x for x in jtu.tree_leaves(self.value) if isinstance(x, jax.Array)]
        return None if any(isinstance(x, Tracer) for x in leaves) else leaves

    def devices(self) -> set[jax.Device]:
        arrays = self._arrays()
        if arrays is None:
            return super().devices()  # type: ignore[misc, no-any-return]
        return set().union(*[x.devices() for x in arrays])

    def is_deleted(self) -> bool:
        arrays = self._arrays()
        if arrays is None:
            return super().is_deleted()  # type: ignore[misc, no-any-return]
        return any(x.is_deleted() for x in arrays)

    @property
    def committed(self) -> bool:
        arrays = self._arrays()
        if arrays is None:
            return super().committed  # type: ignore[misc, no-any-return]
        return any(x.committed for x in arrays)

    @property
    def is_fully_addressable(self) -> bool:
        arrays = self._arrays()
        if arrays is None:
            return super().is_fully_addressable  # type: ignore[misc, no-any-return]
        return all(x.is_fully_addressable for x in arrays)

    @property
    def is_fully_replicated(self) -> bool:
        arrays = self._arrays()
        if arrays is None:
            return super().is_fully_replicated  # type: ignore[misc, no-any-return]
        return all(x.is_fully_replicated for x in arrays)

    @property
    def device(self) -> jax.Device | jax.sharding.Sharding:
        arrays = self._arrays()
        if arrays is None:
            return super().device  # type: ignore[misc, no-any-return]
        devices = self.devices()
        return devices.pop() if len(devices) == 1 else self.sharding

    def copy_to_host_async(self) -> None:
        arrays = self._arrays()
        if arrays is None:
            super().copy_to_host_async()  # type: ignore[misc]
        for x in arrays or ():
            x.copy_to_host_async()

    @property
    def sharding(self) -> jax.sharding.Sharding:
        arrays = self._arrays()
        if arrays is None:
            return super().sharding  # type: ignore[misc, no-any-return]
        found = {x.sharding for x in arrays}
        if len(found) == 1:
            (sharding,) = found
            shape = self.aval.shape
            if sharding.is_fully_replicated or all(x.shape == shape for x in arrays):
                return sharding
        raise TypeError(_NO_SHARDING.format(value=type(self.value).__name__))
