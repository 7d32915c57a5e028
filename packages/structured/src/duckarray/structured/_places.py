"""Entries of dense operands at the places where a structured matrix has entries of its own."""

from collections.abc import Callable
from typing import Any, Literal

import jax.numpy as jnp

from ._band import CHAIN, Band, length, start
from ._bands import Diagonal
from ._base import make, on_batch, one_of
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation
from ._product import BlockDiagonal, Kronecker
from ._stored import Symmetric, Triangular, full
from ._toeplitz import Circulant, Toeplitz

Kind = Literal["scalar", "rows", "columns", "full"]


def kind_of(y: Any, m: int, n: int) -> Kind | None:
    """What `y` is broadcast along, next to an `m x n` matrix; None if the matrix would be."""
    shape = jnp.shape(y)
    p, q = shape[-2:] if len(shape) >= 2 else (1, 1)
    if (p, q) == (m, n) and (m, n) != (1, 1):
        return "full"
    if (p, q) == (1, 1):
        return "scalar"
    if (p, q) == (m, 1):
        return "rows"
    return "columns" if (p, q) == (1, n) else None


def on_diagonal(y: Any, m: int, n: int, k: int) -> Any:
    """The entries of `y`, broadcast to `m x n`, on diagonal `k`."""
    if jnp.ndim(y) < 2:
        return y
    (r, c), size = start(k), length(m, n, k)
    match kind_of(y, m, n):
        case "scalar":
            return y[..., 0]
        case "rows":
            return y[..., r : r + size, 0]
        case "columns":
            return y[..., 0, c : c + size]
    return jnp.diagonal(y, k, -2, -1)


def on_blocks(y: Any, x: BlockDiagonal) -> list[Any]:
    """The entries of `y`, broadcast to the shape of `x`, in each stack of its blocks."""
    m, n = x.shape[-2:]
    found, r, c = [], 0, 0
    for s in x.stacks:
        k, p, q = s.shape[-3:]
        match kind_of(y, m, n):
            case "scalar":
                part = y if jnp.ndim(y) < 2 else y[..., None, :, :]
            case "rows":
                part = y[..., r : r + k * p, :].reshape(*y.shape[:-2], k, p, 1)
            case "columns":
                part = y[..., :, c : c + k * q].reshape(*y.shape[:-2], 1, k, q)
                part = jnp.moveaxis(part, -2, -3)
            case _:
                part = y[..., r : r + k * p, c : c + k * q].reshape(*y.shape[:-2], k, p, k, q)
                part = jnp.moveaxis(jnp.diagonal(part, 0, -4, -2), -1, -3)
        found.append(part)
        r, c = r + k * p, c + k * q
    return found


def scaled(x: Any, y: Any, change: Callable[[Any, Any], Any]) -> Any:
    """`x * y`, or `x / y`, where `change` is either; `NotImplemented` if it has no structure."""
    m, n = x.shape[-2:]
    kind = kind_of(y, m, n)
    if kind is None:
        return NotImplemented
    if isinstance(x, CHAIN):
        band = Band.of(x)
        parts = {k: change(v, on_diagonal(y, m, n, k)) for k, v in band.diagonals.items()}
        return Band(m, n, parts).value(type(x))
    if isinstance(x, BlockDiagonal):
        stacks = zip(x.stacks, on_blocks(y, x), strict=True)
        return make(BlockDiagonal, tuple(change(s, part) for s, part in stacks))
    if isinstance(x, Triangular):
        one = one_of(jnp.asarray(y))
        read = jnp.tri(n, dtype=bool) if x.lower else ~jnp.tri(n, k=-1, dtype=bool)
        # What is not read is divided by 1, lest it spoil derivatives.
        matrix = change(full(x), jnp.where(read, y, one))
        return make(Triangular, matrix, lower=x.lower, unit_diagonal=False)
    if kind == "scalar":
        return _times_scalar(x, y, change)
    if isinstance(x, Symmetric):
        return change(full(x), y)
    if isinstance(x, LowRank | DiagonalPlusLowRank) and kind in ("rows", "columns"):
        along = y if kind == "rows" else jnp.swapaxes(y, -1, -2)
        u, v = (change(x.u, along), x.v) if kind == "rows" else (x.u, change(x.v, along))
        if isinstance(x, LowRank):
            return make(LowRank, u, v)
        return make(DiagonalPlusLowRank, change(x.diagonal, along[..., 0]), u, v)
    return NotImplemented


def _times_scalar(x: Any, y: Any, change: Any) -> Any:
    each = y if jnp.ndim(y) == 0 else y[..., 0]  # for a leaf with one axis of its own
    if isinstance(x, Toeplitz | Circulant):
        return on_batch(x, lambda leaf, own: change(leaf, each))
    if isinstance(x, Symmetric):
        return make(Symmetric, change(full(x), y), lower=x.lower)
    if isinstance(x, Kronecker):
        return make(Kronecker, (change(x.factors[0], y), *x.factors[1:]))
    if isinstance(x, LowRank):
        return make(LowRank, change(x.u, y), x.v)
    if isinstance(x, DiagonalPlusLowRank):
        return make(DiagonalPlusLowRank, change(x.diagonal, each), change(x.u, y), x.v)
    return NotImplemented


def zero_like(x: Any) -> Any:
    """A matrix of zeros of the structure of `x`."""
    if isinstance(x, CHAIN):
        return Band.of(x).map(jnp.zeros_like).value(type(x))
    if isinstance(x, Permutation):
        return make(Diagonal, jnp.zeros(x.permutation.shape, x.of_dtype))
    if isinstance(x, Triangular):
        zeros = jnp.zeros_like(x.matrix)
        return make(Triangular, zeros, lower=x.lower, unit_diagonal=False)
    return on_batch(x, lambda leaf, own: jnp.zeros_like(leaf))
