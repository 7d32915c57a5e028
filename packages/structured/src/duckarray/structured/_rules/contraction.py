"""Products of matrices: the factor is left for the end."""

from typing import Any

from jax.typing import ArrayLike

from duckarray.core import bind, register
from duckarray.structured._value import Tridiagonal


@register("dot_general")
def _dot_general_structured_dense(x: Tridiagonal, y: ArrayLike, **params: Any) -> Tridiagonal:
    """(f · a) @ y = f · (a @ y)."""
    return _times(x.factor, bind("dot_general", x.array, y, **params))


@register("dot_general")
def _dot_general_dense_structured(x: ArrayLike, y: Tridiagonal, **params: Any) -> Tridiagonal:
    """Takes the factor out: x @ (f · a) = f · (x @ a)."""
    return _times(y.factor, bind("dot_general", x, y.array, **params))


@register("dot_general")
def _dot_general_structured_structured(
    x: Tridiagonal, y: Tridiagonal, **params: Any
) -> Tridiagonal:
    """(f · a) @ (g · b) = (f · g) · (a @ b)."""
    product = bind("dot_general", x.array, y.array, **params)
    factor = bind("mul", _as(product.dtype, x.factor), _as(product.dtype, y.factor))
    return Tridiagonal(product, factor)


def _times(factor: Any, product: Any) -> Tridiagonal:
    return Tridiagonal(product, _as(product.dtype, factor))


def _as(dtype: Any, factor: Any) -> Any:
    """The primitive may have been asked for a wider result than its operands have."""
    return factor if factor.dtype == dtype else factor.astype(dtype)
