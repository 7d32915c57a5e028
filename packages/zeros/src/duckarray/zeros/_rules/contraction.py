"""Products of matrices and convolutions."""

from typing import Any

from jax.extend.core import Primitive

from duckarray.core import register
from duckarray.zeros._rules._result import result
from duckarray.zeros._value import Zeros


@register("dot_general", "conv_general_dilated")
def _dot_general_zeros_any(x: Zeros, y: object, *, primitive: Primitive, **params: Any) -> Any:
    """Σ 0 · y = 0; the dtype is the one that was asked for."""
    return result(primitive, [x, y], params)


@register("dot_general", "conv_general_dilated")
def _dot_general_any_zeros(x: object, y: Zeros, *, primitive: Primitive, **params: Any) -> Any:
    """Σ x · 0 = 0. Not a mirrored rule: the parameters tell the two operands apart."""
    return result(primitive, [x, y], params)
