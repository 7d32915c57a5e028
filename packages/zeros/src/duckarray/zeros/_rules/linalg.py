"""Solves of linear systems with nothing on the right, and transforms of nothing."""

from typing import Any

from jax.extend.core import Primitive, primitives

from duckarray.core import register
from duckarray.zeros._semantics import may_absorb
from duckarray.zeros._value import Full

from ._constant import has_value
from ._result import zeros_of


@register("triangular_solve")
def _triangular_solve_any_full(a: object, b: Full, *, primitive: Primitive, **params: Any) -> Any:
    """A x = 0 gives x = 0."""
    return _solved(primitive, [a], b, params)


@register("tridiagonal_solve")
def _tridiagonal_solve_any_full(
    lower: object, main: object, upper: object, b: Full, *, primitive: Primitive, **params: Any
) -> Any:
    """A x = 0 gives x = 0."""
    return _solved(primitive, [lower, main, upper], b, params)


@register(primitives.linear_solve_p)
def _linear_solve_full(*operands: object, const_lengths: Any, **params: Any) -> Any:
    """A x = 0 gives x = 0, whatever `solve` would do; there may be several right-hand sides."""
    count = sum(const_lengths)
    known, right_hand_sides = operands[:count], operands[count:]
    if not all(has_value(b, 0) for b in right_hand_sides):
        return NotImplemented
    if not all(may_absorb(b.dtype, x) for b in right_hand_sides for x in known):  # type: ignore[attr-defined]
        return NotImplemented
    return list(right_hand_sides)


@register("fft")
def _fft_full(x: Full, *, primitive: Primitive, **params: Any) -> Any:
    """The transform of zeros is zeros."""
    return zeros_of(primitive, [x], params) if has_value(x, 0) else NotImplemented


def _solved(primitive: Primitive, matrix: list[Any], b: Full, params: dict[str, Any]) -> Any:
    if has_value(b, 0) and all(may_absorb(b.dtype, x) for x in matrix):
        return zeros_of(primitive, [*matrix, b], params)
    return NotImplemented
