"""Arrays put together: concatenated, stacked, padded."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind
from duckarray.sparse._fill import Constant
from duckarray.sparse._pattern import Pattern, empty_pattern, from_linear, full_pattern, linearize
from duckarray.sparse._plans import Moved, moved, planned, sorted_entries
from duckarray.sparse._structure import (
    Unstructured,
    absorb,
    as_sparse,
    check_size,
    constant_fill,
    constant_of,
    rearranged,
    require,
    rule,
)
from duckarray.sparse._value import Sparse, take, unchecked, values_at

_MOST_PADDING = 2**20


@rule("concatenate")
def _concatenate_sparse(*operands: Sparse | ArrayLike, dimension: Any, **params: Any) -> Any:
    """Entries of one after those of the other; all of a dense one are stored."""
    xs: Any = operands
    others = {(*x.shape[:dimension], *x.shape[dimension + 1 :]) for x in xs}
    require(len(others) == 1, "concatenate", *xs, dimension=dimension)
    lead = min(x.ndim - x.pattern.ndim for x in xs if isinstance(x, Sparse))
    if dimension < lead and all(isinstance(x, Sparse) for x in xs):
        first = xs[0]
        constant = constant_fill(first)
        if all(x.pattern == first.pattern and x.fill_constant == constant for x in xs):
            data = lax.concatenate([x.data for x in xs], dimension)
            return unchecked(data, first.pattern, constant)
    fill = constant_fill(next(x for x in xs if isinstance(x, Sparse)))
    return joined([with_fill(x, fill) for x in xs], dimension, fill)


@rule("stack")
def _stack_sparse(*xs: Sparse | ArrayLike, axis: Any, **params: Any) -> Any:
    """Concatenates along a new axis."""
    shape = list(jnp.shape(xs[0]) if not isinstance(xs[0], Sparse) else xs[0].shape)
    shape.insert(axis, 1)
    rows = [
        bind(lax.reshape_p, x, new_sizes=tuple(shape), dimensions=None, sharding=None) for x in xs
    ]
    return bind(lax.concatenate_p, *rows, dimension=axis)


def with_fill(x: Any, fill: Constant) -> Sparse:
    """An operand as a sparse array of this fill, all of whose axes are in its pattern."""
    if not isinstance(x, Sparse):
        if constant_of(x, fill.value.dtype) == fill:
            shape = tuple(jnp.shape(x))
            return unchecked(jnp.zeros(0, fill.value.dtype), empty_pattern(shape), fill)
        return as_sparse(x)
    out = absorb(x)
    if out.fill_constant == fill:
        return out
    if out.size > _MOST_PADDING:
        raise Unstructured
    full = full_pattern(out.pattern.shape)
    return unchecked(values_at(out, full), full, fill)


def joined(xs: list[Sparse], axis: int, fill: Constant) -> Sparse:
    """Arrays without a batch, of one fill, one after the other along an axis."""
    sizes = [x.pattern.shape[axis] for x in xs]
    shape = list(xs[0].pattern.shape)
    shape[axis] = sum(sizes)
    patterns = tuple(x.pattern for x in xs)
    check_size(sum(p.nnz for p in patterns))

    def make() -> Moved:
        linear = []
        for pattern, start in zip(patterns, np.cumsum([0, *sizes]), strict=False):
            indices = [i + start if a == axis else i for a, i in enumerate(pattern.indices)]
            linear.append(linearize([np.asarray(i, np.int64) for i in indices], shape))
        places = np.concatenate(linear)
        return sorted_entries(places, np.arange(len(places)), tuple(shape), len(places))

    plan = planned(("concatenate", axis, patterns), make)
    data = take(lax.concatenate([x.data for x in xs], 0), plan.source)
    out: Sparse = unchecked(data, plan.pattern, fill)
    return out


@rule("pad")
def _pad_sparse(
    x: Sparse, padding_value: Sparse | ArrayLike, *, padding_config: Any, **params: Any
) -> Any:
    """Shifts places; what is added is not stored if it is known to be the fill."""
    config = tuple(padding_config)
    lead = x.ndim - x.pattern.ndim
    if any(c != (0, 0, 0) for c in config[:lead]):
        x, lead = absorb(x), 0
    fill, pattern, inner = constant_fill(x), x.pattern, config[lead:]
    shape = tuple(
        max(0, low + high + n + max(n - 1, 0) * step)
        for n, (low, high, step) in zip(pattern.shape, inner, strict=True)
    )

    def move() -> Any:
        at, keep = [], np.ones(pattern.nnz, bool)
        for i, n, (low, _, step) in zip(pattern.indices, shape, inner, strict=True):
            place = i.astype(np.int64) * (step + 1) + low
            keep &= (place >= 0) & (place < n)
            at.append(place)
        return [i[keep] for i in at], np.flatnonzero(keep), shape

    out = rearranged(x, moved(("pad", inner), pattern, move))
    if isinstance(padding_value, Sparse):
        raise Unstructured
    if constant_of(padding_value, x.dtype) == fill:
        return out
    return _with_padding(out, padding_value, pattern.shape, inner)


def _with_padding(x: Sparse, value: Any, before: tuple[int, ...], config: Any) -> Sparse:
    """Stores what was added, of another value than the fill."""
    shape = x.pattern.shape
    if x.pattern.size > _MOST_PADDING:
        raise Unstructured

    def make() -> Any:
        inside = np.zeros(shape, bool)
        places = []
        for n, m, (low, _, step) in zip(before, shape, config, strict=True):
            place = np.arange(n) * (step + 1) + low
            places.append(place[(place >= 0) & (place < m)])
        inside[np.ix_(*places)] = True
        return np.flatnonzero(~inside)

    added = planned(("padding", x.pattern, before, config), make)
    union_ = np.union1d(x.pattern.linear, added)
    target: Pattern = planned(
        ("padded", x.pattern, before, config), lambda: from_linear(union_, shape)
    )
    data = values_at(x, target)
    places = np.searchsorted(target.linear, added).astype(np.int32)
    value = jnp.asarray(value).astype(data.dtype)
    out: Sparse = unchecked(data.at[..., places].set(value), target, x.fill_constant)
    return out
