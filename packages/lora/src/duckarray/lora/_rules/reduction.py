"""Sums over rows or over columns."""

from typing import Any

from jax import lax

from duckarray.core import bind, register
from duckarray.lora._layout import Labels
from duckarray.lora._parts import change_each, put_together, take_apart
from duckarray.lora._value import LoraArray


@register("reduce_sum")
def _reduce_sum_lora(x: LoraArray, *, axes: Any, **params: Any) -> Any:
    """The sum over rows is that of `w` and of `a`; over all rows, or all columns, it is dense."""
    parts = take_apart(x)
    if set(axes).intersection(parts.of_scale):
        return NotImplemented
    w = bind(lax.reduce_sum_p, parts.w, axes=axes, **params)

    def reduce(factor: Any, labels: Labels) -> tuple[Any, Labels]:
        over = tuple(i for i, label in enumerate(labels) if label in axes)
        kept = tuple(label for label in labels if label not in axes)
        return (lax.reduce_sum(factor, over) if over else factor), kept

    of_w = tuple(label for label in parts.of_w if label not in axes)
    return put_together(change_each(parts, w, of_w, reduce))
