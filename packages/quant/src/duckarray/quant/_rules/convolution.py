"""Convolutions with a quantized kernel."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.quant._axes import k_axis, permutation_of
from duckarray.quant._product import CPU, blocks_of, cut_parts, dense_parts, parts_of
from duckarray.quant._value import QuantArray


@register("conv_general_dilated")
def _conv_general_dilated_dense_quant(
    x: ArrayLike, kernel: QuantArray, *, dimension_numbers: Any, **params: Any
) -> Any:
    """Dequantizes the kernel for some of the output features, and goes on to the next."""
    x = jnp.asarray(x)
    params["dimension_numbers"] = dimension_numbers
    dtype = params.get("preferred_element_type") or x.dtype
    parts = parts_of(kernel, jnp.promote_types(kernel.dtype, x.dtype))
    permutation = permutation_of(kernel)
    axis = permutation[dimension_numbers.rhs_spec[0]]
    grouped = params["feature_group_count"] != 1 or params["batch_group_count"] != 1

    def convolve(codes: Any, x: Any) -> Any:
        dense = lax.transpose(dense_parts(parts._replace(codes=codes)), permutation)
        return lax.conv_general_dilated_p.bind(x, dense.astype(x.dtype), **params)

    size = kernel.size * x.dtype.itemsize
    if size <= CPU.block or grouped or axis == k_axis(kernel):
        return jax.checkpoint(convolve)(lax.optimization_barrier(parts.codes), x).astype(dtype)
    features = parts.shape[axis]
    count = blocks_of(features, max(features * CPU.block // size, 1))

    def block(_: None, index: Any) -> Any:
        dense = lax.transpose(dense_parts(cut_parts(parts, axis, index, count)), permutation)
        return None, lax.conv_general_dilated_p.bind(x, dense.astype(x.dtype), **params)

    run = jax.checkpoint(block, prevent_cse=False)
    _, stacked = lax.scan(run, None, jnp.arange(count, dtype=jnp.int32))
    at = dimension_numbers.out_spec[1]
    moved = jnp.moveaxis(stacked, 0, at)
    return moved.reshape(*moved.shape[:at], features, *moved.shape[at + 2 :]).astype(dtype)
