"""`Parts`: an array split over devices along its leading axis, each part a value of its own."""

from typing import Any

import jax
from jax import tree_util as jtu

from duckarray.core._fields import field
from duckarray.core._materialize import materialize
from duckarray.core._value import ArrayValue, Policy, Value, dense_aval


class Parts(ArrayValue):
    """The values on several devices, whose arrays one after the other are the array.

    Args:
        leaves: those of the values, each with a new leading axis for the devices.
        structure: the tree structure of the values.
        axes: the axes of the mesh over which they are split.
    """

    leaves: tuple[jax.Array, ...]
    structure: Any = field(static=True)
    axes: Any = field(static=True)

    @classmethod
    def of_this_device(cls, value: Value, axes: Any) -> "Parts":
        """The part of one device, as the function that runs there gives it."""
        leaves, structure = jtu.tree_flatten(value)
        return cls(tuple(leaf[None] for leaf in leaves), structure, axes)

    def on_this_device(self) -> Any:
        """Undoes `of_this_device`."""
        return self.structure.unflatten([leaf[0] for leaf in self.leaves])

    @property
    def materialization(self) -> Policy:  # type: ignore[override]
        return self.structure.node_data()[0].materialization  # type: ignore[no-any-return]

    def aval(self) -> Any:
        one = [jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype) for leaf in self.leaves]
        aval = dense_aval(self.structure.unflatten(one))
        length, *rest = aval.shape
        count = self.leaves[0].shape[0] if self.leaves else 1
        return jax.core.ShapedArray((count * length, *rest), aval.dtype)

    def materialize(self) -> jax.Array:
        parts = jax.vmap(lambda leaves: materialize(self.structure.unflatten(leaves)))(self.leaves)
        return parts.reshape(self.shape)  # type: ignore[no-any-return]
