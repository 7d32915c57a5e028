"""Products, of entries and of matrices, and quotients."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import known_constant, register
from duckarray.zeros._rules._result import result
from duckarray.zeros._value import Zeros

_PRODUCTS = ("mul", "and", "dot_general", "conv_general_dilated")


@register(*_PRODUCTS)
def _product_zeros_any(x: Zeros, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """0 · y = 0, whatever y is; the dtype is the one that was asked for."""
    return result(primitive, [x, y], params)


@register(*_PRODUCTS)
def _product_any_zeros(x: object, y: Zeros, *, primitive: Primitive, **params: Any) -> Any:
    """The same. Not a mirrored rule: the parameters of some tell the two operands apart."""
    return result(primitive, [x, y], params)


@register(*_PRODUCTS)
def _product_zeros_zeros(x: Zeros, y: Zeros, *, primitive: Primitive, **params: Any) -> Any:
    """0 · 0 = 0."""
    return result(primitive, [x, y], params)


@register("div")
def _div_zeros_any(x: Zeros, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """0 / y = 0, except that 0 / 0 is left to the primitive: the mean of no entries is one."""
    if isinstance(y, Zeros) or known_constant(y) == 0:
        return NotImplemented
    return result(primitive, [x, y], params)
