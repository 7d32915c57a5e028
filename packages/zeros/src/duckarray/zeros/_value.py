"""`Zeros` and the functions that make and recognise it."""

import operator
from collections.abc import Iterable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike, DTypeLike

from duckarray.core import ArrayValue, value_of

_BAD_SHAPE = """`Zeros({shape!r})` takes a shape, but this is none.
Pass a tuple of non-negative integers that are known while tracing, such as `x.shape`."""

_BAD_DTYPE = """`Zeros({shape!r}, {dtype!r})` takes a dtype, but {dtype!r} is none.
Pass one such as `jnp.float32`, or `x.dtype`."""


class Zeros(ArrayValue):
    """An array of zeros, stored as an array without entries, `[*shape, 0]`.

    It is a *strong* zero, as in JAX's own automatic differentiation: `0 * nan` is zero. Its sign is
    not kept. An operation without a rule sees the dense zeros.

    Args:
        shape: the sizes of the axes, or one size.
        dtype: by default the floating-point type that `jnp.zeros` takes.
        weak_type: whether it adapts its dtype to the other operand, as a Python scalar does.

    Raises:
        ValueError: if a size is negative.
        TypeError: if a size is not an integer or `dtype` is not a dtype.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.zeros import Zeros
        >>> quaxify(lambda a, b: 2 * a @ b)(Zeros((4, 3)), jnp.ones((3, 2)))
        Zeros((4, 2), float32)
    """

    # A static shape would be wrong under `vmap` and `scan`; that of a leaf changes with them.
    empty: jax.Array

    # Above other representations: `Zeros @ w` is zeros whatever `w` is. Below units and names.
    array_priority: ClassVar[int] = 10
    leaf_linear: ClassVar[bool] = True
    materialization: ClassVar[Any] = "allow"

    def __init__(
        self, shape: int | Iterable[int], dtype: DTypeLike = float, *, weak_type: bool = False
    ) -> None:
        sizes = _sizes(shape)
        try:
            empty = jnp.zeros((*sizes, 0), dtype)
        except TypeError as error:
            raise TypeError(_BAD_DTYPE.format(shape=shape, dtype=dtype)) from error
        if weak_type:
            empty = lax.convert_element_type_p.bind(
                empty, new_dtype=empty.dtype, weak_type=True, sharding=None
            )
        object.__setattr__(self, "empty", empty)  # the class is frozen

    def materialize(self) -> jax.Array:
        """The sum over the empty axis: of no terms, with the dtype and placement of the leaf."""
        axis = self.empty.ndim - 1
        if self.empty.dtype == bool:
            return lax.reduce_or(self.empty, (axis,))
        return lax.reduce_sum(self.empty, (axis,))

    def drop_leading(self) -> "Zeros":
        return self

    def add_leading(self, n: int) -> "Zeros":
        return self

    def __repr__(self) -> str:
        if not hasattr(self.empty, "dtype"):  # a tree structure with something else for leaves
            return super().__repr__()
        return f"Zeros({self.empty.shape[:-1]}, {self.empty.dtype})"


def zeros_like(x: ArrayLike | ArrayValue) -> Zeros:
    """Makes `Zeros` of the shape and dtype of `x`, an array or a value.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.zeros import zeros_like
        >>> zeros_like(jnp.ones((2, 3)))
        Zeros((2, 3), float32)
    """
    aval = x.aval() if isinstance(x, ArrayValue) else jax.typeof(x)
    return Zeros(aval.shape, aval.dtype, weak_type=aval.weak_type)


def is_zero(x: Any) -> bool:
    """Whether `x` is known to be zero from its type; inside `quaxify` too. No entry is looked at.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.zeros import Zeros, is_zero
        >>> is_zero(Zeros(3)), is_zero(jnp.zeros(3))
        (True, False)
    """
    return isinstance(value_of(x), Zeros)


def _sizes(shape: Any) -> tuple[int, ...]:
    several = isinstance(shape, Iterable) and getattr(shape, "ndim", 1) > 0
    try:
        sizes = tuple(map(operator.index, shape if several else (shape,)))
    except TypeError as error:
        raise TypeError(_BAD_SHAPE.format(shape=shape)) from error
    if min(sizes, default=0) < 0:
        raise ValueError(_BAD_SHAPE.format(shape=shape))
    return sizes
