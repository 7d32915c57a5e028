"""What two structured matrices give: sums, products by entry, matrix products. None means dense."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ._apply import apply, call, diagonal, transpose
from ._band import CHAIN, Band, union
from ._bands import Diagonal, Identity
from ._base import Structured, leaves_of, make, on_batch
from ._convert import conform, convert_like, meet
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation, composed
from ._product import BlockDiagonal, Kronecker, partition_of, stacked
from ._ranks import free_ranks
from ._stored import Symmetric, Triangular, full
from ._toeplitz import Circulant

_SUMS = ("band", "circulant", "toeplitz", "block", "symmetric", "triangular", "low rank")
_PRODUCTS = ("band", "permutation", "circulant", "block", "triangular", "kronecker", "low rank")
# Of functions of two entries at the same place that are zero where both are.
_ENTRYWISE = ("band", "circulant", "toeplitz", "block", "symmetric", "triangular")


def wider(x: Any, y: Any) -> type[Structured]:
    """The wider of two band types."""
    return max(type(x), type(y), key=CHAIN.index)


def entrywise(x: Any, y: Any, change: Callable[..., Any], linear: bool) -> Any:
    """`change` applied to entries at the same place, which is zero where both are.

    `linear` says that it is a sum or a difference.
    """
    if linear and isinstance(x, LowRank) and isinstance(y, LowRank):
        return make(LowRank, *_side_by_side(x, y, change))
    found = meet(x, y, _SUMS if linear else _ENTRYWISE)
    if found is None:
        return None
    family, a, b = found
    if family == "band":
        return union([a, b], change).value(wider(x, y))
    if family == "triangular":
        a, b = (make(Triangular, full(z), lower=z.lower, unit_diagonal=False) for z in (a, b))
    if family == "symmetric":
        a, b = (make(Symmetric, full(z), lower=True) for z in (a, b))
    if family == "block":
        return _on_blocks(a, b, change)
    if family == "low rank":
        d = change(a.diagonal, b.diagonal)
        return make(DiagonalPlusLowRank, d, *_side_by_side(a, b, change))
    leaves = [change(p, q) for p, q in zip(_arrays(a), _arrays(b), strict=True)]
    parts = iter(leaves)
    return on_batch(a, lambda leaf, own: next(parts))


def multiply(x: Any, y: Any) -> Any:
    """The product by entry. The result has the diagonals of the operand that has the fewer."""
    bands = [z for z in (x, y) if isinstance(z, CHAIN)]
    if bands:
        offsets = set.intersection(*[set(Band.of(z).diagonals) for z in bands])
        m, n = bands[0].shape[-2:]
        if not offsets:
            offsets = {0}
        at = [(lambda k, z=z: diagonal(z, k)) for z in (x, y)]
        kind = min((type(z) for z in bands), key=CHAIN.index)
        both = Band(m, n, {k: at[0](k) * at[1](k) for k in sorted(offsets)})
        return both.value(kind)
    if isinstance(x, Triangular) or isinstance(y, Triangular):
        t, other = (x, y) if isinstance(x, Triangular) else (y, x)
        if isinstance(other, Triangular | Symmetric):
            return make(Triangular, full(t) * full(other), lower=t.lower, unit_diagonal=False)
        return None
    if isinstance(x, LowRank) and isinstance(y, LowRank):
        return make(LowRank, _columnwise(x.u, y.u), _columnwise(x.v, y.v))
    if isinstance(x, Kronecker) and isinstance(y, Kronecker):
        if [f.shape[-2:] for f in x.factors] != [f.shape[-2:] for f in y.factors]:
            return None
        return make(Kronecker, _pairwise(jnp.multiply, x, y))
    return entrywise(x, y, jnp.multiply, linear=False)


def matmul(x: Any, y: Any) -> Any:
    """The matrix product of two structured matrices with the same batch axes."""
    if isinstance(x, Identity):
        return y
    if isinstance(y, Identity):
        return x
    if isinstance(y, LowRank):
        u = apply(x, y.u)
        return None if u is NotImplemented else make(LowRank, u, y.v)
    if isinstance(x, LowRank):
        v = apply(transpose(y), x.v)
        return None if v is NotImplemented else make(LowRank, x.u, v)
    scaled = _scale(x, y)
    if scaled is not None:
        return scaled
    found = meet(x, y, _PRODUCTS)
    if found is None:
        return None
    family, a, b = found
    if family == "band":
        return a.matmul(b).value(wider(x, y))
    if family == "permutation":
        return make(Permutation, composed(a.permutation, b.permutation), of_dtype=a.of_dtype)
    if family == "circulant":
        column = apply(a, b.c[..., None])
        return None if column is NotImplemented else make(Circulant, column[..., 0])
    if family == "block":
        return _matmul_blocks(a, b)
    if family == "triangular":
        product = jnp.matmul(full(a), full(b))
        unit = a.unit_diagonal and b.unit_diagonal
        return make(Triangular, product, lower=a.lower, unit_diagonal=unit)
    if family == "kronecker":
        return make(Kronecker, _pairwise(jnp.matmul, a, b)) if conform(a, b) else None
    return _matmul_low_rank(a, b)


@free_ranks
def common(x: Any, y: Any) -> Any:
    """A value like what both can become, where branches meet; None if there is none.

    It is found by shapes and types alone, and what is given has no other leaves.
    """
    return jax.eval_shape(_common, x, y)


def _common(x: Any, y: Any) -> Any:
    if x.shape != y.shape or x.dtype != y.dtype:
        return None
    for like in (x, y):
        if convert_like(x, like) is not NotImplemented and (
            convert_like(y, like) is not NotImplemented
        ):
            return like
    found = meet(x, y, _SUMS)
    if found is None:
        return None
    if found[0] == "band":
        return union([found[1], found[2]], lambda a, b: a).value(wider(x, y))
    like = found[1]
    return like if convert_like(y, like) is not NotImplemented else None


def _scale(x: Any, y: Any) -> Any:
    """A diagonal matrix times one whose rows, or columns, it scales."""
    if isinstance(x, Diagonal):
        rows = x.diagonal[..., None]
        if isinstance(y, Triangular):
            return make(Triangular, rows * full(y), lower=y.lower, unit_diagonal=False)
        if isinstance(y, DiagonalPlusLowRank):
            return make(DiagonalPlusLowRank, x.diagonal * y.diagonal, rows * y.u, y.v)
        if isinstance(y, BlockDiagonal):
            return _on_block_rows(y, x.diagonal)
    if isinstance(y, Diagonal):
        if isinstance(x, Triangular):
            product = full(x) * y.diagonal[..., None, :]
            return make(Triangular, product, lower=x.lower, unit_diagonal=False)
        if isinstance(x, DiagonalPlusLowRank):
            right = x.v * y.diagonal[..., None]
            return make(DiagonalPlusLowRank, x.diagonal * y.diagonal, x.u, right)
        if isinstance(x, BlockDiagonal):
            return transpose(_on_block_rows(transpose(x), y.diagonal))
    return None


def _on_block_rows(x: BlockDiagonal, d: Any) -> Any:
    stacks, row = [], 0
    for s in x.stacks:
        k, p, _ = s.shape[-3:]
        stacks.append(s * d[..., row : row + k * p].reshape(*d.shape[:-1], k, p, 1))
        row += k * p
    return make(BlockDiagonal, tuple(stacks))


def _matmul_low_rank(x: Any, y: Any) -> Any:
    """`(D + u v') (E + w z') = D E + u (E v)' + (D w + u v' w) z'`."""
    left = apply(x, y.u)
    u = jnp.concatenate([x.u, left], axis=-1)
    v = jnp.concatenate([y.diagonal[..., None] * x.v, y.v], axis=-1)
    return make(DiagonalPlusLowRank, x.diagonal * y.diagonal, u, v)


def _matmul_blocks(x: BlockDiagonal, y: BlockDiagonal) -> Any:
    if [k for k, _, _ in partition_of(x)] == [k for k, _, _ in partition_of(y)]:
        pairs = list(zip(x.stacks, y.stacks, strict=True))
        if all(a.shape[-1] == b.shape[-2] for a, b in pairs):
            return make(BlockDiagonal, tuple(jnp.matmul(a, b) for a, b in pairs))
        return None
    return _one_by_one(x, y, jnp.matmul, lambda a, b: a.shape[-1] == b.shape[-2])


def _on_blocks(x: BlockDiagonal, y: BlockDiagonal, change: Any) -> Any:
    if partition_of(x) == partition_of(y):
        pairs = zip(x.stacks, y.stacks, strict=True)
        return make(BlockDiagonal, tuple(change(a, b) for a, b in pairs))
    return _one_by_one(x, y, change, lambda a, b: a.shape[-2:] == b.shape[-2:])


def _one_by_one(x: BlockDiagonal, y: BlockDiagonal, change: Any, fits: Any) -> Any:
    if len(x.blocks) != len(y.blocks):
        return None
    pairs = list(zip(x.blocks, y.blocks, strict=True))
    if not all(fits(a, b) for a, b in pairs):
        return None
    return make(BlockDiagonal, tuple(stacked([change(a, b) for a, b in pairs])))


def _side_by_side(x: Any, y: Any, change: Any) -> tuple[Any, Any]:
    """The factors of a sum, or a difference, of two products."""
    right = change(jnp.zeros_like(y.u), y.u)  # its sign
    u = jnp.concatenate([x.u, right], axis=-1)
    return u, jnp.concatenate([x.v, y.v], axis=-1)


def _columnwise(a: Any, b: Any) -> Any:
    """Each column of `a` times each of `b`, entry by entry."""
    out = a[..., :, None] * b[..., None, :]
    return out.reshape(*out.shape[:-2], a.shape[-1] * b.shape[-1])  # if there are no rows, too


def _pairwise(function: Any, x: Kronecker, y: Kronecker) -> tuple[Any, ...]:
    return tuple(call(function, a, b) for a, b in zip(x.factors, y.factors, strict=True))


def _arrays(x: Any) -> list[Any]:
    return leaves_of(x)[0]
