"""Products of integers: the other operand is quantized as it comes, row by row (w8a8, w4a8).

The product of integers of one row is slow on CPUs (measured: twelve times that of two), so there
are two, or the integers are multiplied as floating-point numbers, whose sums are exact.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from . import _matvec as matvec
from ._product import Numbers, Parts, by_platform, cut_parts, dot
from ._scales import inverse
from ._value import unpacked


def applies(parts: Parts, x: Any, numbers: Numbers) -> bool:
    """Whether integers can be multiplied: one axis is summed, that of the groups, none is batch."""
    only = numbers.w_summed == (parts.k,) and not numbers.w_batch
    return bool(only and parts.zero is None and x.size and min(parts.shape) > 0)


def integer_product(parts: Parts, x: Any, numbers: Numbers, precision: Any) -> Any:
    """The product, as `by_platform` gives it; its derivative is that of the weight-only product."""

    def linear(parts: Parts, x: Any, numbers: Numbers) -> Any:
        return by_platform(parts, x, numbers, precision)

    compute = matvec.batched_by_rows(_product, _product)
    return matvec.with_derivative(compute, linear, parts, x, numbers)


def _product(parts: Parts, x: Any, numbers: Numbers) -> Any:
    (axis,) = numbers.x_summed
    x = jnp.moveaxis(x, axis, -1)
    free = x.shape[:-1]
    rows = x.reshape(-1, x.shape[-1])
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
    return out.reshape(*free, *out.shape[1:]).astype(x.dtype)


def _integers(parts: Parts, rows: Any) -> Any:
    """Rows of integers times the codes, scaled by the scales of the groups."""
    if rows.shape[0] != 1:
        return _several(parts, rows)
    whole = Numbers((1,), (parts.k,), (), ())

    def two(rows: Any, codes: Any, scale: Any) -> Any:
        both = jnp.concatenate([rows, jnp.zeros_like(rows)])
        return _several(parts._replace(codes=codes, scale=scale), both)[:1]

    def one(rows: Any, codes: Any, scale: Any) -> Any:
        numbers = rows.astype(scale.dtype)
        return matvec.row_sum(parts._replace(codes=codes, scale=scale), numbers, exact=True)

    args = (rows, parts.codes, parts.scale)
    if not matvec.applies(parts, rows.astype(parts.scale.dtype), whole):
        return two(*args)
    return lax.platform_dependent(*args, cpu=one, default=two)


def _several(parts: Parts, rows: Any) -> Any:
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
