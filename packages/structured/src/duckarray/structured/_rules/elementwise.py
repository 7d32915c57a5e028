"""Operations on each entry that a factor passes through."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, known_constant, register
from duckarray.structured._value import Tridiagonal


@register("neg")
def _neg_structured(x: Tridiagonal, **params: Any) -> Tridiagonal:
    """Changes one number: -(f · a) = (-f) · a."""
    return Tridiagonal(x.array, bind("neg", x.factor, **params))


@register("mul", commutative=True)
def _mul_structured_dense(x: Tridiagonal, y: ArrayLike, **params: Any) -> Tridiagonal:
    """(f · a) · y = f · (a · y), or (f · y) · a if y is known to be one number throughout."""
    number = known_constant(y)
    if number is None:
        return Tridiagonal(bind("mul", x.array, y, **params), x.factor)
    scalar = lax.full_like(y, number, shape=())
    return Tridiagonal(x.array, bind("mul", x.factor, scalar, **params))


@register("mul")
def _mul_structured_structured(x: Tridiagonal, y: Tridiagonal, **params: Any) -> Tridiagonal:
    """(f · a) · (g · b) = (f · g) · (a · b)."""
    array = bind("mul", x.array, y.array, **params)
    return Tridiagonal(array, bind("mul", x.factor, y.factor, **params))


@register("div")
def _div_structured_dense(x: Tridiagonal, y: ArrayLike, **params: Any) -> Any:
    """(f · a) / y = f · (a / y), except for integers, whose quotients are rounded."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return NotImplemented
    return Tridiagonal(bind("div", x.array, y, **params), x.factor)
