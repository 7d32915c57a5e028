"""Factorisations and solves that reach the primitives with their structure."""

import functools
from typing import Any

import jax.numpy as jnp
from jax.extend.core import primitives
from jax.typing import ArrayLike

from duckarray.structured._apply import transpose
from duckarray.structured._band import CHAIN, Band
from duckarray.structured._base import Structured, make, on_batch
from duckarray.structured._product import BlockDiagonal
from duckarray.structured._rules._register import register
from duckarray.structured._solve import solve_blocks, solve_dense, triangular_solve
from duckarray.structured._spectrum import cholesky_of, eigh_of, singular_values
from duckarray.structured._stored import Symmetric, Triangular, full


@register(primitives.triangular_solve_p)
def _triangular_solve_structured_dense(
    a: Structured,
    b: ArrayLike,
    *,
    left_side: bool,
    lower: bool,
    transpose_a: bool,
    conjugate_a: bool,
    unit_diagonal: bool,
    **params: Any,
) -> Any:
    """The part of `a` that is asked for is taken, and solved with as what it is."""
    part = _triangle(a, lower, unit_diagonal)
    if part is None:
        return NotImplemented
    if conjugate_a:
        part = on_batch(part, lambda leaf, own: jnp.conj(leaf))
    if transpose_a:
        part = transpose(part)
    b = jnp.asarray(b)
    is_lower = (lower is not transpose_a) is left_side  # what is solved with, in the end
    solve: Any = solve_dense
    if isinstance(part, BlockDiagonal):
        triangles = functools.partial(triangular_solve, lower=is_lower, unit_diagonal=unit_diagonal)
        solve = functools.partial(solve_blocks, solve=triangles)
    if left_side:
        return solve(part, b)
    out = solve(transpose(part), jnp.swapaxes(b, -1, -2))
    return out if out is NotImplemented else jnp.swapaxes(out, -1, -2)


def _triangle(a: Any, lower: bool, unit: bool) -> Any:
    """The lower, or the upper, triangle of a matrix, with ones on its diagonal if so asked."""
    if isinstance(a, CHAIN):
        band = Band.of(a)
        if band.m != band.n:
            return None
        found = {k: v for k, v in band.diagonals.items() if (k <= 0 if lower else k >= 0)}
        found.setdefault(0, band.get(0))
        if unit:
            found[0] = jnp.ones_like(found[0])
        return Band(band.m, band.n, dict(sorted(found.items()))).value(type(a))
    if isinstance(a, Triangular | Symmetric):
        if isinstance(a, Triangular) and a.lower is lower and a.unit_diagonal is unit:
            return a
        return make(Triangular, full(a), lower=lower, unit_diagonal=unit)
    if isinstance(a, BlockDiagonal):
        n = [s.shape[-1] for s in a.stacks]
        if any(s.shape[-1] != s.shape[-2] for s in a.stacks):
            return None
        masks = [jnp.tri(k, dtype=bool) if lower else ~jnp.tri(k, k=-1, dtype=bool) for k in n]
        stacks = tuple(jnp.where(mask, s, 0) for mask, s in zip(masks, a.stacks, strict=True))
        return make(BlockDiagonal, stacks)
    return None


@register(primitives.cholesky_p)
def _cholesky_structured(x: Structured, **params: Any) -> Any:
    """The factor of a band has a band as wide; that of a block, blocks."""
    return cholesky_of(x)


@register(primitives.eigh_p)
def _eigh_structured(
    x: Structured,
    *,
    lower: bool,
    sort_eigenvalues: bool,
    subset_by_index: Any,
    **params: Any,
) -> Any:
    """The eigenvectors, and the eigenvalues in ascending order."""
    if subset_by_index is not None and tuple(subset_by_index) != (0, x.shape[-1]):
        return NotImplemented
    found = eigh_of(x, lower)
    if found is NotImplemented:
        return NotImplemented
    w, v = found
    return [v, w]


@register(primitives.svd_p)
def _svd_structured(x: Structured, *, compute_uv: bool, **params: Any) -> Any:
    """The singular values, where they follow from those of parts."""
    if compute_uv or params.get("subset_by_index") is not None:
        return NotImplemented
    found = singular_values(x)
    return found if found is NotImplemented else [found]
