"""What reads and writes entries at places that are operands."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.extend.core import Primitive

from duckarray.core import bind
from duckarray.units._unit import ONE
from duckarray.units._value import Quantity, make

from ._common import align, bare, for_several, linear, number
from ._refused import refuse

_SCATTER = (
    "scatter scatter_add scatter-add scatter_sub scatter-sub scatter_min scatter-min"
    " scatter_max scatter-max"
)


@for_several("gather")
def _gather(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Entries of the first operand; what is out of bounds is filled with numbers of any unit."""
    x, indices = values
    if not isinstance(x, Quantity):
        return bind(primitive, x, number(indices, primitive), **params)
    fill = params.get("fill_value")
    if params.get("mode") == lax.GatherScatterMode.FILL_OR_DROP and fill is not None:
        (_, fill), _ = align(primitive, (x, fill))
        params = {**params, "fill_value": fill}
    return make(bind(primitive, x.value, indices, **params), x.unit)


@for_several("dynamic_update_slice")
def _update(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Numbers written over others, in one unit."""
    (x, update), unit = align(primitive, values[:2])
    return make(bind(primitive, x, update, *values[2:], **params), unit)


@for_several(*_SCATTER.split())
def _scatter(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Numbers written over, or added to, others, in one unit."""
    x, indices, updates = values
    if primitive.name == "scatter" and params["update_jaxpr"] is not None:  # `x.at[i].apply(f)`
        return refuse(primitive, values)
    if isinstance(x, Quantity) and x.unit.is_linear and _is_written_zero(updates):
        return make(bind(primitive, x.value, indices, updates, **params), x.unit)
    (x, updates), unit = align(primitive, (x, updates))
    if primitive.name.endswith(("add", "sub")):
        linear(make(x, unit), primitive)
    return make(bind(primitive, x, indices, updates, **params), unit)


@for_several("scatter_mul", "scatter-mul")
def _scatter_mul(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Only some entries are multiplied, so that factors are plain numbers."""
    x, indices, updates = values
    updates = number(updates, primitive)
    unit = linear(x, primitive) if isinstance(x, Quantity) else ONE
    out = bind(primitive, bare(x), indices, updates, **params)
    return make(out, unit) if isinstance(x, Quantity) else out


@for_several("call_hi_primitive")
def _composite(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Of JAX's composite primitives, the search for where numbers stand among sorted ones."""
    if type(params.get("_prim")).__name__ != "SearchSorted":
        return refuse(primitive, values)
    numbers, _ = align("searchsorted", values)
    return bind(primitive, *numbers, **params)


def _is_written_zero(updates: Any) -> bool:
    """Whether a concrete array, to be written, is zero.

    Of `x.at[i].set(0)` JAX makes an array before a rule can see the number, when it is run eagerly.
    While compiling the number is seen, as a constant.
    """
    if not isinstance(updates, jax.Array) or isinstance(updates, Tracer):
        return False
    return not np.any(np.asarray(updates))
