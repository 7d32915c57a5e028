# `duckarray.core.lax.linalg`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.lax import linalg as _jax
from jax.lax.linalg import (
    EighImplementation as EighImplementation,
)
from jax.lax.linalg import (
    EigImplementation as EigImplementation,
)
from jax.lax.linalg import (
    SvdAlgorithm as SvdAlgorithm,
)
from jax.lax.linalg import (
    cholesky_p as cholesky_p,
)
from jax.lax.linalg import (
    cholesky_update_p as cholesky_update_p,
)
from jax.lax.linalg import (
    eig_p as eig_p,
)
from jax.lax.linalg import (
    eigh_p as eigh_p,
)
from jax.lax.linalg import (
    hessenberg_p as hessenberg_p,
)
from jax.lax.linalg import (
    householder_product_p as householder_product_p,
)
from jax.lax.linalg import (
    lu_p as lu_p,
)
from jax.lax.linalg import (
    lu_pivots_to_permutation_p as lu_pivots_to_permutation_p,
)
from jax.lax.linalg import (
    ormqr_p as ormqr_p,
)
from jax.lax.linalg import (
    qr_p as qr_p,
)
from jax.lax.linalg import (
    schur_p as schur_p,
)
from jax.lax.linalg import (
    svd_p as svd_p,
)
from jax.lax.linalg import (
    symmetric_product_p as symmetric_product_p,
)
from jax.lax.linalg import (
    triangular_solve_p as triangular_solve_p,
)
from jax.lax.linalg import (
    tridiagonal_p as tridiagonal_p,
)
from jax.lax.linalg import (
    tridiagonal_solve_p as tridiagonal_solve_p,
)

from duckarray.core._signatures import quaxified as _quaxified

def _cholesky(x: Any, *, symmetrize_input: Any = ...) -> Any: ...

cholesky = _quaxified(_jax.cholesky, _cholesky)

def _cholesky_update(r_matrix: Any, w_vector: Any) -> Any: ...

cholesky_update = _quaxified(_jax.cholesky_update, _cholesky_update)

def _eig(
    x: Any,
    *,
    compute_left_eigenvectors: Any = ...,
    compute_right_eigenvectors: Any = ...,
    implementation: Any = ...,
    use_magma: Any = ...,
) -> Any: ...

eig = _quaxified(_jax.eig, _eig)

def _eigh(
    x: Any,
    *,
    lower: Any = ...,
    symmetrize_input: Any = ...,
    sort_eigenvalues: Any = ...,
    subset_by_index: Any = ...,
    implementation: Any = ...,
) -> Any: ...

eigh = _quaxified(_jax.eigh, _eigh)

def _hessenberg(a: Any) -> Any: ...

hessenberg = _quaxified(_jax.hessenberg, _hessenberg)

def _householder_product(a: Any, taus: Any) -> Any: ...

householder_product = _quaxified(_jax.householder_product, _householder_product)

def _lu(x: Any) -> Any: ...

lu = _quaxified(_jax.lu, _lu)

def _lu_pivots_to_permutation(pivots: Any, permutation_size: Any) -> Any: ...

lu_pivots_to_permutation = _quaxified(_jax.lu_pivots_to_permutation, _lu_pivots_to_permutation)

def _ormqr(a: Any, taus: Any, c: Any, *, left: Any = ..., transpose: Any = ...) -> Any: ...

ormqr = _quaxified(_jax.ormqr, _ormqr)

def _qdwh(
    x: Any,
    *,
    is_hermitian: Any = ...,
    max_iterations: Any = ...,
    eps: Any = ...,
    dynamic_shape: Any = ...,
) -> Any: ...

qdwh = _quaxified(_jax.qdwh, _qdwh)

def _qr(x: Any, *, pivoting: Any = ..., full_matrices: Any = ..., use_magma: Any = ...) -> Any: ...

qr = _quaxified(_jax.qr, _qr)

def _schur(
    x: Any,
    *,
    compute_schur_vectors: Any = ...,
    sort_eig_vals: Any = ...,
    select_callable: Any = ...,
) -> Any: ...

schur = _quaxified(_jax.schur, _schur)

def _svd(
    x: Any,
    *,
    full_matrices: Any = ...,
    compute_uv: Any = ...,
    subset_by_index: Any = ...,
    algorithm: Any = ...,
) -> Any: ...

svd = _quaxified(_jax.svd, _svd)

def _symmetric_product(
    a_matrix: Any, c_matrix: Any, *, alpha: Any = ..., beta: Any = ..., symmetrize_output: Any = ...
) -> Any: ...

symmetric_product = _quaxified(_jax.symmetric_product, _symmetric_product)

def _triangular_solve(
    a: Any,
    b: Any,
    *,
    left_side: Any = ...,
    lower: Any = ...,
    transpose_a: Any = ...,
    conjugate_a: Any = ...,
    unit_diagonal: Any = ...,
) -> Any: ...

triangular_solve = _quaxified(_jax.triangular_solve, _triangular_solve)

def _tridiagonal(a: Any, *, lower: Any = ...) -> Any: ...

tridiagonal = _quaxified(_jax.tridiagonal, _tridiagonal)

def _tridiagonal_solve(dl: Any, d: Any, du: Any, b: Any, *, perturb_singular: Any = ...) -> Any: ...

tridiagonal_solve = _quaxified(_jax.tridiagonal_solve, _tridiagonal_solve)

def __getattr__(name: str) -> Any: ...
