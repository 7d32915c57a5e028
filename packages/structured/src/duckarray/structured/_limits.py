"""`finfo`, with types, and what to compute with."""

from typing import Any

import jax
import jax.numpy as jnp


def finfo(dtype: Any) -> Any:
    """The limits of a floating-point type, as `jnp.finfo`."""
    return jnp.finfo(dtype)  # type: ignore[no-untyped-call]


def at_least(dtype: Any, least: Any) -> Any:
    """The dtype to compute with, as wide as `least`, whatever promotion the program forbids."""
    with jax.numpy_dtype_promotion("standard"):
        return jnp.promote_types(dtype, least)
