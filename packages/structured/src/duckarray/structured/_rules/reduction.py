"""Sums, of which the factor is a factor too."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from duckarray.structured._value import Tridiagonal


@register("reduce_sum", "cumsum")
def _reduce_sum_structured(x: Tridiagonal, *, primitive: Primitive, **params: Any) -> Tridiagonal:
    """Σ f · a = f · Σ a."""
    return Tridiagonal(bind(primitive, x.array, **params), x.factor)
