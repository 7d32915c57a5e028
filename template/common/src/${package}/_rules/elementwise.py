"""Operations on each entry that a factor passes through."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, known_constant, register
from ${module}._value import ${cls}


@register("neg")
def _neg_${name}(x: ${cls}, **params: Any) -> ${cls}:
    """Changes one number: -(f · a) = (-f) · a."""
    return ${cls}(x.array, bind("neg", x.factor, **params))


@register("mul", commutative=True)
def _mul_${name}_dense(x: ${cls}, y: ArrayLike, **params: Any) -> ${cls}:
    """(f · a) · y = f · (a · y), or (f · y) · a if y is known to be one number throughout."""
    number = known_constant(y)
    if number is None:
        return ${cls}(bind("mul", x.array, y, **params), x.factor)
    scalar = lax.full_like(y, number, shape=())
    return ${cls}(x.array, bind("mul", x.factor, scalar, **params))


@register("mul")
def _mul_${name}_${name}(x: ${cls}, y: ${cls}, **params: Any) -> ${cls}:
    """(f · a) · (g · b) = (f · g) · (a · b)."""
    array = bind("mul", x.array, y.array, **params)
    return ${cls}(array, bind("mul", x.factor, y.factor, **params))


@register("div")
def _div_${name}_dense(x: ${cls}, y: ArrayLike, **params: Any) -> Any:
    """(f · a) / y = f · (a / y), except for integers, whose quotients are rounded."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return NotImplemented
    return ${cls}(bind("div", x.array, y, **params), x.factor)
