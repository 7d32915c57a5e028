"""What the rules share: bringing operands to one unit, and taking units away from numbers."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend.core import Primitive

from duckarray.core import known_constant
from duckarray.units._convert import can_convert, check_dimensions, convert
from duckarray.units._dimension import NUMBER
from duckarray.units._errors import AffineUnitError, DimensionError
from duckarray.units._unit import ONE, Unit, require_linear
from duckarray.units._value import Quantity

Handler = Callable[[Primitive, Sequence[Any], dict[str, Any]], Any]

# For primitives that take any number of operands, some of them quantities: by name.
several: dict[str, Handler] = {}

_NUMBER = """`{operation}` takes a plain number, but got a quantity in {unit} ({dimension}), shape \
{shape}.
Divide by a scale first, `x / scale`, or take the number in a unit, `u.strip(x, "{unit}")`."""

_ZERO_OF_AFFINE = """`{operation}`: 0 meets {unit}, an absolute temperature or level whose zero is \
elsewhere than that of its other units.
Say which zero: `u.Quantity(0.0, "{unit}")`."""


def for_several(*names: str) -> Callable[[Handler], Handler]:
    """Makes a function what answers these primitives, whichever operands are quantities."""

    def decorate(handler: Handler) -> Handler:
        several.update(dict.fromkeys(names, handler))
        return handler

    return decorate


def unit_of_operand(x: Any) -> Unit:
    """The unit of an operand; arrays have that of numbers."""
    return x.unit if isinstance(x, Quantity) else ONE


def bare(x: Any) -> Any:
    """The numbers of an operand."""
    return x.value if isinstance(x, Quantity) else x


def number(x: Any, operation: object) -> Any:
    """An operand as plain numbers; angles in radians.

    Raises:
        DimensionError: if it has a dimension.
    """
    if not isinstance(x, Quantity):
        return x
    unit = x.unit
    if unit.physical is not NUMBER:
        text = _NUMBER.format(
            operation=operation, unit=unit, dimension=unit.dimension, shape=x.shape
        )
        raise DimensionError(text, str(operation), (unit,))
    return convert(x.value, unit, ONE, str(operation))


def linear(x: Quantity, operation: object) -> Unit:
    """The unit of an operand that has multiples and sums.

    Raises:
        AffineUnitError: if it is an absolute temperature or a level.
    """
    unit = x.unit
    if not unit.is_linear:
        require_linear(unit, str(operation))
    return unit


def fits_any_unit(x: Any, unit: Unit, operation: object) -> bool:
    """Whether an operand without a unit is known to be 0, inf or nan, which have any unit.

    So has the least positive number of its dtype, which stands for what is just not zero.
    """
    constant = known_constant(x)
    if constant is None:
        return False
    if constant == 0:
        if not unit.is_linear:
            raise AffineUnitError(_ZERO_OF_AFFINE.format(operation=operation, unit=unit))
        return True
    return bool(
        constant != constant or abs(constant) == math.inf or abs(constant) == _least(x, unit)
    )


def _least(x: Any, unit: Unit) -> float:
    dtype = getattr(x, "dtype", None)
    if not unit.is_linear or dtype is None or not jnp.issubdtype(dtype, jnp.inexact):
        return math.nan
    return float(jnp.finfo(dtype).tiny)  # type: ignore[no-untyped-call]


def align(operation: object, xs: Sequence[Any]) -> tuple[list[Any], Unit]:
    """Operands that are to have one dimension, as numbers in one unit; and that unit.

    It is that of the first quantity. One that has an angle gives way to one that has not.
    """
    target: Unit | None = None
    for x in xs:
        unit = unit_of_operand(x)
        if target is None:
            if isinstance(x, Quantity):
                target = unit
        elif unit is not target and isinstance(x, Quantity):
            target = _common(target, unit)
    assert target is not None
    name = str(operation)
    out = []
    for x in xs:
        if isinstance(x, Quantity):
            unit = x.unit
            if unit is not target:
                _check(name, unit, target, xs)
                x = convert(x.value, unit, target, name)
            else:
                x = x.value
        elif target is not ONE and not fits_any_unit(x, target, name):
            _check(name, ONE, target, xs)
            x = convert(x, ONE, target, name)
        out.append(x)
    return out, target


def _common(a: Unit, b: Unit) -> Unit:
    has_angle, other = a.dimension is not a.physical, b.dimension is b.physical
    return b if has_angle and other and can_convert(a, b) else a


def _check(operation: str, unit: Unit, target: Unit, xs: Sequence[Any]) -> None:
    if unit.dimension is not target.dimension:
        shapes = " and ".join(str(tuple(getattr(x, "shape", ()))) for x in xs)
        check_dimensions(unit, target, f"{operation} on shapes {shapes}")
