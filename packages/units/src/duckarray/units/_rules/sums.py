"""What needs operands of one dimension: sums, extremes, comparisons."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, known_constant, register
from duckarray.units._convert import convert
from duckarray.units._errors import AffineUnitError
from duckarray.units._unit import difference, require_linear
from duckarray.units._value import Quantity, make

from ._common import align, for_several, unit_of_operand

_TWO_ABSOLUTES = """`{operation}`: {x} and {y} are both absolute, and their sum has no meaning.
Add a difference, `u.Quantity(5.0, "delta_degC")`, or convert both: `x.to("K")`."""

_ABSOLUTE_FROM_DIFFERENCE = """`{operation}`: an absolute temperature, {y}, is taken from a \
difference, {x}.
Take the difference from the temperature, or convert both: `x.to("K")`."""

_SUMS = ("add", "add_any", "sub")


@register(*_SUMS)
def _add_quantity_quantity(x: Quantity, y: Quantity, *, primitive: Primitive, **params: Any) -> Any:
    """The sum of two quantities is in the unit of the first."""
    unit = x.unit
    if unit is y.unit and unit.is_linear:
        return make(bind(primitive, x.value, y.value, **params), unit)
    return _add(primitive, x, y, params)


@register(*_SUMS)
def _add_quantity_any(x: Quantity, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """An array without a unit is plain numbers, or a known zero of any unit."""
    return _add(primitive, x, y, params)


@register(*_SUMS)
def _add_any_quantity(x: object, y: Quantity, *, primitive: Primitive, **params: Any) -> Any:
    """The same."""
    return _add(primitive, x, y, params)


def _add(primitive: Primitive, x: Any, y: Any, params: dict[str, Any]) -> Any:
    for operand in (x, y):
        if isinstance(operand, Quantity) and not operand.unit.is_linear:
            return _add_absolute(primitive, x, y, params)
    (x, y), unit = align(primitive, (x, y))
    return make(bind(primitive, x, y, **params), unit)


def _add_absolute(primitive: Primitive, x: Any, y: Any, params: dict[str, Any]) -> Any:
    """Temperatures: absolute - absolute is a difference, absolute ± difference is absolute."""
    name, ux, uy = str(primitive), unit_of_operand(x), unit_of_operand(y)
    for unit in (ux, uy):
        if unit.kind == "log":
            require_linear(unit, name)
    if isinstance(x, Quantity) and not isinstance(y, Quantity) and known_constant(y) == 0:
        return make(bind(primitive, x.value, y, **params), ux)
    if primitive.name == "sub" and uy.kind != "delta":
        if ux.kind == "affine":
            value = align(name, (x, y))[0][1]
            return make(bind(primitive, x.value, value, **params), difference(ux))
        if ux.kind == "linear" and isinstance(x, Quantity):
            value = convert(y.value, uy, ux, name)
            return make(bind(primitive, x.value, value, **params), ux)
    if ux.kind == "affine" and uy.kind == "delta":
        value = convert(y.value, uy, difference(ux), name)
        return make(bind(primitive, x.value, value, **params), ux)
    if primitive.name == "sub":
        raise AffineUnitError(_ABSOLUTE_FROM_DIFFERENCE.format(operation=name, x=ux, y=uy))
    if ux.kind == "delta" and uy.kind == "affine":
        value = convert(x.value, ux, difference(uy), name)
        return make(bind(primitive, value, y.value, **params), uy)
    align(name, (x, y))  # says so if the dimensions differ
    raise AffineUnitError(_TWO_ABSOLUTES.format(operation=name, x=ux, y=uy))


@register("eq", "ne", "lt", "le", "gt", "ge")
def _compare_quantity_quantity(
    x: Quantity, y: Quantity, *, primitive: Primitive, **params: Any
) -> Any:
    """Comparisons are plain booleans."""
    if x.unit is y.unit:
        return bind(primitive, x.value, y.value, **params)
    return _compare(primitive, (x, y), params)


@for_several(*["eq", "ne", "lt", "le", "gt", "ge", "eq_to", "le_to", "lt_to"])
def _compare(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Of numbers in one unit."""
    (x, y), _ = align(primitive, values)
    return bind(primitive, x, y, **params)


@for_several(*["max", "min", "nextafter", "clamp", "complex", "select_if_vmap"])
def _choose(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """One of numbers in one unit."""
    if primitive.name == "select_if_vmap":
        xs, unit = align(primitive, values[1:])
        return make(bind(primitive, values[0], *xs, **params), unit)
    xs, unit = align(primitive, values)
    return make(bind(primitive, *xs, **params), unit)


@for_several("rem")
def _remainder(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """What is left of the first after taking the second from it many times."""
    (x, y), unit = align(primitive, values)
    require_linear(unit, "rem")
    return make(bind(primitive, x, y, **params), unit)


@for_several("atan2")
def _angle(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The angle of a right triangle, in radians, depends on the ratio of two lengths."""
    (x, y), unit = align(primitive, values)
    require_linear(unit, "atan2")
    return bind(primitive, x, y, **params)
