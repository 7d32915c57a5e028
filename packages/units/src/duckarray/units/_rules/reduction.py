"""Sums, of which the factor is a factor too."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from duckarray.units._value import Quantity


@register("reduce_sum", "cumsum")
def _reduce_sum_units(x: Quantity, *, primitive: Primitive, **params: Any) -> Quantity:
    """Σ f · a = f · Σ a."""
    return Quantity(bind(primitive, x.array, **params), x.factor)
