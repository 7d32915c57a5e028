"""What moves, chooses or sums numbers of one unit: the result is in that unit."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend.core import Primitive

from duckarray.core import bind, register
from duckarray.units._dimension import NUMBER
from duckarray.units._errors import AffineUnitError
from duckarray.units._unit import ONE
from duckarray.units._value import Quantity, make

from ._common import bare, for_several, linear, number, unit_of_operand

_ADDING = (
    "reduce_window_sum psum psum_invariant reduce_scatter unreduced_psum unreduced_reduce_scatter"
)

_MOVING = (
    "tile broadcast_to roll reduce_precision cummax cummin split unstack"
    " reduce_window_max reduce_window_min ppermute pbroadcast all_gather all_to_all"
    " all_gather_invariant all_gather_reduced preduced ragged_all_to_all nonbatchable"
    " nondifferentiable_backward unvmap_max dynamic_slice unreduced_pmax unreduced_pmin"
    " broadcast_in_dim reshape reshard copy"
)

_TO_BOOLEAN = """`{operation}`: whether {unit} is zero depends on the unit.
Compare with a quantity: `x != u.Quantity(0.0, "{unit}")`."""


@register("broadcast_in_dim", "reshape", "squeeze", "transpose", "slice", "rev")
@register("reduce_max", "reduce_min")
def _move_quantity(x: Quantity, *, primitive: Primitive, **params: Any) -> Any:
    """The entries are in the same unit wherever they are."""
    return make(bind(primitive, x.value, **params), x.unit)


@register("neg", "abs", "reduce_sum", "cumsum", "real", "imag", "conj", "fft")
def _sum_quantity(x: Quantity, *, primitive: Primitive, **params: Any) -> Any:
    """Multiples and sums of one unit are in that unit; a Fourier transform is a sum."""
    return make(bind(primitive, x.value, **params), linear(x, primitive))


# These move entries or choose among them, so they have a meaning for absolute temperatures too.
# What is not the first operand says where, or how much.
@for_several(*_MOVING.split())
def _move_first(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The entries are in the same unit wherever they are."""
    x = values[0]
    if not isinstance(x, Quantity):
        return NotImplemented
    return _like(bind(primitive, x.value, *values[1:], **params), x.unit)


@for_several("floor", "ceil", "round")
def _round(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Whole numbers of the unit; what has no dimension is a number, in whatever unit it is said.

    `5 km // (2 m)` is 2500, though 2.5 km/m is.
    """
    (x,) = values
    if x.unit.dimension is NUMBER:
        return make(bind(primitive, number(x, primitive), **params), ONE)
    return make(bind(primitive, x.value, **params), x.unit)


@for_several(*_ADDING.split())
def _sum_each(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Sums are in the unit of what is summed."""
    out = bind(primitive, *map(bare, values), **params)
    if not isinstance(out, list | tuple):
        return make(out, linear(values[0], primitive))
    pairs = zip(out, values, strict=True)
    return [make(y, linear(x, primitive)) if isinstance(x, Quantity) else y for y, x in pairs]


@for_several("sort", "pmax", "pmin")
def _keep_each(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Each result is in the unit of its operand."""
    out = bind(primitive, *map(bare, values), **params)
    if not isinstance(out, list | tuple):
        return make(out, unit_of_operand(values[0]))
    pairs = zip(out, values, strict=True)
    return [make(y, x.unit) if isinstance(x, Quantity) else y for y, x in pairs]


@for_several("top_k", "approx_top_k")
def _keep_first(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The greatest entries, and the plain numbers of their places."""
    x = values[0]
    entries, *places = bind(primitive, *map(bare, values), **params)
    return [make(entries, x.unit), *places]


@for_several("sign", "is_finite", "argmax", "argmin")
def _plain(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The same whatever the unit."""
    x = values[0]
    if primitive.name == "sign":
        linear(x, primitive)
    return bind(primitive, x.value, **params)


@for_several("convert_element_type")
def _convert_dtype(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The same numbers of another dtype; as booleans, whether they are other than zero."""
    x = values[0]
    out = bind(primitive, x.value, **params)
    if params["new_dtype"] != jnp.bool_:
        return make(out, x.unit)
    if not x.unit.is_linear:
        raise AffineUnitError(_TO_BOOLEAN.format(operation="conversion to bool", unit=x.unit))
    return out


@for_several("select_and_gather_add", "select_and_scatter_add")
def _tangents(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Windows choose by the second operand what is added up of the first."""
    out = bind(primitive, *map(bare, values), **params)
    x = values[0]
    return make(out, linear(x, primitive)) if isinstance(x, Quantity) else out


def _like(out: Any, unit: Any) -> Any:
    if isinstance(out, list | tuple):
        return [make(y, unit) for y in out]
    return make(out, unit)
