"""Constants like an array, and recognising zeros."""

from typing import Any

import jax
from jax.custom_derivatives import SymbolicZero
from jax.typing import ArrayLike, DTypeLike

from duckarray.core import ArrayValue, value_of

from ._value import Full, Ones, Zeros


def full_like(x: ArrayLike | ArrayValue, value: ArrayLike, dtype: DTypeLike | None = None) -> Full:
    """Makes a `Full` of the shape and dtype of `x`, an array or a value.

    Args:
        x: an array, a scalar or a value.
        value: the number that every entry is; see `Full`.
        dtype: another dtype than that of `x`.

    Raises:
        ValueError: if `value` has axes or is no number of the dtype.
        TypeError: if `value` is no number, `dtype` is not a dtype, or `x` is an array of keys.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.zeros import full_like
        >>> full_like(jnp.ones((2, 3)), 7)
        Full(7.0, (2, 3), float32)
    """
    aval = _aval(x)
    weak_type = dtype is None and aval.weak_type
    return Full(value, aval.shape, aval.dtype if dtype is None else dtype, weak_type)


def zeros_like(x: ArrayLike | ArrayValue, dtype: DTypeLike | None = None) -> Zeros:
    """Makes `Zeros` of the shape and dtype of `x`, an array or a value.

    Args:
        x: an array, a scalar or a value.
        dtype: another dtype than that of `x`.

    Raises:
        TypeError: if `dtype` is not a dtype, or `x` is an array of keys.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.zeros import zeros_like
        >>> zeros_like(jnp.ones((2, 3)))
        Zeros((2, 3), float32)
    """
    aval = _aval(x)
    weak_type = dtype is None and aval.weak_type
    return Zeros(aval.shape, aval.dtype if dtype is None else dtype, weak_type=weak_type)


def ones_like(x: ArrayLike | ArrayValue, dtype: DTypeLike | None = None) -> Ones:
    """Makes `Ones` of the shape and dtype of `x`, an array or a value.

    Args:
        x: an array, a scalar or a value.
        dtype: another dtype than that of `x`.

    Raises:
        TypeError: if `dtype` is not a dtype, or `x` is an array of keys.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.zeros import ones_like
        >>> ones_like(jnp.zeros((2, 3), jnp.int8))
        Ones((2, 3), int8)
    """
    aval = _aval(x)
    weak_type = dtype is None and aval.weak_type
    return Ones(aval.shape, aval.dtype if dtype is None else dtype, weak_type=weak_type)


def is_zero(x: Any) -> bool:
    """Whether `x` is known to be zero from its type; inside `quaxify` too. No entry is looked at.

    JAX's own symbolic zeros are, as rules declared with `symbolic_zeros=True` are given them.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.zeros import Zeros, is_zero
        >>> is_zero(Zeros(3)), is_zero(jnp.zeros(3))
        (True, False)
    """
    x = value_of(x)
    if isinstance(x, Full):
        return x.number is not None and bool(x.number.item == 0)
    return isinstance(x, SymbolicZero)


def _aval(x: Any) -> Any:
    return x.aval() if isinstance(x, ArrayValue) else jax.typeof(x)
