"""Eigenvalues and singular values, exponentials, pseudo-inverses and Cholesky factors."""

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
from jax import lax

from ._apply import call
from ._band import Band
from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import make
from ._eliminate import solve_band
from ._limits import finfo
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation, inverse
from ._product import BlockDiagonal, Kronecker, partition_of, sizes_of
from ._ranks import free_ranks
from ._solve import of_spectrum, spectrum
from ._stored import Symmetric, Triangular, full
from ._toeplitz import Circulant


def eigvalsh_of(x: Any) -> Any:
    """The eigenvalues of a symmetric, or Hermitian, matrix in ascending order, `[*batch, n]`."""
    if isinstance(x, Identity | Diagonal):
        return jnp.sort(Band.of(x).get(0).real, axis=-1)
    if isinstance(x, Tridiagonal) and not jnp.iscomplexobj(x.diagonal) and x.shape[-1] > 1:
        one = tridiagonal_eigenvalues
        for _ in x.batch_shape:
            one = jax.vmap(one)
        return one(x.diagonal, (x.lower + x.upper) / 2)
    if isinstance(x, Symmetric) and not jnp.iscomplexobj(x.matrix):
        return jnp.linalg.eigvalsh(full(x))
    if isinstance(x, Circulant):
        return jnp.sort(spectrum(x).real, axis=-1).astype(finfo(x.c.dtype).dtype)
    if isinstance(x, BlockDiagonal) and _has_square_blocks(x):
        each = [jnp.linalg.eigvalsh(s) for s in x.stacks]
        flat = [w.reshape(*w.shape[:-2], -1) for w in each]
        return jnp.sort(jnp.concatenate(flat, axis=-1), axis=-1)
    return NotImplemented


def eigh_of(x: Any, lower: bool) -> Any:
    """Eigenvalues and eigenvectors, as columns of an array or of a `Permutation`.

    `lower` says which triangle is read.
    """
    if isinstance(x, Identity | Diagonal):
        w = Band.of(x).get(0).real
        order = jnp.argsort(w, axis=-1)
        # Column j is the unit vector of the j-th smallest.
        v = make(Permutation, inverse(order), of_dtype=x.dtype)
        return jnp.take_along_axis(w, order, axis=-1), v
    if isinstance(x, Tridiagonal) and not jnp.iscomplexobj(x.diagonal) and x.shape[-1] > 1:
        one: Any = _tridiagonal_eigh
        for _ in x.batch_shape:
            one = jax.vmap(one)
        return one(x.diagonal, x.lower if lower else x.upper)
    if isinstance(x, Symmetric) and not jnp.iscomplexobj(x.matrix):
        return tuple(jnp.linalg.eigh(full(x)))
    return NotImplemented


@jax.custom_jvp
@free_ranks
def tridiagonal_eigenvalues(d: Any, e: Any) -> Any:
    """By bisection; the derivatives are those along the eigenvectors."""
    return jsl.eigh_tridiagonal(d, e, eigvals_only=True)


@tridiagonal_eigenvalues.defjvp
@free_ranks
def _tridiagonal_eigenvalues_jvp(primals: Any, tangents: Any) -> Any:
    (d, e), (dd, de) = primals, tangents
    w = tridiagonal_eigenvalues(d, e)
    v = lax.stop_gradient(_vectors(d, e, w))
    change = (v**2 * dd[:, None]).sum(0) + (2 * v[1:] * v[:-1] * de[:, None]).sum(0)
    return w, change


def _tridiagonal_eigh(d: Any, e: Any) -> Any:
    """Bisection, inverse iteration, and orthogonal vectors from it."""
    w = tridiagonal_eigenvalues(d, e)
    return w, _vectors(d, e, w)


@jax.custom_jvp
@free_ranks
def _vectors(d: Any, e: Any, w: Any) -> Any:
    n = d.shape[0]
    spread = jnp.max(jnp.abs(d)) + 2 * jnp.max(jnp.abs(e))
    # Off the eigenvalue by a few roundings, and equal ones apart from one another.
    shift = (
        finfo(d.dtype).eps
        * jnp.where(spread > 0, spread, 1)
        * (1 + jnp.arange(n, dtype=d.dtype) / n)
    )
    lam = w + shift
    batch = make(
        Tridiagonal,
        jnp.broadcast_to(e, (n, n - 1)),
        d - lam[:, None],
        jnp.broadcast_to(e, (n, n - 1)),
    )
    v = jax.random.normal(jax.random.key(0), (n, n), d.dtype)
    for _ in range(3):
        v = solve_band(Band.of(batch), v.T[..., None])[..., 0].T
        v = v / jnp.max(jnp.abs(v), axis=0)
        v = jnp.linalg.qr(v)[0]
    return v


@_vectors.defjvp
@free_ranks
def _vectors_jvp(primals: Any, tangents: Any) -> Any:
    (d, e, w), (dd, de, _) = primals, tangents
    v = _vectors(d, e, w)
    gap = w[None, :] - w[:, None]
    inverse_gap = jnp.where(gap == 0, 0, 1 / jnp.where(gap == 0, 1, gap))
    image = dd[:, None] * v
    image = image.at[1:].add(de[:, None] * v[:-1]).at[:-1].add(de[:, None] * v[1:])
    return v, v @ (inverse_gap * (v.T @ image))


def singular_values(x: Any) -> Any:
    """The singular values in descending order, `[*batch, min(m, n)]`."""
    if isinstance(x, Identity | Diagonal):
        found = jnp.abs(Band.of(x).get(0))
    elif isinstance(x, Permutation):
        found = jnp.ones(x.permutation.shape, finfo(x.of_dtype).dtype)
    elif isinstance(x, Circulant):
        found = jnp.abs(spectrum(x)).astype(finfo(x.c.dtype).dtype)
    elif isinstance(x, Kronecker):
        rows, columns = sizes_of(x)
        if any((r < c) != (rows[0] < columns[0]) for r, c in zip(rows, columns, strict=True)):
            return NotImplemented
        found = jnp.ones((*x.batch_shape, 1), finfo(x.dtype).dtype)
        for f in x.factors:
            s = call(lambda a: jnp.linalg.svd(a, compute_uv=False), f)
            found = (found[..., :, None] * s[..., None, :]).reshape(*found.shape[:-1], -1)
    elif isinstance(x, BlockDiagonal) and _has_square_blocks(x):
        each = [jnp.linalg.svd(s, compute_uv=False) for s in x.stacks]
        found = jnp.concatenate([s.reshape(*s.shape[:-2], -1) for s in each], axis=-1)
    elif isinstance(x, LowRank):
        (m, rank), n = x.u.shape[-2:], x.v.shape[-2]
        if rank > min(m, n):
            return NotImplemented
        found = jnp.linalg.svd(_core(x)[2], compute_uv=False)
        pads = [(0, 0)] * (found.ndim - 1) + [(0, min(m, n) - rank)]
        return jnp.pad(found, pads)
    elif isinstance(x, Symmetric | Triangular):
        return jnp.linalg.svd(full(x), compute_uv=False)
    else:
        return NotImplemented
    return -jnp.sort(-found, axis=-1)


def expm_of(x: Any) -> Any:
    """The matrix exponential, where it has the structure of the matrix."""
    if isinstance(x, Identity | Diagonal):
        return make(Diagonal, jnp.exp(Band.of(x).get(0)))
    if isinstance(x, Circulant):
        return make(Circulant, of_spectrum(jnp.exp(spectrum(x)), x.c.dtype))
    if isinstance(x, BlockDiagonal) and _has_square_blocks(x):
        return make(BlockDiagonal, tuple(jsl.expm(s) for s in x.stacks))
    if isinstance(x, Triangular):
        return make(Triangular, jsl.expm(full(x)), lower=x.lower, unit_diagonal=False)
    if isinstance(x, Symmetric):
        return make(Symmetric, jsl.expm(full(x)), lower=x.lower)
    if isinstance(x, LowRank) and x.u.shape[-2] == x.v.shape[-2]:
        # exp(u v') = 1 + u φ(v' u) v', and φ(z) = (exp(z) - 1) / z is a corner of exp([z 1; 0 0]).
        inner = jnp.matmul(jnp.swapaxes(x.v, -1, -2), x.u)
        rank = inner.shape[-1]
        eye = jnp.broadcast_to(jnp.eye(rank, dtype=inner.dtype), inner.shape)
        above = jnp.concatenate([inner, eye], axis=-1)
        corner = jsl.expm(jnp.concatenate([above, jnp.zeros_like(above)], axis=-2))[
            ..., :rank, rank:
        ]
        ones = jnp.ones(x.u.shape[:-1], x.u.dtype)
        return make(DiagonalPlusLowRank, ones, jnp.matmul(x.u, corner), x.v)
    return NotImplemented


def pinv_of(x: Any) -> Any:
    """The pseudo-inverse, singular values below JAX's default tolerance taken to be zero."""
    m, n = x.shape[-2:]
    if isinstance(x, Permutation | Identity):
        return _inverse(x)
    if m == 0 or n == 0:
        return NotImplemented
    rtol = 10 * max(m, n) * finfo(x.dtype).eps
    if isinstance(x, Diagonal):
        return make(Diagonal, _reciprocals(x.diagonal, rtol))
    if isinstance(x, Symmetric):
        return make(Symmetric, jnp.linalg.pinv(full(x), rtol=rtol), lower=x.lower)
    if isinstance(x, Triangular):  # a triangle only if it is not singular
        return jnp.linalg.pinv(full(x), rtol=rtol)
    if isinstance(x, Circulant):
        return make(Circulant, of_spectrum(_reciprocals(spectrum(x), rtol), x.c.dtype))
    if isinstance(x, LowRank) and 0 < x.u.shape[-1] <= min(m, n):
        left, right, core = _core(x)
        inner = jnp.linalg.pinv(core, rtol=rtol)
        # (l c r')⁺ = conj(r) c⁺ l*
        return make(LowRank, jnp.matmul(jnp.conj(right), inner), jnp.conj(left))
    if isinstance(x, Kronecker) and all(not hasattr(f, "materialize") for f in x.factors):
        return make(Kronecker, tuple(jnp.linalg.pinv(f, rtol=rtol) for f in x.factors))
    if isinstance(x, BlockDiagonal):
        sizes = [jnp.linalg.svd(s, compute_uv=False)[..., :1] for s in x.stacks if s.size]
        top = jnp.concatenate([s[..., 0].max(-1, keepdims=True) for s in sizes], -1).max(-1)
        stacks = []
        for s, size in zip(x.stacks, sizes, strict=True):
            relative = rtol * top[..., None] / jnp.where(size[..., 0] == 0, 1, size[..., 0])
            stacks.append(_pinv(s, relative))
        return make(BlockDiagonal, tuple(stacks))
    return NotImplemented


def _pinv(stack: Any, relative: Any) -> Any:
    one: Any = lambda a, t: jnp.linalg.pinv(a, rtol=t)  # noqa: E731
    for _ in range(stack.ndim - 2):
        one = jax.vmap(one)
    return one(stack, relative)


def _inverse(x: Any) -> Any:
    from ._solve import inverse_of

    return inverse_of(x)


def _reciprocals(values: Any, rtol: Any) -> Any:
    size = jnp.abs(values)
    keep = size > rtol * size.max(-1, keepdims=True)
    return jnp.where(keep, 1 / jnp.where(keep, values, 1), 0)


def _core(x: LowRank) -> tuple[Any, Any, Any]:
    """`l, r, c` with orthonormal columns in `l` and `r`: `u v' = l c r'`."""
    left, a = jnp.linalg.qr(x.u)
    right, b = jnp.linalg.qr(x.v)
    return left, right, jnp.matmul(a, jnp.swapaxes(b, -1, -2))


def cholesky_of(x: Any) -> Any:
    """The lower Cholesky factor, of what stands in the lower triangle."""
    if isinstance(x, Identity):
        return x
    if isinstance(x, Diagonal):
        root = jnp.sqrt(x.diagonal)
        bad = jnp.isnan(root).any(-1, keepdims=True)
        return make(Diagonal, jnp.where(bad, jnp.nan, root))
    if isinstance(x, Tridiagonal | Banded):
        return _cholesky_band(Band.of(x))
    if isinstance(x, Symmetric | Triangular):
        matrix = x.matrix if x.lower or isinstance(x, Triangular) else full(x)
        if isinstance(x, Triangular) and (x.unit_diagonal or not x.lower):
            matrix = full(x)
        factor = lax.linalg.cholesky(matrix, symmetrize_input=False)
        return make(Triangular, factor, lower=True, unit_diagonal=False)
    if isinstance(x, Kronecker):
        rows, columns = sizes_of(x)
        if rows == columns:
            factors = [
                call(lambda f: lax.linalg.cholesky(f, symmetrize_input=False), f) for f in x.factors
            ]
            return make(Kronecker, tuple(factors))
    if isinstance(x, BlockDiagonal) and _has_square_blocks(x):
        return make(
            BlockDiagonal,
            tuple(lax.linalg.cholesky(s, symmetrize_input=False) for s in x.stacks),
        )
    return NotImplemented


def _cholesky_band(band: Band) -> Any:
    """Column by column, in a window of the size of the band."""
    n, p = band.m, max(band.lower, 0)
    if n == 0:
        return band.value()
    # Row i of the lower triangle, columns i - p ... i.
    rows = jnp.moveaxis(band.rows(p, 0), -1, 0)
    rows = jnp.moveaxis(rows, -1, 1)  # [n, p + 1, *batch]
    zero = jnp.zeros_like(rows[0])

    def aligned(i: int) -> Any:
        row = rows[i] if i < n else zero
        return jnp.concatenate([row[p - i :], zero[: p - i]])

    window = jnp.stack([aligned(i) for i in range(p + 1)])
    later = jnp.concatenate([rows[p + 1 :], jnp.broadcast_to(zero, (min(p + 1, n), *zero.shape))])

    def step(w: Any, new: Any) -> Any:
        root = jnp.sqrt(w[0, 0])
        column = w[:, 0] / root
        rest = w[1:, 1:] - column[1:, None] * jnp.conj(column[None, 1:])
        rest = jnp.concatenate([rest, jnp.zeros_like(w[1:, :1])], axis=1)
        return jnp.concatenate([rest, new[None]]), column

    _, columns = lax.scan(step, window, later[:n])  # [n, p + 1, *batch]
    bad = jnp.isnan(columns).any((0, 1))
    columns = jnp.moveaxis(jnp.where(bad, jnp.nan, columns), (0, 1), (-1, -2))
    out = {-k: columns[..., k, : max(n - k, 0)] for k in range(p + 1)}
    return Band(n, n, out).banded() if p else make(Diagonal, out[0])


def _has_square_blocks(x: BlockDiagonal) -> bool:
    return all(p == q for _, p, q in partition_of(x))
