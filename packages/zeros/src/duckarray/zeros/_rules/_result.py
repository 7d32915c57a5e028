"""What a primitive gives when the answer is known to be zero: `Zeros` of the right shape."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive

from duckarray.core import ArrayValue
from duckarray.zeros._value import Zeros


def result(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """`Zeros` of the shape and dtype of each result of `primitive`, which is asked for them."""
    out = abstract_result(primitive, operands, params)
    return jax.tree.map(lambda s: Zeros(s.shape, s.dtype, weak_type=s.weak_type), out)


def abstract_result(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """The shape, dtype and weak type of each result of `primitive`."""
    return _abstract_result(primitive, tuple(map(_struct, operands)), tuple(params.items()))


# Asking takes as long as many operations. Parameters can be hashed, since JAX does so itself.
@functools.lru_cache(maxsize=4096)
def _abstract_result(
    primitive: Primitive, operands: tuple[jax.ShapeDtypeStruct, ...], params: tuple[Any, ...]
) -> Any:
    return jax.eval_shape(lambda *xs: primitive.bind(*xs, **dict(params)), *operands)


def _struct(x: Any) -> jax.ShapeDtypeStruct:
    aval = x.aval() if isinstance(x, ArrayValue) else jax.typeof(x)
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
