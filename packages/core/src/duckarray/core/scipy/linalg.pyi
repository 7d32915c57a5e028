# `duckarray.core.scipy.linalg`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import linalg as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _block_diag(*arrs: Any) -> Any: ...

block_diag = _quaxified(_jax.block_diag, _block_diag)

def _cho_factor(
    a: Any, lower: Any = ..., overwrite_a: Any = ..., check_finite: Any = ...
) -> Any: ...

cho_factor = _quaxified(_jax.cho_factor, _cho_factor)

def _cho_solve(
    c_and_lower: Any, b: Any, overwrite_b: Any = ..., check_finite: Any = ...
) -> Any: ...

cho_solve = _quaxified(_jax.cho_solve, _cho_solve)

def _cholesky(a: Any, lower: Any = ..., overwrite_a: Any = ..., check_finite: Any = ...) -> Any: ...

cholesky = _quaxified(_jax.cholesky, _cholesky)

def _det(a: Any, overwrite_a: Any = ..., check_finite: Any = ...) -> Any: ...

det = _quaxified(_jax.det, _det)

def _eigh(
    a: Any,
    b: Any = ...,
    lower: Any = ...,
    eigvals_only: Any = ...,
    overwrite_a: Any = ...,
    overwrite_b: Any = ...,
    turbo: Any = ...,
    eigvals: Any = ...,
    type: Any = ...,
    check_finite: Any = ...,
) -> Any: ...

eigh = _quaxified(_jax.eigh, _eigh)

def _eigh_tridiagonal(
    d: Any,
    e: Any,
    *,
    eigvals_only: Any = ...,
    select: Any = ...,
    select_range: Any = ...,
    tol: Any = ...,
    key: Any = ...,
) -> Any: ...

eigh_tridiagonal = _quaxified(_jax.eigh_tridiagonal, _eigh_tridiagonal)

def _expm(A: Any, *, upper_triangular: Any = ..., max_squarings: Any = ...) -> Any: ...

expm = _quaxified(_jax.expm, _expm)

def _expm_frechet(A: Any, E: Any, *, method: Any = ..., compute_expm: Any = ...) -> Any: ...

expm_frechet = _quaxified(_jax.expm_frechet, _expm_frechet)

def _funm(A: Any, func: Any, disp: Any = ...) -> Any: ...

funm = _quaxified(_jax.funm, _funm)

def _hankel(c: Any, r: Any = ...) -> Any: ...

hankel = _quaxified(_jax.hankel, _hankel)

def _hessenberg(
    a: Any, *, calc_q: Any = ..., overwrite_a: Any = ..., check_finite: Any = ...
) -> Any: ...

hessenberg = _quaxified(_jax.hessenberg, _hessenberg)

def _hilbert(n: Any) -> Any: ...

hilbert = _quaxified(_jax.hilbert, _hilbert)

def _inv(a: Any, overwrite_a: Any = ..., check_finite: Any = ...) -> Any: ...

inv = _quaxified(_jax.inv, _inv)

def _lu(a: Any, permute_l: Any = ..., overwrite_a: Any = ..., check_finite: Any = ...) -> Any: ...

lu = _quaxified(_jax.lu, _lu)

def _lu_factor(a: Any, overwrite_a: Any = ..., check_finite: Any = ...) -> Any: ...

lu_factor = _quaxified(_jax.lu_factor, _lu_factor)

def _lu_solve(
    lu_and_piv: Any, b: Any, trans: Any = ..., overwrite_b: Any = ..., check_finite: Any = ...
) -> Any: ...

lu_solve = _quaxified(_jax.lu_solve, _lu_solve)

def _pascal(n: Any, kind: Any = ...) -> Any: ...

pascal = _quaxified(_jax.pascal, _pascal)

def _polar(
    a: Any, side: Any = ..., *, method: Any = ..., eps: Any = ..., max_iterations: Any = ...
) -> Any: ...

polar = _quaxified(_jax.polar, _polar)

def _qr(
    a: Any,
    overwrite_a: Any = ...,
    lwork: Any = ...,
    mode: Any = ...,
    pivoting: Any = ...,
    check_finite: Any = ...,
) -> Any: ...

qr = _quaxified(_jax.qr, _qr)

def _qr_multiply(
    a: Any,
    c: Any,
    mode: Any = ...,
    pivoting: Any = ...,
    conjugate: Any = ...,
    overwrite_a: Any = ...,
    overwrite_c: Any = ...,
) -> Any: ...

qr_multiply = _quaxified(_jax.qr_multiply, _qr_multiply)

def _rsf2csf(T: Any, Z: Any, check_finite: Any = ...) -> Any: ...

rsf2csf = _quaxified(_jax.rsf2csf, _rsf2csf)

def _schur(a: Any, output: Any = ...) -> Any: ...

schur = _quaxified(_jax.schur, _schur)

def _solve(
    a: Any,
    b: Any,
    lower: Any = ...,
    overwrite_a: Any = ...,
    overwrite_b: Any = ...,
    debug: Any = ...,
    check_finite: Any = ...,
    assume_a: Any = ...,
) -> Any: ...

solve = _quaxified(_jax.solve, _solve)

def _solve_sylvester(A: Any, B: Any, C: Any, *, method: Any = ..., tol: Any = ...) -> Any: ...

solve_sylvester = _quaxified(_jax.solve_sylvester, _solve_sylvester)

def _solve_triangular(
    a: Any,
    b: Any,
    trans: Any = ...,
    lower: Any = ...,
    unit_diagonal: Any = ...,
    overwrite_b: Any = ...,
    debug: Any = ...,
    check_finite: Any = ...,
) -> Any: ...

solve_triangular = _quaxified(_jax.solve_triangular, _solve_triangular)

def _sqrtm(A: Any, blocksize: Any = ...) -> Any: ...

sqrtm = _quaxified(_jax.sqrtm, _sqrtm)

def _svd(
    a: Any,
    full_matrices: Any = ...,
    compute_uv: Any = ...,
    overwrite_a: Any = ...,
    check_finite: Any = ...,
    lapack_driver: Any = ...,
) -> Any: ...

svd = _quaxified(_jax.svd, _svd)

def _toeplitz(c: Any, r: Any = ...) -> Any: ...

toeplitz = _quaxified(_jax.toeplitz, _toeplitz)

def __getattr__(name: str) -> Any: ...
