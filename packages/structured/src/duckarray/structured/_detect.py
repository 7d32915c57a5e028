"""`detect`: the structure that a concrete matrix has, found by looking at its entries."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._permutation import Permutation
from ._stored import Symmetric, Triangular
from ._toeplitz import Circulant, Toeplitz

_TRACED = """`detect(matrix)` looks at the entries, but these are not known while tracing.
Call it before `jax.jit`, and pass the structured matrix in."""

_NOT_A_MATRIX = """`detect(matrix)` takes one matrix, but got an array of shape {shape}.
Detect each matrix of a batch by itself."""


def detect(matrix: Any) -> Any:
    """The narrowest structured type that holds the matrix exactly; else the matrix itself.

    The order is `Identity`, `Diagonal`, `Permutation`, `Tridiagonal`, `Circulant`, `Toeplitz`,
    `Banded` (if the band is at most half as wide as the matrix), `Triangular`, `Symmetric`. No
    entry is rounded to zero. It costs some passes over the entries, as in `scipy.linalg.solve`.

    Args:
        matrix: a concrete matrix, `[m, n]`.

    Raises:
        TypeError: if the entries are not known, as under `jax.jit`.
        ValueError: if it is not a matrix.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import structured
        >>> structured.detect(jnp.diag(jnp.array([1.0, 2.0, 3.0])))
        Diagonal(diagonal=f32[3])
        >>> structured.detect(jnp.array([[1.0, 0, 0], [2, 3, 0], [4, 5, 6]]))
        Triangular(matrix=f32[3,3], lower=True, unit_diagonal=False)
    """
    if isinstance(matrix, Tracer):
        raise TypeError(_TRACED)
    array = jnp.asarray(matrix)
    if array.ndim != 2:
        raise ValueError(_NOT_A_MATRIX.format(shape=tuple(array.shape)))
    a = np.asarray(array)
    m, n = a.shape
    if m == 0 or n == 0:
        return array
    rows, columns = np.nonzero(a)
    lower, upper = (int(max(0, (k).max(initial=0))) for k in (rows - columns, columns - rows))
    if m == n:
        found = _square(array, a, lower, upper)
        if found is not None:
            return found
    values = np.concatenate([a[0, :0:-1], a[:, 0]])
    if np.array_equal(a, values[np.arange(m)[:, None] - np.arange(n) + n - 1]) and min(m, n) > 1:
        return Toeplitz(array[:, 0], array[0])
    if 2 * (lower + upper + 1) <= min(m, n):
        return _banded(array, lower, upper)
    if m != n:
        return array
    if upper == 0 or lower == 0:
        return Triangular(array, lower=upper == 0)
    return Symmetric(array) if np.array_equal(a, a.T) else array


def _square(array: Any, a: Any, lower: int, upper: int) -> Any:
    n = a.shape[0]
    d = jnp.diagonal(array)
    if lower == upper == 0:
        return Identity(n, array.dtype) if (np.asarray(d) == 1).all() else Diagonal(d)
    ones = a != 0
    if (a[ones] == 1).all() and (ones.sum(0) == 1).all() and (ones.sum(1) == 1).all():
        return Permutation(ones.argmax(1), array.dtype)
    if max(lower, upper) <= 1:
        return Tridiagonal(jnp.diagonal(array, -1), d, jnp.diagonal(array, 1))
    steps = np.arange(n)
    if np.array_equal(a, a[:, 0][(steps[:, None] - steps) % n]):
        return Circulant(array[:, 0])
    return None


def _banded(array: Any, lower: int, upper: int) -> Any:
    n = array.shape[1]
    rows = []
    for k in range(upper, -lower - 1, -1):
        v, c = jnp.diagonal(array, k), max(0, k)
        rows.append(jnp.pad(v, (c, n - c - v.shape[0])))
    return Banded(jnp.stack(rows), lower, upper, rows=array.shape[0])
