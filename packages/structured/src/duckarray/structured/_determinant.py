"""Determinants, as a sign and the logarithm of a size, for each type."""

from functools import singledispatch
from typing import Any

import jax
import jax.numpy as jnp

from ._apply import call
from ._band import Band
from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._eliminate import pivots
from ._limits import at_least, finfo
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation
from ._product import BlockDiagonal, Kronecker, partition_of, sizes_of
from ._solve import capacitance, regular, spectrum
from ._stored import Symmetric, Triangular, full
from ._toeplitz import Circulant, Toeplitz, values_of
from ._toeplitz_pivots import cauchy_pivots


@singledispatch
def slogdet_of(x: Any) -> Any:
    """Sign and logarithm of the absolute value, `[*batch]` each; `NotImplemented` if dense."""
    return NotImplemented


def det_of(x: Any) -> Any:
    """The determinant, `[*batch]`; `NotImplemented` if dense."""
    if isinstance(x, Identity | Diagonal | Tridiagonal | Banded | Triangular):
        found = _product_of(x)
        return found if found is NotImplemented else found[0].prod(0) * found[1]
    found = slogdet_of(x)
    if found is NotImplemented:
        return found
    sign, log = found
    return sign * jnp.exp(log).astype(sign.dtype)


def _product_of(x: Any) -> Any:
    """Numbers `[n, *batch]` and a sign `[*batch]`, the product of all of which it is."""
    if isinstance(x, Tridiagonal | Banded) and x.shape[-1]:
        return pivots(Band.of(x))
    if isinstance(x, Triangular):
        d = jnp.diagonal(x.matrix, axis1=-2, axis2=-1)
        d = jnp.ones_like(d) if x.unit_diagonal else d
    else:
        d = Band.of(x).get(0)
    return jnp.moveaxis(d, -1, 0), jnp.ones(d.shape[:-1], d.dtype)


@slogdet_of.register(Identity)
@slogdet_of.register(Diagonal)
@slogdet_of.register(Tridiagonal)
@slogdet_of.register(Banded)
@slogdet_of.register(Triangular)
def _slogdet_product(x: Any) -> Any:
    numbers, sign = _product_of(x)
    return _combined(jnp.moveaxis(numbers, 0, -1), sign)


def _combined(numbers: Any, sign: Any = 1) -> Any:
    """The sign and logarithm of a product over the last axis."""
    size = jnp.abs(numbers)
    divisor = jnp.where(size == 0, 1, size).astype(numbers.dtype)
    unit = jnp.where(size == 0, 0, numbers / divisor)
    return (sign * unit.prod(-1)).astype(numbers.dtype), jnp.log(size).sum(-1)


@slogdet_of.register
def _slogdet_symmetric(x: Symmetric) -> Any:
    return jnp.linalg.slogdet(full(x))


@slogdet_of.register
def _slogdet_permutation(x: Permutation) -> Any:
    """A cycle of even length changes the sign; the shortest number of doublings finds them all."""
    p = x.permutation
    n = p.shape[-1]
    least = jnp.broadcast_to(jnp.arange(n, dtype=p.dtype), p.shape)
    jump = p
    for _ in range(max(n - 1, 0).bit_length()):
        least = jnp.minimum(least, jnp.take_along_axis(least, jump, axis=-1))
        jump = jnp.take_along_axis(jump, jump, axis=-1)
    cycles = (least == jnp.arange(n, dtype=p.dtype)).sum(-1)
    sign = (1 - 2 * ((n - cycles) % 2)).astype(x.of_dtype)
    return sign, jnp.zeros(sign.shape, _real(x.of_dtype))


@slogdet_of.register
def _slogdet_circulant(x: Circulant) -> Any:
    sign, log = _combined(spectrum(x))
    if not jnp.issubdtype(x.c.dtype, jnp.complexfloating):
        sign = jnp.where(sign == 0, 0, jnp.where(sign.real < 0, -1, 1))
    return sign.astype(x.c.dtype), log.astype(_real(x.c.dtype))


@slogdet_of.register
def _slogdet_toeplitz(x: Toeplitz) -> Any:
    """By elimination with pivoting in the Cauchy-like matrix that it is similar to."""
    if x.c.shape[-1] != x.r.shape[-1]:
        return NotImplemented
    one: Any = cauchy_pivots
    for _ in x.batch_shape:
        one = jax.vmap(one)
    wide = at_least(x.c.dtype, jnp.complex64)
    sign, log = _combined(*one(values_of(x).astype(wide)))
    if not jnp.issubdtype(x.c.dtype, jnp.complexfloating):
        sign = jnp.sign(sign.real)
    return sign.astype(x.c.dtype), log.astype(_real(x.c.dtype))


@slogdet_of.register
def _slogdet_kronecker(x: Kronecker) -> Any:
    """`det(A ⊗ B) = det(A)^q det(B)^p`, for matrices of sizes p and q."""
    rows, columns = sizes_of(x)
    if rows != columns:
        return NotImplemented
    n = 1
    for r in rows:
        n *= r
    sign: Any = 1
    log: Any = 0
    for f, r in zip(x.factors, rows, strict=True):
        s, part = call(jnp.linalg.slogdet, f)
        times = n // r if r else 0
        sign, log = sign * s**times, log + times * part
    return sign, log


@slogdet_of.register
def _slogdet_block_diagonal(x: BlockDiagonal) -> Any:
    if any(p != q for _, p, q in partition_of(x)):
        return NotImplemented
    sign: Any = 1
    log: Any = 0
    for s in x.stacks:
        signs, logs = jnp.linalg.slogdet(s)
        sign, log = sign * signs.prod(-1), log + logs.sum(-1)
    return sign, log


@slogdet_of.register
def _slogdet_low_rank(x: LowRank) -> Any:
    n, rank = x.u.shape[-2:]
    if n != x.v.shape[-2] or rank >= n:
        return NotImplemented
    batch = x.batch_shape
    return jnp.zeros(batch, x.u.dtype), jnp.full(batch, -jnp.inf, _real(x.u.dtype))


@slogdet_of.register
def _slogdet_diagonal_plus_low_rank(x: DiagonalPlusLowRank) -> Any:
    """Sylvester: `det(D + u v') = det(D) det(1 + v' D⁻¹ u)`."""
    x = regular(x)
    sign, log = _combined(x.diagonal)
    inner, part = jnp.linalg.slogdet(capacitance(x))
    return sign * inner, log + part


def _real(dtype: Any) -> Any:
    return finfo(dtype).dtype
