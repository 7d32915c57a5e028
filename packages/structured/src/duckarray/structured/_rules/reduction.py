"""Sums, products and extremes over rows, columns and batches."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive

from duckarray.core import bind
from duckarray.core.extend import extremes
from duckarray.structured._apply import apply, transpose
from duckarray.structured._band import CHAIN, Band, length
from duckarray.structured._base import Structured, on_batch
from duckarray.structured._product import BlockDiagonal
from duckarray.structured._rules._register import register
from duckarray.structured._stored import Symmetric, Triangular, full
from duckarray.structured._toeplitz import Circulant, Toeplitz, values_of


@register("reduce_sum")
def _reduce_sum_structured(x: Structured, *, axes: Any, **params: Any) -> Any:
    """Rows and columns are summed by products with ones, batch axes leaf by leaf."""
    n = x.ndim - 2
    own = [axis for axis in axes if axis >= n]
    batch = tuple(axis for axis in axes if axis < n)
    if not own:
        linear = isinstance(x, (*CHAIN[1:], Toeplitz, Circulant, BlockDiagonal, Symmetric))
        if not linear and not (isinstance(x, Triangular) and not x.unit_diagonal):
            return NotImplemented
        return on_batch(x, lambda leaf, own: lax.reduce_sum(leaf, batch))
    if isinstance(x, Toeplitz | Circulant) and not jnp.issubdtype(x.dtype, jnp.inexact):
        return NotImplemented
    both = len(own) == 2
    if both and isinstance(x, Toeplitz) and x.size:
        # How often each value occurs.
        rows, columns = x.shape[-2:]
        counts = [length(rows, columns, -k) for k in range(-columns + 1, rows)]
        out = (values_of(x) * jnp.asarray(counts, x.dtype)).sum(-1)
    elif isinstance(x, Circulant):
        out = x.c.sum(-1)
        out = out * x.c.shape[-1] if both else jnp.broadcast_to(out[..., None], x.c.shape)
    else:
        matrix = transpose(x) if own[0] == n else x
        ones = jnp.ones((matrix.shape[-1], 1), x.dtype)
        out = apply(matrix, ones)
        if out is NotImplemented:
            return NotImplemented
        out = out[..., 0].sum(-1, dtype=x.dtype) if both else out[..., 0]
    return lax.reduce_sum(out, batch) if batch else out


@register("reduce_max", "reduce_min", "reduce_prod", "reduce_or", "reduce_and")
def _reduce_structured(x: Structured, *, primitive: Primitive, axes: Any, **params: Any) -> Any:
    """The stored entries are reduced, and with them a zero where one is not stored."""
    n = x.ndim - 2
    own = [axis - n for axis in axes if axis >= n]
    batch = tuple(axis for axis in axes if axis < n)
    if isinstance(x, Symmetric | Triangular):
        return bind(primitive, full(x), axes=axes, **params)
    if not isinstance(x, CHAIN) or not own or x.size == 0:
        return NotImplemented
    band = Band.of(x)
    if own == [0]:
        band = band.transpose()
    m, width = band.m, band.n
    neutral = _neutral(primitive.name, x.dtype)
    stored = []
    for k, v in band.diagonals.items():
        r = max(0, -k)
        if v.shape[-1]:
            pads = [(0, 0, 0)] * (v.ndim - 1) + [(r, m - r - v.shape[-1], 0)]
            stored.append(lax.pad(v, neutral, pads))
    counts = [sum(0 <= i + k < width for k in band.diagonals) for i in range(m)]
    missing = jnp.asarray([count < width for count in counts])
    stored.append(
        jnp.broadcast_to(jnp.where(missing, jnp.zeros((), x.dtype), neutral), (*band.batch, m))
    )
    every = jnp.stack(stored)
    over = (0, every.ndim - 1) if len(own) == 2 else (0,)
    out = bind(primitive, every, axes=over, **params)
    return bind(primitive, out, axes=batch, **params) if batch else out


def _neutral(name: str, dtype: Any) -> Any:
    if name in ("reduce_or", "reduce_and"):
        full_of = name == "reduce_and"
        return jnp.asarray(
            full_of if jnp.issubdtype(dtype, jnp.bool_) else (-1 if full_of else 0), dtype
        )
    if name == "reduce_prod":
        return jnp.ones((), dtype)
    least, greatest = extremes(dtype)
    return jnp.asarray(least if name == "reduce_max" else greatest)
