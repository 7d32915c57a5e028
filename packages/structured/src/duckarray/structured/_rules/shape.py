"""Operations that move, take or repeat entries: they do so with the array."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from duckarray.structured._value import Tridiagonal


@register("broadcast_in_dim", "reshape", "squeeze", "transpose")
@register("rev", "slice", "tile")
def _reshape_structured(x: Tridiagonal, *, primitive: Primitive, **params: Any) -> Tridiagonal:
    """Entries in another order, or some of them, each still to be scaled."""
    return Tridiagonal(bind(primitive, x.array, **params), x.factor)
