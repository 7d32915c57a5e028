"""Factorisations and solves: leading axes keep their names, and a matrix where it stays one."""

from collections.abc import Sequence

from duckarray.named._names import Dims, unify

from ._apply import Call, names


@names("cholesky", "tridiagonal_solve", "ormqr")
def _same_matrix(call: Call) -> Dims:
    """The axes of the last operand, which is the matrix or the right-hand side."""
    return call.dims[-1]


@names("triangular_solve")
def _triangular_solve(call: Call) -> Dims:
    """The axes of the right-hand side: of the solution they are the same by position."""
    a, b = call.dims
    unify([a[:-2], b[:-2]])
    return b


def _leading(call: Call, *ranks: int) -> Sequence[Dims]:
    return [(*call.dims[0][:-2], *(None,) * rank) for rank in ranks]


@names("lu")
def _lu(call: Call) -> Sequence[Dims]:
    return _leading(call, 2, 1, 1)


@names("qr")
def _qr(call: Call) -> Sequence[Dims]:
    return _leading(call, 2, 2)


@names("geqrf", "hessenberg")
def _geqrf(call: Call) -> Sequence[Dims]:
    return _leading(call, 2, 1)


@names("householder_product")
def _householder_product(call: Call) -> Dims:
    return _leading(call, 2)[0]


@names("svd")
def _svd(call: Call) -> Sequence[Dims]:
    return _leading(call, *((1, 2, 2) if call.params["compute_uv"] else (1,)))


@names("eigh")
def _eigh(call: Call) -> Sequence[Dims]:
    return _leading(call, 2, 1)


@names("eig")
def _eig(call: Call) -> Sequence[Dims]:
    vectors = call.params["compute_left_eigenvectors"] + call.params["compute_right_eigenvectors"]
    return _leading(call, 1, *(2,) * vectors)


@names("schur")
def _schur(call: Call) -> Sequence[Dims]:
    return _leading(call, *((2, 2) if call.params["compute_schur_vectors"] else (2,)))


@names("tridiagonal")
def _tridiagonal(call: Call) -> Sequence[Dims]:
    return _leading(call, 2, 1, 1, 1)
