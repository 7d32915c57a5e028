"""Operations that move, take or repeat entries: they do so with the array."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from ${module}._value import ${cls}


@register("broadcast_in_dim", "reshape", "squeeze", "transpose")
@register("rev", "slice", "tile")
def _reshape_${name}(x: ${cls}, *, primitive: Primitive, **params: Any) -> ${cls}:
    """Entries in another order, or some of them, each still to be scaled."""
    return ${cls}(bind(primitive, x.array, **params), x.factor)
