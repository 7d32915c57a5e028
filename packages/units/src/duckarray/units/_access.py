"""Asking for units and converting, outside `quaxify` and inside it, under other transformations.

Inside `jax.grad` or `jax.vmap` within `quaxify`, a quantity is hidden behind their tracers. Two
primitives reach it there: they pass through those transformations and do nothing to numbers.
"""

from typing import Any

import jax
from jax.core import Tracer
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from duckarray.core import Value, bind, register, tree, value_of

from ._convert import convert
from ._errors import UnitError
from ._unit import ONE, Unit
from ._value import Quantity, inside, lifted, make, stands_outside

_STAGED = """`unit_of(x)`: the unit of `x` is not known here, since JAX traces a jitted function, \
or the body of a loop, before anything is known of the values it will be given.
Ask outside, or where the function is called without `jax.jit`."""


def unit_of(x: Any) -> Unit:
    """The unit of a quantity, outside `quaxify` or inside it; of anything else, that of numbers.

    Raises:
        UnitError: in a program that is traced before its units are known: an inner `jax.jit`, or a
            body of `lax.scan`.

    Example:
        >>> from duckarray.core import quaxify
        >>> import duckarray.units as u
        >>> quaxify(lambda x: u.unit_of(x * x))(u.Quantity(2.0, "m"))
        Unit('m2')
    """
    x = value_of(x)
    if isinstance(x, Value):
        return unit_within(x) or ONE
    return (ask(x) or ONE) if isinstance(x, Tracer) else ONE


def to(x: Any, unit: Unit | str) -> Any:
    """`x` in another unit, for anything that has one: also inside `quaxify`.

    Raises:
        DimensionError: if the dimension is another.
        AffineUnitError: between an absolute temperature and a difference.
        UnitRangeError: if the dtype cannot hold the factor.

    Example:
        >>> import duckarray.units as u
        >>> u.to(u.Quantity(2.0, "km"), "m")
        Quantity(f32[], 'm')
    """
    unit = Unit(unit)
    x = value_of(x)
    if isinstance(x, Quantity):
        return x.to(unit)
    if isinstance(x, Value) and stands_outside(x):
        return inside(x, lambda array: to(array, unit))
    if isinstance(x, Tracer) and (marker := lifted(_MARK)) is not None:
        return _convert_p.bind(x, marker, unit=unit, plain=False)
    return Quantity(x, ONE).to(unit)


def strip(x: Any, unit: Any) -> Any:
    """The plain numbers of `x` in a unit.

    Args:
        x: a quantity, outside `quaxify` or inside it; an array counts as plain numbers.
        unit: the unit the numbers are wanted in; for a tree of quantities a tree of units.

    Raises:
        DimensionError: if the dimension is another.
        AffineUnitError: between an absolute temperature and a difference.
        UnitRangeError: if the dtype cannot hold the factor.

    Example:
        >>> import duckarray.units as u
        >>> u.strip(u.Quantity(36.0, "km/h"), "m/s")
        Array(10., dtype=float32, weak_type=True)
    """
    if isinstance(unit, dict | list | tuple):
        from ._nondimensional import by_units

        return by_units("strip", "the tree", strip, x, unit)
    unit = Unit(unit)
    x = value_of(x)
    if isinstance(x, Tracer) and (marker := lifted(_MARK)) is not None and unit.is_linear:
        return _convert_p.bind(x / Quantity(1.0, unit), marker, unit=ONE, plain=True)
    if isinstance(x, Value) and stands_outside(x):
        return inside(x, lambda array: strip(array, unit))
    if not isinstance(x, Quantity):
        x = Quantity(x, ONE)
    return convert(x.value, x.unit, unit, f"strip to {unit}", explicit=True)


def is_quantity(x: Any) -> bool:
    """Whether `x` is a `Quantity`, or one with names, outside `quaxify` or inside it.

    Example:
        >>> import duckarray.units as u
        >>> u.is_quantity(2.0 * u.m), u.is_quantity(2.0)
        (True, False)
    """
    x = value_of(x)
    return isinstance(x, Value) and unit_within(x) is not None


def unit_within(x: Value) -> Unit | None:
    """The unit of a quantity, or of one that a value stands around; None if there is none."""
    if isinstance(x, Quantity):
        return x.unit
    if not stands_outside(x):
        return None
    (array,), _ = tree.flatten_one_level(x)
    array = value_of(array)  # within a rule it is a tracer
    return unit_within(array) if isinstance(array, Value) else None


def ask(x: Any) -> Unit | None:
    """The unit of what is behind a tracer within `quaxify`; None if it is a plain array.

    Raises:
        UnitError: if it is not known yet.
    """
    marker = lifted(_MARK)
    if marker is None:
        return None
    found: list[Unit | None] = []
    _ask_p.bind(x, marker, found=_Box(found))
    if not found:
        raise UnitError(_STAGED)
    return found[0]


class _Box:
    """Where the answer is put; no two are equal, so that nothing is cached by it."""

    def __init__(self, found: list[Unit | None]) -> None:
        self.found = found


_MARK = Unit("m")
_ask_p = Primitive("units_ask")
_convert_p = Primitive("units_convert")


@register(_ask_p)
def _ask_quantity(x: Quantity, marker: Quantity, *, found: _Box) -> Any:
    """Notes the unit."""
    found.found.append(x.unit)
    return x


@register(_ask_p)
def _ask_any(x: object, marker: Quantity, *, found: _Box) -> Any:
    """A plain array has none; what stands around a quantity has its unit."""
    found.found.append(unit_within(x) if isinstance(x, Value) else None)
    return x


@register(_convert_p)
def _convert_quantity(x: Quantity, marker: Quantity, *, unit: Unit, plain: bool) -> Any:
    """The same quantity in another unit, or its numbers in it."""
    value = convert(x.value, x.unit, unit, f"to {unit}")
    return value if plain else make(value, unit)


@register(_convert_p)
def _convert_any(x: object, marker: Quantity, *, unit: Unit, plain: bool) -> Any:
    """A plain array has no other unit than that of numbers."""
    if isinstance(x, Value) and stands_outside(x):
        return inside(x, lambda a: bind(_convert_p, a, marker, unit=unit, plain=plain))
    value = convert(x, ONE, unit, f"to {unit}")
    return value if plain else make(value, unit)


def _install(primitive: Primitive) -> None:
    """Makes a primitive the identity on its first operand for JAX's transformations."""

    def same(x: Any, marker: Any, **params: Any) -> Any:
        return x

    def jvp(primals: Any, tangents: Any, **params: Any) -> Any:
        return primitive.bind(*primals, **params), tangents[0]

    def batch(operands: Any, axes: Any, **params: Any) -> Any:
        x, marker = operands
        if axes[1] is not None:
            marker = jax.numpy.take(marker, 0, axis=axes[1])
        return primitive.bind(x, marker, **params), axes[0]

    primitive.def_impl(same)
    primitive.def_abstract_eval(same)
    ad.primitive_jvps[primitive] = jvp
    batching.primitive_batchers[primitive] = batch
    mlir.register_lowering(primitive, mlir.lower_fun(same, multiple_results=False))


_install(_ask_p)
_install(_convert_p)
