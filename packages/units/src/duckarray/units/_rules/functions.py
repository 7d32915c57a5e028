"""Library functions whose primitives no longer say what the units are."""

import inspect
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core import known_constant, materialize, register_function
from duckarray.units._dimension import ANGLE, NUMBER
from duckarray.units._unit import Unit, power, quotient, require_linear
from duckarray.units._value import Quantity, make

from ._common import align, bare, linear, number, unit_of_operand

# What `jnp.isclose` is given for `atol` by default. It is in no unit, so it is left out.
_DEFAULT_ATOL = 1e-8


@register_function(jnp.isclose)
def _isclose(a: object, b: object, rtol: object = None, atol: object = None) -> Any:
    return _are_close(a, b, rtol, atol, equal_nan=False)


@register_function(jnp.isclose, arguments={"equal_nan": True})
def _isclose_equal_nan(a: object, b: object, rtol: object = None, atol: object = None) -> Any:
    return _are_close(a, b, rtol, atol, equal_nan=True)


def _are_close(a: Any, b: Any, rtol: Any, atol: Any, *, equal_nan: bool) -> Any:
    """Relative by default: a tolerance of 1e-8 means nothing before it has a unit."""
    if not isinstance(a, Quantity) and not isinstance(b, Quantity):
        return NotImplemented
    if (rtol is None) != (atol is None):  # which of the two it is cannot be known
        return NotImplemented
    rtol, atol = (1e-5, _DEFAULT_ATOL) if atol is None else (rtol, atol)
    constant = known_constant(atol) if not isinstance(atol, Quantity) else None
    if constant is not None and abs(float(constant.real) - _DEFAULT_ATOL) < 1e-12:
        units = [unit_of_operand(x).physical for x in (a, b)]
        if any(unit is not NUMBER for unit in units):
            atol = 0.0
    (x, y, tolerance), _ = align("isclose", (a, b, atol))
    x, y, relative = materialize(x), materialize(y), number(rtol, "isclose")
    return jnp.isclose(x, y, relative, tolerance, equal_nan)


@register_function(jnp.hypot)
def _hypot(x: object, y: object) -> Any:
    """The long side of a right triangle: JAX scales by it, and compares with 1 meanwhile."""
    if not isinstance(x, Quantity) and not isinstance(y, Quantity):
        return NotImplemented
    (x, y), unit = align("hypot", (x, y))
    require_linear(unit, "hypot")
    return make(jnp.hypot(materialize(x), materialize(y)), unit)


@register_function(jnp.nan_to_num)
def _nan_to_num(x: Quantity, nan: object = 0.0) -> Any:
    """The largest finite numbers in place of infinities; 0 for nan unless it is given a unit."""
    (numbers, fill), unit = align("nan_to_num", (x, nan))
    return make(jnp.nan_to_num(materialize(numbers), nan=fill), unit)


@register_function(jnp.linalg.det)
def _det(a: Quantity) -> Any:
    """A determinant is a sum of products of `n` entries."""
    unit = power(linear(a, "det"), Fraction(a.shape[-1]))
    return make(jnp.linalg.det(materialize(a.value)), unit)


@register_function(jnp.linalg.slogdet)
def _slogdet(a: Quantity) -> Any:
    """The logarithm of a determinant: there is one of plain numbers only."""
    return jnp.linalg.slogdet(materialize(number(a, "slogdet")))


@register_function(jnp.deg2rad)
def _deg2rad(x: Quantity) -> Any:
    """The same angle in radians; a plain number is so many degrees."""
    return _angle(x, "deg2rad", _DEGREE, _RADIAN)


@register_function(jnp.rad2deg)
def _rad2deg(x: Quantity) -> Any:
    """The same angle in degrees; a plain number is so many radians."""
    return _angle(x, "rad2deg", _RADIAN, _DEGREE)


def _angle(x: Quantity, function: str, plain: Unit, wanted: Unit) -> Quantity:
    if x.unit.dimension is NUMBER:
        x = make(number(x, function), plain)
    elif x.unit.dimension is not ANGLE:
        number(x, function)
    return x.to(wanted)


@register_function(jnp.sinc)
def _sinc(x: Quantity) -> Any:
    """Of plain numbers, which JAX splits into whole ones and a rest."""
    return jnp.sinc(materialize(number(x, "sinc")))


@register_function(jnp.heaviside)
def _heaviside(x: object, at_zero: object) -> Any:
    """Plain numbers, whatever the unit of what is compared with zero."""
    if isinstance(x, Quantity):
        linear(x, "heaviside")
    middle = materialize(number(at_zero, "heaviside"))
    return jnp.heaviside(materialize(bare(x)), middle)


@register_function(jnp.signbit)
def _signbit(x: Quantity) -> Any:
    """The same whatever the unit."""
    linear(x, "signbit")
    return jnp.signbit(materialize(x.value))


# `jnp.linalg.lstsq` calls this, in a `jax.jit` of a partial function, which core cannot look into.
_inner = inspect.unwrap(jnp.linalg.lstsq).__globals__["_lstsq"]


@register_function(jax.jit(_inner))
def _lstsq(a: object, b: object, rcond: object = None) -> Any:
    """A X = B: X is in the unit of B by that of A, the squared residuals in that of B²."""
    for x in (a, b):
        if isinstance(x, Quantity):
            linear(x, "lstsq")
    tolerance: Any = rcond
    x, residuals, rank, singular = jnp.linalg.lstsq(
        materialize(bare(a)), materialize(bare(b)), tolerance
    )
    unit_a, unit_b = unit_of_operand(a), unit_of_operand(b)
    return (
        make(x, quotient(unit_b, unit_a)),
        make(residuals, power(unit_b, _TWO)),
        rank,
        make(singular, unit_a),
    )


_RADIAN, _DEGREE, _TWO = Unit("rad"), Unit("deg"), Fraction(2)
