"""Products of matrices and convolutions."""

import math
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive

from duckarray.core import Value, register
from duckarray.core.extend import with_dtype
from duckarray.zeros._number import Number
from duckarray.zeros._value import Full

from ._closed_form import product, repeated_sum, wide
from ._constant import NotFull, constant_of, has_value, number_in
from ._identity import absorbs
from ._result import abstract_result, filled, zeros_of

_PRODUCTS = ("dot_general", "conv_general_dilated")


@register(*_PRODUCTS)
def _product_full_any(x: Full, y: NotFull, *, primitive: Primitive, **params: Any) -> Any:
    """0 · y = 0, whatever y is, and c · y are the sums of y times c."""
    out = _absorbed(primitive, x, y, [x, y], params)
    return out if out is not NotImplemented else _sums(primitive, x, y, 0, params)


@register(*_PRODUCTS)
def _product_any_full(x: NotFull, y: Full, *, primitive: Primitive, **params: Any) -> Any:
    """The same. Not a mirrored rule: the parameters of some tell the two operands apart."""
    out = _absorbed(primitive, y, x, [x, y], params)
    return out if out is not NotImplemented else _sums(primitive, y, x, 1, params)


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


def _sums(primitive: Primitive, full: Full, y: Any, side: int, params: Any) -> Any:
    """Σ c · y = c · Σ y, which is the same for all rows (or columns) that `full` has."""
    constant = constant_of(full)
    if primitive.name != "dot_general" or isinstance(y, Value) or constant is None:
        return NotImplemented
    out = abstract_result(primitive, [full, y] if side == 0 else [y, full], params)
    contracted, batch = params["dimension_numbers"]
    ndim, own_batch = jnp.ndim(y), batch[1 - side]
    rest = [i for i in range(ndim) if i not in (*contracted[1 - side], *own_batch)]
    dtype = wide(out.dtype)
    # The sums keep the order of what is left of the axes of `y`.
    sums = jnp.sum(jnp.asarray(y).astype(dtype), axis=tuple(contracted[1 - side]), dtype=dtype)
    number = constant.scalar if isinstance(constant, Number) else constant
    sums = (jnp.asarray(number).astype(dtype) * sums).astype(out.dtype)
    first = len(own_batch) + (len(out.shape) - len(own_batch) - len(rest)) * (1 - side)
    places = {axis: i for i, axis in enumerate(own_batch)}
    places |= {axis: first + i for i, axis in enumerate(rest)}
    left = [i for i in range(ndim) if i in places]
    order = sorted(range(len(left)), key=lambda i: places[left[i]])
    sums = lax.transpose(sums, order)
    axes = sorted(places.values())
    return with_dtype(lax.broadcast_in_dim(sums, out.shape, axes), out.dtype, out.weak_type)


def _absorbed(primitive: Primitive, zeros: Full, other: Any, operands: Any, params: Any) -> Any:
    if has_value(zeros, 0) and absorbs(zeros, other):
        return zeros_of(primitive, operands, params)
    return NotImplemented
