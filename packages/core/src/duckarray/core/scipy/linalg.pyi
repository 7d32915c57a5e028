# `duckarray.core.scipy.linalg`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import linalg as _jax

from duckarray.core._signatures import quaxified as _quaxified

block_diag = _quaxified(_jax.block_diag)
cho_factor = _quaxified(_jax.cho_factor)
cho_solve = _quaxified(_jax.cho_solve)
cholesky = _quaxified(_jax.cholesky)
circulant = _quaxified(_jax.circulant)
companion = _quaxified(_jax.companion)
convolution_matrix = _quaxified(_jax.convolution_matrix)
det = _quaxified(_jax.det)
dft = _quaxified(_jax.dft)
eigh = _quaxified(_jax.eigh)
eigh_tridiagonal = _quaxified(_jax.eigh_tridiagonal)
expm = _quaxified(_jax.expm)
expm_frechet = _quaxified(_jax.expm_frechet)
fiedler = _quaxified(_jax.fiedler)
fiedler_companion = _quaxified(_jax.fiedler_companion)
funm = _quaxified(_jax.funm)
hadamard = _quaxified(_jax.hadamard)
hankel = _quaxified(_jax.hankel)
helmert = _quaxified(_jax.helmert)
hessenberg = _quaxified(_jax.hessenberg)
hilbert = _quaxified(_jax.hilbert)
inv = _quaxified(_jax.inv)
invhilbert = _quaxified(_jax.invhilbert)
invpascal = _quaxified(_jax.invpascal)
leslie = _quaxified(_jax.leslie)
lu = _quaxified(_jax.lu)
lu_factor = _quaxified(_jax.lu_factor)
lu_solve = _quaxified(_jax.lu_solve)
pascal = _quaxified(_jax.pascal)
polar = _quaxified(_jax.polar)
qr = _quaxified(_jax.qr)
qr_multiply = _quaxified(_jax.qr_multiply)
rsf2csf = _quaxified(_jax.rsf2csf)
schur = _quaxified(_jax.schur)
solve = _quaxified(_jax.solve)
solve_sylvester = _quaxified(_jax.solve_sylvester)
solve_triangular = _quaxified(_jax.solve_triangular)
sqrtm = _quaxified(_jax.sqrtm)
svd = _quaxified(_jax.svd)
toeplitz = _quaxified(_jax.toeplitz)

def __getattr__(name: str) -> Any: ...
