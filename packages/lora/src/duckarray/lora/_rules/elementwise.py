"""Elementwise operations that the update survives, with another scale, factor, rank or dtype."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import bind, known_constant, register
from duckarray.lora._layout import RANK, Label, Labels, as_dtype, axes_of, spread
from duckarray.lora._parts import folded, take_apart, with_layout_of
from duckarray.lora._value import LoraArray, derived, is_plain


@register("neg")
def _neg_lora(x: LoraArray, **params: Any) -> LoraArray:
    """`-(w + s a b) = -w + (-s) a b`."""
    if x.magnitude is not None:
        return derived(x, magnitude=lax.neg(x.magnitude))  # type: ignore[no-any-return]
    return derived(x, w=bind(lax.neg_p, x.w, **params), scale=lax.neg(x.scale))  # type: ignore[no-any-return]


@register("mul", commutative=True)
def _mul_lora_dense(x: LoraArray, y: ArrayLike, **params: Any) -> Any:
    """`(w + s a b) y = w y + s (a y) b`, for `y` a number or along the rows, or columns, alone."""
    return _scale_by(lax.mul_p, x, y, params)


@register("div")
def _div_lora_dense(x: LoraArray, y: ArrayLike, **params: Any) -> Any:
    """`(w + s a b) / y = w / y + s (a / y) b`, for such `y` too."""
    return _scale_by(lax.div_p, x, y, params)


@register("add", commutative=True)
def _add_lora_dense(x: LoraArray, y: ArrayLike, **params: Any) -> LoraArray:
    """`(w + s a b) + y = (w + y) + s a b`."""
    x = _broadcast_like(folded(x), y)
    return derived(x, w=bind(lax.add_p, x.w, y, **params))  # type: ignore[no-any-return]


@register("sub")
def _sub_lora_dense(x: LoraArray, y: ArrayLike, **params: Any) -> LoraArray:
    """`(w + s a b) - y = (w - y) + s a b`."""
    x = _broadcast_like(folded(x), y)
    return derived(x, w=bind(lax.sub_p, x.w, y, **params))  # type: ignore[no-any-return]


@register("sub")
def _sub_dense_lora(x: ArrayLike, y: LoraArray, **params: Any) -> LoraArray:
    """`x - (w + s a b) = (x - w) + (-s) a b`."""
    y = _broadcast_like(folded(y), x)
    w = bind(lax.sub_p, x, y.w, **params)
    return derived(y, w=w, scale=lax.neg(y.scale))  # type: ignore[no-any-return]


@register("add", "sub")
def _add_lora_lora(x: LoraArray, y: LoraArray, *, primitive: Primitive, **params: Any) -> Any:
    """The weights are added, and the updates: side by side, of a rank that is the sum of both."""
    x, y = folded(x), folded(y)
    if not (is_plain(x) and is_plain(y)) or x.shape != y.shape:
        return NotImplemented
    other: Any = with_layout_of(x, y)
    if other is None:
        return NotImplemented
    w = bind(primitive, x.w, other.w, **params)
    batch, rows, _ = axes_of(x.w.ndim, x.rows, x.columns)
    labels = (*batch, *rows, RANK)
    dtype = x.a.dtype
    y_a, y_b, y_scale = (as_dtype(part, dtype) for part in (other.a, other.b, other.scale))
    if primitive is lax.sub_p:
        y_scale = lax.neg(y_scale)
    scaled = [_times(x.a, labels, x.scale, batch), _times(y_a, labels, y_scale, batch)]
    a = lax.concatenate(scaled, len(labels) - 1)
    b = lax.concatenate([x.b, y_b], len(batch))
    one = jnp.ones(jnp.shape(x.scale), dtype)
    return derived(x, w=w, a=a, b=b, scale=one)


@register("select_n")
def _select_n_lora_lora(which: ArrayLike, *cases: LoraArray, **params: Any) -> Any:
    """Part by part, where one number chooses among values of the same structure."""
    if not all(map(is_plain, cases)):
        return NotImplemented
    first = cases[0]
    structures = {(x.rows, x.columns, x.a.shape, x.a.dtype) for x in cases}
    if jnp.shape(which) or len(structures) > 1:
        return NotImplemented
    w = bind(lax.select_n_p, which, *[x.w for x in cases], **params)
    a, b, scale = (
        lax.select_n(which, *parts)
        for parts in zip(*[(x.a, x.b, as_dtype(x.scale, x.a.dtype)) for x in cases], strict=True)
    )
    return derived(first, w=w, a=a, b=b, scale=scale)


@register("convert_element_type")
def _convert_element_type_lora(x: LoraArray, *, new_dtype: Any, **params: Any) -> Any:
    """Every part is converted, to another dtype of floating-point numbers."""
    real_part = x.dtype.kind == "c" and not jnp.issubdtype(new_dtype, jnp.complexfloating)
    if real_part or not jnp.issubdtype(new_dtype, jnp.inexact):
        return NotImplemented  # Re(a @ b) is not Re(a) @ Re(b)
    w = bind(lax.convert_element_type_p, x.w, new_dtype=new_dtype, **params)
    names = ("a", "b", "scale", "magnitude", "gate", "factors")
    given = {name: getattr(x, name, None) for name in names}
    converted = {n: as_dtype(part, new_dtype) for n, part in given.items() if part is not None}
    return derived(x, w=w, **converted)


def _scale_by(primitive: Primitive, x: LoraArray, y: Any, params: Any) -> Any:
    if x.magnitude is not None:
        if jnp.ndim(y) and jnp.size(y) != 1:
            return _scale_by(primitive, folded(x), y, params)
        y = as_dtype(jnp.ravel(jnp.asarray(y))[0], x.magnitude.dtype)
        change = lax.mul if primitive is lax.mul_p else lax.div
        y = jnp.broadcast_to(y, x.magnitude.shape)
        return derived(x, magnitude=change(x.magnitude, y))
    number = known_constant(y)
    if number is not None and (number == 0 if primitive is lax.div_p else np.isinf(number)):
        return NotImplemented  # zeros in a part would become NaN in the sum
    parts = take_apart(x)
    along: Labels = tuple(i for i, n in enumerate(jnp.shape(y)) if n != 1)
    of_factor = next(
        (of for of in (parts.of_scale, parts.of_a, parts.of_b) if set(along) <= set(of)), None
    )
    if of_factor is None or any(jnp.shape(y)[i] != x.shape[i] for i in along):
        return NotImplemented
    w = bind(primitive, x.w, y, **params)
    y = as_dtype(jnp.asarray(y), x.a.dtype)
    y = lax.squeeze(y, [i for i in range(y.ndim) if i not in along])
    change = lax.mul if primitive is lax.mul_p else lax.div
    if of_factor is parts.of_scale:
        scale = _times(x.scale, parts.of_scale, y, along, change)
        return derived(x, w=w, scale=scale)
    if of_factor is parts.of_a:
        a = _times(x.a, parts.of_a, y, along, change)
        return derived(x, w=w, a=a)
    b = _times(x.b, parts.of_b, y, along, change)
    return derived(x, w=w, b=b)


def _times(factor: Any, labels: Labels, y: Any, along: Labels, change: Any = lax.mul) -> Any:
    """`factor * y`, or `change(factor, y)`, where `y` has only some of the axes."""
    sizes: dict[Label, int] = dict(zip(labels, factor.shape, strict=True))
    return change(factor, spread(y, along, labels, sizes))


def _broadcast_like(x: LoraArray, y: Any) -> LoraArray:
    """`x`, repeated along axes of size one that are longer in `y`."""
    shape = tuple(
        max(pair) if 0 not in pair else 0 for pair in zip(x.shape, jnp.shape(y), strict=False)
    )
    if not jnp.shape(y) or shape == x.shape:
        return x
    dims = tuple(range(x.ndim))
    out: LoraArray = bind(
        lax.broadcast_in_dim_p, x, shape=shape, broadcast_dimensions=dims, sharding=None
    )
    return out
