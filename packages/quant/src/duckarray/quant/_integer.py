"""Products of integers: the other operand is quantized as it comes, row by row (w8a8, w4a8).

A product of one row is slow on CPUs (measured: twelve times that of two), so there are always two.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._product import Numbers, Parts, by_platform, cut_parts, dot
from ._scales import inverse
from ._value import unpacked


def applies(parts: Parts, x: Any, numbers: Numbers) -> bool:
    """Whether integers can be multiplied: one axis is summed, that of the groups, none is batch."""
    only = numbers.w_summed == (parts.k,) and not numbers.w_batch
    return bool(only and parts.zero is None and x.size and min(parts.shape) > 0)


def integer_product(parts: Parts, x: Any, numbers: Numbers, precision: Any) -> Any:
    """The product, as `by_platform` gives it; its derivative is that of the weight-only product."""

    @jax.custom_jvp
    def product(x: Any, codes: Any, scale: Any) -> Any:
        return _product(parts._replace(codes=codes, scale=scale), x, numbers)

    @functools.partial(product.defjvp, symbolic_zeros=True)
    def product_jvp(primals: Any, tangents: Any) -> Any:
        x, codes, scale = primals
        dx, _, dscale = tangents
        out = product(x, codes, scale)
        whole = parts._replace(codes=codes, scale=scale)
        tangent = jnp.zeros_like(out)
        if not isinstance(dx, jax.custom_derivatives.SymbolicZero):
            tangent = tangent + by_platform(whole, dx, numbers, precision)
        if not isinstance(dscale, jax.custom_derivatives.SymbolicZero):
            moved = whole._replace(scale=dscale)
            tangent = tangent + by_platform(moved, x, numbers, precision)
        return out, tangent

    return product(x, parts.codes, parts.scale)


def _product(parts: Parts, x: Any, numbers: Numbers) -> Any:
    (axis,) = numbers.x_summed
    x = jnp.moveaxis(x, axis, -1)
    free = x.shape[:-1]
    rows = x.reshape(-1, x.shape[-1])
    n_rows = rows.shape[0]
    if n_rows == 1:
        rows = jnp.concatenate([rows, jnp.zeros_like(rows)])
    kept = None
    outliers = min(parts.like.scheme.outliers, rows.shape[-1])
    if outliers:
        _, places = lax.top_k(jnp.max(jnp.abs(rows), 0), outliers)
        kept = rows[:, places], places
        rows = rows.at[:, places].set(0)
    scale = jnp.max(jnp.abs(rows), -1, keepdims=True) / 127
    codes = jnp.round(rows * inverse(scale)).astype(jnp.int8)
    out = _integers(parts, codes) * scale.reshape(-1, *(1,) * (len(parts.shape) - 1))
    if kept is not None:
        out = out + _outliers(parts, *kept)
    return out[:n_rows].reshape(*free, *out.shape[1:]).astype(x.dtype)


def _integers(parts: Parts, rows: Any) -> Any:
    """Rows of integers times the codes, scaled by the scales of the groups."""
    k, groups = parts.k, parts.scale.shape[parts.k]
    if groups == 1:
        out = _dot_integers(parts, rows)
        return out * _per_column(parts)
    size = rows.shape[-1] // groups
    blocks = jnp.moveaxis(rows.reshape(-1, groups, size), 1, 0)

    def add(total: Any, given: Any) -> tuple[Any, None]:
        index, block = given
        cut = cut_parts(parts, k, index, groups)
        return total + _dot_integers(cut, block) * _per_column(cut), None

    rest = [n for i, n in enumerate(parts.shape) if i != k]
    zero = jnp.zeros((rows.shape[0], *rest), parts.scale.dtype)
    indices = jnp.arange(groups, dtype=jnp.int32)
    return lax.scan(add, zero, (indices, blocks))[0]


def _per_column(parts: Parts) -> Any:
    """The scales of one group, with an axis for the rows in front."""
    return lax.expand_dims(lax.squeeze(parts.scale, [parts.k]), [0])


def _dot_integers(parts: Parts, rows: Any) -> Any:
    fmt = parts.like.scheme.format
    codes = unpacked(parts.codes, parts.like.layout, fmt.bits)
    if fmt.bits < 8:
        codes = codes.astype(jnp.int8) - np.int8(fmt.bias)
    n = (((1,), (parts.k,)), ((), ()))
    out = lax.dot_general(rows, codes, n, preferred_element_type=jnp.int32)
    return out.astype(parts.scale.dtype)


def _outliers(parts: Parts, columns: Any, places: Any) -> Any:
    """The product of a few columns with the rows of the weight that they meet."""
    from ._rows import entries_at

    rows = entries_at(parts.codes, parts.scale, None, parts.like, places)
    return dot(columns, rows, Numbers((1,), (parts.k,), (), ()), lax.Precision.HIGHEST)
