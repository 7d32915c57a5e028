"""Reductions and cumulative operations, in closed form."""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive

from duckarray.core import register
from duckarray.core.extend import with_dtype
from duckarray.zeros._number import Number
from duckarray.zeros._value import Full

from ._closed_form import repeated_product, repeated_sum, wide
from ._constant import constant_of
from ._result import abstract_result, results, zeros_of


@register("reduce_sum", "reduce_prod", "reduce_max", "reduce_min")
@register("reduce_and", "reduce_or", "reduce_xor")
def _reduce_full(x: Full, *, primitive: Primitive, axes: tuple[int, ...], **params: Any) -> Any:
    """Σ c = n c, Π c = cⁿ, max c = c; of no entries what the primitive gives."""
    constant = constant_of(x)
    if constant is None:
        return NotImplemented
    params["axes"] = axes
    count = math.prod([x.shape[axis] for axis in axes])
    if primitive.name == "reduce_sum":
        value: Any = repeated_sum(constant, count)
    elif primitive.name == "reduce_prod":
        value = repeated_product(constant, count)
    elif count == 0 or (primitive.name == "reduce_xor" and count % 2 == 0):
        value = _of_nothing(primitive, x.dtype)
    else:
        value = constant
    return results(primitive, [x], params, value)


@functools.lru_cache(maxsize=1024)
def _of_nothing(primitive: Primitive, dtype: Any) -> Number:
    """What the primitive gives for no entries."""
    params: dict[str, Any] = {"axes": (0,)}
    with jax.ensure_compile_time_eval():
        return Number(np.asarray(primitive.bind(np.zeros(0, dtype), **params)))


@register("argmax", "argmin")
def _argmax_full(x: Full, *, primitive: Primitive, **params: Any) -> Any:
    """The first of equal entries is at 0."""
    return zeros_of(primitive, [x], params)


@register("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def _cumulate_full(
    x: Full, *, primitive: Primitive, axis: int, reverse: bool, **params: Any
) -> Any:
    """Running sums n c, products cⁿ, maxima c and log sums c + log n, where n counts from 1."""
    constant = constant_of(x)
    params |= {"axis": axis, "reverse": reverse}
    if constant is None:
        return NotImplemented
    item = constant.item if isinstance(constant, Number) else None
    same = {"cumsum": item == 0, "cumprod": item in (0, 1)}.get(primitive.name, True)
    if same and primitive.name != "cumlogsumexp":
        return results(primitive, [x], params, constant)
    out = abstract_result(primitive, [x], params)
    floats = jnp.issubdtype(out.dtype, jnp.floating)
    if not floats and not (primitive.name == "cumsum" and jnp.issubdtype(out.dtype, jnp.integer)):
        return NotImplemented
    c = constant.scalar if isinstance(constant, Number) else constant
    shape = (out.shape[axis],)
    n = lax.iota(jnp.int32 if floats else out.dtype, out.shape[axis]) + 1
    n = lax.rev(n, (0,)) if reverse else n
    row = _running(primitive.name, jnp.asarray(c), n).astype(out.dtype)
    assert row.shape == shape
    return with_dtype(lax.broadcast_in_dim(row, out.shape, (axis,)), out.dtype, out.weak_type)


def _running(name: str, c: jax.Array, n: jax.Array) -> jax.Array:
    if not jnp.issubdtype(c.dtype, jnp.floating):
        return c * n
    c = c.astype(wide(c.dtype))
    count = n.astype(c.dtype)
    if name == "cumsum":
        return c * count
    if name == "cumprod":
        return jnp.power(c, count)
    return c + jnp.log(count)
