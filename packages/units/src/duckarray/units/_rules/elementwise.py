"""Operations on each entry that a factor passes through."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, known_constant, register
from duckarray.units._value import Quantity


@register("neg")
def _neg_units(x: Quantity, **params: Any) -> Quantity:
    """Changes one number: -(f · a) = (-f) · a."""
    return Quantity(x.array, bind("neg", x.factor, **params))


@register("mul", commutative=True)
def _mul_units_dense(x: Quantity, y: ArrayLike, **params: Any) -> Quantity:
    """(f · a) · y = f · (a · y), or (f · y) · a if y is known to be one number throughout."""
    number = known_constant(y)
    if number is None:
        return Quantity(bind("mul", x.array, y, **params), x.factor)
    scalar = lax.full_like(y, number, shape=())
    return Quantity(x.array, bind("mul", x.factor, scalar, **params))


@register("mul")
def _mul_units_units(x: Quantity, y: Quantity, **params: Any) -> Quantity:
    """(f · a) · (g · b) = (f · g) · (a · b)."""
    array = bind("mul", x.array, y.array, **params)
    return Quantity(array, bind("mul", x.factor, y.factor, **params))


@register("div")
def _div_units_dense(x: Quantity, y: ArrayLike, **params: Any) -> Any:
    """(f · a) / y = f · (a / y), except for integers, whose quotients are rounded."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return NotImplemented
    return Quantity(bind("div", x.array, y, **params), x.factor)
