"""Operations that move, take, repeat or join entries."""

from typing import Any

from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.zeros._rules._result import result
from duckarray.zeros._value import Zeros


@register("broadcast_in_dim", "reshape", "squeeze", "transpose", "rev", "tile")
@register("slice", "dynamic_slice", "split", "unstack")
def _reshape_zeros(x: Zeros, *sizes: ArrayLike, primitive: Primitive, **params: Any) -> Any:
    """Zeros in another order, or some of them; `sizes` are positions that need not be known."""
    return result(primitive, [x, *sizes], params)


@register("gather")
def _gather_zeros(x: Zeros, indices: ArrayLike, *, primitive: Primitive, **params: Any) -> Any:
    """Zeros, unless what is out of bounds is filled with something else."""
    fills = params["mode"] == lax.GatherScatterMode.FILL_OR_DROP and params["fill_value"] != 0
    return NotImplemented if fills else result(primitive, [x, indices], params)


@register("concatenate", "stack", "pad")
def _concatenate_zeros(*xs: Zeros, primitive: Primitive, **params: Any) -> Any:
    """Zeros next to zeros, or around them."""
    return result(primitive, xs, params)


@register("dynamic_update_slice")
def _dynamic_update_slice_zeros_zeros(
    x: Zeros, update: Zeros, *starts: ArrayLike, primitive: Primitive, **params: Any
) -> Any:
    """Zeros put in place of zeros."""
    return result(primitive, [x, update, *starts], params)


@register("select_n")
def _select_n_zeros(which: ArrayLike, *cases: Zeros, primitive: Primitive, **params: Any) -> Any:
    """Zeros, whichever is chosen."""
    return result(primitive, [which, *cases], params)
