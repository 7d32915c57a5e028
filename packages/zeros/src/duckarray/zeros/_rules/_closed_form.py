"""Sums and products of one number many times over, known while tracing."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.zeros._number import Number, limits

from ._constant import Constant


def repeated_sum(c: Constant, count: int) -> Constant:
    """C + c + … = n · c; integers wrap, and no terms give zero."""
    if isinstance(c, Number):
        dtype = c.scalar.dtype
        if count == 0 or c.item == 0:
            return Number(np.zeros((), dtype))
        if _is_integer(dtype):
            return Number(_wrapped(int(c.item) * count, dtype))
        return _rounded(_wide(c) * count, dtype)
    if count == 0:
        return jnp.zeros_like(c)
    wide = _widened(c)
    total: jax.Array = (wide * np.asarray(count).astype(wide.dtype)).astype(c.dtype)
    return total


def repeated_product(c: Constant, count: int) -> Constant:
    """C · c · … = cⁿ; integers wrap, and no factors give one."""
    if isinstance(c, Number):
        dtype = c.scalar.dtype
        if _is_integer(dtype):
            return Number(_wrapped(pow(int(c.item), count, 1 << 64), dtype))
        return _rounded(_wide(c) ** count, dtype)
    if count == 0:
        return jnp.ones_like(c)
    return lax.integer_pow(_widened(c), count).astype(c.dtype)


def product(a: Number, b: Number, dtype: Any) -> Number:
    """A · b as a number of `dtype`."""
    if _is_integer(dtype):
        return Number(_wrapped(int(a.item) * int(b.item), dtype))
    if jnp.issubdtype(dtype, jnp.bool_):
        return Number(np.asarray(bool(a.item) and bool(b.item)))
    return _rounded(_wide(a) * _wide(b), dtype)


def _is_integer(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.integer))


def _wrapped(value: int, dtype: Any) -> Any:
    """An integer of any size, as overflow leaves it."""
    least, greatest = limits(dtype)
    return np.asarray((value - least) % (greatest - least + 1) + least).astype(dtype)


def _wide(c: Number) -> Any:
    kind = np.complex128 if np.iscomplexobj(c.scalar) else np.float64
    return np.asarray(c.scalar).astype(kind)


def _rounded(value: Any, dtype: Any) -> Number:
    with np.errstate(all="ignore"):
        return Number(np.asarray(value).astype(dtype))


def _widened(c: Any) -> Any:
    """Numbers of half precision as single ones: XLA adds them up as such."""
    return c.astype(jnp.float32) if c.dtype in (jnp.float16, jnp.bfloat16) else c


def wide(dtype: Any) -> Any:
    """What to compute with: at least single precision, of floating-point numbers."""
    short = jnp.issubdtype(dtype, jnp.floating) and jnp.dtype(dtype).itemsize < 4
    return jnp.dtype(jnp.float32) if short else dtype
