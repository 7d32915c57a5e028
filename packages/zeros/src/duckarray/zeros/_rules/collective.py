"""Combinations over a named axis."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import register
from duckarray.core.extend import existing_primitives
from duckarray.zeros._value import Full

from ._constant import constant_of, has_value
from ._result import results, zeros_of

_LINEAR = existing_primitives(
    "psum psum_invariant reduce_scatter unreduced_psum ppermute pbroadcast"
)
_MOVES = existing_primitives("all_gather all_gather_invariant all_to_all pmax pmin")


@register(*_LINEAR)
def _psum_full(*xs: Full, primitive: Primitive, **params: Any) -> Any:
    """Σ 0 = 0."""
    if not all(has_value(x, 0) for x in xs):
        return NotImplemented
    return zeros_of(primitive, xs, params)


@register(*_MOVES)
def _all_gather_full(*xs: Full, primitive: Primitive, **params: Any) -> Any:
    """One number, which is the same on every device."""
    constant = constant_of(xs[0])
    if len(xs) > 1 or xs[0].number is None or constant is None:
        return NotImplemented
    return results(primitive, xs, params, constant)
