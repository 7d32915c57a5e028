"""`LowRank` and `DiagonalPlusLowRank`."""

from typing import Any, ClassVar

import jax.numpy as jnp

from ._base import Structured, as_arrays, with_batch
from ._ranks import free_ranks

_FACTORS = """`{name}(u, v)` is `u @ v.T`, so both have one column for each rank, but got arrays \
of shape {u} and {v}.
Pass `v` as `[*batch, n, rank]`: for a product `u @ w` that is `w.mT`."""

_DIAGONAL = """`DiagonalPlusLowRank(diagonal, u, v)` is square: `diagonal` has n entries, `u` and \
`v` have n rows, but got arrays of shape {d}, {u} and {v}.
Pass `diagonal` as a vector, or a batch of vectors."""


class LowRank(Structured):
    """The matrix `u @ v.T`, stored as its two factors.

    Args:
        u: the left factor, `[*batch, m, rank]`.
        v: the right factor, `[*batch, n, rank]`; by default `u`. It is not conjugated.

    Raises:
        ValueError: if the factors have different ranks, or their batch axes do not broadcast.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import LowRank
        >>> LowRank(jnp.array([[1.0], [2.0]]), jnp.array([[1.0], [3.0]])) @ jnp.ones(2)
        Array([4., 8.], dtype=float32)
    """

    u: Any
    v: Any
    _own: ClassVar[tuple[int, ...]] = (2, 2)

    def __init__(self, u: Any, v: Any = None) -> None:
        left, right = _factors("LowRank", u, u if v is None else v)
        left, right = with_batch("LowRank", [left, right], self._own)
        object.__setattr__(self, "u", left)
        object.__setattr__(self, "v", right)

    @free_ranks
    def materialize(self) -> Any:
        return jnp.matmul(self.u, jnp.swapaxes(self.v, -1, -2))


class DiagonalPlusLowRank(Structured):
    """The square matrix `diag(diagonal) + u @ v.T`.

    Solves, inverses and determinants are by the identities of Woodbury and Sylvester, at the cost
    of a few products with the factors.

    Args:
        diagonal: the diagonal part, `[*batch, n]`.
        u: the left factor, `[*batch, n, rank]`.
        v: the right factor, `[*batch, n, rank]`; by default `u`. It is not conjugated.

    Raises:
        ValueError: if the shapes do not fit, or the batch axes do not broadcast.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import DiagonalPlusLowRank
        >>> DiagonalPlusLowRank(jnp.array([1.0, 1.0]), jnp.ones((2, 1))).materialize()
        Array([[2., 1.],
               [1., 2.]], dtype=float32)

    References:
        Golub and Van Loan, "Matrix Computations", 4th ed., 2013, section 2.1.4.
    """

    diagonal: Any
    u: Any
    v: Any
    _own: ClassVar[tuple[int, ...]] = (1, 2, 2)

    def __init__(self, diagonal: Any, u: Any, v: Any = None) -> None:
        d, left, right = as_arrays(diagonal, u, u if v is None else v)
        left, right = _factors("DiagonalPlusLowRank", left, right)
        n = d.shape[-1] if d.ndim else -1
        if left.shape[-2] != n or right.shape[-2] != n:
            shapes = {"d": tuple(d.shape), "u": tuple(left.shape), "v": tuple(right.shape)}
            raise ValueError(_DIAGONAL.format(**shapes))
        d, left, right = with_batch("DiagonalPlusLowRank", [d, left, right], self._own)
        object.__setattr__(self, "diagonal", d)
        object.__setattr__(self, "u", left)
        object.__setattr__(self, "v", right)

    @free_ranks
    def materialize(self) -> Any:
        n = self.diagonal.shape[-1]
        low = jnp.matmul(self.u, jnp.swapaxes(self.v, -1, -2))
        return jnp.where(jnp.eye(n, dtype=bool), low + self.diagonal[..., None], low)


def _factors(name: str, u: Any, v: Any) -> list[Any]:
    left, right = as_arrays(u, v)
    if left.ndim < 2 or right.ndim < 2 or left.shape[-1] != right.shape[-1]:
        shapes = {"u": tuple(left.shape), "v": tuple(right.shape)}
        raise ValueError(_FACTORS.format(name=name, **shapes))
    return [left, right]
