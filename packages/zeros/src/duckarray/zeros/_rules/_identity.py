"""Numbers that leave the other operand as it is, or that absorb it."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive

from duckarray.core import Value, bind, known_constant
from duckarray.core.extend import extremes
from duckarray.zeros._number import limits
from duckarray.zeros._semantics import may_absorb
from duckarray.zeros._value import Full

from ._constant import has_value, is_broadcast, number_in
from ._result import Params, results, same_as, zeros_of

_NEUTRAL_ON_EITHER_SIDE = {"add": 0, "add_any": 0, "xor": 0, "or": 0, "mul": 1}
_NEUTRAL_ON_THE_RIGHT = {
    "sub": 0,
    "div": 1,
    "pow": 1,
    "shift_left": 0,
    "shift_right_logical": 0,
    "shift_right_arithmetic": 0,
}
_ZERO_ABSORBS = ("mul", "and")
_ZERO_ABSORBS_ON_THE_LEFT = (
    "div",
    "rem",
    "shift_left",
    "shift_right_logical",
    "shift_right_arithmetic",
)
_EXTREMES = ("max", "min", "and", "or")


def with_identity(primitive: Primitive, x: Any, y: Any, params: Params) -> Any:
    """The answer if one operand is a constant that is neutral or absorbs; else `NotImplemented`."""
    name = primitive.name
    for full, other, left in ((x, y, True), (y, x, False)):
        if number_in(full) is None:
            continue
        neutral = _NEUTRAL_ON_EITHER_SIDE.get(name)
        if neutral is None and not left:
            neutral = _NEUTRAL_ON_THE_RIGHT.get(name)
        if neutral is not None and has_value(full, neutral) and not is_broadcast(other, full):
            return same_as(other, primitive, [x, y], params)
        if has_value(full, 0):
            if name in (*_ZERO_ABSORBS, *_ZERO_ABSORBS_ON_THE_LEFT) and _is_finite(other):
                return NotImplemented  # both are constants: which zero it is depends on the signs
            if name in _ZERO_ABSORBS and absorbs(full, other):
                return zeros_of(primitive, [x, y], params)
            if name in _ZERO_ABSORBS_ON_THE_LEFT and left and _quotient_is_zero(name, full, other):
                return zeros_of(primitive, [x, y], params)
            if name == "sub" and left and not is_broadcast(other, full):
                return bind("neg", same_as(other, primitive, [x, y], params))
            if name == "pow" and not left:  # of NaN too
                return results(primitive, [x, y], params, 1)
        if name in _EXTREMES:
            low, high = _extremes(full, name)
            neutral = low if name in ("max", "or") else high
            if has_value(full, neutral) and not is_broadcast(other, full):
                return same_as(other, primitive, [x, y], params)
            exact = not jnp.issubdtype(full.dtype, jnp.inexact)  # the maximum of NaN is NaN
            if exact and has_value(full, high if name in ("max", "or") else low):
                return results(primitive, [x, y], params, full.number)
    return NotImplemented


def absorbs(zeros: Full, other: Any) -> bool:
    """Whether 0 · other is zero: for a known number by arithmetic, else as the semantics has it."""
    if known_constant(other) is not None and jnp.issubdtype(zeros.dtype, jnp.inexact):
        return _is_finite(other)
    return may_absorb(zeros.dtype, other)


def _is_finite(x: Any) -> bool:
    """Whether `x` is known to be a number that is neither infinite nor NaN."""
    number = known_constant(x)
    return number is not None and bool(np.isfinite(complex(number)))


def _quotient_is_zero(name: str, zeros: Full, other: Any) -> bool:
    """Whether 0 / other is zero, or the rest of that division.

    Of integers it has to be known that `other` is not zero: what XLA gives for 0 / 0 is -1. The
    rest of 0 / 0 is 0, and what is shifted is zero in any case.
    """
    if name.startswith("shift") or not jnp.issubdtype(zeros.dtype, jnp.inexact):
        return name != "div" or known_constant(other) not in (None, 0)
    if isinstance(other, Value):  # what structure it has, zeros are often part of
        return False
    number = known_constant(other)
    if number is not None:
        return number != 0 and bool(number == number)
    return may_absorb(zeros.dtype, other, divides=True)


def _extremes(x: Full, name: str) -> tuple[Any, Any]:
    """The least and the greatest number of a dtype; for `and` and `or`, no bits and all bits."""
    dtype = x.dtype
    if jnp.issubdtype(dtype, jnp.bool_):
        return False, True
    if jnp.issubdtype(dtype, jnp.integer):
        least, greatest = limits(dtype)
        if name in ("and", "or"):
            return 0, -1 if least < 0 else greatest
        return least, greatest
    if jnp.issubdtype(dtype, jnp.floating):
        least, greatest = extremes(dtype)
        return float(least), float(greatest)
    return None, None
