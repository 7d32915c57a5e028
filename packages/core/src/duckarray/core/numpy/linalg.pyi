# `duckarray.core.numpy.linalg`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.numpy import linalg as _jax

from duckarray.core._signatures import quaxified as _quaxified

cholesky = _quaxified(_jax.cholesky)
cond = _quaxified(_jax.cond)
cross = _quaxified(_jax.cross)
det = _quaxified(_jax.det)
diagonal = _quaxified(_jax.diagonal)
eig = _quaxified(_jax.eig)
eigh = _quaxified(_jax.eigh)
eigvals = _quaxified(_jax.eigvals)
eigvalsh = _quaxified(_jax.eigvalsh)
inv = _quaxified(_jax.inv)
lstsq = _quaxified(_jax.lstsq)
matmul = _quaxified(_jax.matmul)
matrix_norm = _quaxified(_jax.matrix_norm)
matrix_power = _quaxified(_jax.matrix_power)
matrix_rank = _quaxified(_jax.matrix_rank)
matrix_transpose = _quaxified(_jax.matrix_transpose)
multi_dot = _quaxified(_jax.multi_dot)
norm = _quaxified(_jax.norm)
outer = _quaxified(_jax.outer)
pinv = _quaxified(_jax.pinv)
qr = _quaxified(_jax.qr)
slogdet = _quaxified(_jax.slogdet)
solve = _quaxified(_jax.solve)
svd = _quaxified(_jax.svd)
svdvals = _quaxified(_jax.svdvals)
tensordot = _quaxified(_jax.tensordot)
tensorinv = _quaxified(_jax.tensorinv)
tensorsolve = _quaxified(_jax.tensorsolve)
trace = _quaxified(_jax.trace)
vecdot = _quaxified(_jax.vecdot)
vector_norm = _quaxified(_jax.vector_norm)

def __getattr__(name: str) -> Any: ...
