"""Which type can be written as which: the one table from which the closure table follows.

A *family* is a set of types between which sums, or products, can be formed: those with few
diagonals, those constant along diagonals, and so on. `FAMILIES` says which families each type is
part of; two operands meet in the first that both are part of.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from ._band import CHAIN, Band, union
from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import Structured, make, zeros_as
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation
from ._product import BlockDiagonal, Kronecker, conform, partition_of, sizes_of
from ._ranks import free_ranks
from ._stored import Symmetric, Triangular
from ._toeplitz import Circulant, Toeplitz

FAMILIES: dict[type[Structured], tuple[str, ...]] = {
    Identity: (
        "band", "circulant", "toeplitz", "block", "symmetric", "triangular", "permutation",
        "kronecker", "low rank",
    ),
    Diagonal: ("band", "block", "symmetric", "triangular", "low rank"),
    Tridiagonal: ("band",),
    Banded: ("band", "triangular"),
    Triangular: ("triangular",),
    Symmetric: ("symmetric",),
    Permutation: ("permutation",),
    Toeplitz: ("toeplitz",),
    Circulant: ("circulant", "toeplitz"),
    Kronecker: ("kronecker",),
    BlockDiagonal: ("block",),
    LowRank: ("low rank",),
    DiagonalPlusLowRank: ("low rank",),
}  # fmt: skip


def meet(x: Structured, y: Structured, families: tuple[str, ...]) -> tuple[str, Any, Any] | None:
    """The first of `families` that both are part of, and both as members of it."""
    for family in families:
        if family in FAMILIES[type(x)] and family in FAMILIES[type(y)]:
            a, b = member(x, family, y), member(y, family, x)
            if a is not None and b is not None:
                return family, a, b
    return None


def member(x: Any, family: str, other: Any) -> Any:
    """`x` as a member of a family, of the kind that `other` is; None if it cannot be."""
    return _MEMBERS[family](x, other)


def _band(x: Any, other: Any) -> Any:
    return Band.of(x)


def _circulant(x: Any, other: Any) -> Any:
    if isinstance(x, Circulant):
        return x
    (*batch, n, _), dtype = x.empty.shape, x.empty.dtype
    return make(Circulant, jnp.zeros((*batch, n), dtype).at[..., :1].set(1))


def _toeplitz(x: Any, other: Any) -> Any:
    if isinstance(x, Toeplitz):
        return x
    c = _circulant(x, other).c
    return make(Toeplitz, c, jnp.roll(jnp.flip(c, -1), 1, axis=-1))


def _block(x: Any, other: Any) -> Any:
    if isinstance(x, BlockDiagonal):
        return x
    if not isinstance(other, BlockDiagonal):
        return None
    d, stacks, row = Band.of(x).get(0), [], 0
    for k, p, q in partition_of(other):
        if p != q:
            return None
        part = d[..., row : row + k * p].reshape(*d.shape[:-1], k, p)
        stacks.append(Band(p, p, {0: part}).dense())
        row += k * p
    return make(BlockDiagonal, tuple(stacks))


def _symmetric(x: Any, other: Any) -> Any:
    if isinstance(x, Symmetric):
        return x
    return make(Symmetric, Band.of(x).dense(), lower=True)


def _triangular(x: Any, other: Any) -> Any:
    if isinstance(x, Triangular):
        if isinstance(other, Triangular) and other.lower is not x.lower:
            return None
        return x
    lower = other.lower if isinstance(other, Triangular) else None
    if isinstance(x, Banded):
        fits = x.upper <= 0 if lower else x.lower <= 0
        if lower is None or x.rows != x.ab.shape[-1] or not fits:
            return None
    return make(Triangular, Band.of(x).dense(), lower=bool(lower), unit_diagonal=False)


def _permutation(x: Any, other: Any) -> Any:
    if isinstance(x, Permutation):
        return x
    (*batch, n, _), dtype = x.empty.shape, x.empty.dtype
    p = jnp.broadcast_to(jnp.arange(n, dtype=jnp.int32), (*batch, n))
    return make(Permutation, p, of_dtype=dtype)


def _kronecker(x: Any, other: Any) -> Any:
    if isinstance(x, Kronecker):
        return x
    if not isinstance(other, Kronecker):
        return None
    rows, columns = sizes_of(other)
    if rows != columns:
        return None
    batch, dtype = x.batch_shape, x.dtype
    eyes = tuple(jnp.broadcast_to(jnp.eye(n, dtype=dtype), (*batch, n, n)) for n in rows)
    return make(Kronecker, eyes)


def _low_rank(x: Any, other: Any) -> Any:
    if isinstance(x, DiagonalPlusLowRank):
        return x
    if isinstance(x, LowRank):
        if x.u.shape[-2] != x.v.shape[-2]:
            return None
        return make(DiagonalPlusLowRank, zeros_as(x.u, x.u.shape[:-1]), x.u, x.v)
    d = Band.of(x).get(0)
    nothing = zeros_as(d, (*d.shape, 0))
    return make(DiagonalPlusLowRank, d, nothing, nothing)


_MEMBERS = {
    "band": _band,
    "circulant": _circulant,
    "toeplitz": _toeplitz,
    "block": _block,
    "symmetric": _symmetric,
    "triangular": _triangular,
    "permutation": _permutation,
    "kronecker": _kronecker,
    "low rank": _low_rank,
}


@free_ranks
def convert_like(x: Any, like: Any) -> Any:
    """`x` with the type and the structure of `like`, or `NotImplemented`."""
    if not isinstance(like, Structured) or x.shape != like.shape or x.dtype != like.dtype:
        return NotImplemented
    if isinstance(like, Identity):
        return NotImplemented
    if isinstance(like, CHAIN) and isinstance(x, CHAIN):
        band = Band.of(x)
        if isinstance(like, Banded):
            if band.lower > like.lower or band.upper > like.upper:
                return NotImplemented
            want = range(-like.lower, like.upper + 1)
            return Band(band.m, band.n, {k: band.get(k) for k in want}).banded()
        if CHAIN.index(type(x)) > CHAIN.index(type(like)):
            return NotImplemented
        out = band.value(type(like))
        return out if isinstance(out, type(like)) else NotImplemented
    for family in FAMILIES[type(like)]:
        if family in FAMILIES[type(x)]:
            out = member(x, family, like)
            if out is not None and type(out) is type(like) and _alike(out, like):
                return out
    return NotImplemented


def _alike(x: Any, y: Any) -> bool:
    import jax

    structures: list[Any] = [jax.tree.structure(z) for z in (x, y)]
    return bool(structures[0] == structures[1]) and all(
        np.shape(a) == np.shape(b)
        for a, b in zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=True)
    )


__all__ = ["FAMILIES", "conform", "convert_like", "meet", "member", "union"]
