"""Operations on each entry that change the scales alone."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import known_constant, register
from duckarray.quant._axes import permutation_of
from duckarray.quant._scales import ScaleCodes, plain
from duckarray.quant._value import QuantArray, compute_dtype, unchecked


@register("neg")
def _neg_quant(x: QuantArray, **params: Any) -> QuantArray:
    """-(s · c) = (-s) · c."""
    return _scaled(x, -1, lax.mul)


@register("mul", commutative=True)
def _mul_quant_dense(x: QuantArray, y: ArrayLike, **params: Any) -> Any:
    """(s · c) y = (s y) · c, for y a number, or the same along the axis of the groups."""
    return _times(x, y, lax.mul)


@register("div")
def _div_quant_dense(x: QuantArray, y: ArrayLike, **params: Any) -> Any:
    """(s · c) / y = (s / y) · c, for such y too."""
    return _times(x, y, lax.div)


@register("convert_element_type")
def _convert_element_type_quant(
    x: QuantArray, *, new_dtype: Any, weak_type: bool, **params: Any
) -> Any:
    """Another floating-point dtype is another dtype of the same codes."""
    if not jnp.issubdtype(new_dtype, jnp.floating) or weak_type:
        return NotImplemented
    layout = x.layout.with_permutation(permutation_of(x), dtype=jnp.dtype(new_dtype).name)
    return unchecked(x.codes, x.scale, x.zero_point, x.scheme, layout)


@register("copy", "copy_p", "reduce_precision")
def _copy_quant(x: QuantArray, *, primitive: Primitive, **params: Any) -> Any:
    """Nothing changes."""
    return x if primitive.name != "reduce_precision" else NotImplemented


def _times(x: QuantArray, y: Any, operation: Any) -> Any:
    # Next to a longer axis one of one entry is repeated, so that there is an entry for each scale.
    shape = jnp.shape(y)
    if any(n not in (1, m) for n, m in zip(shape, x.shape, strict=bool(shape))):
        return NotImplemented
    number = known_constant(y)
    if number is not None:
        return _scaled(x, number, operation)
    y = jnp.asarray(y)
    k = x.ndim + x.layout.k
    permutation = permutation_of(x)
    at = permutation.index(k) if k in permutation else None
    if y.ndim and (y.ndim != x.ndim or at is None or y.shape[at] != 1):
        return NotImplemented
    if y.ndim:
        y = lax.transpose(y, [permutation.index(i) for i in range(x.ndim)])
    else:
        y = jnp.reshape(y, (1,) * x.ndim)
    return _scaled(x, y, operation)


def _scaled(x: QuantArray, y: Any, operation: Any) -> QuantArray:
    compute = compute_dtype(x.layout.dtype)
    y = jnp.asarray(y).astype(compute)
    is_number = y.size == 1

    def change(scale: Any) -> Any:
        if isinstance(scale, ScaleCodes) and is_number:
            return scale.times(operation(jnp.ones_like(y), y).reshape(()))
        array = plain(scale, compute)
        factor = y if y.ndim else jnp.reshape(y, (1,) * array.ndim)
        return operation(*jnp.broadcast_arrays(array, factor))

    zero = change(x.zero_point) if x.scheme.offset else x.zero_point
    return unchecked(x.codes, change(x.scale), zero, x.scheme, x.layout)  # type: ignore[no-any-return]
