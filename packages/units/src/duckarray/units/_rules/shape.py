"""Operations that move, take or repeat entries: they do so with the array."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from duckarray.units._value import Quantity


@register("broadcast_in_dim", "reshape", "squeeze", "transpose")
@register("rev", "slice", "tile")
def _reshape_units(x: Quantity, *, primitive: Primitive, **params: Any) -> Quantity:
    """Entries in another order, or some of them, each still to be scaled."""
    return Quantity(bind(primitive, x.array, **params), x.factor)
