"""Products of matrices: the factor is left for the end."""

from typing import Any

from jax.typing import ArrayLike

from duckarray.core import bind, register
from duckarray.units._value import Quantity


@register("dot_general")
def _dot_general_units_dense(x: Quantity, y: ArrayLike, **params: Any) -> Quantity:
    """(f · a) @ y = f · (a @ y)."""
    return _times(x.factor, bind("dot_general", x.array, y, **params))


@register("dot_general")
def _dot_general_dense_units(x: ArrayLike, y: Quantity, **params: Any) -> Quantity:
    """Takes the factor out: x @ (f · a) = f · (x @ a)."""
    return _times(y.factor, bind("dot_general", x, y.array, **params))


@register("dot_general")
def _dot_general_units_units(x: Quantity, y: Quantity, **params: Any) -> Quantity:
    """(f · a) @ (g · b) = (f · g) · (a @ b)."""
    product = bind("dot_general", x.array, y.array, **params)
    factor = bind("mul", _as(product.dtype, x.factor), _as(product.dtype, y.factor))
    return Quantity(product, factor)


def _times(factor: Any, product: Any) -> Quantity:
    return Quantity(product, _as(product.dtype, factor))


def _as(dtype: Any, factor: Any) -> Any:
    """The primitive may have been asked for a wider result than its operands have."""
    return factor if factor.dtype == dtype else factor.astype(dtype)
