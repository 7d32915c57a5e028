"""`Tridiagonal`: what it stores, and which array it stands for."""

import jax

from duckarray.core import ArrayValue

_BAD_FACTOR = """`Tridiagonal(array, factor)` was given {array} and {factor}.
The factor is one number of the dtype of the array: pass `jnp.asarray(2.0, array.dtype)`."""


class Tridiagonal(ArrayValue):
    """Stands for `factor * array`.

    To scale it changes one number, whatever its size. The two are multiplied last, so they round
    and overflow by themselves.

    Args:
        array: an array of any shape, or a value itself.
        factor: one number, an array of shape `()` with the dtype of `array`.

    Raises:
        TypeError: if either is not an array.
        ValueError: if `factor` has axes or another dtype.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import materialize, quaxify
        >>> from duckarray.structured import Tridiagonal
        >>> x = Tridiagonal(jnp.ones(2), jnp.float32(5.0))
        >>> scaled = quaxify(lambda x: 3 * x)(x)
        >>> scaled.factor
        Array(15., dtype=float32)
        >>> materialize(scaled)
        Array([15., 15.], dtype=float32)
    """

    array: jax.Array
    factor: jax.Array

    def __check_init__(self) -> None:
        array, factor = self.array, self.factor
        if factor.shape or factor.dtype != array.dtype:
            array_text = f"an array of shape {array.shape} and dtype {array.dtype}"
            factor_text = f"a factor of shape {factor.shape} and dtype {factor.dtype}"
            raise ValueError(_BAD_FACTOR.format(array=array_text, factor=factor_text))

    def materialize(self) -> jax.Array:
        return self.factor * self.array
