"""`apply` and `transpose`: each type times dense columns, and each type with its axes exchanged."""

from functools import singledispatch
from typing import Any

import jax.numpy as jnp
import numpy as np

from duckarray.core import ArrayValue, quaxify

from ._band import Band
from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import cast, make, zero_of, zeros_as
from ._limits import at_least
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation, inverse
from ._product import BlockDiagonal, Kronecker
from ._stored import Symmetric, Triangular, full
from ._toeplitz import Circulant, Toeplitz, values_of


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """`function`, with dispatch if an argument is a value."""
    if any(isinstance(x, ArrayValue) for x in args):
        return quaxify(function)(*args, **kwargs)
    return function(*args, **kwargs)


@singledispatch
def apply(x: Any, y: Any) -> Any:
    """`x @ y` for dense `y`, `[*batch, n, columns]`, of the dtype of `x`; or `NotImplemented`."""
    return NotImplemented


@apply.register
def _apply_identity(x: Identity, y: Any) -> Any:
    batch = jnp.broadcast_shapes(x.batch_shape, y.shape[:-2])
    return jnp.broadcast_to(y, (*batch, *y.shape[-2:]))


@apply.register(Diagonal)
@apply.register(Tridiagonal)
@apply.register(Banded)
def _apply_band(x: Any, y: Any) -> Any:
    return Band.of(x).apply(y)


@apply.register(Triangular)
@apply.register(Symmetric)
def _apply_stored(x: Any, y: Any) -> Any:
    # Stored with all its entries, so the triangles are put together rather than kept apart.
    return jnp.matmul(full(x), y)


@apply.register
def _apply_permutation(x: Permutation, y: Any) -> Any:
    if x.permutation.ndim == 1:
        return jnp.take(y, x.permutation, axis=-2, mode="clip")
    batch = jnp.broadcast_shapes(x.batch_shape, y.shape[:-2])
    n, k = y.shape[-2:]
    p = jnp.broadcast_to(x.permutation[..., None], (*batch, n, 1))
    return jnp.take_along_axis(jnp.broadcast_to(y, (*batch, n, k)), p, axis=-2)


@apply.register
def _apply_toeplitz(x: Toeplitz, y: Any) -> Any:
    m, n = x.c.shape[-1], x.r.shape[-1]
    if not can_apply(x):
        return NotImplemented
    if m == 0 or n == 0:
        batch = jnp.broadcast_shapes(x.batch_shape, y.shape[:-2])
        return jnp.zeros((*batch, m, y.shape[-1]), y.dtype)
    size = fast_length(m + n - 1)
    gap = zeros_as(x.c, (*x.batch_shape, size - (m + n - 1)))
    column = jnp.concatenate([x.c, gap, jnp.flip(x.r[..., 1:], -1)], axis=-1)
    return convolve(column, y, size)[..., :m, :]


@apply.register
def _apply_circulant(x: Circulant, y: Any) -> Any:
    if not can_apply(x):
        return NotImplemented
    n = x.c.shape[-1]
    return convolve(x.c, y, n) if n else jnp.zeros_like(y)


@apply.register
def _apply_kronecker(x: Kronecker, y: Any) -> Any:
    return factor_by_factor(x.factors, y, lambda f, z: call(jnp.matmul, f, z))


@apply.register
def _apply_block_diagonal(x: BlockDiagonal, y: Any) -> Any:
    outs, row = [], 0
    for stack in x.stacks:
        k, p, q = stack.shape[-3:]
        part = y[..., row : row + k * q, :]
        part = part.reshape(*part.shape[:-2], k, q, part.shape[-1])
        out = jnp.matmul(stack, part)
        outs.append(out.reshape(*out.shape[:-3], k * p, out.shape[-1]))
        row += k * q
    return jnp.concatenate(outs, axis=-2) if len(outs) > 1 else outs[0]


@apply.register
def _apply_low_rank(x: LowRank, y: Any) -> Any:
    return jnp.matmul(x.u, jnp.matmul(jnp.swapaxes(x.v, -1, -2), y))


@apply.register
def _apply_diagonal_plus_low_rank(x: DiagonalPlusLowRank, y: Any) -> Any:
    low = jnp.matmul(x.u, jnp.matmul(jnp.swapaxes(x.v, -1, -2), y))
    return x.diagonal[..., None] * y + low


def factor_by_factor(factors: Any, y: Any, change: Any) -> Any:
    """`change(factor, columns)` along the axis of each factor of a Kronecker product."""
    *batch, rows, k = y.shape
    done = 1
    for factor in factors:
        # [*batch, done, n * rest, k] -> [*batch, done, n, rest * k]
        m, n = factor.shape[-2:]
        rest = rows // (done * n) if done * n else 0
        y = change(factor[..., None, :, :], y.reshape(*batch, done, n, rest * k))
        batch = list(y.shape[:-3])
        rows, done = done * m * rest, done * m
    return y.reshape(*batch, rows, k)


def can_apply(x: Any) -> bool:
    """Whether products with dense columns have a rule: of integers, there is none by transforms."""
    return not isinstance(x, Toeplitz | Circulant) or bool(jnp.issubdtype(x.dtype, jnp.inexact))


def convolve(column: Any, y: Any, size: int) -> Any:
    """The circulant matrix with this first column times `y`, which is extended to `size` rows."""
    dtype = jnp.result_type(column.dtype, y.dtype)
    wide = at_least(dtype, jnp.float32)
    column, z = cast(column, wide), jnp.swapaxes(cast(y, wide), -1, -2)
    if jnp.issubdtype(wide, jnp.complexfloating):
        out = jnp.fft.ifft(jnp.fft.fft(column, size)[..., None, :] * jnp.fft.fft(z, size), size)
    else:
        spectrum = jnp.fft.rfft(column, size)[..., None, :] * jnp.fft.rfft(z, size)
        out = jnp.fft.irfft(spectrum, size)
    return cast(jnp.swapaxes(out, -1, -2), dtype)


def fast_length(n: int) -> int:
    """The smallest number that is at least `n` and has no prime factor above 5."""
    best = 1 << max(n - 1, 0).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            quotient = -(-n // three)
            best = min(best, three << max(quotient - 1, 0).bit_length())
            three *= 3
        five *= 5
    return best


@singledispatch
def transpose(x: Any) -> Any:
    """`x` with its last two axes exchanged."""
    raise TypeError(f"not a structured matrix: {x!r}")


@transpose.register(Identity)
@transpose.register(Diagonal)
@transpose.register(Symmetric)
def _transpose_symmetric(x: Any) -> Any:
    return x


@transpose.register
def _transpose_tridiagonal(x: Tridiagonal) -> Tridiagonal:
    return make(Tridiagonal, x.upper, x.diagonal, x.lower)  # type: ignore[no-any-return]


@transpose.register
def _transpose_banded(x: Banded) -> Any:
    return Band.of(x).transpose().banded()


@transpose.register
def _transpose_triangular(x: Triangular) -> Any:
    matrix = jnp.swapaxes(x.matrix, -1, -2)
    return make(Triangular, matrix, lower=not x.lower, unit_diagonal=x.unit_diagonal)


@transpose.register
def _transpose_permutation(x: Permutation) -> Any:
    return make(Permutation, inverse(x.permutation), of_dtype=x.of_dtype)


@transpose.register
def _transpose_toeplitz(x: Toeplitz) -> Any:
    if x.c.shape[-1] == 0 or x.r.shape[-1] == 0:
        return make(Toeplitz, x.r, x.c)
    first = x.c[..., :1]
    return make(Toeplitz, jnp.concatenate([first, x.r[..., 1:]], axis=-1), x.c)


@transpose.register
def _transpose_circulant(x: Circulant) -> Any:
    return make(Circulant, jnp.roll(jnp.flip(x.c, -1), 1, axis=-1))


@transpose.register
def _transpose_kronecker(x: Kronecker) -> Any:
    return make(Kronecker, tuple(call(jnp.matrix_transpose, f) for f in x.factors))


@transpose.register
def _transpose_block_diagonal(x: BlockDiagonal) -> Any:
    return make(BlockDiagonal, tuple(jnp.swapaxes(s, -1, -2) for s in x.stacks))


@transpose.register
def _transpose_low_rank(x: LowRank) -> Any:
    return make(LowRank, x.v, x.u)


@transpose.register
def _transpose_diagonal_plus_low_rank(x: DiagonalPlusLowRank) -> Any:
    return make(DiagonalPlusLowRank, x.diagonal, x.v, x.u)


@singledispatch
def diagonal(x: Any, k: int) -> Any:
    """The entries `i, i + k`, `[*batch, length]`."""
    m, n = x.shape[-2:]
    r, c = max(0, -k), max(0, k)
    steps = np.arange(max(0, min(m - r, n - c)))
    return entries(x, jnp.asarray(r + steps), jnp.asarray(c + steps))


@diagonal.register(Identity)
@diagonal.register(Diagonal)
@diagonal.register(Tridiagonal)
@diagonal.register(Banded)
def _diagonal_band(x: Any, k: int) -> Any:
    return Band.of(x).get(k)


@diagonal.register(Triangular)
@diagonal.register(Symmetric)
def _diagonal_stored(x: Any, k: int) -> Any:
    return jnp.diagonal(full(x), k, -2, -1)


@singledispatch
def entries(x: Any, i: Any, j: Any) -> Any:
    """The entries at rows `i` and columns `j`, integers of one shape: `[*batch, *shape of i]`."""
    return full(x)[..., i, j]


@entries.register(Identity)
@entries.register(Diagonal)
@entries.register(Tridiagonal)
@entries.register(Banded)
def _entries_band(x: Any, i: Any, j: Any) -> Any:
    band = x if isinstance(x, Banded) else Band.of(x).banded()
    row = band.upper + i - j
    inside = (row >= 0) & (row <= band.lower + band.upper)
    return jnp.where(inside, band.ab[..., jnp.where(inside, row, 0), j], zero_of(band.ab))


@entries.register
def _entries_permutation(x: Permutation, i: Any, j: Any) -> Any:
    return (x.permutation[..., i] == j).astype(x.of_dtype)


@entries.register
def _entries_toeplitz(x: Toeplitz, i: Any, j: Any) -> Any:
    return values_of(x)[..., i - j + x.r.shape[-1] - 1]


@entries.register
def _entries_circulant(x: Circulant, i: Any, j: Any) -> Any:
    return x.c[..., (i - j) % x.c.shape[-1]]


@entries.register
def _entries_kronecker(x: Kronecker, i: Any, j: Any) -> Any:
    out: Any = None
    for f in reversed(x.factors):
        m, n = f.shape[-2:]
        at = call(lambda f, r, c: f[..., r, c], f, i % m, j % n)
        out = at if out is None else at * out
        i, j = i // m, j // n
    return out


@entries.register
def _entries_block_diagonal(x: BlockDiagonal, i: Any, j: Any) -> Any:
    out: Any = zeros_as(x.stacks[0], (*x.batch_shape, *jnp.shape(i)))
    r = c = 0
    for s in x.stacks:
        k, p, q = s.shape[-3:]
        if s.size:
            bi, bj = (i - r) // p, (j - c) // q
            inside = (bi == bj) & (bi >= 0) & (bi < k)
            at = s[..., jnp.where(inside, bi, 0), (i - r) % p, (j - c) % q]
            out = jnp.where(inside, at, out)
        r, c = r + k * p, c + k * q
    return out


@entries.register
def _entries_low_rank(x: LowRank, i: Any, j: Any) -> Any:
    return _inner(x, i, j)


@entries.register
def _entries_diagonal_plus_low_rank(x: DiagonalPlusLowRank, i: Any, j: Any) -> Any:
    low = _inner(x, i, j)
    return jnp.where(i == j, low + x.diagonal[..., i], low)


def _inner(x: LowRank | DiagonalPlusLowRank, i: Any, j: Any) -> Any:
    """Rows of one factor times rows of the other, in their dtype, which a sum may widen."""
    products = x.u[..., i, :] * x.v[..., j, :]
    return products.any(-1) if products.dtype == bool else products.sum(-1, dtype=products.dtype)
