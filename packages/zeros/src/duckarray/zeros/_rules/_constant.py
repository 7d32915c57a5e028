"""Which number an operand is full of, and what a primitive makes of numbers."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive

from duckarray.core import Value, except_for, known_constant
from duckarray.core.extend import note_constant
from duckarray.zeros._number import Number
from duckarray.zeros._value import Full, as_scalar

from ._result import Params, abstract_result, filled, varying_alike

Constant = Number | jax.Array

# Of the sign of zero: none of these makes a negative one of positive ones.
_NAMES = (
    "abs sign real imag convert_element_type reduce_precision floor ceil round square sqrt"
    " cbrt sin tan asin atan sinh tanh asinh atanh expm1 log1p erf erf_inv bessel_i1e add add_any"
    " sub mul max min and or xor complex population_count"
)
_ZERO_AT_ZERO = frozenset(_NAMES.split())
_COMPARISONS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}

NotFull: Any = except_for(object, Full)
"""What an operand of a rule is annotated with if it is no `Full`."""


def constant_of(x: Any) -> Constant | None:
    """The number that `x` is full of: one known while tracing, or an array without axes, or None.

    Of an array it is only the number that the program says it was made of.
    """
    if isinstance(x, Full):
        if x.number is not None or x.scalar is None:
            return x.number
        return None if x.scalar.ndim else x.scalar
    if isinstance(x, Value):
        return None
    known = known_constant(x)
    return None if known is None else Number(np.asarray(known).astype(jax.typeof(x).dtype))


def number_in(x: Any) -> Number | None:
    """The number that a `Full` is known to be full of while tracing, or None."""
    return x.number if isinstance(x, Full) else None


def has_value(x: Any, value: Any) -> bool:
    """Whether `x` is a `Full` of this number."""
    number = number_in(x)
    return number is not None and bool(number.item == value)


def is_broadcast(x: Any, full: Full) -> bool:
    """Whether `x` is an array without axes that makes a constant of a `Full` that has some."""
    return not isinstance(x, Value) and np.ndim(x) == 0 < full.ndim


def same_constant(a: Constant | None, b: Constant | None) -> bool:
    """Whether both are known to be one number."""
    return a is not None and (a is b or (isinstance(a, Number) and a == b))


def as_operand(x: Full) -> Any:
    """The number without axes, as an operand of a primitive; other types' rules know which it is.

    Elementwise primitives take an operand without axes for an array of any shape.
    """
    if x.number is None:
        return as_scalar(x)
    if not jax.typeof(x.empty).weak_type:
        return x.number.scalar
    scalar = as_scalar(x)
    note_constant(scalar, x.number.item)
    return scalar


def of_constants(primitive: Primitive, operands: Sequence[Any], params: Params) -> Any:
    """f(c, d) everywhere, by the primitive itself; `NotImplemented` if an operand is no constant.

    An array without axes is one, next to a `Full` with axes.
    """
    parts = list(map(constant_of, operands))
    out = None
    for i, x in enumerate(operands):
        if parts[i] is None:
            out = out or abstract_result(primitive, operands, params)
            if isinstance(x, Value) or not out.shape or np.ndim(x):
                return NotImplemented
            parts[i] = x
    return evaluated(primitive, parts, operands, params, out)


def evaluated(
    primitive: Primitive, parts: Sequence[Any], operands: Sequence[Any], params: Params, out: Any
) -> Any:
    """The primitive of these numbers, while tracing if they are known, as a `Full`."""
    if params.get("sharding") is not None:
        return NotImplemented
    out = out or abstract_result(primitive, operands, params)
    if all(isinstance(p, Number) for p in parts):
        value: Any = _by_name(primitive.name, parts)
        if value is None:
            value = _evaluate(primitive, tuple(parts), tuple(params.items()))
        if value is None:
            return NotImplemented
    else:
        scalars = [p.scalar if isinstance(p, Number) else p for p in parts]
        value = primitive.bind(*varying_alike(scalars), **params)
        if value.ndim:
            return NotImplemented
    return filled(value, out, operands)


def _by_name(name: str, numbers: Sequence[Number]) -> Any:
    """What needs no program to be compiled, which takes some milliseconds; None for all else."""
    if name in _ZERO_AT_ZERO and all(n.is_positive_zero for n in numbers):
        return 0
    return _COMPARISONS[name](*[n.item for n in numbers]) if name in _COMPARISONS else None


@functools.lru_cache(maxsize=4096)
def _evaluate(
    primitive: Primitive, numbers: tuple[Number, ...], params: tuple[Any, ...]
) -> Number | None:
    with jax.ensure_compile_time_eval():
        out = primitive.bind(*[n.scalar for n in numbers], **dict(params))
    entries = [Number(entry) for entry in np.asarray(out).ravel()]
    return entries[0] if all(entry == entries[0] for entry in entries) else None
