"""Reductions over sliding windows, and what differentiation makes of them."""

import math
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import register
from duckarray.zeros._value import Full

from ._closed_form import repeated_sum
from ._constant import constant_of, has_value
from ._result import results, zeros_of


@register("reduce_window_sum")
def _reduce_window_sum_full(
    x: Full, *, primitive: Primitive, window_dimensions: tuple[int, ...], **params: Any
) -> Any:
    """Σ c = n c if each window has n entries."""
    constant = constant_of(x)
    params["window_dimensions"] = window_dimensions
    if has_value(x, 0):
        return zeros_of(primitive, [x], params)
    if constant is None or _reaches_outside(params):
        return NotImplemented
    value = repeated_sum(constant, math.prod(window_dimensions))
    return results(primitive, [x], params, value)


@register("reduce_window_max", "reduce_window_min")
def _reduce_window_max_full(x: Full, *, primitive: Primitive, **params: Any) -> Any:
    """Max c = c if no window is empty: one that reaches outside has an entry inside too."""
    constant = constant_of(x)
    if constant is None:
        return NotImplemented
    if _reaches_outside(params):
        sizes = zip(params["padding"], params["window_dimensions"], x.shape, strict=True)
        dilated = any(d != 1 for d in (*params["base_dilation"], *params["window_dilation"]))
        if dilated or any(max(pad) >= w or n < 1 for pad, w, n in sizes):
            return NotImplemented
    return results(primitive, [x], params, constant)


def _reaches_outside(params: dict[str, Any]) -> bool:
    padded = any(low or high for low, high in params["padding"])
    return padded or any(d != 1 for d in params["base_dilation"])


@register("select_and_gather_add", "select_and_scatter_add")
def _select_and_gather_add_full(x: Full, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """Zeros chosen, or zeros added where something was chosen, are zeros."""
    return zeros_of(primitive, [x, y], params) if has_value(x, 0) else NotImplemented
