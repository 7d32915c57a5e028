"""Reductions, running results, sorting."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.scipy.special import logsumexp

Calls = dict[str, Callable[..., Any]]


def _over_axes(name: str) -> Calls:
    function = getattr(jnp, name)
    return {
        name: lambda x: function(x),
        f"{name}_first": lambda x: function(x, axis=0),
        f"{name}_last": lambda x: function(x, axis=-1),
    }


REDUCTIONS: Calls = {
    **_over_axes("sum"),
    **_over_axes("prod"),
    **_over_axes("max"),
    **_over_axes("min"),
    **_over_axes("mean"),
    **_over_axes("argmax"),
    **_over_axes("any"),
    **_over_axes("all"),
    "sum_keepdims": lambda x: jnp.sum(x, axis=-1, keepdims=True),
    "sum_two_axes": lambda x: jnp.sum(x, axis=(-2, -1)),
    "sum_no_axes": lambda x: jnp.sum(x, axis=()),
    "sum_where": lambda x, mask: jnp.sum(x, where=mask),
    "sum_dtype": lambda x: jnp.sum(x, dtype="float32"),
    "max_initial": lambda x: jnp.max(x, axis=0, initial=-7, keepdims=True),
    "argmin": lambda x: jnp.argmin(x, axis=0),
    "var": lambda x: jnp.var(x, axis=0),
    "std": lambda x: jnp.std(x),
    "nansum": lambda x: jnp.nansum(x, axis=0),
    "nanmax": lambda x: jnp.nanmax(x),
    "ptp": lambda x: jnp.ptp(x, axis=-1),
    "count_nonzero": lambda x: jnp.count_nonzero(x),
    "average": lambda x, mask: jnp.average(x, weights=mask + 1),
    "logsumexp_last": lambda x: logsumexp(x, axis=-1),
    "norm": lambda x: jnp.linalg.norm(x),
    "norm_last": lambda x: jnp.linalg.norm(x, axis=-1),
}

CUMULATIVE: Calls = {
    "cumsum": lambda x: jnp.cumsum(x, axis=0),
    "cumsum_flat": lambda x: jnp.cumsum(x),
    "cumsum_reverse": lambda x: lax.cumsum(x, axis=x.ndim - 1, reverse=True),
    "cumprod": lambda x: jnp.cumprod(x, axis=-1),
    "cummax": lambda x: lax.cummax(x, axis=0),
    "cummin": lambda x: lax.cummin(x, axis=0, reverse=True),
    "cumlogsumexp": lambda x: lax.cumlogsumexp(x, axis=0),
    "diff": lambda x: jnp.diff(x, axis=0),
    "reduce_window": lambda x: lax.reduce_window(
        x, jnp.array(-9, x.dtype), lax.max, (1,) * x.ndim, (1,) * x.ndim, "VALID"
    ),
    "reduce": lambda x: lax.reduce(x, jnp.array(0, x.dtype), lax.add, (0,)),
    "associative_scan": lambda x: lax.associative_scan(jnp.add, x),
    "convolve": lambda x, row: jnp.convolve(x, row),
    "fft": lambda x: jnp.fft.fft(x),
    "rfft": lambda x: jnp.fft.rfft(x),
}

SORTING: Calls = {
    "sort": lambda x: jnp.sort(x, axis=-1),
    "sort_first": lambda x: jnp.sort(x, axis=0, descending=True),
    "argsort": lambda x: jnp.argsort(x, axis=-1),
    "top_k": lambda x: lax.top_k(x, 2),
    "median": lambda x: jnp.median(x, axis=-1),
    "quantile": lambda x: jnp.quantile(x, 0.3),
    "searchsorted": lambda x, y: jnp.searchsorted(jnp.sort(x.ravel()), y),
    "isin": lambda x, y: jnp.isin(x, y),
    "array_equal": lambda x, y: jnp.array_equal(x, y),
    "allclose": lambda x, z: jnp.allclose(x, z),
    "bincount": lambda x: jnp.bincount(abs(x).ravel(), length=4),
}
