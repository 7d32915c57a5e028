"""Sums, of which the factor is a factor too."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from ${module}._value import ${cls}


@register("reduce_sum", "cumsum")
def _reduce_sum_${name}(x: ${cls}, *, primitive: Primitive, **params: Any) -> ${cls}:
    """Σ f · a = f · Σ a."""
    return ${cls}(bind(primitive, x.array, **params), x.factor)
