"""Numbers in one unit as numbers in another; whether the dtype can hold what that takes."""

from fractions import Fraction
from typing import Any

import jax.numpy as jnp
import numpy as np

from ._errors import AffineUnitError, DimensionError, UnitRangeError
from ._scale import ONE_SCALE, Scale
from ._unit import ONE, Unit

_MINUS_ONE = Fraction(-1)

_NOT_COMPATIBLE = """`{operation}`: {source} is {source_dimension}, {target} is \
{target_dimension}.
{advice}"""

_HERTZ = """`{operation}`: {source} counts {source_what}, {target} counts {target_what}, and one \
is 2 pi of the other or the same, depending on what is meant.
{advice}"""

_HERTZ_ADVICE = (
    "For cycles, multiply by `2 * jnp.pi * u.rad`, or by `u.rev`; for a plain rate (1/s) multiply "
    "by `u.rad`; the other way, divide."
)

_DELTA = """`{operation}`: {source} and {target}: one is an absolute temperature, the other a \
difference.
Add the difference to an absolute temperature, or convert to another difference \
(`delta_degC`)."""

_RANGE = """`{operation}`: {source} to {target} multiplies by {factor:.6g}, which {dtype} cannot \
hold (it goes from {tiny:.3g} to {most:.3g}).
Convert after reducing the numbers, choose a unit between the two, or use float64."""

_INTEGERS = """`{operation}`: {source} to {target} multiplies by {factor:.6g}, so the results are \
no {dtype}.
Convert the integers to floats first: `x.astype(float)`."""

_factors: dict[tuple[int, int], tuple[Scale, float]] = {}


def factor_between(source: Unit, target: Unit) -> tuple[Scale, float]:
    """What numbers in `source` are multiplied by to be numbers in `target`: exactly, and rounded.

    The dimensions are taken to be the same, and offsets are left out.
    """
    key = (id(source), id(target))
    found = _factors.get(key)
    if found is None:
        exact = source.scale.times(target.scale.power(_MINUS_ONE))
        found = _factors[key] = exact, float(exact)
    return found


def convert(
    value: Any, source: Unit, target: Unit, operation: str, *, explicit: bool = False
) -> Any:
    """Numbers in `source` as numbers in `target`, of the same dtype.

    Args:
        value: an array, or a value that stands for one.
        source: the unit it is in.
        target: the unit it is to be in.
        operation: what this is for, as messages are to say it.
        explicit: whether the user asked for a conversion: then integers may become floats.

    Raises:
        DimensionError: if the dimensions differ, or it is not known whether cycles or radians are
            meant.
        AffineUnitError: between an absolute temperature and a difference.
        UnitRangeError: if the dtype cannot hold the factor.
    """
    if source is target:
        return value
    if source.dimension is not target.dimension:
        check_dimensions(source, target, operation)
    kinds = (source.kind, target.kind)
    if source.is_linear and target.is_linear:
        return multiply(value, source, target, operation, explicit)
    if "log" in kinds:
        return _convert_level(value, source, target, operation)
    if "delta" in kinds:
        raise AffineUnitError(_DELTA.format(operation=operation, source=source, target=target))
    if source == target:
        return value
    if explicit and not jnp.issubdtype(value.dtype, jnp.inexact):
        value = value.astype(float)
    if not jnp.issubdtype(value.dtype, jnp.inexact):
        _refuse_integers(value, source, target, operation, 1.0)
    # The zero of one scale on the other, exactly, so that 0 degC is 273.15 K to the last digit.
    scale = target.scale.ratio
    moved = float((source.offset - target.offset) / scale)
    return multiply(value, source, target, operation, explicit) + moved


def can_convert(source: Unit, target: Unit) -> bool:
    """Whether `convert` would not raise for the sake of the units."""
    if source is target:
        return True
    try:
        check_dimensions(source, target, "join")
    except DimensionError:
        return False
    return source.is_linear == target.is_linear or "delta" not in (source.kind, target.kind)


def check_dimensions(source: Unit, target: Unit, operation: str) -> None:
    """Raises unless numbers in one unit can be converted to the other."""
    if source.physical is not target.physical:
        raise DimensionError(
            _NOT_COMPATIBLE.format(
                operation=operation,
                source=source,
                source_dimension=_one(describe(source)),
                target=target,
                target_dimension=_one(describe(target)),
                advice=_advice(source, target),
            ),
            operation,
            (source, target),
        )
    if source.dimension is not target.dimension and _is_rate(source):
        raise DimensionError(
            _HERTZ.format(
                operation=operation,
                source=source,
                source_what=_counted(source),
                target=target,
                target_what=_counted(target),
                advice=_HERTZ_ADVICE,
            ),
            operation,
            (source, target),
        )


def describe(unit: Unit) -> str:
    """The dimension of a unit as messages say it."""
    return "plain number" if unit.physical == "1" else f"{unit.dimension}"


def _one(what: str) -> str:
    """With its article."""
    return f"an {what}" if what[0] in "aeio" else f"a {what}"


def multiply(value: Any, source: Unit, target: Unit, operation: str, promote: bool = False) -> Any:
    """Numbers times what `source` is of `target`."""
    exact, factor = factor_between(source, target)
    if exact == ONE_SCALE:
        return value
    if not hasattr(value, "dtype"):  # a number of Python's, which takes on any dtype
        return value * factor
    dtype = value.dtype
    if not jnp.issubdtype(dtype, jnp.inexact):
        whole = exact.root == 1 and exact.pi == 0 and exact.ratio.denominator == 1
        if whole and np.dtype(dtype).kind in "iu" and exact.ratio <= np.iinfo(dtype).max:
            return value * int(exact.ratio)
        if not promote:
            _refuse_integers(value, source, target, operation, factor)
        return value.astype(jnp.result_type(float)) * factor
    info: Any = jnp.finfo(dtype)  # type: ignore[no-untyped-call]
    if not float(info.tiny) <= factor <= float(info.max):
        raise UnitRangeError(
            _RANGE.format(
                operation=operation,
                source=source,
                target=target,
                factor=factor,
                dtype=np.dtype(dtype).name,
                tiny=float(info.tiny),
                most=float(info.max),
            )
        )
    return value * factor


def _convert_level(value: Any, source: Unit, target: Unit, operation: str) -> Any:
    if source == target:
        return value
    if source.kind == "log":
        linear = 10.0 ** (value * float(source.offset))
        between = reference_unit(source)
        return convert(linear, between, target, operation)
    numbers = convert(value, source, reference_unit(target), operation)
    from duckarray.core import numpy as dnp

    return dnp.log10(numbers) / float(target.offset)


def reference_unit(unit: Unit) -> Unit:
    """The reference of a level, as a linear unit of the same scale."""
    from ._unit import make_unit

    return make_unit(unit.dimension, unit.scale, ((f"ref({unit})", Fraction(1)),))


def _refuse_integers(value: Any, source: Unit, target: Unit, operation: str, factor: float) -> None:
    raise UnitRangeError(
        _INTEGERS.format(
            operation=operation,
            source=source,
            target=target,
            factor=factor,
            dtype=np.dtype(value.dtype).name,
        )
    )


def _is_rate(unit: Unit) -> bool:
    """Whether it is 1/s or s, or such with an angle."""
    time = 2
    others = [e for i, e in enumerate(unit.physical.exponents) if i != time]
    return not any(others) and abs(unit.physical.exponents[time]) == 1


def _counted(unit: Unit) -> str:
    return "radians" if unit.dimension is not unit.physical else "cycles, or events"


def _advice(source: Unit, target: Unit) -> str:
    if source is ONE or target is ONE:
        unit = target if source is ONE else source
        return (
            f'Give the number a unit, `u.Quantity(x, "{unit}")`, or take that of the quantity '
            f'away, `u.strip(x, "{unit}")`. Only 0, inf and nan have any unit.'
        )
    return "Multiply or divide by what is missing; `u.infer` shows the units a function gives."
