"""The types of which half is stored twice: `Triangular` and `Symmetric`."""

from typing import Any, ClassVar

import jax.numpy as jnp

from duckarray.core import field

from ._base import Structured, as_arrays, one_of, zero_of
from ._ranks import free_ranks

_SQUARE = """`{name}(matrix)` takes a square matrix, or a batch of them, but got an array of shape \
{shape}.
{advice}"""


class Triangular(Structured):
    """A square matrix that is zero above, or below, its main diagonal.

    Only that triangle of `matrix` is read, as in `scipy.linalg.solve_triangular`.

    Args:
        matrix: the entries, `[*batch, n, n]`.
        lower: whether the lower triangle is read.
        unit_diagonal: whether the diagonal is taken to be 1, and not read.

    Raises:
        ValueError: if `matrix` is not square.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Triangular
        >>> Triangular(3 * jnp.ones((2, 2)), lower=True).materialize()
        Array([[3., 0.],
               [3., 3.]], dtype=float32)
    """

    matrix: Any
    lower: bool = field(static=True)
    unit_diagonal: bool = field(static=True)
    _own: ClassVar[tuple[int, ...]] = (2,)

    def __init__(self, matrix: Any, lower: bool = False, unit_diagonal: bool = False) -> None:
        object.__setattr__(self, "matrix", _square("Triangular", matrix))
        object.__setattr__(self, "lower", bool(lower))
        object.__setattr__(self, "unit_diagonal", bool(unit_diagonal))

    @free_ranks
    def materialize(self) -> Any:
        return full(self)


class Symmetric(Structured):
    """A matrix that equals its transpose. Only one triangle of `matrix` is read.

    Args:
        matrix: the entries, `[*batch, n, n]`.
        lower: whether it is the lower triangle that is read.

    Raises:
        ValueError: if `matrix` is not square.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Symmetric
        >>> Symmetric(jnp.array([[1.0, 0.0], [2.0, 3.0]])).materialize()
        Array([[1., 2.],
               [2., 3.]], dtype=float32)
    """

    matrix: Any
    lower: bool = field(static=True)
    leaf_linear: ClassVar[bool] = True
    _own: ClassVar[tuple[int, ...]] = (2,)

    def __init__(self, matrix: Any, lower: bool = True) -> None:
        object.__setattr__(self, "matrix", _square("Symmetric", matrix))
        object.__setattr__(self, "lower", bool(lower))

    @free_ranks
    def materialize(self) -> Any:
        return full(self)


def full(x: Triangular | Symmetric) -> Any:
    """All entries. The storage has as many, so nothing is blown up by it."""
    n = x.matrix.shape[-1]
    i, j = jnp.arange(n)[:, None], jnp.arange(n)
    read = (i >= j) if x.lower else (i <= j)
    if isinstance(x, Symmetric):
        return jnp.where(read, x.matrix, jnp.swapaxes(x.matrix, -1, -2))
    out = jnp.where(read, x.matrix, zero_of(x.matrix))
    return jnp.where(i == j, one_of(out), out) if x.unit_diagonal else out


def _square(name: str, matrix: Any) -> Any:
    (array,) = as_arrays(matrix)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        advice = "Cut off what is outside: `matrix[..., :n, :n]`."
        raise ValueError(_SQUARE.format(name=name, shape=tuple(array.shape), advice=advice))
    return array
