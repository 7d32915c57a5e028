"""Operations along batch axes: done leaf by leaf, for all types alike."""

from typing import Any

from jax import lax

from duckarray.core import bind
from duckarray.structured._apply import transpose
from duckarray.structured._base import Structured, leaves_of, on_batch
from duckarray.structured._rules._register import register


def reorder(x: Any, order: list[int]) -> Any:
    """`x` with its batch axes in another order."""
    if order == sorted(order):
        return x
    return on_batch(
        x,
        lambda leaf, own: bind(
            lax.transpose_p, leaf, permutation=(*order, *range(leaf.ndim - own, leaf.ndim))
        ),
    )


@register("transpose")
def _transpose_structured(x: Structured, *, permutation: Any, **params: Any) -> Any:
    """Batch axes in another order, or the matrix transposed; not one kind with the other."""
    n = x.ndim - 2
    order, last = list(permutation[:n]), tuple(permutation[n:])
    if any(axis >= n for axis in order):
        return NotImplemented
    return reorder(transpose(x) if last == (n + 1, n) else x, order)


@register("broadcast_in_dim")
def _broadcast_in_dim_structured(
    x: Structured, *, shape: Any, broadcast_dimensions: Any, **params: Any
) -> Any:
    """New batch axes, or longer ones."""
    n, dims = x.ndim - 2, tuple(broadcast_dimensions)
    ends = tuple(range(len(shape) - 2, len(shape)))
    if dims[n:] != ends or tuple(shape[-2:]) != x.shape[-2:]:
        return NotImplemented

    def broadcast(leaf: Any, own: int) -> Any:
        tail = leaf.shape[leaf.ndim - own :]
        new = (*shape[:-2], *tail)
        axes = (*dims[:n], *range(len(new) - own, len(new)))
        return bind(
            lax.broadcast_in_dim_p, leaf, shape=new, broadcast_dimensions=axes, sharding=None
        )

    return on_batch(x, broadcast)


@register("reshape")
def _reshape_structured(x: Structured, *, new_sizes: Any, dimensions: Any, **params: Any) -> Any:
    """Batch axes merged or split."""
    if dimensions is not None or len(new_sizes) < 2 or tuple(new_sizes[-2:]) != x.shape[-2:]:
        return NotImplemented
    batch = tuple(new_sizes[:-2])
    return on_batch(x, lambda leaf, own: leaf.reshape(*batch, *leaf.shape[leaf.ndim - own :]))


@register("squeeze")
def _squeeze_structured(x: Structured, *, dimensions: Any, **params: Any) -> Any:
    """Batch axes of size one go."""
    if any(axis >= x.ndim - 2 for axis in dimensions):
        return NotImplemented
    return on_batch(x, lambda leaf, own: bind(lax.squeeze_p, leaf, dimensions=tuple(dimensions)))


@register("concatenate")
def _concatenate_structured(*xs: Structured, dimension: int, **params: Any) -> Any:
    """Matrices of the same type one after the other, along a batch axis; bands along any."""
    from duckarray.structured._rules.shape import concatenate_bands

    if dimension >= xs[0].ndim - 2:
        return concatenate_bands(xs, dimension - (xs[0].ndim - 2))
    found = [leaves_of(x) for x in xs]
    if len({structure for _, structure in found}) > 1:
        return NotImplemented
    own = xs[0].own_axes()
    leaves = []
    for position, k in enumerate(own):
        column = [each[0][position] for each in found]
        if len({leaf.shape[leaf.ndim - k :] for leaf in column}) > 1:
            return NotImplemented
        leaves.append(bind(lax.concatenate_p, *column, dimension=dimension))
    return found[0][1].unflatten(leaves)


def slice_batch(x: Any, starts: Any, limits: Any, strides: Any) -> Any:
    """A slice of the batch axes."""
    n = x.ndim - 2
    steps = strides or (1,) * x.ndim
    whole = all(
        (a, b, s) == (0, size, 1)
        for a, b, s, size in zip(starts[:n], limits[:n], steps[:n], x.shape[:n], strict=True)
    )
    if whole:
        return x

    def cut(leaf: Any, own: int) -> Any:
        tail = leaf.shape[leaf.ndim - own :]
        return bind(
            lax.slice_p,
            leaf,
            start_indices=(*starts[:n], *[0] * own),
            limit_indices=(*limits[:n], *tail),
            strides=(*steps[:n], *[1] * own),
        )

    return on_batch(x, cut)
