"""The types for the conformance kit, which finds some of them by their entry points."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from duckarray.core.testing import Case, Subject

from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation
from ._product import BlockDiagonal, Kronecker
from ._stored import Symmetric, Triangular
from ._toeplitz import Circulant, Toeplitz

_STRONG = "off the entries that are stored, zero times or over anything is zero"

_SPECIAL = {"agreement/mul_special/*": _STRONG, "agreement/div_special/*": _STRONG}

CASES = (Case((4, 4)), Case((2, 4, 4)), Case((4, 4), "int32"))

BAND_KEEPS = (
    "neg",
    "abs",
    "sin",
    "tanh",
    "mul_scalar",
    "rmul_scalar",
    "multiply",
    "rmultiply",
    "add_same",
    "mT",
    "astype_*",
    "square",
)
WITHOUT_DENSE = ("matmul", "rmatmul", "sum", "sum_last")


def _put(rows: int, columns: int, diagonals: dict[int, Any]) -> Any:
    """The matrix with these diagonals, by NumPy."""
    batch = np.shape(next(iter(diagonals.values())))[:-1]
    out = np.zeros((*batch, rows, columns), np.asarray(next(iter(diagonals.values()))).dtype)
    for k, v in diagonals.items():
        for t in range(np.shape(v)[-1]):
            out[..., max(0, -k) + t, max(0, k) + t] = np.asarray(v)[..., t]
    return out


def _tridiagonal(case: Case) -> Tridiagonal:
    *batch, n, _ = case.shape
    return Tridiagonal(*case.arrays((*batch, n - 1), (*batch, n), (*batch, n - 1)))


def _dense_tridiagonal(x: Any) -> Any:
    n = np.shape(x.diagonal)[-1]
    return _put(n, n, {-1: x.lower, 0: x.diagonal, 1: x.upper})


def _banded(case: Case) -> Banded:
    *batch, m, n = case.shape
    (ab,) = case.arrays((*batch, 4, n))
    return Banded(ab, 1, 2, rows=m)


def dense_banded(x: Any) -> Any:
    """A loop over the entries of `ab`."""
    ab, n = np.asarray(x.ab), x.ab.shape[-1]
    out = np.zeros((*ab.shape[:-2], x.rows, n), ab.dtype)
    for i in range(x.rows):
        for j in range(n):
            if 0 <= x.upper + i - j < ab.shape[-2]:
                out[..., i, j] = ab[..., x.upper + i - j, j]
    return out


def _of(case: Case, make: Callable[..., Any], *own: tuple[int, ...]) -> Any:
    batch = case.shape[:-2]
    return make(*case.arrays(*[(*batch, *shape) for shape in own]))


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one matrix' arrays, for a batch of them."""

    def run(*arrays: Any, own: tuple[int, ...]) -> Any:
        first = np.asarray(arrays[0])
        batch = first.shape[: first.ndim - own[0]]
        if not batch:
            return function(*map(np.asarray, arrays))
        each = [run(*[np.asarray(a)[i] for a in arrays], own=own) for i in range(batch[0])]
        return np.stack(each)

    return run


def _toeplitz(c: Any, r: Any) -> Any:
    m, n = len(c), len(r)
    return np.array([[c[i - j] if i >= j else r[j - i] for j in range(n)] for i in range(m)])


def _block(stacks: Any) -> Any:
    (stack,) = map(np.asarray, stacks)
    k, p, q = stack.shape[-3:]
    out = np.zeros((*stack.shape[:-3], k * p, k * q), stack.dtype)
    for i in range(k):
        out[..., i * p : (i + 1) * p, i * q : (i + 1) * q] = stack[..., i, :, :]
    return out


def _kron(factors: Any) -> Any:
    a, b = map(np.asarray, factors)
    out = np.einsum("...ij,...kl->...ikjl", a, b)
    return out.reshape(*a.shape[:-2], a.shape[-2] * b.shape[-2], a.shape[-1] * b.shape[-1])


def _triangle(x: Any) -> Any:
    return np.tril(x.matrix) if x.lower else np.triu(x.matrix)


def _symmetric(x: Any) -> Any:
    low = np.tril(x.matrix)
    return low + np.swapaxes(np.tril(x.matrix, -1), -1, -2)


def _subject(name: str, make: Any, dense: Any, **more: Any) -> Subject:
    failures = more.pop("expected_failures", {})
    cases = more.pop("cases", CASES)
    # Of a batch `x.T` exchanges other axes too.
    operations = {"mT": lambda x: jnp.swapaxes(x, -1, -2)}
    return Subject(
        operations=operations,
        name=name,
        make=make,
        dense=dense,
        cases=cases,
        expected_failures=failures,
        **more,
    )


SUBJECT = _subject(
    "tridiagonal",
    _tridiagonal,
    _dense_tridiagonal,
    keeps=BAND_KEEPS,
    without_dense=WITHOUT_DENSE,
    expected_failures=_SPECIAL,
)

OTHERS = (
    _subject(
        "identity",
        lambda case: Identity(case.shape[-1], case.dtype, batch_shape=case.shape[:-2]),
        lambda x: np.eye(x.empty.shape[-2]) + np.zeros((*x.empty.shape[:-1], 1)),
        keeps=("abs", "mT", "astype_*"),
        without_dense=WITHOUT_DENSE,
        expected_failures=_SPECIAL,
    ),
    _subject(
        "diagonal",
        lambda case: _of(case, Diagonal, case.shape[-1:]),
        lambda x: _put(x.diagonal.shape[-1], x.diagonal.shape[-1], {0: x.diagonal}),
        keeps=BAND_KEEPS,
        without_dense=WITHOUT_DENSE,
        expected_failures=_SPECIAL,
    ),
    _subject(
        "banded",
        _banded,
        dense_banded,
        cases=(Case((4, 4)), Case((2, 3, 5))),
        keeps=BAND_KEEPS,
        expected_failures={"agreement/div_special/*": _STRONG},  # what the other meets is stored
    ),
    _subject(
        "triangular",
        lambda case: _of(case, lambda a: Triangular(a, lower=True), case.shape[-2:]),
        _triangle,
        keeps=("neg", "tanh", "mul_scalar", "multiply", "add_same", "astype_*"),
        expected_failures=_SPECIAL,
    ),
    _subject(
        "symmetric",
        lambda case: _of(case, Symmetric, case.shape[-2:]),
        _symmetric,
        keeps=("neg", "cos", "mul_scalar", "add_scalar", "add_same", "mT", "astype_*"),
    ),
    _subject(
        "permutation",
        lambda case: Permutation(
            jnp.broadcast_to(jnp.array([2, 0, 3, 1]), (*case.shape[:-2], 4)), case.dtype
        ),
        lambda x: np.eye(np.shape(x.permutation)[-1])[np.asarray(x.permutation)],
        keeps=("abs", "mT", "astype_*"),
        without_dense=("matmul", "rmatmul"),
    ),
    _subject(
        "toeplitz",
        lambda case: _of(case, Toeplitz, case.shape[-2:-1], case.shape[-1:]),
        lambda x: _each(_toeplitz)(x.c, x.r, own=(1, 1)),
        cases=(Case((4, 4)), Case((2, 3, 4))),
        keeps=("neg", "cos", "mul_scalar", "add_scalar", "add_same", "mT"),
        without_dense=("matmul", "rmatmul"),
        rtol=1e-4,
    ),
    _subject(
        "circulant",
        lambda case: _of(case, Circulant, case.shape[-1:]),
        lambda x: _each(lambda c: _toeplitz(c, np.roll(c[::-1], 1)))(x.c, own=(1,)),
        cases=CASES[:2],
        keeps=("neg", "cos", "mul_scalar", "add_scalar", "add_same", "mT"),
        without_dense=("matmul", "rmatmul"),
        rtol=1e-4,
    ),
    _subject(
        "kronecker",
        lambda case: _of(case, Kronecker, (2, 2), (2, 2)),
        lambda x: _kron(x.factors),
        keeps=("neg", "abs", "mul_scalar", "mT"),
        without_dense=("matmul", "rmatmul"),
    ),
    _subject(
        "block_diagonal",
        lambda case: BlockDiagonal(*case.arrays((*case.shape[:-2], 2, 2, 2))),
        lambda x: _block(x.stacks),
        keeps=("neg", "tanh", "mul_scalar", "multiply", "add_same", "mT"),
        without_dense=("matmul", "rmatmul"),
        expected_failures=_SPECIAL,
    ),
    _subject(
        "low_rank",
        lambda case: _of(case, LowRank, (case.shape[-2], 2), (case.shape[-1], 2)),
        lambda x: np.asarray(x.u) @ np.swapaxes(x.v, -1, -2),
        keeps=("neg", "mul_scalar", "add_same", "mT"),
        without_dense=("matmul", "rmatmul"),
    ),
    _subject(
        "diagonal_plus_low_rank",
        lambda case: _of(case, DiagonalPlusLowRank, (4,), (4, 2), (4, 2)),
        lambda x: _put(4, 4, {0: x.diagonal}) + np.asarray(x.u) @ np.swapaxes(x.v, -1, -2),
        keeps=("neg", "mul_scalar", "add_same", "mT"),
        without_dense=("matmul", "rmatmul"),
    ),
)
