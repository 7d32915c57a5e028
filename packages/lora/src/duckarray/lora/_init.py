"""How the factors of an adapter begin."""

import math
from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core import ArrayValue

from ._config import LoraConfig
from ._layout import RANK, arrange, axes_of, contract
from ._select import Layout

_NOT_DENSE = """`LoraConfig(init_lora_weights={init!r})` subtracts the factors from `{path}`, \
which is a `{type}` and no plain array.
Take this initialisation before you convert the weight, or `init_lora_weights=True`."""

_ODD = """`LoraConfig(init_lora_weights="orthogonal")` needs an even rank, but that of `{path}` is \
{rank}.
Pass `r={more}`."""

_NOT_FINITE = """`LoraConfig(init_lora_weights={init!r})` takes the factors from `{path}`, which \
holds numbers that are not finite.
Leave it out with `exclude_modules=[{path!r}]`, or take `init_lora_weights=True`."""


def begin(
    path: str, w: Any, layout: Layout, rank: int, scale: float, config: LoraConfig, key: jax.Array
) -> tuple[Any, Any, Any]:
    """The weight and the factors that an adapter begins with, `(w, a, b)`."""
    init = config.init_lora_weights
    batch_axes, row_axes, column_axes = axes_of(len(w.shape), layout.rows, layout.columns)
    batch, rows, columns = ([w.shape[i] for i in x] for x in (batch_axes, row_axes, column_axes))
    of_a, of_b = (*batch, *rows, rank), (*batch, rank, *columns)
    if isinstance(init, str) and init.startswith(("pissa", "olora")):
        return _from_weight(path, w, layout, rank, scale, init, key)
    if init == "orthogonal":
        if rank % 2:
            raise ValueError(_ODD.format(path=path, rank=rank, more=rank + 1))
        sizes = (batch, math.prod(rows), math.prod(columns))
        a, b = _orthogonal(sizes, rank, w.dtype, key)
        return w, a.reshape(of_a), b.reshape(of_b)
    if init == "gaussian":
        a = jax.random.normal(key, of_a, w.dtype) / jnp.asarray(rank, w.dtype)
        return w, a, jnp.zeros(of_b, w.dtype)
    bound = 1 / math.sqrt(max(math.prod(rows), 1))
    a = jax.random.uniform(key, of_a, w.dtype, -bound, bound)
    if init is False:
        bound = 1 / math.sqrt(rank)
        of = jax.random.fold_in(key, 1)
        return w, a, jax.random.uniform(of, of_b, w.dtype, -bound, bound)
    return w, a, jnp.zeros(of_b, w.dtype)


def magnitude_of(w: Any, layout: Layout) -> Any:
    """The norm of each column, or row, that is an output; with the axes of `w`."""
    inputs = layout.columns if layout.outputs_are_rows else layout.rows
    return jnp.sqrt(jnp.sum(jnp.square(w), inputs, keepdims=True))


def _orthogonal(sizes: Any, rank: int, dtype: Any, key: jax.Array) -> tuple[Any, Any]:
    batch, m, n = sizes
    keys = jax.random.split(key, 3)
    wide = jnp.promote_types(dtype, jnp.float32)
    q = jnp.linalg.qr(jax.random.normal(keys[0], (*batch, rank, rank), wide))[0]
    # Rows of an orthogonal matrix, so that each row of `odd` is orthogonal to each of `even`.
    odd, even = q[..., 0::2, :], q[..., 1::2, :]
    a = jax.random.normal(keys[1], (*batch, m, rank // 2), wide) @ odd / 10
    b = even.mT @ jax.random.normal(keys[2], (*batch, rank // 2, n), wide) / 10
    return a.astype(dtype), b.astype(dtype)


def _from_weight(
    path: str, w: Any, layout: Layout, rank: int, scale: float, init: str, key: jax.Array
) -> tuple[Any, Any, Any]:
    """The principal part of `w` as factors, and what is left of it."""
    if isinstance(w, ArrayValue):
        raise TypeError(_NOT_DENSE.format(init=init, path=path, type=type(w).__name__))
    if not isinstance(w, jax.core.Tracer) and not bool(jnp.isfinite(w).all()):
        raise ValueError(_NOT_FINITE.format(init=init, path=path))
    batch, rows, columns = axes_of(w.ndim, layout.rows, layout.columns)
    of_w = tuple(range(w.ndim))
    sizes = [[w.shape[i] for i in axes] for axes in (batch, rows, columns)]
    wide = jnp.promote_types(w.dtype, jnp.float32)
    ordered = arrange(w, of_w, (*batch, *rows, *columns)).astype(wide)
    matrix = ordered.reshape(*sizes[0], math.prod(sizes[1]), math.prod(sizes[2]))
    if init == "olora":
        q, r = jnp.linalg.qr(matrix)
        a, b = q[..., :rank] / math.sqrt(scale), r[..., :rank, :] / math.sqrt(scale)
    else:
        u, s, v = _principal(matrix, rank, init, key)
        root = jnp.sqrt(s / scale)
        a, b = u * root[..., None, :], root[..., :, None] * v
    a = a.astype(w.dtype).reshape(*sizes[0], *sizes[1], rank)
    b = b.astype(w.dtype).reshape(*sizes[0], rank, *sizes[2])
    update = contract(
        a.astype(wide),
        (*batch, *rows, RANK),
        b.astype(wide),
        (*batch, RANK, *columns),
        of_w,
        precision="highest",
    )
    return (w.astype(wide) - scale * update).astype(w.dtype), a, b


def _principal(matrix: Any, rank: int, init: str, key: jax.Array) -> tuple[Any, Any, Any]:
    """The largest singular values and their vectors; with a number of rounds, by iteration.

    References:
        Halko, Martinsson and Tropp, "Finding Structure with Randomness", 2011, algorithm 4.4.
    """
    if init == "pissa":
        u, s, v = jnp.linalg.svd(matrix, full_matrices=False)
        return u[..., :rank], s[..., :rank], v[..., :rank, :]
    *batch, _, n = matrix.shape
    more = min(rank + 8, *matrix.shape[-2:])
    q = matrix @ jax.random.normal(key, (*batch, n, more), matrix.dtype)
    for _ in range(int(init.rpartition("_")[2])):
        q = jnp.linalg.qr(matrix @ jnp.linalg.qr(matrix.mT @ q)[0])[0]
    q = jnp.linalg.qr(q)[0]
    u, s, v = jnp.linalg.svd(q.mT @ matrix, full_matrices=False)
    return (q @ u)[..., :rank], s[..., :rank], v[..., :rank, :]
