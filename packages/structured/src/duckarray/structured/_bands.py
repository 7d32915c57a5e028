"""The types with few diagonals: `Identity`, `Diagonal`, `Tridiagonal` and `Banded`."""

import operator
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from duckarray.core import field

from ._base import Structured, as_arrays, require_axes, with_batch, zero_of
from ._ranks import free_ranks

_SIZE = """`Identity({n!r})` takes the number of rows, but {n!r} is none.
Pass a non-negative integer that is known while tracing, such as `x.shape[-1]`."""

_OFF = """`Tridiagonal(lower, diagonal, upper)` takes n - 1, n and n - 1 entries, but got \
arrays of shapes {lower}, {diagonal} and {upper}.
Leave out what is not in the matrix: `lower[..., :-1]`, or `upper[..., 1:]` for `ab` of SciPy."""

_AB = """`Banded(ab, lower={lower}, upper={upper})` takes one row for each of {count} diagonals, \
but got an array of shape {shape}.
`ab[upper + i - j, j]` is the entry at `i, j`, as in `scipy.linalg.solve_banded`."""

_RANGE = """`Banded(ab, lower={lower!r}, upper={upper!r}, rows={rows!r})` does not say which \
diagonals there are.
`lower` and `upper` are integers, `lower + upper >= 0`: the diagonals are those from `-lower` to \
`upper`."""

_OUTSIDE = """`Banded(ab, lower={lower}, upper={upper})` has the diagonals from {first} to {last}, \
none of which is in a matrix of shape {shape}.
Offsets count from the main diagonal, 0: `lower=1` is the one below it, `lower=-1` the one above."""


class Identity(Structured):
    """The identity matrix, stored as an array without entries, `[*batch, n, 0]`.

    Args:
        n: the number of rows.
        dtype: by default the floating-point type that `jnp.eye` takes.
        batch_shape: the sizes of leading axes.

    Raises:
        ValueError: if `n` is not a non-negative integer.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Identity
        >>> Identity(2) @ jnp.array([1.0, 2.0])
        Array([1., 2.], dtype=float32)
    """

    empty: jax.Array
    _own: ClassVar[tuple[int, ...]] = (2,)

    def __init__(
        self, n: int, dtype: DTypeLike = float, *, batch_shape: tuple[int, ...] = ()
    ) -> None:
        try:
            size = operator.index(n)
        except TypeError as error:
            raise ValueError(_SIZE.format(n=n)) from error
        if size < 0:
            raise ValueError(_SIZE.format(n=n))
        object.__setattr__(self, "empty", jnp.zeros((*batch_shape, size, 0), dtype))

    @free_ranks
    def materialize(self) -> Any:
        n = self.empty.shape[-2]
        # From the leaf, so that it varies over a mesh, and is placed, where that is.
        zero = (
            self.empty.any(-1)
            if self.empty.dtype == bool
            else self.empty.sum(-1, dtype=self.empty.dtype)
        )
        return jnp.where(jnp.eye(n, dtype=bool), jnp.ones((), self.empty.dtype), zero[..., None])

    def __repr__(self) -> str:
        try:
            (*batch, n, _), dtype = self.empty.shape, self.empty.dtype
        except (AttributeError, ValueError):  # while JAX rebuilds a tree with something else in it
            return super().__repr__()
        leading = f", batch_shape={tuple(batch)}" if batch else ""
        return f"Identity({n}, {dtype}{leading})"


class Diagonal(Structured):
    """A square matrix that is zero off its main diagonal, stored as that diagonal, `[*batch, n]`.

    A product with an `n x k` matrix costs `n k` multiplications.

    Args:
        diagonal: the entries on the main diagonal, of any dtype.

    Raises:
        ValueError: if `diagonal` has no axis.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Diagonal
        >>> Diagonal(jnp.array([2.0, 3.0])) @ jnp.ones(2)
        Array([2., 3.], dtype=float32)
    """

    diagonal: Any
    leaf_linear: ClassVar[bool] = True
    _own: ClassVar[tuple[int, ...]] = (1,)

    def __init__(self, diagonal: Any) -> None:
        (d,) = as_arrays(diagonal)
        advice = "Pass `jnp.atleast_1d(...)`, or `jnp.diagonal(matrix)`."
        require_axes("Diagonal", "diagonal", d, 1, "a vector, or a batch of vectors", advice)
        object.__setattr__(self, "diagonal", d)

    @free_ranks
    def materialize(self) -> Any:
        n = self.diagonal.shape[-1]
        return jnp.where(jnp.eye(n, dtype=bool), self.diagonal[..., None], zero_of(self.diagonal))


class Tridiagonal(Structured):
    """A square matrix with three diagonals, stored as these.

    A solve costs `O(n)` for each right-hand side, with partial pivoting.

    Args:
        lower: the entries below the main diagonal, `[*batch, n - 1]`.
        diagonal: those on it, `[*batch, n]`.
        upper: those above it, `[*batch, n - 1]`.

    Raises:
        ValueError: if the lengths are others, or the batch axes do not broadcast.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.structured import Tridiagonal
        >>> a = Tridiagonal(jnp.array([-1.0, -1.0]), jnp.full(3, 2.0), jnp.array([-1.0, -1.0]))
        >>> a @ jnp.ones(3)
        Array([1., 0., 1.], dtype=float32)
        >>> quaxify(jnp.linalg.solve)(a, jnp.array([1.0, 0.0, 1.0])).round(4)
        Array([1., 1., 1.], dtype=float32)

    References:
        Golub and Van Loan, "Matrix Computations", 4th ed., 2013, section 4.3.
    """

    lower: Any
    diagonal: Any
    upper: Any
    leaf_linear: ClassVar[bool] = True
    _own: ClassVar[tuple[int, ...]] = (1, 1, 1)

    def __init__(self, lower: Any, diagonal: Any, upper: Any) -> None:
        low, d, up = as_arrays(lower, diagonal, upper)
        n = d.shape[-1] if d.ndim else 0
        good = d.ndim > 0 and low.ndim > 0 and up.ndim > 0
        if not good or low.shape[-1] != max(n - 1, 0) or up.shape[-1] != max(n - 1, 0):
            shapes = {"lower": low.shape, "diagonal": d.shape, "upper": up.shape}
            raise ValueError(_OFF.format(**shapes))
        low, d, up = with_batch("Tridiagonal", [low, d, up], self._own)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "diagonal", d)
        object.__setattr__(self, "upper", up)

    @free_ranks
    def materialize(self) -> Any:
        from ._band import Band

        return Band.of(self).dense()


class Banded(Structured):
    """A matrix, square or not, with the diagonals from `-lower` to `upper`, stored in one array.

    The storage is SciPy's: `ab[upper + i - j, j]` is the entry at `i, j`, one row for each
    diagonal, the uppermost first. What would lie outside the matrix is not read.

    Args:
        ab: the diagonals, `[*batch, lower + upper + 1, n]`.
        lower: how many diagonals there are below the main one. A negative number says that the
            lowest one is above it.
        upper: how many there are above it; negative likewise.
        rows: the number of rows, by default that of the columns, `n`.

    Raises:
        ValueError: if `ab` has another number of rows, or no diagonal is left, or none is inside.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Banded
        >>> a = Banded(jnp.array([[0.0, 1.0, 1.0], [2.0, 2.0, 2.0]]), lower=0, upper=1)
        >>> a.materialize()
        Array([[2., 1., 0.],
               [0., 2., 1.],
               [0., 0., 2.]], dtype=float32)
        >>> a.offsets
        range(0, 2)
    """

    ab: Any
    lower: int = field(static=True)
    upper: int = field(static=True)
    rows: int = field(static=True)
    leaf_linear: ClassVar[bool] = True
    _own: ClassVar[tuple[int, ...]] = (2,)

    def __init__(self, ab: Any, lower: int, upper: int, rows: int | None = None) -> None:
        (array,) = as_arrays(ab)
        try:
            low, up = operator.index(lower), operator.index(upper)
            m = operator.index(array.shape[-1] if rows is None and array.ndim else rows or 0)
        except TypeError as error:
            text = _RANGE.format(lower=lower, upper=upper, rows=rows)
            raise ValueError(text) from error
        if low + up < 0 or m < 0:
            raise ValueError(_RANGE.format(lower=lower, upper=upper, rows=rows))
        count = low + up + 1
        if array.ndim < 2 or array.shape[-2] != count:
            shape = tuple(array.shape)
            raise ValueError(_AB.format(lower=low, upper=up, count=count, shape=shape))
        n = array.shape[-1]
        if m and n and (-low >= n or up <= -m):
            found = {"lower": low, "upper": up, "first": -low, "last": up, "shape": (m, n)}
            raise ValueError(_OUTSIDE.format(**found))
        object.__setattr__(self, "ab", array)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", up)
        object.__setattr__(self, "rows", m)

    @property
    def offsets(self) -> range:
        """The diagonals that are stored: 0 is the main one, negative ones are below it."""
        return range(-self.lower, self.upper + 1)

    @free_ranks
    def materialize(self) -> Any:
        n, m = self.ab.shape[-1], self.rows
        i, j = jnp.arange(m)[:, None], jnp.arange(n)
        row = self.upper + i - j
        inside = (row >= 0) & (row <= self.lower + self.upper)
        picked = self.ab[..., jnp.where(inside, row, 0), j]
        return jnp.where(inside, picked, zero_of(picked))
