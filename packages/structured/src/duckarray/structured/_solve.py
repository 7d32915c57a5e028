"""Solves and inverses: of each type for dense right-hand sides, and of two types."""

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.core import Tracer

from ._apply import apply, call, factor_by_factor, transpose
from ._band import Band
from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import make
from ._closure import matmul
from ._convert import meet
from ._eliminate import solve_band
from ._limits import at_least
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation, inverse
from ._product import BlockDiagonal, Kronecker, conform, partition_of, sizes_of
from ._stored import Symmetric, Triangular, full
from ._toeplitz import Circulant, Toeplitz
from ._toeplitz_solve import solve_columns

# Of these the inverse is of the same type, and a solve is a product with it.
_INVERTIBLE = (Identity, Diagonal, Permutation, Circulant, DiagonalPlusLowRank)
# An entry of a diagonal, next to those of a low-rank part, by which not to divide.
_SMALL = 1e-3


@singledispatch
def solve_dense(x: Any, b: Any) -> Any:
    """The solution for columns `[*batch, n, k]` of the dtype of `x`; `NotImplemented` if dense."""
    return NotImplemented


def can_solve(x: Any) -> bool:
    """Whether `solve_dense` has an answer for a square matrix."""
    if isinstance(x, Kronecker):
        return sizes_of(x)[0] == sizes_of(x)[1]
    if isinstance(x, BlockDiagonal):
        return all(p == q for _, p, q in partition_of(x))
    return not isinstance(x, LowRank)


@solve_dense.register
def _solve_identity(x: Identity, b: Any) -> Any:
    return apply(x, b)


@solve_dense.register
def _solve_diagonal(x: Diagonal, b: Any) -> Any:
    return b / x.diagonal[..., None]


@solve_dense.register(Tridiagonal)
@solve_dense.register(Banded)
def _solve_band(x: Any, b: Any) -> Any:
    return solve_band(Band.of(x), b)


@solve_dense.register
def _solve_triangular(x: Triangular, b: Any) -> Any:
    return triangular_solve(x.matrix, b, lower=x.lower, unit_diagonal=x.unit_diagonal)


@solve_dense.register
def _solve_symmetric(x: Symmetric, b: Any) -> Any:
    return jnp.linalg.solve(full(x), b)


@solve_dense.register
def _solve_permutation(x: Permutation, b: Any) -> Any:
    return apply(transpose(x), b)


@solve_dense.register
def _solve_toeplitz(x: Toeplitz, b: Any) -> Any:
    return solve_columns(x, b)


@solve_dense.register
def _solve_circulant(x: Circulant, b: Any) -> Any:
    return apply(inverse_of(x), b)


@solve_dense.register
def _solve_kronecker(x: Kronecker, b: Any) -> Any:
    rows, columns = sizes_of(x)
    if rows != columns:
        return NotImplemented
    return factor_by_factor(x.factors, b, lambda f, z: call(jnp.linalg.solve, f, z))


@solve_dense.register
def _solve_block_diagonal(x: BlockDiagonal, b: Any) -> Any:
    if any(p != q for _, p, q in partition_of(x)):
        return NotImplemented
    return solve_blocks(x, b, jnp.linalg.solve)


@solve_dense.register
def _solve_diagonal_plus_low_rank(x: DiagonalPlusLowRank, b: Any) -> Any:
    """Woodbury: `(D + u v')⁻¹ b = D⁻¹ b - D⁻¹ u (1 + v' D⁻¹ u)⁻¹ v' D⁻¹ b`."""
    x = regular(x)
    d = x.diagonal[..., None]
    u, first = x.u / d, b / d
    right = jnp.matmul(jnp.swapaxes(x.v, -1, -2), first)
    return first - jnp.matmul(u, jnp.linalg.solve(capacitance(x), right))


def capacitance(x: DiagonalPlusLowRank) -> Any:
    """`1 + v' D⁻¹ u`, of the size of the rank."""
    inner = jnp.matmul(jnp.swapaxes(x.v, -1, -2), x.u / x.diagonal[..., None])
    return inner + jnp.eye(inner.shape[-1], dtype=inner.dtype)


def regular(x: DiagonalPlusLowRank) -> Any:
    """The same matrix with a diagonal part that has no zeros, unless the matrix is singular.

    As many of its entries as the rank, the smallest next to the other part, take something over
    from that: were more of them zero, the matrix would be singular.
    """
    d, (n, rank) = x.diagonal, x.u.shape[-2:]
    if rank == 0 or n == 0:
        return x
    # [*batch, n]: how large the entries of the other part may be in each row and column.
    part = jnp.linalg.norm(x.u, axis=-1) * jnp.linalg.norm(x.v, axis=-1)
    part, size = lax.stop_gradient(part), lax.stop_gradient(jnp.abs(d))
    ratio = size / jnp.where(part == 0, 1, part)
    if not isinstance(ratio, Tracer) and bool((ratio > _SMALL).all()):
        return x
    _, smallest = lax.top_k(-ratio, min(rank, n))
    hot = smallest[..., None, :] == jnp.arange(n)[:, None]  # [*batch, n, rank]
    sign = lax.stop_gradient(jnp.where(size == 0, 1, jnp.sign(d)))
    shift = (sign * part).astype(d.dtype)
    u = jnp.concatenate([x.u, jnp.where(hot, -shift[..., None], 0)], axis=-1)
    v = jnp.concatenate([x.v, hot.astype(x.v.dtype)], axis=-1)
    return make(DiagonalPlusLowRank, d + jnp.where(hot.any(-1), shift, 0), u, v)


def solve_blocks(x: BlockDiagonal, b: Any, solve: Callable[[Any, Any], Any]) -> Any:
    """`solve(blocks, columns)` for each stack of square blocks and the rows of `b` next to it."""
    outs, row = [], 0
    for stack in x.stacks:
        k, p, _ = stack.shape[-3:]
        part = b[..., row : row + k * p, :]
        part = part.reshape(*part.shape[:-2], k, p, part.shape[-1])
        out = solve(stack, part)
        outs.append(out.reshape(*out.shape[:-3], k * p, out.shape[-1]))
        row += k * p
    return jnp.concatenate(outs, axis=-2)


def triangular_solve(matrix: Any, b: Any, *, lower: bool, unit_diagonal: bool = False) -> Any:
    """The solution for columns; batch axes are broadcast."""
    batch = jnp.broadcast_shapes(matrix.shape[:-2], b.shape[:-2])
    matrix = jnp.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))
    b = jnp.broadcast_to(b, (*batch, *b.shape[-2:]))
    return lax.linalg.triangular_solve(
        matrix, b, left_side=True, lower=lower, unit_diagonal=unit_diagonal
    )


def inverse_of(x: Any) -> Any:
    """The inverse, as a value of the same type; None if that has none."""
    if isinstance(x, Identity):
        return x
    if isinstance(x, Diagonal):
        return make(Diagonal, 1 / x.diagonal)
    if isinstance(x, Permutation):
        return make(Permutation, inverse(x.permutation), of_dtype=x.of_dtype)
    if isinstance(x, Circulant):
        return make(Circulant, of_spectrum(1 / spectrum(x), x.c.dtype))
    if isinstance(x, Triangular):
        eye = jnp.eye(x.matrix.shape[-1], dtype=x.matrix.dtype)
        return make(
            Triangular, _solve_triangular(x, eye), lower=x.lower, unit_diagonal=x.unit_diagonal
        )
    if isinstance(x, Symmetric):
        return make(Symmetric, jnp.linalg.inv(full(x)), lower=x.lower)
    if isinstance(x, Kronecker):
        rows, columns = sizes_of(x)
        same = rows == columns
        return make(Kronecker, tuple(call(jnp.linalg.inv, f) for f in x.factors)) if same else None
    if isinstance(x, BlockDiagonal):
        if any(p != q for _, p, q in partition_of(x)):
            return None
        return make(BlockDiagonal, tuple(jnp.linalg.inv(s) for s in x.stacks))
    if isinstance(x, DiagonalPlusLowRank):
        x = regular(x)
        d = 1 / x.diagonal
        u, v = d[..., None] * x.u, d[..., None] * x.v
        left = -jnp.swapaxes(
            jnp.linalg.solve(jnp.swapaxes(capacitance(x), -1, -2), jnp.swapaxes(u, -1, -2)), -1, -2
        )
        return make(DiagonalPlusLowRank, d, left, v)
    return None


def solve(x: Any, y: Any) -> Any:
    """The solution for a structured right-hand side, where it is structured; else None."""
    if isinstance(x, _INVERTIBLE):
        return matmul(inverse_of(x), y)
    if isinstance(y, LowRank):
        u = solve_dense(x, y.u)
        return None if u is NotImplemented else make(LowRank, u, y.v)
    if isinstance(y, Identity):
        found = inverse_of(x)
        if found is not None:
            return found
    if isinstance(x, Triangular):
        found = meet(x, y, ("triangular",))
        if found is None and isinstance(y, Diagonal):
            return matmul(inverse_of(x), y)
        if found is not None:
            right = full(found[2])
            unit = x.unit_diagonal and found[2].unit_diagonal
            return make(Triangular, _solve_triangular(x, right), lower=x.lower, unit_diagonal=unit)
    if isinstance(x, Kronecker) and isinstance(y, Kronecker):
        rows, columns = sizes_of(x)
        if rows != columns or not conform(x, y):
            return None
        pairs = zip(x.factors, y.factors, strict=True)
        return make(Kronecker, tuple(call(jnp.linalg.solve, a, b) for a, b in pairs))
    if isinstance(x, BlockDiagonal):
        found = meet(x, y, ("block",))
        if found is not None and all(p == q for _, p, q in partition_of(x)):
            return matmul(inverse_of(x), found[2])
    return None


def spectrum(x: Circulant) -> Any:
    """The eigenvalues, in the order of the discrete Fourier transform."""
    return jnp.fft.fft(x.c.astype(at_least(x.c.dtype, jnp.float32)), axis=-1)


def of_spectrum(values: Any, dtype: Any) -> Any:
    """The first column of the circulant matrix with these eigenvalues."""
    out = jnp.fft.ifft(values, axis=-1)
    return (out if jnp.issubdtype(dtype, jnp.complexfloating) else out.real).astype(dtype)
