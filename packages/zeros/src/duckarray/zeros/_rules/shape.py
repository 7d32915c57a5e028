"""Operations that move, take, repeat or join entries."""

from typing import Any

from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.zeros._value import Full

from ._constant import as_operand, constant_of, same_constant
from ._result import results, varying_alike


@register("broadcast_in_dim", "reshape", "squeeze", "transpose", "rev", "tile", "broadcast_to")
@register("slice", "dynamic_slice", "split", "unstack", "roll")
def _reshape_full(x: Full, *sizes: Full | ArrayLike, primitive: Primitive, **params: Any) -> Any:
    """The same number in another shape; `sizes` are positions that need not be known."""
    constant = constant_of(x)
    if constant is None:
        return NotImplemented
    return results(primitive, [x, *sizes], params, constant)


@register("concatenate", "stack")
def _concatenate_full(*xs: Full | ArrayLike, primitive: Primitive, **params: Any) -> Any:
    """The same number next to itself."""
    constants = list(map(constant_of, xs))
    if not all(same_constant(constants[0], c) for c in constants):
        return NotImplemented
    return results(primitive, xs, params, constants[0])


@register("pad")
def _pad_full(
    x: Full, value: Full | ArrayLike, *, primitive: Primitive, padding_config: Any, **params: Any
) -> Any:
    """The same number around itself, or entries taken away."""
    constant = constant_of(x)
    adds = any(low > 0 or high > 0 or inner > 0 for low, high, inner in padding_config)
    if constant is None or (adds and not same_constant(constant, constant_of(value))):
        return NotImplemented
    return results(primitive, [x, value], {"padding_config": padding_config, **params}, constant)


@register("pad")
def _pad_dense_full(x: ArrayLike, value: Full, *, primitive: Primitive, **params: Any) -> Any:
    """A constant around an array is its number."""
    return primitive.bind(*varying_alike([x, as_operand(value)]), **params)
