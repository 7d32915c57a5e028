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

cholesky = _quaxified(_jax.cholesky)
cholesky_update = _quaxified(_jax.cholesky_update)
eig = _quaxified(_jax.eig)
eigh = _quaxified(_jax.eigh)
hessenberg = _quaxified(_jax.hessenberg)
householder_product = _quaxified(_jax.householder_product)
lu = _quaxified(_jax.lu)
lu_pivots_to_permutation = _quaxified(_jax.lu_pivots_to_permutation)
ormqr = _quaxified(_jax.ormqr)
qdwh = _quaxified(_jax.qdwh)
qr = _quaxified(_jax.qr)
schur = _quaxified(_jax.schur)
svd = _quaxified(_jax.svd)
symmetric_product = _quaxified(_jax.symmetric_product)
triangular_solve = _quaxified(_jax.triangular_solve)
tridiagonal = _quaxified(_jax.tridiagonal)
tridiagonal_solve = _quaxified(_jax.tridiagonal_solve)

def __getattr__(name: str) -> Any: ...
