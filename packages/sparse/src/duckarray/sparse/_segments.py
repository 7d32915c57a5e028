"""Reductions of the entries of each segment, differentiable."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.core.extend import extremes


class Reduction(NamedTuple):
    """What a reduction does with two numbers, with none, and with `n` times the same."""

    combine: Callable[[Any, Any], Any]
    identity: Callable[[Any], Any]
    repeat: Callable[[Any, Any], Any]


def _times(x: Any, n: Any) -> Any:
    wide = wide_dtype(x.dtype)
    return (x.astype(wide) * np.asarray(n).astype(wide)).astype(x.dtype)


def _power(x: Any, n: Any) -> Any:
    wide = wide_dtype(x.dtype)
    if jnp.issubdtype(wide, jnp.inexact):
        return (x.astype(wide) ** np.asarray(n).astype(wide)).astype(x.dtype)
    n, xp = np.asarray(n), jnp if isinstance(x, jax.Array) else np
    out = xp.ones_like(x)
    while (n > 0).any():  # by squaring: integers wrap around, and `n` may be too large for one
        out = xp.where(n % 2 == 1, out * x, out)
        x, n = x * x, n // 2
    return out


def wide_dtype(dtype: Any) -> Any:
    """The dtype to count and to add up in: single precision for half, integers for booleans."""
    if dtype.kind == "b":
        return jnp.dtype("int32")
    small = jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize < 4
    return jnp.dtype("float32") if small else dtype


def _odd(x: Any, n: Any) -> Any:
    odd = np.asarray(n) % 2 == 1
    return x & odd if x.dtype == bool else x * odd.astype(x.dtype)


def _same(x: Any, n: Any) -> Any:
    return x


REDUCTIONS: dict[str, Reduction] = {
    "reduce_sum": Reduction(jnp.add, lambda d: 0, _times),
    "reduce_prod": Reduction(jnp.multiply, lambda d: 1, _power),
    "reduce_max": Reduction(jnp.maximum, lambda d: extremes(d)[0], _same),
    "reduce_min": Reduction(jnp.minimum, lambda d: extremes(d)[1], _same),
    "reduce_and": Reduction(jnp.bitwise_and, lambda d: True if d.kind == "b" else -1, _same),
    "reduce_or": Reduction(jnp.bitwise_or, lambda d: 0, _same),
    "reduce_xor": Reduction(jnp.bitwise_xor, lambda d: 0, _odd),
}


def reduce_segments(name: str, data: Any, ids: Any, count: int) -> Any:
    """The reduction of the last axis of `data` for each of `count` segments."""
    if name == "reduce_sum":
        return _sum(data, ids, count)
    if name in ("reduce_max", "reduce_min"):
        if not jnp.issubdtype(data.dtype, jnp.inexact):
            return _extreme(name, count, ids, data)
        return _differentiable_extreme(name, count, _Static(ids), data)
    return _by_scan(name, data, ids, count)


def _sum(data: Any, ids: Any, count: int) -> Any:
    if count == 1:
        return jnp.sum(data, axis=-1, keepdims=True, dtype=data.dtype)
    wide = wide_dtype(data.dtype)
    out = jnp.zeros((*data.shape[:-1], count), wide)
    ordered = bool((np.diff(ids) >= 0).all())
    out = out.at[..., ids].add(
        data.astype(wide), indices_are_sorted=ordered, mode="promise_in_bounds"
    )
    return out.astype(data.dtype)


def _extreme(name: str, count: int, ids: Any, data: Any) -> Any:
    if data.dtype.kind == "c":  # ordered by real parts, and those alike by imaginary ones
        real = _extreme(name, count, ids, data.real)
        none = REDUCTIONS[name].identity(real.dtype)
        alike = data.real == real[..., ids]
        return lax.complex(real, _extreme(name, count, ids, jnp.where(alike, data.imag, none)))
    none = REDUCTIONS[name].identity(data.dtype)
    out = jnp.full((*data.shape[:-1], count), none, data.dtype)
    at = out.at[..., ids]
    mode = "promise_in_bounds"
    return at.max(data, mode=mode) if name == "reduce_max" else at.min(data, mode=mode)


class _Static:
    """An array of the host, as an argument that is known while tracing."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Static) and self.array is other.array

    def __hash__(self) -> int:
        return id(self.array)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _differentiable_extreme(name: str, count: int, ids: _Static, data: Any) -> Any:
    return _extreme(name, count, ids.array, data)


@_differentiable_extreme.defjvp
def _extreme_jvp(name: str, count: int, ids: _Static, primals: Any, tangents: Any) -> Any:
    """Equal entries share the derivative, as in `jnp.max`."""
    (data,), (tangent,) = primals, tangents
    out = _differentiable_extreme(name, count, ids, data)
    among = (data == out[..., ids.array]).astype(data.dtype)
    share = among / _sum(among, ids.array, count)[..., ids.array]
    return out, _sum(share * tangent, ids.array, count)


def _by_scan(name: str, data: Any, ids: Any, count: int) -> Any:
    """Reduces neighbours until each segment is one: any associative operation will do."""
    none = jnp.asarray(REDUCTIONS[name].identity(data.dtype), data.dtype)
    out = jnp.full((*data.shape[:-1], count), none)
    if not len(ids):
        return out
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    first = np.concatenate([[True], np.diff(sorted_ids) != 0])
    last = np.concatenate([first[1:], [True]])

    def combine(a: Any, b: Any) -> Any:
        (starts_a, x), (starts_b, y) = a, b
        return starts_a | starts_b, jnp.where(starts_b, y, REDUCTIONS[name].combine(x, y))

    ordered = data[..., order]
    flags = jnp.broadcast_to(first, ordered.shape)
    _, running = lax.associative_scan(combine, (flags, ordered), axis=-1)
    ends = np.flatnonzero(last)
    return out.at[..., sorted_ids[ends]].set(running[..., ends], unique_indices=True)


def first_of(
    name: str, data: Any, segments: Any, at: Any, fill: Any, first_free: Any, n: int
) -> Any:
    """The first place of the extreme of each segment: NaN counts as one, as in `jnp.argmax`."""
    top = _extreme(name, segments.count, segments.ids, data)
    has_free = first_free < n
    combine = REDUCTIONS[name].combine
    top = jnp.where(has_free, combine(top, fill), top)

    def same(x: Any, y: Any) -> Any:
        return (x == y) | ((x != x) & (y != y))

    places = jnp.where(same(data, top[segments.ids]), jnp.asarray(at, jnp.int32), n)
    best = jnp.full(segments.count, n, jnp.int32).at[segments.ids].min(places)
    free = jnp.where(same(fill, top) & has_free, jnp.asarray(first_free, jnp.int32), n)
    return jnp.minimum(best, free)
