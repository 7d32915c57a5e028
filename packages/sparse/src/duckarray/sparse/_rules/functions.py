"""Library functions taken whole: what is left of them as primitives would not be sparse."""

from typing import Any

import jax.numpy as jnp
from jax.typing import ArrayLike

from duckarray.core import register_function
from duckarray.sparse._construct import kron
from duckarray.sparse._dynamic import DynamicPattern
from duckarray.sparse._solve import factor
from duckarray.sparse._value import Sparse


@register_function(jnp.linalg.solve)
def _solve_sparse_dense(a: Sparse, b: ArrayLike) -> Any:
    """Factorises the matrix on the host and solves."""
    if a.ndim != 2 or isinstance(a.pattern, DynamicPattern) or a.pattern.ndim != 2:
        return NotImplemented
    if a.fill_constant is None or not a.fill_constant.is_zero:
        return NotImplemented
    return factor(a).solve(b)


@register_function(jnp.kron)
def _kron_sparse_sparse(a: Sparse, b: Sparse) -> Any:
    """One entry for each pair of entries."""
    if any(isinstance(x.pattern, DynamicPattern) or x.ndim != 2 for x in (a, b)):
        return NotImplemented
    return kron(a, b)
