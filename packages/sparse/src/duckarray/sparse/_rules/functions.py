"""Library functions taken whole: what is left of them as primitives would not be sparse."""

from typing import Any

import jax.numpy as jnp
from jax.typing import ArrayLike

from duckarray.core import quaxify, register_function
from duckarray.sparse._construct import kron
from duckarray.sparse._dynamic import DynamicPattern
from duckarray.sparse._pattern import empty_pattern
from duckarray.sparse._solve import factor
from duckarray.sparse._structure import constant_of
from duckarray.sparse._value import Sparse, unchecked

_BINARY: dict[str, Any] = {
    name: getattr(jnp, name)
    for name in "add subtract multiply divide maximum minimum power less less_equal greater"
    " greater_equal equal not_equal logaddexp arctan2 hypot".split()
}


def _full_of(x: Sparse, y: Any) -> Any:
    """A traced scalar as a sparse array that stores nothing; None for other operands."""
    y = y if hasattr(y, "dtype") else jnp.asarray(y)
    known = constant_of(y, y.dtype) is not None
    if jnp.ndim(y) or known or isinstance(x.pattern, DynamicPattern) or not x.pattern.ndim:
        return None
    batch = x.shape[: x.ndim - x.pattern.ndim]
    data = jnp.broadcast_to(y, (*batch, 0))
    return unchecked(data, empty_pattern(x.pattern.shape), jnp.broadcast_to(y, batch))


def _register(function: Any) -> None:
    def apply(*operands: Any) -> Any:
        return quaxify(function)(*operands)

    @register_function(function)
    def _sparse_scalar(x: Sparse, y: ArrayLike) -> Any:
        """The fill of the result is computed, not known."""
        full = _full_of(x, y)
        return NotImplemented if full is None else apply(x, full)

    @register_function(function)
    def _scalar_sparse(x: ArrayLike, y: Sparse) -> Any:
        """The fill of the result is computed, not known."""
        full = _full_of(y, x)
        return NotImplemented if full is None else apply(full, y)


for _function in _BINARY.values():
    _register(_function)


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


