# `duckarray.core.numpy.linalg`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.numpy import linalg as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _cholesky(a: Any, *, upper: Any = ..., symmetrize_input: Any = ...) -> Any: ...

cholesky = _quaxified(_jax.cholesky, _cholesky)

def _cond(x: Any, p: Any = ...) -> Any: ...

cond = _quaxified(_jax.cond, _cond)

def _cross(x1: Any, x2: Any, /, *, axis: Any = ...) -> Any: ...

cross = _quaxified(_jax.cross, _cross)

def _det(a: Any) -> Any: ...

det = _quaxified(_jax.det, _det)

def _diagonal(x: Any, /, *, offset: Any = ...) -> Any: ...

diagonal = _quaxified(_jax.diagonal, _diagonal)

def _eig(a: Any) -> Any: ...

eig = _quaxified(_jax.eig, _eig)

def _eigh(a: Any, UPLO: Any = ..., symmetrize_input: Any = ...) -> Any: ...

eigh = _quaxified(_jax.eigh, _eigh)

def _eigvals(a: Any) -> Any: ...

eigvals = _quaxified(_jax.eigvals, _eigvals)

def _eigvalsh(a: Any, UPLO: Any = ..., *, symmetrize_input: Any = ...) -> Any: ...

eigvalsh = _quaxified(_jax.eigvalsh, _eigvalsh)

def _inv(a: Any) -> Any: ...

inv = _quaxified(_jax.inv, _inv)

def _lstsq(a: Any, b: Any, rcond: Any = ..., *, numpy_resid: Any = ...) -> Any: ...

lstsq = _quaxified(_jax.lstsq, _lstsq)

def _matmul(
    x1: Any, x2: Any, /, *, precision: Any = ..., preferred_element_type: Any = ...
) -> Any: ...

matmul = _quaxified(_jax.matmul, _matmul)

def _matrix_norm(x: Any, /, *, keepdims: Any = ..., ord: Any = ...) -> Any: ...

matrix_norm = _quaxified(_jax.matrix_norm, _matrix_norm)

def _matrix_power(a: Any, n: Any) -> Any: ...

matrix_power = _quaxified(_jax.matrix_power, _matrix_power)

def _matrix_rank(M: Any, rtol: Any = ..., *, tol: Any = ...) -> Any: ...

matrix_rank = _quaxified(_jax.matrix_rank, _matrix_rank)

def _matrix_transpose(x: Any, /) -> Any: ...

matrix_transpose = _quaxified(_jax.matrix_transpose, _matrix_transpose)

def _multi_dot(arrays: Any, *, precision: Any = ...) -> Any: ...

multi_dot = _quaxified(_jax.multi_dot, _multi_dot)

def _norm(x: Any, ord: Any = ..., axis: Any = ..., keepdims: Any = ...) -> Any: ...

norm = _quaxified(_jax.norm, _norm)

def _outer(x1: Any, x2: Any, /) -> Any: ...

outer = _quaxified(_jax.outer, _outer)

def _pinv(a: Any, rtol: Any = ..., hermitian: Any = ..., *, rcond: Any = ...) -> Any: ...

pinv = _quaxified(_jax.pinv, _pinv)

def _qr(a: Any, mode: Any = ...) -> Any: ...

qr = _quaxified(_jax.qr, _qr)

def _slogdet(a: Any, *, method: Any = ...) -> Any: ...

slogdet = _quaxified(_jax.slogdet, _slogdet)

def _solve(a: Any, b: Any) -> Any: ...

solve = _quaxified(_jax.solve, _solve)

def _svd(
    a: Any,
    full_matrices: Any = ...,
    compute_uv: Any = ...,
    hermitian: Any = ...,
    subset_by_index: Any = ...,
) -> Any: ...

svd = _quaxified(_jax.svd, _svd)

def _svdvals(x: Any, /) -> Any: ...

svdvals = _quaxified(_jax.svdvals, _svdvals)

def _tensordot(
    x1: Any,
    x2: Any,
    /,
    *,
    axes: Any = ...,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

tensordot = _quaxified(_jax.tensordot, _tensordot)

def _tensorinv(a: Any, ind: Any = ...) -> Any: ...

tensorinv = _quaxified(_jax.tensorinv, _tensorinv)

def _tensorsolve(a: Any, b: Any, axes: Any = ...) -> Any: ...

tensorsolve = _quaxified(_jax.tensorsolve, _tensorsolve)

def _trace(x: Any, /, *, offset: Any = ..., dtype: Any = ...) -> Any: ...

trace = _quaxified(_jax.trace, _trace)

def _vecdot(
    x1: Any, x2: Any, /, *, axis: Any = ..., precision: Any = ..., preferred_element_type: Any = ...
) -> Any: ...

vecdot = _quaxified(_jax.vecdot, _vecdot)

def _vector_norm(x: Any, /, *, axis: Any = ..., keepdims: Any = ..., ord: Any = ...) -> Any: ...

vector_norm = _quaxified(_jax.vector_norm, _vector_norm)

def __getattr__(name: str) -> Any: ...
