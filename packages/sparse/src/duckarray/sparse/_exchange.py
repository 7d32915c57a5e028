"""To and from `scipy.sparse` and `jax.experimental.sparse`, and files."""

import zipfile
import zlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.io  # type: ignore[import-not-found,import-untyped,unused-ignore]
import scipy.sparse  # type: ignore[import-not-found,import-untyped,unused-ignore]
from jax.experimental import sparse as jax_sparse

from ._fill import is_zero
from ._matrix_market import read
from ._pattern import Pattern
from ._structure import absorb
from ._value import Sparse

_NOT_SCIPY = """`from_scipy(matrix)` takes an array of `scipy.sparse`, but got a `{type}`.
For a dense array there is `sparse.from_dense`."""

_NOT_BCOO = """`from_bcoo(x)` takes a `jax.experimental.sparse.BCOO` or `BCSR`, but got a `{type}`.
For others there are `sparse.from_scipy` and `sparse.from_dense`."""

_TRACED = """`{name}` was given {what} that is traced, and can be read only when there is a value.
Call it outside the traced function."""

_NONZERO_FILL = """`{name}` of an array whose fill is {fill}: the other format stores zeros only.
Take the fill off first, `x - x.fill`, or use `x.to_dense()`."""

_NEGATIVE = """`from_bcoo(x)`: the index of entry {entry} is {index}, which is negative.
Count indices from the beginning of each axis, from 0 on."""

_MATRIX = """`{name}` of an array of shape {shape}: the other format holds matrices only.
Reshape it to two axes."""

_FILE = """`mmread({path!r})` cannot read the file as a Matrix Market matrix: {error}.
The first line reads `%%MatrixMarket matrix coordinate real general`, or the like; the second the \
sizes and the number of entries."""

_NPZ = """`load_npz({path!r})` cannot read the file: {error}.
Write it anew, `save_npz(path, x)`, or with `scipy.sparse.save_npz`; something has changed it."""

# What SciPy, NumPy and the standard library raise for files that are no archive of a matrix.
_DAMAGED = (
    ValueError,
    TypeError,
    LookupError,
    OSError,
    EOFError,
    OverflowError,
    NotImplementedError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
)


def from_scipy(matrix: Any) -> Sparse:
    """The sparse array of one of `scipy.sparse`, in any of its formats; duplicates are summed.

    Args:
        matrix: a matrix or array of SciPy's, `[m, n]`.

    Raises:
        TypeError: if it is none.

    Example:
        >>> import scipy.sparse
        >>> from duckarray.sparse import from_scipy
        >>> from_scipy(scipy.sparse.eye_array(2, dtype="float32"))
        Sparse(f32[2,2], nnz=2, 50%)
        x .
        . x
    """
    if not scipy.sparse.issparse(matrix):
        raise TypeError(_NOT_SCIPY.format(type=type(matrix).__name__))
    coo = matrix.tocoo(copy=True)
    coo.sum_duplicates()
    pattern = Pattern.coo(*coo.coords, shape=coo.shape)
    return Sparse(jnp.asarray(coo.data), pattern)


def to_scipy(x: Sparse, format: str = "csr") -> Any:  # noqa: A002
    """An array of `scipy.sparse`, with the stored entries, zeros among them too.

    Args:
        x: an array without a batch, of fill zero, not traced.
        format: one of SciPy's: `"csr"`, `"csc"`, `"coo"`, `"dia"`, `"bsr"`, `"lil"`, `"dok"`.

    Raises:
        ValueError: if the fill is not zero.
        TypeError: if it is traced.
    """
    x = _plain(x, f"to_scipy(format={format!r})")
    data = _numbers(x.data, "to_scipy")
    if x.pattern.ndim == 2 and format == "csr":
        parts = (data, x.pattern.indices[1].copy(), x.pattern.indptr)
        return scipy.sparse.csr_array(parts, shape=x.shape)
    coo = scipy.sparse.coo_array((data, tuple(i.copy() for i in x.pattern.indices)), shape=x.shape)
    return coo.asformat(format)


def from_bcoo(x: Any) -> Sparse:
    """The sparse array of a `BCOO` or `BCSR` whose indices are not traced; duplicates are summed.

    Raises:
        TypeError: if it is none, or its indices are traced.
        ValueError: if an index is negative.

    Example:
        >>> import jax.numpy as jnp
        >>> from jax.experimental.sparse import BCOO
        >>> from duckarray.sparse import from_bcoo
        >>> from_bcoo(BCOO.fromdense(jnp.eye(2))).nnz
        2
    """
    if isinstance(x, jax_sparse.BCSR):
        x = x.to_bcoo()
    if not isinstance(x, jax_sparse.BCOO):
        raise TypeError(_NOT_BCOO.format(type=type(x).__name__))
    if isinstance(x.indices, jax.core.Tracer):
        raise TypeError(_TRACED.format(name="from_bcoo", what="a `BCOO`, the index"))
    if x.n_dense or x.n_batch:
        x = jax_sparse.bcoo_update_layout(x, n_batch=0, n_dense=0)
    indices = np.asarray(x.indices)
    if (indices < 0).any():
        entry = int(np.argmax((indices < 0).any(1)))
        raise ValueError(_NEGATIVE.format(entry=entry, index=tuple(indices[entry].tolist())))
    inside = (indices < np.array(x.shape)).all(1)  # those outside are padding
    kept = np.flatnonzero(inside)
    linear = np.zeros(len(kept), np.int64)
    for axis, n in enumerate(x.shape):
        linear = linear * n + indices[kept, axis]
    stored, place = np.unique(linear, return_inverse=True)
    data = jnp.zeros(len(stored), x.dtype).at[place].add(x.data[kept])
    pattern = Pattern.coo(*np.unravel_index(stored, x.shape), shape=x.shape)
    return Sparse(data, pattern)


def to_bcoo(x: Sparse) -> Any:
    """A `BCOO`; batch axes become sparse ones."""
    x = _plain(x, "to_bcoo()")
    indices = jnp.stack([jnp.asarray(i) for i in x.pattern.indices], axis=1)
    return jax_sparse.BCOO(
        (x.data, indices), shape=x.shape, indices_sorted=True, unique_indices=True
    )


def to_bcsr(x: Sparse) -> Any:
    """A `BCSR`."""
    x = _plain(x, "to_bcsr()")
    if x.ndim != 2:
        raise ValueError(_MATRIX.format(name="to_bcsr()", shape=x.shape))
    parts = (x.data, jnp.asarray(x.pattern.indices[1]), jnp.asarray(x.pattern.indptr))
    return jax_sparse.BCSR(parts, shape=x.shape, indices_sorted=True, unique_indices=True)


def save_npz(path: Any, x: Sparse) -> None:
    """Writes a matrix to a file as `scipy.sparse.save_npz` does.

    Args:
        path: the name of the file, or a file.
        x: a matrix of fill zero.

    Example:
        >>> import io
        >>> from duckarray.sparse import eye, load_npz, save_npz
        >>> file = io.BytesIO()
        >>> save_npz(file, eye(3))
        >>> load_npz(io.BytesIO(file.getvalue())).shape
        (3, 3)
    """
    scipy.sparse.save_npz(path, to_scipy(x))


def load_npz(path: Any) -> Sparse:
    """Reads a matrix that `save_npz`, or SciPy's function of that name, wrote.

    The format has checksums: a file that was damaged does not load as another matrix.

    Args:
        path: the name of the file, or a file.

    Raises:
        ValueError: if the file is damaged, or of another format.

    Example:
        >>> import io
        >>> from duckarray.sparse import eye, load_npz, save_npz
        >>> file = io.BytesIO()
        >>> save_npz(file, eye(3))
        >>> load_npz(io.BytesIO(file.getvalue())).nnz
        3
    """
    try:
        return from_scipy(scipy.sparse.load_npz(path))
    except FileNotFoundError:
        raise
    except _DAMAGED as error:
        raise ValueError(_NPZ.format(path=str(path), error=error)) from error


def mmread(path: Any) -> Sparse:
    r"""Reads a matrix from a Matrix Market file: a path, of a compressed one too, or an open file.

    Raises:
        ValueError: if the file is malformed.

    Example:
        >>> import io
        >>> from duckarray.sparse import mmread
        >>> lines = ["%%MatrixMarket matrix coordinate real general", "2 2 1", "2 1 4.0"]
        >>> mmread(io.StringIO("\n".join(lines))).to_dense()
        Array([[0., 0.],
               [4., 0.]], dtype=float32)
    """
    try:
        matrix = read(path)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(_FILE.format(path=str(path), error=error)) from error
    if not scipy.sparse.issparse(matrix):
        matrix = scipy.sparse.coo_array(matrix)
    return from_scipy(matrix)


def mmwrite(path: Any, x: Sparse) -> None:
    """Writes a matrix of fill zero to a Matrix Market file.

    Args:
        path: the file, or a stream of bytes.
        x: the matrix, without a batch, not traced.

    Raises:
        ValueError: if its fill is not zero.
        TypeError: if it is traced.

    Example:
        >>> import io
        >>> from duckarray.sparse import eye, mmread, mmwrite
        >>> file = io.BytesIO()
        >>> mmwrite(file, eye(2))
        >>> mmread(io.BytesIO(file.getvalue())).nnz
        2
    """
    scipy.io.mmwrite(path, to_scipy(x, "coo"))


def _plain(x: Sparse, name: str) -> Sparse:
    if not is_zero(x.fill_constant):
        fill = "traced" if x.fill_constant is None else x.fill_constant
        raise ValueError(_NONZERO_FILL.format(name=name, fill=fill))
    return absorb(x)


def _numbers(data: Any, name: str) -> Any:
    if isinstance(data, jax.core.Tracer):
        raise TypeError(_TRACED.format(name=name, what="an array, the data"))
    return np.array(data)
