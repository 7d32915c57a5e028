"""Taking a `LoraArray` apart into labelled arrays, and putting such together again."""

from typing import Any, NamedTuple

from jax import lax

from duckarray.core import materialize

from ._layout import RANK, Labels, arrange, as_dtype, axes_of, contract, spread
from ._value import LoraArray, unchecked


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


def take_apart(x: LoraArray) -> Parts:
    """The parts of a `LoraArray`; axis `i` of the weight is labelled `i`."""
    ndim = x.w.ndim
    batch, rows, columns = axes_of(ndim, x.rows, x.columns)
    of_w = tuple(range(ndim))
    of_a, of_b = (*batch, *rows, RANK), (*batch, RANK, *columns)
    return Parts(x.w, x.a, x.b, x.scale, of_w, of_a, of_b, batch)


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
        return unchecked(parts.w, a, b, scale, row_axes, column_axes)
    w = materialize(parts.w)  # a part of it, which is dense whatever it was
    a, b, scale = (as_dtype(x, w.dtype) for x in (a, b, scale))
    a = lax.mul(a, spread(scale, batch, (*batch, *rows, RANK), sizes | {RANK: a.shape[-1]}))
    of_a, of_b = (*batch, *rows, RANK), (*batch, RANK, *columns)
    return lax.add(w, contract(a, of_a, b, of_b, parts.of_w))


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
