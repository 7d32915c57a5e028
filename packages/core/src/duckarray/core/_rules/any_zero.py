"""`AnyZero`: zeros that a branch of a differentiated `cond` keeps where it has no tangent.

They are zeros of any type: what is multiplied by them is zero, and what they are added to is what
the sum is, be it of a type that is not added to plain numbers.
"""

from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core._bind import bind
from duckarray.core._constants import note_constant
from duckarray.core._value import ArrayValue, dense_aval
from duckarray.core._zeros import gives_zero


class AnyZero(ArrayValue):
    """Zeros, of which nothing but the shape is stored: a leaf of shape `(*shape, 0)`."""

    leaf: jax.Array

    leaf_linear = True
    materialization = "allow"

    @classmethod
    def like(cls, aval: Any) -> "AnyZero":
        """Zeros of the shape and dtype of an abstract value."""
        return cls(jnp.zeros((*aval.shape, 0), aval.dtype))

    def aval(self) -> Any:
        return jax.core.ShapedArray(self.leaf.shape[:-1], self.leaf.dtype)

    def materialize(self) -> jax.Array:
        return jnp.zeros(self.leaf.shape[:-1], self.leaf.dtype)

    def known_constant(self) -> int:
        return 0

    def drop_leading(self) -> "AnyZero":
        return self

    def add_leading(self, n: int) -> "AnyZero":
        return self

    @staticmethod
    def default(primitive: Any, values: list[Any], params: dict[str, Any]) -> Any:
        """Zero where that is so whatever the type, the other summand of a sum, else an array."""
        zeros = [isinstance(x, AnyZero) for x in values]
        if primitive.name in ("add", "add_any", "sub") and not all(zeros):
            other = values[zeros.index(False)]
            if primitive.name == "sub" and zeros[0]:
                return bind("neg", other)
            return other
        if gives_zero(primitive, zeros, params) or (primitive.name == "div" and zeros[0]):
            return AnyZero.like(_result(primitive, values, params))
        dense = [x.as_array() if zero else x for x, zero in zip(values, zeros, strict=True)]
        return bind(primitive, *dense, **params)

    def as_array(self) -> jax.Array:
        """The array, which is known to be zero."""
        array = self.materialize()
        note_constant(array, 0)
        return array


def _result(primitive: Any, values: list[Any], params: dict[str, Any]) -> Any:
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in map(dense_aval, values)]
    return jax.eval_shape(lambda *xs: primitive.bind(*xs, **params), *structs)
