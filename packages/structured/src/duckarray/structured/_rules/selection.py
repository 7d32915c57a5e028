"""`where`: among matrices with few diagonals, and zeros."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import known_constant
from duckarray.structured._band import CHAIN, Band
from duckarray.structured._base import Structured, leaves_of, make, zeros_as
from duckarray.structured._places import on_blocks, on_diagonal
from duckarray.structured._product import BlockDiagonal, partition_of
from duckarray.structured._rules._register import register
from duckarray.structured._stored import Symmetric, Triangular, full
from duckarray.structured._toeplitz import Circulant, Toeplitz

# A choice by one of these is one by what is stored of it.
_BY_LEAVES = (Toeplitz, Circulant, Symmetric, Triangular, BlockDiagonal)


@register("select_n")
def _select_n_structured(
    which: Structured | ArrayLike, *cases: Structured | ArrayLike, **params: Any
) -> Any:
    """Diagonal by diagonal, where all cases are known to be zero off them."""
    matrices = [x for x in cases if isinstance(x, Structured)]
    if not matrices:
        return NotImplemented
    if not isinstance(which, Structured) and jnp.ndim(which) == 0:
        out = _whole(which, cases)
        if out is not None:
            return out
    others = [x for x in cases if not isinstance(x, Structured)]
    if any(known_constant(x) != 0 for x in others):
        return NotImplemented
    if isinstance(which, _BY_LEAVES):
        return _leaf_by_leaf(which, cases, matrices)
    if all(isinstance(x, Triangular) for x in matrices):
        return _triangular(which, cases, matrices)
    if all(isinstance(x, BlockDiagonal) for x in matrices):
        return _blocks(which, cases, matrices)
    bands = [x for x in (which, *cases) if isinstance(x, Structured)]
    if not all(isinstance(x, CHAIN) for x in bands):
        return NotImplemented
    m, n = matrices[0].shape[-2:]
    found = [Band.of(x) if isinstance(x, Structured) else x for x in (which, *cases)]
    offsets = sorted({k for b in found if isinstance(b, Band) for k in b.diagonals})
    batch = matrices[0].batch_shape

    def at(x: Any, k: int, size: int, case: bool) -> Any:
        if isinstance(x, Band):
            return x.get(k)
        if case:
            return zeros_as(jnp.asarray(x), (*batch, size))
        y = on_diagonal(jnp.asarray(x), m, n, k)
        return jnp.broadcast_to(y, (*batch, size)) if jnp.ndim(y) else y

    parts = {}
    for k in offsets:
        size = Band(m, n, {}).size_of(k)
        chosen = [at(x, k, size, case=i > 0) for i, x in enumerate(found)]
        parts[k] = lax.select_n(*chosen)
    kind = max((type(x) for x in matrices), key=CHAIN.index)
    return Band(m, n, parts).value(kind)


def _whole(which: Any, cases: Any) -> Any:
    """One choice for the whole matrix, among matrices of one structure."""
    if not all(isinstance(x, Structured) for x in cases):
        return None
    found = [leaves_of(x) for x in cases]
    if len({s for _, s in found}) > 1:
        return None
    columns = list(zip(*[leaves for leaves, _ in found], strict=True))
    if any(len({leaf.shape for leaf in column}) > 1 for column in columns):
        return None
    return found[0][1].unflatten([lax.select_n(which, *column) for column in columns])


def _leaf_by_leaf(which: Any, cases: Any, matrices: Any) -> Any:
    """A choice by a matrix among matrices that are like it, and zeros."""
    if isinstance(which, Triangular):
        which, *cases = map(_no_unit, (which, *cases))
    leaves, structure = leaves_of(which)
    shapes = [leaf.shape for leaf in leaves]
    parts: list[Any] = []
    for x in cases:
        found, kind = leaves_of(x) if isinstance(x, Structured) else (None, structure)
        if found is None:
            found = [zeros_as(jnp.asarray(x), shape) for shape in shapes]
        if kind != structure or [leaf.shape for leaf in found] != shapes:
            return NotImplemented
        parts.append(found)
    columns = zip(leaves, *parts, strict=True)
    return structure.unflatten([lax.select_n(*column) for column in columns])


def _no_unit(x: Any) -> Any:
    if not isinstance(x, Triangular):
        return x
    return make(Triangular, full(x), lower=x.lower, unit_diagonal=False)


def _blocks(which: Any, cases: Any, matrices: Any) -> Any:
    first = matrices[0]
    same = all(partition_of(x) == partition_of(first) for x in matrices)
    if isinstance(which, Structured) or not same:
        return NotImplemented
    chosen = on_blocks(jnp.asarray(which), first)
    stacks = []
    for i, stack in enumerate(first.stacks):
        parts = [
            x.stacks[i] if isinstance(x, BlockDiagonal) else zeros_as(jnp.asarray(x), stack.shape)
            for x in cases
        ]
        at = jnp.broadcast_to(chosen[i], stack.shape) if jnp.ndim(chosen[i]) else chosen[i]
        stacks.append(lax.select_n(at, *parts))
    return make(BlockDiagonal, tuple(stacks))


def _triangular(which: Any, cases: Any, matrices: Any) -> Any:
    first = matrices[0]
    if isinstance(which, Structured) or any(x.lower is not first.lower for x in matrices):
        return NotImplemented
    dense = [
        full(x) if isinstance(x, Triangular) else zeros_as(jnp.asarray(x), first.shape)
        for x in cases
    ]
    which = jnp.broadcast_to(which, first.shape) if jnp.ndim(which) else which
    return make(Triangular, lax.select_n(which, *dense), lower=first.lower, unit_diagonal=False)
