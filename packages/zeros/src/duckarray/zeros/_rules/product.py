"""Products of matrices and convolutions."""

import math
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import register
from duckarray.zeros._semantics import may_absorb
from duckarray.zeros._value import Full

from ._closed_form import product, repeated_sum
from ._constant import NotFull, has_value, number_in
from ._result import abstract_result, filled, zeros_of

_PRODUCTS = ("dot_general", "conv_general_dilated")


@register(*_PRODUCTS)
def _product_full_any(x: Full, y: NotFull, *, primitive: Primitive, **params: Any) -> Any:
    """0 · y = 0, whatever y is; the dtype is the one that was asked for."""
    return _absorbed(primitive, x, y, [x, y], params)


@register(*_PRODUCTS)
def _product_any_full(x: NotFull, y: Full, *, primitive: Primitive, **params: Any) -> Any:
    """The same. Not a mirrored rule: the parameters of some tell the two operands apart."""
    return _absorbed(primitive, y, x, [x, y], params)


@register(*_PRODUCTS)
def _product_full_full(x: Full, y: Full, *, primitive: Primitive, **params: Any) -> Any:
    """Σ c · d = n · c · d, where n is how many terms each entry has."""
    a, b = number_in(x), number_in(y)
    if primitive.name == "dot_general" and a is not None and b is not None:
        out = abstract_result(primitive, [x, y], params)
        (contracted, _), _ = params["dimension_numbers"]
        count = math.prod([x.shape[axis] for axis in contracted])
        term = product(a, b, out.dtype)
        return filled(repeated_sum(term, count), out, [x, y])
    out = _absorbed(primitive, x, y, [x, y], params)
    return out if out is not NotImplemented else _absorbed(primitive, y, x, [x, y], params)


@register("ragged_dot_general")
def _ragged_dot_full_any(
    x: Full, y: NotFull, sizes: object, *rest: object, primitive: Primitive, **params: Any
) -> Any:
    """0 · y = 0 in each group."""
    return _absorbed(primitive, x, y, [x, y, sizes, *rest], params)


@register("ragged_dot_general")
def _ragged_dot_any_full(
    x: NotFull, y: Full, sizes: object, *rest: object, primitive: Primitive, **params: Any
) -> Any:
    """X · 0 = 0 in each group."""
    return _absorbed(primitive, y, x, [x, y, sizes, *rest], params)


@register("ragged_dot_general")
def _ragged_dot_full_full(
    x: Full, y: Full, sizes: object, *rest: object, primitive: Primitive, **params: Any
) -> Any:
    """0 · 0 = 0 in each group."""
    zeros, other = (x, y) if has_value(x, 0) else (y, x)
    return _absorbed(primitive, zeros, other, [x, y, sizes, *rest], params)


def _absorbed(primitive: Primitive, zeros: Full, other: Any, operands: Any, params: Any) -> Any:
    number = number_in(other)
    exact = number is not None and number.is_finite
    if has_value(zeros, 0) and (exact or may_absorb(zeros.dtype, other)):
        return zeros_of(primitive, operands, params)
    return NotImplemented
