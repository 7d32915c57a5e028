"""Blocks of a matrix, zeros around it, and bands side by side."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, known_constant
from duckarray.structured._apply import entries
from duckarray.structured._band import CHAIN, Band, union
from duckarray.structured._bands import Diagonal
from duckarray.structured._base import Structured, make, on_batch
from duckarray.structured._lowrank import LowRank
from duckarray.structured._rules._register import register
from duckarray.structured._rules.batch import slice_batch
from duckarray.structured._stored import Symmetric, Triangular
from duckarray.structured._toeplitz import Circulant, Toeplitz, values_of


@register("slice")
def _slice_structured(
    x: Structured, *, start_indices: Any, limit_indices: Any, strides: Any, **params: Any
) -> Any:
    """Matrices of a batch, or a block of each; a row or a column is dense."""
    x = slice_batch(x, start_indices, limit_indices, strides)
    if strides is not None and tuple(strides[-2:]) != (1, 1):
        return NotImplemented
    rows, columns = zip(start_indices[-2:], limit_indices[-2:], strict=True)
    return block(x, rows, columns)


def block(x: Any, rows: tuple[int, int], columns: tuple[int, int]) -> Any:
    """The block of these rows and columns, each from the first up to the second number."""
    m, n = x.shape[-2:]
    (r0, r1), (c0, c1) = rows, columns
    if rows == (0, m) and columns == (0, n):
        return x
    principal = rows == columns
    if r1 - r0 == 1 or c1 - c0 == 1:
        return entries(x, *jnp.broadcast_arrays(jnp.arange(r0, r1)[:, None], jnp.arange(c0, c1)))
    if isinstance(x, CHAIN):
        band = Band.of(x).slice(rows, columns)
        return band.value(type(x) if principal else Diagonal)
    if isinstance(x, Toeplitz | Circulant):
        values = values_of(x) if isinstance(x, Toeplitz) else values_of(_as_toeplitz(x))
        # Entry i, j is values[i - j + n - 1].
        corner = r0 - c0 + n - 1
        c = values[..., corner : corner + r1 - r0]
        r = jnp.flip(values[..., corner - (c1 - c0) + 1 : corner + 1], -1)
        return make(Toeplitz, c, r) if r1 > r0 and c1 > c0 else NotImplemented
    if isinstance(x, LowRank):
        return make(LowRank, x.u[..., r0:r1, :], x.v[..., c0:c1, :])
    if principal and isinstance(x, Triangular | Symmetric):
        return on_batch(x, lambda leaf, own: leaf[..., r0:r1, c0:c1])
    return NotImplemented


def _as_toeplitz(x: Circulant) -> Any:
    return make(Toeplitz, x.c, jnp.roll(jnp.flip(x.c, -1), 1, axis=-1))


@register("rev")
def _rev_structured(x: Structured, *, dimensions: Any, **params: Any) -> Any:
    """Batch axes turned round; or rows and columns both, which keeps the diagonals."""
    n = x.ndim - 2
    own = sorted(axis for axis in dimensions if axis >= n)
    batch = tuple(axis for axis in dimensions if axis < n)
    if own and own != [n, n + 1]:
        return NotImplemented
    if own:
        if isinstance(x, CHAIN) and x.shape[-1] == x.shape[-2]:
            band = Band.of(x)
            turned = {-k: jnp.flip(v, -1) for k, v in band.diagonals.items()}
            x = Band(band.m, band.n, turned).value(type(x))
        elif isinstance(x, LowRank):
            x = on_batch(x, lambda leaf, own: jnp.flip(leaf, -2))
        else:
            return NotImplemented
    return on_batch(x, lambda leaf, own: lax.rev(leaf, batch)) if batch else x


@register("pad")
def _pad_structured_dense(
    x: Structured, value: ArrayLike, *, padding_config: Any, **params: Any
) -> Any:
    """Zeros around a matrix with few diagonals are one with few diagonals."""
    *batch, rows, columns = padding_config
    plain = all(tuple(p) == (0, 0, 0) for p in batch) and rows[2] == columns[2] == 0
    if not isinstance(x, CHAIN) or not plain or known_constant(value) != 0:
        return NotImplemented
    return Band.of(x).pad(tuple(rows[:2]), tuple(columns[:2])).value()


@register("concatenate", precedence=-1)
def _concatenate_bands_and_zeros(*xs: Structured | ArrayLike, dimension: int, **params: Any) -> Any:
    """Zeros next to matrices with few diagonals."""
    first = next(x for x in xs if isinstance(x, Structured))
    if dimension < first.ndim - 2:
        return NotImplemented
    return concatenate_bands(xs, dimension - (first.ndim - 2))


def concatenate_bands(xs: Sequence[Any], axis: int) -> Any:
    """Matrices side by side (axis 1), or one below the other (axis 0)."""
    if any(known_constant(x) != 0 for x in xs if not isinstance(x, CHAIN)):
        return NotImplemented
    sizes = [
        jnp.shape(x)[-2 + axis] if not isinstance(x, Structured) else x.shape[-2 + axis] for x in xs
    ]
    total, before, placed = sum(sizes), 0, []
    for x, size in zip(xs, sizes, strict=True):
        around = (before, total - before - size)
        if isinstance(x, CHAIN):
            placed.append(Band.of(x).pad(*((around, (0, 0)) if axis == 0 else ((0, 0), around))))
        before += size
    out = union(placed, lambda *parts: sum(parts[1:], parts[0]))
    # A few diagonals far apart would be stored with all those between them.
    if (out.lower + out.upper + 1) > max(3, (out.m + out.n) // 2):
        return NotImplemented
    return out.value()


@register("dynamic_update_slice")
def _dynamic_update_slice_dense_structured(
    x: ArrayLike, update: Structured, *starts: ArrayLike, **params: Any
) -> Any:
    """A matrix with few diagonals put in the place of zeros, at a place that is known."""
    places = [known_constant(s) for s in starts]
    if known_constant(x) != 0 or not isinstance(update, CHAIN) or None in places:
        return NotImplemented
    shape = jnp.shape(x)
    if shape[:-2] != update.shape[:-2]:
        return NotImplemented
    r, c = (
        min(max(int(p), 0), n - k)  # type: ignore[arg-type]
        for p, n, k in zip(places[-2:], shape[-2:], update.shape[-2:], strict=True)
    )
    around = (r, shape[-2] - r - update.shape[-2]), (c, shape[-1] - c - update.shape[-1])
    return Band.of(update).pad(*around).value()


@register("cumsum")
def _cumsum_structured(x: Structured, *, axis: int, reverse: bool, **params: Any) -> Any:
    """Along a batch axis, leaf by leaf."""
    linear = isinstance(x, (*CHAIN[1:], Toeplitz, Circulant))
    if axis >= x.ndim - 2 or not linear:
        return NotImplemented
    return on_batch(
        x, lambda leaf, own: bind(lax.cumsum_p, leaf, axis=axis, reverse=reverse, **params)
    )
