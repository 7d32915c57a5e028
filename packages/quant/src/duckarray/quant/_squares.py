"""Sums of the squares of a `QuantArray`, a block at a time, as norms of rows or columns need."""

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from ._product import CPU, Parts, blocks_of, cut_parts, dense_parts, parts_of, step_of


def sum_of_squares(w: Any, axes: tuple[int, ...]) -> Any:
    """The sums over `axes`, as `jnp.sum(jnp.square(w), axes)` gives them, in single precision."""
    ndim = w.codes.ndim
    permutation = w.layout.permutation(ndim)
    over = tuple([permutation[i] for i in axes])
    out = _sum(parts_of(w, w.dtype), over)
    kept = [i for i in range(ndim) if i not in over]
    order = [kept.index(i) for i in permutation if i in kept]
    return out if order == sorted(order) else lax.transpose(out, order)


def _sum(parts: Parts, over: tuple[int, ...]) -> Any:
    """The sums over canonical axes; the others stay in canonical order."""
    shape, k = parts.shape, parts.k
    steps = [n // step_of(parts) if i == k else n for i, n in enumerate(shape)]
    size = math.prod(shape) * parts.scale.dtype.itemsize
    axis = max(range(len(shape)), key=lambda i: steps[i])
    if size <= CPU.block or steps[axis] < 2:
        return jnp.sum(jnp.square(dense_parts(parts)), over)
    count = blocks_of(steps[axis], max(CPU.block * steps[axis] // size, 1))

    def block(index: Any) -> Any:
        return _sum(cut_parts(parts, axis, index, count), over)

    indices = jnp.arange(count, dtype=jnp.int32)
    if axis in over:
        zero = jnp.zeros([n for i, n in enumerate(shape) if i not in over], parts.scale.dtype)
        return lax.scan(lambda total, i: (total + block(i), None), zero, indices)[0]
    out = lax.scan(lambda _, i: (None, block(i)), None, indices)[1]
    at = [i for i in range(len(shape)) if i not in over].index(axis)
    out = jnp.moveaxis(out, 0, at)
    return out.reshape(*out.shape[:at], -1, *out.shape[at + 2 :])
