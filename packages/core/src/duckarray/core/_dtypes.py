"""Conversions to a dtype that make types weak, too, as JAX's own functions do not."""

from typing import Any

import jax
from jax import lax

from ._bind import bind
from ._value import dense_aval


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
