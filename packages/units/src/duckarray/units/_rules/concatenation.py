"""What puts numbers next to each other, or some in place of others: all in one unit."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind
from duckarray.units._value import Quantity, make

from ._common import align, bare, for_several, number


@for_several("concatenate", "stack", "pad")
def _join(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """All in the unit of the first quantity."""
    xs, unit = align(primitive, values)
    return make(bind(primitive, *xs, **params), unit)


@for_several("select_n")
def _select(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The first operand says which of the others."""
    which, *cases = values
    which = number(which, primitive)
    if not any(isinstance(case, Quantity) for case in cases):
        return bind(primitive, which, *cases, **params)
    xs, unit = align(primitive, cases)
    return make(bind(primitive, which, *xs, **params), unit)


@for_several("maybe_set")
def _maybe_set(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Equinox's `x.at[i].set(y)` if a flag is set."""
    flag, x, y, *index = values
    (x, y), unit = align(primitive, (x, y))
    return make(bind(primitive, bare(flag), x, y, *index, **params), unit)
