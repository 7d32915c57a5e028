"""Products of matrices: never with the whole of a large array dequantized."""

from typing import Any

import jax.numpy as jnp
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.quant._product import dot_general
from duckarray.quant._value import QuantArray


@register("dot_general")
def _dot_general_quant_dense(
    x: QuantArray, y: ArrayLike, *, dimension_numbers: Any, **params: Any
) -> Any:
    """Dequantizes a block of `x`, multiplies it, and goes on to the next."""
    return _product(x, y, True, dimension_numbers, params)


@register("dot_general")
def _dot_general_dense_quant(
    x: ArrayLike, y: QuantArray, *, dimension_numbers: Any, **params: Any
) -> Any:
    """Dequantizes a block of `y`, multiplies it, and goes on to the next."""
    return _product(y, x, False, dimension_numbers, params)


@register("dot_general")
def _dot_general_quant_quant(
    x: QuantArray, y: QuantArray, *, dimension_numbers: Any, **params: Any
) -> Any:
    """Dequantizes the smaller one, and walks through the other in blocks."""
    if x.size >= y.size:
        return _product(x, y.materialize(), True, dimension_numbers, params)
    return _product(y, x.materialize(), False, dimension_numbers, params)


def _product(w: QuantArray, x: Any, w_on_left: bool, numbers: Any, params: Any) -> Any:
    x = jnp.asarray(x)
    if params.get("out_sharding") is not None or not jnp.issubdtype(x.dtype, jnp.floating):
        return NotImplemented
    dtype = params.get("preferred_element_type") or jnp.promote_types(x.dtype, w.dtype)
    if not jnp.issubdtype(dtype, jnp.floating):
        return NotImplemented
    return dot_general(w, x, numbers, w_on_left, params.get("precision"), dtype)
