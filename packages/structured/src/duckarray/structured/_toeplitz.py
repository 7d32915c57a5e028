"""The types that are constant along their diagonals: `Toeplitz` and `Circulant`."""

from typing import Any, ClassVar

import jax.numpy as jnp

from ._base import Structured, as_arrays, require_axes, with_batch
from ._ranks import free_ranks

_VECTOR = "a vector, or a batch of vectors"


class Toeplitz(Structured):
    """A matrix, square or not, that is constant along each diagonal.

    A product costs `O((m + n) log(m + n))` for each column, by fast Fourier transforms; a solve is
    by conjugate gradients, or by the Levinson recursion (see `toeplitz_solve`).

    Args:
        c: the first column, `[*batch, m]`.
        r: the first row, `[*batch, n]`, whose first entry is not read; by default the conjugate
            of `c`, as in `scipy.linalg.toeplitz`.

    Raises:
        ValueError: if one of them has no axis, or their batch axes do not broadcast.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Toeplitz
        >>> Toeplitz(jnp.array([1.0, 2.0, 3.0]), jnp.array([1.0, 5.0])).materialize()
        Array([[1., 5.],
               [2., 1.],
               [3., 2.]], dtype=float32)
    """

    c: Any
    r: Any
    leaf_linear: ClassVar[bool] = True
    _own: ClassVar[tuple[int, ...]] = (1, 1)

    def __init__(self, c: Any, r: Any = None) -> None:
        (column,) = as_arrays(c)
        column, row = as_arrays(column, jnp.conj(column) if r is None else r)
        for name, x in (("c", column), ("r", row)):
            advice = f"Pass `jnp.atleast_1d({name})`."
            require_axes("Toeplitz", name, x, 1, _VECTOR, advice)
        column, row = with_batch("Toeplitz", [column, row], self._own)
        object.__setattr__(self, "c", column)
        object.__setattr__(self, "r", row)

    @free_ranks
    def materialize(self) -> Any:
        m, n = self.c.shape[-1], self.r.shape[-1]
        if m == 0 or n == 0:
            return jnp.zeros((*self.batch_shape, m, n), self.c.dtype)
        return values_of(self)[..., jnp.arange(m)[:, None] - jnp.arange(n) + n - 1]


class Circulant(Structured):
    """A square matrix each column of which is the one before, shifted down by one place.

    Products, solves and inverses cost `O(n log n)`, by fast Fourier transforms.

    Args:
        c: the first column, `[*batch, n]`, as in `scipy.linalg.circulant`.

    Raises:
        ValueError: if `c` has no axis.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Circulant
        >>> Circulant(jnp.array([1.0, 2.0, 3.0])).materialize()
        Array([[1., 3., 2.],
               [2., 1., 3.],
               [3., 2., 1.]], dtype=float32)

    References:
        Golub and Van Loan, "Matrix Computations", 4th ed., 2013, section 4.8.
    """

    c: Any
    leaf_linear: ClassVar[bool] = True
    _own: ClassVar[tuple[int, ...]] = (1,)

    def __init__(self, c: Any) -> None:
        (column,) = as_arrays(c)
        require_axes("Circulant", "c", column, 1, _VECTOR, "Pass `jnp.atleast_1d(c)`.")
        object.__setattr__(self, "c", column)

    @free_ranks
    def materialize(self) -> Any:
        n = self.c.shape[-1]
        if n == 0:
            return jnp.zeros((*self.batch_shape, 0, 0), self.c.dtype)
        return self.c[..., (jnp.arange(n)[:, None] - jnp.arange(n)) % n]


def values_of(x: Toeplitz) -> Any:
    """The value on each diagonal, from the uppermost to the lowest, `[*batch, m + n - 1]`."""
    return jnp.concatenate([jnp.flip(x.r[..., 1:], -1), x.c], axis=-1)
