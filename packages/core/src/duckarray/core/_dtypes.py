"""Dtypes: conversions that make types weak, and the extreme numbers of each dtype."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import DTypeLike

from ._bind import bind
from ._value import dense_aval

_NO_NUMBERS = """`extremes({dtype!r})`: an array of this dtype holds no real or complex numbers.
Pass a dtype of those, such as `jnp.float32`."""


def with_dtype(x: Any, dtype: Any, weak_type: bool = False) -> Any:
    """An array or value converted to a dtype, weak or not, where it is of another.

    JAX's own functions that convert never make a type weak, as that of Python's numbers is.

    Args:
        x: an array, a value or a number.
        dtype: the dtype it shall have.
        weak_type: whether it shall adapt its dtype to other operands, as a Python scalar does.

    Returns:
        `x` itself if it is so already.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> extend.with_dtype(jnp.ones(2), jnp.float16, weak_type=True)
        Array([1., 1.], dtype=float16, weak_type=True)
    """
    # Not that of the abstract value: a NumPy array may be wider than JAX takes it for.
    if getattr(x, "dtype", None) == dtype and dense_aval(x).weak_type == weak_type:
        return x
    new = jax.dtypes.canonicalize_dtype(dtype, allow_extended_dtype=True)
    params = {"new_dtype": new, "weak_type": weak_type, "sharding": None}
    return bind(lax.convert_element_type_p, x, **params)


def extremes(dtype: DTypeLike) -> tuple[Any, Any]:
    """The least and the greatest number of a dtype, infinite where it has infinities.

    The maximum of the one and any number is that number, as is the minimum of the other and it.
    Complex numbers are ordered as `max` orders them, by real parts and then by imaginary ones.

    Args:
        dtype: a dtype of numbers or booleans; some of eight bits and less have no infinities.

    Returns:
        Two scalars of that dtype, NumPy's.

    Raises:
        TypeError: if the dtype is not one of numbers.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> least, greatest = extend.extremes(jnp.int8)
        >>> print(least, greatest)
        -128 127
        >>> print(extend.extremes(jnp.float8_e4m3fn)[1], extend.extremes(jnp.float8_e5m2)[1])
        448 inf
    """
    try:
        return _extremes(np.dtype(dtype))
    except (TypeError, ValueError) as error:  # of `np.dtype`, and of JAX for one it knows not
        raise TypeError(_NO_NUMBERS.format(dtype=dtype)) from error


@cache
def _extremes(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if jnp.issubdtype(dtype, jnp.bool_):
        return np.False_, np.True_
    infinity = complex(np.inf, np.inf) if jnp.issubdtype(dtype, jnp.complexfloating) else np.inf
    if jnp.issubdtype(dtype, jnp.inexact):
        with np.errstate(all="ignore"):
            least, greatest = _scalar(-infinity, dtype), _scalar(infinity, dtype)
        if np.isinf(greatest):
            return least, greatest
        info: Any = jnp.finfo(dtype)  # type: ignore[no-untyped-call]
    else:
        info = jnp.iinfo(dtype)  # type: ignore[no-untyped-call]
    return _scalar(info.min, dtype), _scalar(info.max, dtype)


def _scalar(x: Any, dtype: np.dtype[Any]) -> Any:
    return np.asarray(x).astype(dtype)[()]
