"""Choosing scales and zero points: from the extremes, from a percentile, or by a search.

All work on numbers `[*lead, groups, group, *trail]` and give scales `[*lead, groups, 1, *trail]`.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ._format import Format, decode, encode
from ._scales import inverse, quotient

CALIBRATIONS = ("absmax", "minmax", "percentile", "mse", "hqq")

_FACTORS = np.concatenate([np.linspace(0.3, 0.7, 9)[:-1], np.linspace(0.7, 1.15, 28)])
_HQQ_STEPS, _HQQ_POWER, _HQQ_BETA, _HQQ_GROWTH = 20, 0.7, 10.0, 1.01


class Range(NamedTuple):
    """What the numbers of each group lie in; `extreme` is the one of greatest magnitude."""

    low: jax.Array
    high: jax.Array

    @property
    def largest(self) -> jax.Array:
        """The greatest magnitude."""
        return jnp.maximum(-self.low, self.high)

    @property
    def extreme(self) -> jax.Array:
        """The end that is further from zero, with its sign."""
        return jnp.where(self.high >= -self.low, self.high, self.low)


def range_of(w: jax.Array, axes: tuple[int, ...], percentile: float | None) -> Range:
    """The least and the greatest number, zero included, or percentiles of the magnitude."""
    low = jnp.min(w, axes, keepdims=True, initial=0)
    high = jnp.max(w, axes, keepdims=True, initial=0)
    if percentile is None or not w.size:
        return Range(low, high)
    limit = jnp.percentile(jnp.abs(w), percentile, axis=axes, keepdims=True)
    limit = jnp.where(limit == 0, jnp.maximum(-low, high), limit)
    return Range(jnp.maximum(low, -limit), jnp.minimum(high, limit))


def from_range(r: Range, fmt: Format, symmetric: bool) -> tuple[jax.Array, jax.Array | None]:
    """The scale that maps the range on that of the codes, and the zero point."""
    if not symmetric:
        steps = (1 << fmt.bits) - 1
        scale = r.high / steps - r.low / steps  # the difference itself may overflow
        return scale, quotient(-r.low, scale)
    if fmt.kind == "signed" and fmt.bits < 8:
        # There is one code more on the negative side: it is for the extreme, whatever its sign.
        return -r.extreme / fmt.bias, None
    return r.largest / fmt.largest, None


def search(
    w: jax.Array, r: Range, fmt: Format, symmetric: bool, axes: tuple[int, ...], round_scale: Any
) -> tuple[jax.Array, jax.Array | None]:
    """The scale of least squared error, among those for a narrower or wider range.

    What is found is improved by alternating: the best scale and zero point for the codes are those
    of a linear regression, the best codes for them those of the nearest numbers.
    """
    # Where the codes are not alike on both sides of zero, the scale may be negative.
    uneven = symmetric and (fmt.name == "nf4" or (fmt.kind == "signed" and fmt.bits < 8))
    signs = (1.0, -1.0) if uneven else (1.0,)
    base, zero = from_range(r, fmt, symmetric)
    factors = jnp.asarray([f * s for s in signs for f in _FACTORS], w.dtype)

    def attempt(factor: Any) -> tuple[Any, Any]:
        if symmetric:
            return round_scale(base * factor), None
        scale, point = from_range(Range(r.low * factor, r.high * factor), fmt, False)
        return round_scale(scale), point

    def step(best: Any, factor: Any) -> tuple[Any, None]:
        return _better(best, (*attempt(factor), None), w, fmt, axes), None

    first = round_scale(base)
    best: Any = (first, zero, squared_error(w, first, zero, fmt, axes))
    best, _ = jax.lax.scan(step, best, factors)
    for _ in range(3):
        other = (*_regression(w, best[0], best[1], fmt, axes, round_scale), None)
        best = _better(best, other, w, fmt, axes)
    return best[0], best[1]


def half_quadratic(
    w: jax.Array, r: Range, fmt: Format, axes: tuple[int, ...], round_scale: Any
) -> tuple[jax.Array, jax.Array]:
    """Zero points for a robust error, `|w - dequantized| ** 0.7`, by half-quadratic splitting.

    References:
        Badri and Shaji, "Half-Quadratic Quantization of Large Machine Learning Models", 2023.
    """
    scale, zero = from_range(r, fmt, False)
    scale = round_scale(scale)
    assert zero is not None

    def step(carry: Any, _: Any) -> tuple[Any, None]:
        zero, best_zero, best, beta = carry
        codes = encode(quotient(w, scale) + zero, fmt).astype(w.dtype)
        error = w - (codes - zero) * scale
        magnitude = jnp.abs(error)
        shrunk = jnp.maximum(
            magnitude - jnp.power(jnp.maximum(magnitude, 1e-8), _HQQ_POWER - 1) / beta, 0
        )
        outliers = jnp.sign(error) * shrunk
        new = jnp.mean(codes - quotient(w - outliers, scale), axes, keepdims=True)
        loss = jnp.mean(magnitude**_HQQ_POWER, axes, keepdims=True)
        improved = loss < best
        best_zero = jnp.where(improved, zero, best_zero)
        carry = (new, best_zero, jnp.minimum(loss, best), beta * _HQQ_GROWTH)
        return carry, None

    start = (zero, zero, jnp.full_like(zero, jnp.inf), jnp.asarray(_HQQ_BETA, w.dtype))
    (_, best_zero, _, _), _ = jax.lax.scan(step, start, None, length=_HQQ_STEPS)
    return scale, jnp.where(scale == 0, 0, best_zero)


def codes_of(w: Any, scale: Any, zero: Any, fmt: Format, key: Any = None) -> Any:
    """The codes of numbers, given scale and zero point."""
    scaled = quotient(w, scale)
    return encode(scaled if zero is None else scaled + zero, fmt, key)


def _numbers(codes: Any, zero: Any, fmt: Format, dtype: Any) -> Any:
    out = decode(codes, fmt, dtype)
    return out if zero is None else out - zero


def squared_error(w: Any, scale: Any, zero: Any, fmt: Format, axes: tuple[int, ...]) -> Any:
    codes = codes_of(w, scale, zero, fmt)
    return jnp.sum((w - scale * _numbers(codes, zero, fmt, w.dtype)) ** 2, axes, keepdims=True)


def _better(best: Any, other: Any, w: Any, fmt: Format, axes: tuple[int, ...]) -> Any:
    error = squared_error(w, other[0], other[1], fmt, axes)
    improved = error < best[2]
    scale = jnp.where(improved, other[0], best[0])
    zero = None if best[1] is None else jnp.where(improved, other[1], best[1])
    return scale, zero, jnp.minimum(error, best[2])


def _regression(
    w: Any, scale: Any, zero: Any, fmt: Format, axes: tuple[int, ...], round_scale: Any
) -> Any:
    codes = codes_of(w, scale, zero, fmt)
    q = _numbers(codes, None, fmt, w.dtype)
    if zero is None:
        product = jnp.sum(q * w, axes, keepdims=True)
        return round_scale(product * inverse(jnp.sum(q * q, axes, keepdims=True))), None
    q_mean, w_mean = (jnp.mean(x, axes, keepdims=True) for x in (q, w))
    spread = jnp.sum((q - q_mean) ** 2, axes, keepdims=True)
    slope = jnp.sum((q - q_mean) * (w - w_mean), axes, keepdims=True) * inverse(spread)
    slope = round_scale(slope)
    return slope, q_mean - quotient(w_mean, slope)
