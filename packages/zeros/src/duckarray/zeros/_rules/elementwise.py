"""Functions that are zero at zero, and sums."""

from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive

from duckarray.core import ArrayValue, bind, register
from duckarray.zeros._rules._result import abstract_result, result
from duckarray.zeros._value import Zeros

_ZERO_AT_ZERO = (
    "neg abs sign real imag conj convert_element_type reduce_precision floor ceil round square sqrt"
    " cbrt sin tan asin atan sinh tanh asinh atanh expm1 log1p erf erf_inv bessel_i1e"
    " add add_any sub max min or xor complex"
)


@register(*_ZERO_AT_ZERO.split())
def _elementwise_zeros(*xs: Zeros, primitive: Primitive, **params: Any) -> Any:
    """f(0) = 0, f(0, 0) = 0."""
    return result(primitive, xs, params)


@register("integer_pow")
def _integer_pow_zeros(x: Zeros, *, primitive: Primitive, y: int, **params: Any) -> Any:
    """0ʸ = 0 if y > 0."""
    return result(primitive, [x], {"y": y, **params}) if y > 0 else NotImplemented


@register("add", "add_any", "or", "xor", commutative=True)
def _add_zeros_any(x: Zeros, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """0 + y = y."""
    return _same(primitive, x, y, params)


@register("sub")
def _sub_any_zeros(x: object, y: Zeros, *, primitive: Primitive, **params: Any) -> Any:
    """Subtracting zero: y - 0 = y."""
    return _same(primitive, y, x, params)


@register("sub")
def _sub_zeros_any(x: Zeros, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """0 - y = -y."""
    return bind("neg", _same(primitive, x, y, params))


def _same(primitive: Primitive, x: Zeros, y: Any, params: dict[str, Any]) -> Any:
    """`y` itself; where the primitive would, it takes the shape of `x` or loses its weak type."""
    y = y if isinstance(y, ArrayValue | jax.Array) else jnp.asarray(y)
    aval = y.aval() if isinstance(y, ArrayValue) else jax.typeof(y)
    out = abstract_result(primitive, [x, y], params)
    if aval.weak_type != out.weak_type:
        to = {"new_dtype": out.dtype, "weak_type": out.weak_type, "sharding": None}
        y = bind("convert_element_type", y, **to)
    if aval.shape != out.shape:
        axes = tuple(range(out.ndim - aval.ndim, out.ndim))
        to = {"shape": out.shape, "broadcast_dimensions": axes, "sharding": None}
        y = bind("broadcast_in_dim", y, **to)
    return y
