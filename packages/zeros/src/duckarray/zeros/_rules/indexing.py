"""Entries at places that are operands themselves."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.zeros._number import Number, limits, number_of
from duckarray.zeros._semantics import may_absorb
from duckarray.zeros._value import Full

from ._constant import constant_of, has_value, same_constant
from ._result import results, same_as, zeros_of

_FILL = lax.GatherScatterMode.FILL_OR_DROP
_SETS = ("scatter", "scatter-min", "scatter-max", "scatter_min", "scatter_max")


@register("gather")
def _gather_full(x: Full, indices: Full | ArrayLike, *, primitive: Primitive, **params: Any) -> Any:
    """The same number, unless what is out of bounds is filled with another."""
    constant = constant_of(x)
    if constant is None:
        return NotImplemented
    if params["mode"] == _FILL:
        filler = _filler(x, params["fill_value"])
        if filler is None or not same_constant(constant, filler):
            return NotImplemented
    return results(primitive, [x, indices], params, constant)


def _filler(x: Full, fill_value: Any) -> Number | None:
    """What `gather` fills in: NaN by default, for integers the least, or greatest if unsigned.

    None where the dtype has no such number, and JAX takes another.
    """
    if fill_value is None and jnp.issubdtype(x.dtype, jnp.inexact):
        fill_value = jnp.nan
    elif fill_value is None and x.dtype == bool:
        fill_value = True
    elif fill_value is None:
        least, greatest = limits(x.dtype)
        fill_value = least if least < 0 else greatest
    try:
        return number_of(fill_value, x.dtype)
    except ValueError:
        return None


@register("dynamic_update_slice")
def _dynamic_update_slice_full(
    x: Full | ArrayLike,
    update: Full | ArrayLike,
    *starts: Full | ArrayLike,
    primitive: Primitive,
    **params: Any,
) -> Any:
    """The same number in place of itself, or all entries replaced."""
    operands = [x, update, *starts]
    if jnp.shape(x) == jnp.shape(update):  # what is out of bounds is moved inside
        return same_as(update, primitive, operands, params)
    constant = constant_of(x)
    if not same_constant(constant, constant_of(update)):
        return NotImplemented
    return results(primitive, operands, params, constant)


@register(*_SETS)
def _scatter_full(
    x: Full | ArrayLike,
    indices: Full | ArrayLike,
    updates: Full | ArrayLike,
    *,
    primitive: Primitive,
    **params: Any,
) -> Any:
    """The same number put in place of itself."""
    if primitive.name == "scatter" and params["update_jaxpr"] is not None:
        return NotImplemented  # `x.at[i].apply(f)`, where the updates are zeros that nobody reads
    constant = constant_of(x)
    if not same_constant(constant, constant_of(updates)):
        return NotImplemented
    return results(primitive, [x, indices, updates], params, constant)


@register("scatter-add", "scatter_add", "scatter-sub", "scatter_sub")
def _scatter_add_any_full(
    x: object, indices: Full | ArrayLike, updates: Full, *, primitive: Primitive, **params: Any
) -> Any:
    """Zeros added in some places leave everything as it is."""
    return (
        same_as(x, primitive, [x, indices, updates], params)
        if (has_value(updates, 0))
        else NotImplemented
    )


@register("scatter-mul", "scatter_mul")
def _scatter_mul_any_full(
    x: object, indices: Full | ArrayLike, updates: Full, *, primitive: Primitive, **params: Any
) -> Any:
    """Ones multiplied with in some places leave everything as it is."""
    if has_value(updates, 1):
        return same_as(x, primitive, [x, indices, updates], params)
    return NotImplemented


@register("scatter-mul", "scatter_mul")
def _scatter_mul_full_dense(
    x: Full, indices: Full | ArrayLike, updates: ArrayLike, *, primitive: Primitive, **params: Any
) -> Any:
    """Zeros stay zero, whatever they are multiplied with."""
    if has_value(x, 0) and may_absorb(x.dtype, updates):
        return zeros_of(primitive, [x, indices, updates], params)
    return NotImplemented
