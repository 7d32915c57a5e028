"""Taking a `LoraArray` apart into labelled arrays, and putting such together again."""

from collections.abc import Callable
from typing import Any, NamedTuple

from jax import lax

from duckarray.core import bind, materialize

from ._layout import RANK, Labels, arrange, as_dtype, axes_of, contract, spread
from ._multi import MultiLora, refuse_dense
from ._value import LoraArray, derived, normalizer

Change = Callable[[Any, Labels], tuple[Any, Labels]]


class Parts(NamedTuple):
    """The parts of a `LoraArray`, each with the labels of its axes."""

    w: Any
    a: Any
    b: Any
    scale: Any
    of_w: Labels
    of_a: Labels
    of_b: Labels
    of_scale: Labels
    origin: LoraArray
    """What was taken apart."""
    others: tuple[tuple[str, Any, Labels], ...]
    """By the names of their fields, the parts that few values have."""


def take_apart(x: LoraArray) -> Parts:
    """The parts of a `LoraArray`, without a magnitude; axis `i` of the weight is labelled `i`."""
    x = folded(x)
    ndim = x.w.ndim
    batch, rows, columns = axes_of(ndim, x.rows, x.columns)
    of_a, of_b = (*batch, *rows, RANK), (*batch, RANK, *columns)
    others: list[tuple[str, Any, Labels]] = []
    if x.seed is not None:
        others.append(("seed", x.seed, batch))
    if isinstance(x, MultiLora):
        others += [(name, part, (*batch, *labels)) for name, part, labels in x.others()]
    of_w = tuple(range(ndim))
    return Parts(x.w, x.a, x.b, x.scale, of_w, of_a, of_b, batch, x, tuple(others))


def put_together(parts: Parts) -> Any:
    """The `LoraArray` of these parts; a dense array where it has no rows or no columns left."""
    ndim = len(parts.of_w)
    position = {label: i - ndim for i, label in enumerate(parts.of_w)}
    batch = tuple(x for x in parts.of_w if x in parts.of_a and x in parts.of_b)
    rows = tuple(x for x in parts.of_w if x in parts.of_a and x not in parts.of_b)
    columns = tuple(x for x in parts.of_w if x not in parts.of_a and x in parts.of_b)
    sizes = dict(zip(parts.of_w, parts.w.shape, strict=True))
    a = arrange(parts.a, parts.of_a, (*batch, *rows, RANK))
    b = arrange(parts.b, parts.of_b, (*batch, RANK, *columns))
    scale = spread(parts.scale, parts.of_scale, batch, sizes)
    if rows and columns:
        row_axes, column_axes = (tuple(position[x] for x in axes) for axes in (rows, columns))
        others = {
            name: _spread_other(part, labels, batch, sizes) for name, part, labels in parts.others
        }
        return derived(
            parts.origin,
            w=parts.w,
            a=a,
            b=b,
            scale=scale,
            rows=row_axes,
            columns=column_axes,
            **others,
        )
    if isinstance(parts.origin, MultiLora):
        refuse_dense(parts.origin)
    w = materialize(parts.w)  # a part of it, which is dense whatever it was
    a, b, scale = (as_dtype(x, w.dtype) for x in (a, b, scale))
    a = lax.mul(a, spread(scale, batch, (*batch, *rows, RANK), sizes | {RANK: a.shape[-1]}))
    of_a, of_b = (*batch, *rows, RANK), (*batch, RANK, *columns)
    return lax.add(w, contract(a, of_a, b, of_b, parts.of_w))


def change_each(parts: Parts, w: Any, of_w: Labels, change: Change) -> Parts:
    """`parts` with another weight, and all else as `change(array, labels)` makes it."""
    a, of_a = change(parts.a, parts.of_a)
    b, of_b = change(parts.b, parts.of_b)
    scale, of_scale = change(parts.scale, parts.of_scale)
    others = tuple((name, *change(part, labels)) for name, part, labels in parts.others)
    return Parts(w, a, b, scale, of_w, of_a, of_b, of_scale, parts.origin, others)


def folded(x: Any) -> Any:
    """`x` without a magnitude: its weight and one factor are multiplied by what that makes them."""
    if x.magnitude is None:
        return x
    factor = as_dtype(normalizer(x), x.w.dtype)
    # Not `*`, which inside a rule would give what stands for the product in the trace around it.
    return bind(lax.mul_p, derived(x, magnitude=None), factor)


def _spread_other(part: Any, labels: Labels, batch: Labels, sizes: dict[Any, int]) -> Any:
    own = tuple(label for label in labels if isinstance(label, str))
    sizes = sizes | dict(zip(labels, part.shape, strict=True))
    return spread(part, labels, (*batch, *own), sizes)


def with_layout_of(model: LoraArray, x: LoraArray) -> LoraArray | None:
    """`x` with the rows and columns of `model`, by exchanging its factors; None if unlike."""
    if (x.rows, x.columns) == (model.rows, model.columns):
        return x
    if (x.columns, x.rows) != (model.rows, model.columns):
        return None
    parts = take_apart(x)
    swapped: LoraArray = put_together(
        parts._replace(a=parts.b, b=parts.a, of_a=parts.of_b, of_b=parts.of_a)
    )
    return swapped
