"""Products of matrices and vectors, and linear algebra."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Calls = dict[str, Callable[..., Any]]

PRODUCTS: Calls = {
    "matmul": lambda x, w: x @ w,
    "rmatmul": lambda x, u: u @ x,
    "matvec": lambda x, row: x @ row,
    "rmatvec": lambda x, u: u[0] @ x,
    "matmul_same": lambda x, z: x @ z,
    "matmul_transposed": lambda x, z: x @ z.mT,
    "matmul_alike": lambda x, y: x @ y,
    "rmatmul_alike": lambda x, y: y @ x,
    "matmul_batch": lambda x, w: x @ jnp.stack([w, 2 * w]),
    "dot": lambda x, w: jnp.dot(x, w),
    "rdot": lambda x, u: jnp.dot(u, x),
    "vdot": lambda x, y: jnp.vdot(x, y),
    "rvdot": lambda x, y: jnp.vdot(y, x),
    "inner": lambda x, y: jnp.inner(x, y),
    "outer": lambda x, row: jnp.outer(x, row),
    "router": lambda x, row: jnp.outer(row, x),
    "tensordot": lambda x, y: jnp.tensordot(x, y, x.ndim),
    "tensordot_one": lambda x, w: jnp.tensordot(x, w, 1),
    "tensordot_none": lambda x, row: jnp.tensordot(x, row, 0),
    "einsum": lambda x, w: jnp.einsum("...i,ij->...j", x, w),
    "einsum_transposed": lambda x, u: jnp.einsum("ki,...ij->j...k", u, x),
    "einsum_row_sums": lambda x: jnp.einsum("...i->...", x),
    "einsum_trace": lambda x: jnp.einsum("...ii->...", x),
    "einsum_same": lambda x, z: jnp.einsum("...ij,...ij->...i", x, z),
    "kron": lambda x, row: jnp.kron(x, row),
    "cross": lambda x, y: jnp.cross(x[..., :3], y[..., :3]),
    "dot_general": lambda x, y: lax.dot_general(x, y, (((0,), (0,)), ((), ()))),
    "dot_general_batch": lambda x, y: lax.dot_general(x, y, (((x.ndim - 1,),) * 2, ((0,), (0,)))),
    "dot_general_wide": lambda x, w: lax.dot_general(
        x, w, (((x.ndim - 1,), (0,)), ((), ())), preferred_element_type=jnp.float32
    ),
    "matmul_precise": lambda x, w: jnp.matmul(x, w, precision="highest"),
    "multi_dot": lambda x, w, u: jnp.linalg.multi_dot([u, x, w]),
    "conv": lambda x, row: lax.conv(
        x[None, None].astype("float32"), row[None, None, None], (1, 1), "SAME"
    ),
    "normalize": lambda x: x / (1 + jnp.linalg.norm(x, axis=-1, keepdims=True)),
}

# Of a square matrix, made regular.
_EYE = 6


def _regular(x: Any) -> Any:
    return x + _EYE * jnp.eye(x.shape[-1], dtype=x.dtype)


LINALG: Calls = {
    "det": lambda x: jnp.linalg.det(_regular(x)),
    "slogdet": lambda x: jnp.linalg.slogdet(_regular(x)),
    "inv": lambda x: jnp.linalg.inv(_regular(x)),
    "solve": lambda x, y: jnp.linalg.solve(_regular(x), y),
    "rsolve": lambda x, y: jnp.linalg.solve(_regular(y), x),
    "cholesky": lambda x: jnp.linalg.cholesky(_regular(x @ x.mT)),
    "triangular_solve": lambda x, y: jax.scipy.linalg.solve_triangular(_regular(x), y),
    "rtriangular_solve": lambda x, y: jax.scipy.linalg.solve_triangular(_regular(y), x),
    "svdvals": lambda x: jnp.linalg.svd(x, compute_uv=False),
    "eigvalsh": lambda x: jnp.linalg.eigvalsh(x + x.mT),
    "qr": lambda x: abs(jnp.linalg.qr(_regular(x)).R),
    "matrix_power": lambda x: jnp.linalg.matrix_power(x, 3),
    "expm": lambda x: jax.scipy.linalg.expm(x / 4),
}
