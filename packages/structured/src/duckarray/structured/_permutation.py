"""`Permutation`: a matrix that reorders rows."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import DTypeLike

from duckarray.core import ArrayValue, field

from ._base import Structured, require_axes
from ._ranks import free_ranks

_NOT_INTEGERS = """`Permutation(permutation)` takes integers, but got an array of dtype {dtype}.
Pass the indices that `jnp.argsort` gives, or `permutation.astype(int)`."""

_NOT_ONE = """`Permutation(permutation)` takes each of 0 ... {last} once, but got {got}.
A choice of rows that is none of all is `x[permutation]`."""


class Permutation(Structured):
    """The matrix that is `eye(n)[permutation]`: `P @ x` is `x[permutation]`, a gather.

    Args:
        permutation: for each row of the result the row of the operand it is, `[*batch, n]`.
        dtype: of the entries, by default the floating-point type that `jnp.eye` takes.

    Raises:
        TypeError: if `permutation` does not hold integers.
        ValueError: if it is known while tracing and not a permutation, or has no axis.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Permutation
        >>> Permutation(jnp.array([2, 0, 1])) @ jnp.array([1.0, 2.0, 3.0])
        Array([3., 1., 2.], dtype=float32)
    """

    permutation: Any
    of_dtype: Any = field(static=True)
    _own: ClassVar[tuple[int, ...]] = (1,)

    def __init__(self, permutation: Any, dtype: DTypeLike = float) -> None:
        p = permutation
        p = p if isinstance(p, ArrayValue | jax.Array) else jnp.asarray(p)
        require_axes("Permutation", "permutation", p, 1, "a vector of indices", "Pass a vector.")
        if p.size == 0:
            p = p.astype(jnp.int32)
        if not jnp.issubdtype(p.dtype, jnp.integer):
            raise TypeError(_NOT_INTEGERS.format(dtype=p.dtype))
        if isinstance(p, jax.Array) and not isinstance(p, Tracer):
            n = p.shape[-1]
            if not (np.sort(np.asarray(p), axis=-1) == np.arange(n)).all():
                got = np.array2string(np.asarray(p), threshold=10)
                raise ValueError(_NOT_ONE.format(last=n - 1, got=got))
        object.__setattr__(self, "permutation", p)
        object.__setattr__(self, "of_dtype", jnp.zeros((), dtype).dtype)

    @free_ranks
    def materialize(self) -> Any:
        n = self.permutation.shape[-1]
        # A choice, not a conversion: XLA takes infinity times a converted truth value for a choice.
        one, zero = jnp.ones((), self.of_dtype), jnp.zeros((), self.of_dtype)
        return jnp.where(self.permutation[..., None] == jnp.arange(n), one, zero)


def inverse(p: Any) -> Any:
    """The permutation that undoes `p`."""
    return jnp.argsort(p, axis=-1).astype(p.dtype)


def composed(p: Any, q: Any) -> Any:
    """The permutation of the matrix product: `x[q][p] = x[q[p]]`."""
    return jnp.take_along_axis(q, p, axis=-1)
