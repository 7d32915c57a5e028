"""`finfo` and `iinfo`, with types."""

from typing import Any

import jax.numpy as jnp


def finfo(dtype: Any) -> Any:
    """The limits of a floating-point type, as `jnp.finfo`."""
    return jnp.finfo(dtype)  # type: ignore[no-untyped-call]


def iinfo(dtype: Any) -> Any:
    """The limits of an integer type, as `jnp.iinfo`."""
    return jnp.iinfo(dtype)  # type: ignore[no-untyped-call]
