"""`Number`: a scalar known while tracing, as a part of a tree structure."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from duckarray.core.extend import extremes

_DOES_NOT_FIT = """`{name}` is made of {value!r}, which an array of {dtype} cannot hold.
Pass a number of that dtype, or another dtype: `Full({value!r}, shape, dtype=...)`."""

_NO_NUMBER = """`{name}` takes one number or array without axes, but got {value}.
An array whose entries differ is no constant: use it as it is."""


class Number:
    """A scalar of one dtype; equal to another if their bits are, so NaN to itself, 0.0 not to -0.0.

    As a static field it must be hashable and compare so: programs are kept by it.
    """

    __slots__ = ("_key", "scalar")

    def __init__(self, scalar: Any) -> None:
        self.scalar = np.asarray(scalar)[()]
        self._key = (self.scalar.dtype.name, self.scalar.tobytes())

    @property
    def item(self) -> Any:
        """The Python scalar."""
        return self.scalar.item()

    @property
    def is_positive_zero(self) -> bool:
        """Whether it is zero, and not -0.0."""
        return not any(self._key[1])

    @property
    def is_finite(self) -> bool:
        """Whether it is neither infinite nor NaN."""
        return bool(np.isfinite(complex(self.item)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return repr(self.item)


def number_of(value: Any, dtype: Any, name: str = "Full") -> Number:
    """`value`, a Python or NumPy scalar, as a number of `dtype`.

    Raises:
        TypeError: if it is no number.
        ValueError: if it is an array with axes, or no number of that dtype.
    """
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of several lengths
        given = f"a `{type(value).__name__}` that is no array"
        raise ValueError(_NO_NUMBER.format(name=name, value=given)) from error
    if array.ndim:
        raise ValueError(_NO_NUMBER.format(name=name, value=f"an array of shape {array.shape}"))
    if not (array.dtype == bool or jnp.issubdtype(array.dtype, np.number)):
        raise TypeError(_NO_NUMBER.format(name=name, value=f"a `{type(value).__name__}`"))
    if not _fits(array.item(), np.dtype(dtype)):
        raise ValueError(_DOES_NOT_FIT.format(name=name, value=value, dtype=dtype))
    with np.errstate(over="ignore"):
        return Number(array.astype(dtype))


def _fits(value: Any, dtype: np.dtype[Any]) -> bool:
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return True
    if isinstance(value, complex):
        return value.imag == 0 and _fits(value.real, dtype)
    if jnp.issubdtype(dtype, jnp.floating):
        return True
    if not math.isfinite(value) or value != int(value):
        return False
    if jnp.issubdtype(dtype, jnp.bool_):
        return value in (0, 1)
    least, greatest = limits(dtype)
    return bool(least <= value <= greatest)


def limits(dtype: Any) -> tuple[int, int]:
    """The least and the greatest integer of a dtype."""
    least, greatest = extremes(dtype)
    return int(least), int(greatest)
