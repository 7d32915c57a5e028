"""Orders of equal entries."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import register
from duckarray.core.extend import with_dtype
from duckarray.zeros._value import Full

from ._constant import constant_of
from ._result import abstract_result, filled


@register("sort")
def _sort_full(
    *xs: Full | ArrayLike, primitive: Primitive, num_keys: int, **params: Any
) -> list[Any]:
    """Equal keys are in order already; a constant that is carried along is the same afterwards."""
    if all(isinstance(x, Full) for x in xs[:num_keys]):
        return [x if isinstance(x, Full) else jnp.asarray(x) for x in xs]
    # A key that is constant decides nothing.
    varying = [i for i, x in enumerate(xs) if not isinstance(x, Full)]
    keys = sum(i < num_keys for i in varying)
    moved = primitive.bind(*[xs[i] for i in varying], num_keys=keys, **params)
    rest = dict(zip(varying, moved, strict=True))
    return [rest.get(i, x) for i, x in enumerate(xs)]


@register("top_k")
def _top_k_full(x: Full, *, primitive: Primitive, **params: Any) -> Any:
    """Of equal entries the first ones are taken."""
    constant = constant_of(x)
    if constant is None:
        return NotImplemented
    values, places = abstract_result(primitive, [x], params)
    axis = params.get("axis", len(places.shape) - 1) % len(places.shape)
    first = lax.broadcasted_iota(places.dtype, places.shape, axis)
    return [filled(constant, values, [x]), with_dtype(first, places.dtype, places.weak_type)]
