"""Joining weights: a stack of adapters along a batch axis, else one of a rank that is the sum."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, register
from duckarray.lora._layout import RANK, Label, Labels, as_dtype, spread
from duckarray.lora._parts import (
    change_each,
    folded,
    put_together,
    take_apart,
    with_layout_of,
)
from duckarray.lora._value import LoraArray, derived, is_plain

Rule = TypeVar("Rule", bound=Callable[..., Any])


def register_if_known(name: str) -> Callable[[Rule], Rule]:
    """`register`, for a primitive that not every supported JAX has."""
    try:
        return register(name)
    except ValueError:
        return lambda rule: rule


@register("concatenate")
def _concatenate_lora(*xs: LoraArray | ArrayLike, dimension: int, **params: Any) -> Any:
    """`[w1 + a1 b1; w2 + a2 b2] = [w1; w2] + diag(a1, a2) [b1; b2]`; what is dense has rank 0."""
    xs = tuple(folded(x) if isinstance(x, LoraArray) else x for x in xs)
    if not all(is_plain(x) for x in xs if isinstance(x, LoraArray)):
        return NotImplemented
    w = bind(lax.concatenate_p, *[_weight(x) for x in xs], dimension=dimension, **params)
    return _join(xs, w, dimension)


@register_if_known("stack")
def _stack_lora(*xs: LoraArray | ArrayLike, axis: int, **params: Any) -> Any:
    """`concatenate` of operands with a new axis each."""
    ndim = jnp.ndim(xs[0])
    sizes = list(jnp.shape(xs[0]))
    sizes.insert(axis, 1)
    dims = tuple(i for i in range(ndim + 1) if i != axis)
    expanded = [
        bind(
            lax.broadcast_in_dim_p,
            x,
            shape=tuple(sizes),
            broadcast_dimensions=dims,
            sharding=None,
        )
        for x in xs
    ]
    return bind(lax.concatenate_p, *expanded, dimension=axis)


@register_if_known("unstack")
def _unstack_lora(x: LoraArray, *, axis: int, **params: Any) -> Any:
    """One slice after another, without the axis."""
    n = x.shape[axis]
    pieces = bind(lax.split_p, x, sizes=(1,) * n, axis=axis)
    return [bind(lax.squeeze_p, piece, dimensions=(axis,)) for piece in pieces]


@register_if_known("tile")
def _tile_lora(x: LoraArray, *, reps: Any, **params: Any) -> Any:
    """Repeats the weight and the factors that have the axis."""
    parts = take_apart(x)
    w = bind("tile", parts.w, reps=reps, **params)

    def tile(array: Any, labels: Labels) -> Any:
        times = [reps[label] if isinstance(label, int) else 1 for label in labels]
        return (lax.tile(array, times) if times else array), labels

    return put_together(change_each(parts, w, parts.of_w, tile))


def _weight(x: Any) -> Any:
    return x.w if isinstance(x, LoraArray) else x


def _join(xs: tuple[Any, ...], w: Any, dimension: int) -> Any:
    model = next(x for x in xs if isinstance(x, LoraArray))
    aligned = [with_layout_of(model, x) if isinstance(x, LoraArray) else x for x in xs]
    if any(x is None for x in aligned):
        return NotImplemented
    xs = tuple(aligned)
    like = take_apart(model)
    if dimension in like.of_scale:
        return _join_batch(xs, w, dimension, model)
    along_rows = dimension in like.of_a
    rank = sum(x.rank for x in xs if isinstance(x, LoraArray))
    blocks: list[Any] = []  # of the factor that has the axis: each in columns of its own
    others: list[Any] = []  # of the other factor: one below the other
    before = 0
    for x in xs:
        if not isinstance(x, LoraArray):
            shape = [
                x.shape[i] if i != RANK else rank for i in (like.of_a if along_rows else like.of_b)
            ]
            blocks.append(jnp.zeros(shape, model.a.dtype))
            continue
        parts = take_apart(x)
        sizes = dict(zip(parts.of_a, parts.a.shape, strict=True))
        a = lax.mul(x.a, spread(x.scale, parts.of_scale, parts.of_a, sizes))
        a, b = as_dtype(a, model.a.dtype), as_dtype(x.b, model.a.dtype)
        block, labels = (a, parts.of_a) if along_rows else (b, parts.of_b)
        blocks.append(_pad(block, labels, before, rank - before - x.rank))
        others.append(b if along_rows else a)
        before += x.rank
    of_block, of_other = (like.of_a, like.of_b) if along_rows else (like.of_b, like.of_a)
    joined = lax.concatenate(blocks, of_block.index(dimension))
    other = lax.concatenate(others, of_other.index(RANK))
    a, b = (joined, other) if along_rows else (other, joined)
    scale = lax.full_like(model.scale, 1.0)
    return put_together(like._replace(w=w, a=a, b=b, scale=scale))


def _join_batch(xs: tuple[Any, ...], w: Any, dimension: int, model: LoraArray) -> LoraArray:
    like = take_apart(model)
    dtype = model.a.dtype
    rank = max(x.rank for x in xs if isinstance(x, LoraArray))
    all_a, all_b, all_scale = [], [], []
    for x in xs:
        if isinstance(x, LoraArray):
            all_a.append(_pad(as_dtype(x.a, dtype), like.of_a, 0, rank - x.rank))
            all_b.append(_pad(as_dtype(x.b, dtype), like.of_b, 0, rank - x.rank))
            all_scale.append(as_dtype(x.scale, dtype))
        else:
            sizes: dict[Label, int] = {**dict(enumerate(jnp.shape(x))), RANK: rank}
            all_a.append(jnp.zeros([sizes[i] for i in like.of_a], dtype))
            all_b.append(jnp.zeros([sizes[i] for i in like.of_b], dtype))
            all_scale.append(jnp.zeros([sizes[i] for i in like.of_scale], dtype))
    a, b, scale = (
        lax.concatenate(each, labels.index(dimension))
        for each, labels in ((all_a, like.of_a), (all_b, like.of_b), (all_scale, like.of_scale))
    )
    return derived(model, w=w, a=a, b=b, scale=scale)  # type: ignore[no-any-return]


def _pad(factor: Any, labels: Labels, before: int, after: int) -> Any:
    """`factor` with zeros on both sides along the rank."""
    if not before and not after:
        return factor
    widths = [(before, after, 0) if label == RANK else (0, 0, 0) for label in labels]
    return lax.pad(factor, jnp.zeros((), factor.dtype), widths)
