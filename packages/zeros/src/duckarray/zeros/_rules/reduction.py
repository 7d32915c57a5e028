"""Reductions and cumulative operations."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import register
from duckarray.zeros._rules._result import result
from duckarray.zeros._value import Zeros


@register("reduce_sum", "reduce_or", "argmax", "argmin")
@register("cumsum", "cumprod", "cummax", "cummin")
def _reduce_zeros(x: Zeros, *, primitive: Primitive, **params: Any) -> Any:
    """Σ 0 = 0; the first of equal entries is at 0."""
    return result(primitive, [x], params)


@register("reduce_max", "reduce_min", "reduce_prod", "reduce_and")
def _reduce_max_zeros(
    x: Zeros, *, primitive: Primitive, axes: tuple[int, ...], **params: Any
) -> Any:
    """The maximum of zeros is 0; that of no entries is left to the primitive."""
    if any(x.shape[axis] == 0 for axis in axes):
        return NotImplemented
    return result(primitive, [x], {"axes": axes, **params})
