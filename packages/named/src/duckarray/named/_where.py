"""A choice between arrays, brought together by name."""

from typing import Any

import jax.numpy as jnp

from duckarray.core import value_of

from ._by_name import aligned, expanded, quaxified
from ._value import dims as dims_of
from ._value import require_arrays


def where(condition: Any, x: Any, y: Any) -> Any:
    """Entries of `x` where `condition` holds, else of `y`; all brought together by name.

    Raises:
        AxisNameError: if their names do not nest, or an axis has two sizes.
        TypeError: if one of them is no array and no number.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, where
        >>> a = NamedArray(jnp.arange(6.0).reshape(2, 3), "batch d")
        >>> keep = NamedArray(jnp.array([True, False]), "batch")
        >>> where(keep, a, 0.0).array
        Array([[0., 1., 2.],
               [0., 0., 0.]], dtype=float32)
    """
    require_arrays("where(condition, x, y)", condition=condition, x=x, y=y)
    x, y = aligned(x, y) if dims_of(x) or dims_of(y) else (x, y)
    whole = x if dims_of(x) else y
    if dims_of(whole):
        condition, whole = aligned(condition, whole)
        x, y = (_like(z, whole) if dims_of(z) else z for z in (x, y))
    return quaxified(jnp.where, condition, x, y)


def _like(z: Any, whole: Any) -> Any:
    """With all axes of `whole`, in its order."""
    dims, value = dims_of(whole), value_of(z)
    if None in dims or None in dims_of(z):
        return aligned(z, whole)[0]
    return expanded(value, dims, value_of(whole).sizes)
