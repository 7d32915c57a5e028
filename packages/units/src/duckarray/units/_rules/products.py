"""Products, quotients and powers: units are multiplied too."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, known_constant, register
from duckarray.units._dimension import NUMBER
from duckarray.units._errors import UnknownExponentError
from duckarray.units._unit import as_exponent, inverse, power, product, quotient
from duckarray.units._value import Quantity, make

from ._common import align, bare, for_several, linear, number, unit_of_operand

_UNKNOWN_EXPONENT = """`pow`: a quantity in {unit} is raised to a power that is not known while \
tracing, so neither is the unit of the result.
Write the exponent as a Python number, `x ** 2`, or make it a static argument of `jax.jit`."""

_CUMULATIVE = """`cumprod`: each entry of the result would be in another power of {unit}.
Divide by a scale first, `x / scale`, or take the numbers in a unit, `u.strip(x, "{unit}")`."""


@register("mul", "dot_general", "conv_general_dilated")
def _mul_quantity_quantity(x: Quantity, y: Quantity, *, primitive: Primitive, **params: Any) -> Any:
    """The unit of a product is the product of the units."""
    return make(bind(primitive, x.value, y.value, **params), product(x.unit, y.unit))


@register("mul", "dot_general", "conv_general_dilated")
def _mul_quantity_any(x: Quantity, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """Plain numbers leave the unit."""
    return make(bind(primitive, x.value, y, **params), linear(x, primitive))


@register("mul", "dot_general", "conv_general_dilated")
def _mul_any_quantity(x: object, y: Quantity, *, primitive: Primitive, **params: Any) -> Any:
    """The same."""
    return make(bind(primitive, x, y.value, **params), linear(y, primitive))


@register("div")
def _div_quantity_quantity(x: Quantity, y: Quantity, **params: Any) -> Any:
    """The unit of a quotient is the quotient of the units."""
    return make(bind("div", x.value, y.value, **params), quotient(x.unit, y.unit))


@register("div")
def _div_quantity_any(x: Quantity, y: object, **params: Any) -> Any:
    """Plain numbers leave the unit."""
    return make(bind("div", x.value, y, **params), linear(x, "div"))


@register("div")
def _div_any_quantity(x: object, y: Quantity, **params: Any) -> Any:
    """So much per unit."""
    return make(bind("div", x, y.value, **params), inverse(y.unit))


_POWERS = {
    "sqrt": Fraction(1, 2),
    "rsqrt": Fraction(-1, 2),
    "cbrt": Fraction(1, 3),
    "square": Fraction(2),
    "reciprocal": Fraction(-1),
}


@for_several(*_POWERS)
def _root(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A fixed power of numbers and unit."""
    (x,) = values
    unit = power(linear(x, primitive), _POWERS[primitive.name])
    return make(bind(primitive, x.value, **params), unit)


@register("integer_pow")
def _integer_pow_quantity(x: Quantity, *, y: int, **params: Any) -> Any:
    """A whole power of numbers and unit."""
    return make(bind("integer_pow", x.value, y=y, **params), power(x.unit, Fraction(y)))


@for_several("pow")
def _pow(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A power that is known while tracing; of a number, any power."""
    x, y = values
    exponent = known_constant(y) if not isinstance(y, Quantity) else None
    if unit_of_operand(x).physical is NUMBER:
        return bind(primitive, number(x, primitive), number(y, primitive), **params)
    if exponent is None or isinstance(exponent, complex) or not math.isfinite(exponent):
        number(y, primitive)
        raise UnknownExponentError(_UNKNOWN_EXPONENT.format(unit=x.unit))
    unit = power(linear(x, primitive) if exponent != 1 else x.unit, as_exponent(exponent))
    return make(bind(primitive, x.value, y, **params), unit)


@for_several("reduce_prod")
def _product_of(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """As many factors of the unit as the axes are long."""
    (x,) = values
    count = math.prod(x.shape[axis] for axis in params["axes"])
    unit = power(linear(x, primitive), Fraction(count))
    return make(bind(primitive, x.value, **params), unit)


@for_several("cumprod")
def _cumulative_product(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Only of numbers: the unit would change from entry to entry."""
    (x,) = values
    if x.unit.physical is not NUMBER:
        raise UnknownExponentError(_CUMULATIVE.format(unit=x.unit))
    return bind(primitive, number(x, primitive), **params)


@for_several("ragged_dot_general", "scaled_dot", "mulhi")
def _product_of_first(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Products of the entries of the first two operands; the others say which, or scale."""
    x, y, *rest = values
    out = bind(primitive, bare(x), bare(y), *[number(r, primitive) for r in rest], **params)
    for each in (x, y):
        if isinstance(each, Quantity):
            linear(each, primitive)
    return make(out, product(unit_of_operand(x), unit_of_operand(y)))


@for_several("symmetric_product")
def _symmetric_product(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A multiple of A Aᵀ, and a multiple of C added."""
    a, c = values
    squared = power(unit_of_operand(a), Fraction(2))
    (_, c), unit = align(primitive, (make(bare(a), squared), c))
    return make(bind(primitive, bare(a), c, **params), unit)
