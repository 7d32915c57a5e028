"""What a primitive gives when the answer is known to be one number: a `Full` of the right shape."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive

from duckarray.core import Value, bind
from duckarray.core.extend import dense_aval, in_manual_mesh, struct, vary, varying_axes, with_dtype
from duckarray.zeros._number import Number
from duckarray.zeros._value import Full, empty_of, make

Params = dict[str, Any]


def zeros_of(primitive: Primitive, operands: Sequence[Any], params: Params) -> Any:
    """Zeros of the shape and dtype of each result of `primitive`, which is asked for them."""
    return results(primitive, operands, params, 0)


def results(primitive: Primitive, operands: Sequence[Any], params: Params, value: Any) -> Any:
    """A constant of the shape and dtype of each result of `primitive`.

    Args:
        primitive: what was asked for.
        operands: its operands.
        params: its parameters.
        value: a `Number`, an array without axes, or a Python scalar of any dtype.
    """
    out = abstract_result(primitive, operands, params)
    return jax.tree.map(lambda aval: filled(value, aval, operands), out)


def filled(value: Any, aval: Any, operands: Sequence[Any]) -> Full:
    """A constant that varies over the mesh axes that `aval`, or any of `operands`, varies over."""
    empty = empty_of(tuple(aval.shape), aval.dtype, aval.weak_type)
    if in_manual_mesh():
        over = [aval] if isinstance(aval, jax.ShapeDtypeStruct) else jax.tree.leaves(operands)
        axes = frozenset[str]().union(*map(varying_axes, over))
        empty = vary(empty, axes)
        if isinstance(value, jax.Array):
            value = vary(value, axes)
    if isinstance(value, jax.Array):
        return make(empty, with_dtype(value, aval.dtype, aval.weak_type))
    if not isinstance(value, Number) or value.scalar.dtype != aval.dtype:
        item = value.item if isinstance(value, Number) else value
        value = Number(np.asarray(item).astype(aval.dtype))
    return make(empty, value)


def varying_alike(operands: Sequence[Any]) -> Sequence[Any]:
    """`operands`, arrays and numbers, all varying over the mesh axes that any varies over."""
    if not in_manual_mesh():
        return operands
    arrays = list(map(jnp.asarray, operands))
    axes = frozenset[str]().union(*map(varying_axes, arrays))
    return [vary(x, axes) for x in arrays]


def abstract_result(primitive: Primitive, operands: Sequence[Any], params: Params) -> Any:
    """The shape, dtype and weak type of each result of `primitive`."""
    avals = tuple([struct(dense_aval(x)) for x in operands])
    if in_manual_mesh():  # the answer depends on the mesh
        return jax.eval_shape(lambda *xs: primitive.bind(*xs, **params), *avals)
    return _abstract_result(primitive, avals, tuple(params.items()))


# Asking takes as long as many operations. Parameters can be hashed, since JAX does so itself.
@functools.lru_cache(maxsize=4096)
def _abstract_result(
    primitive: Primitive, operands: tuple[jax.ShapeDtypeStruct, ...], params: tuple[Any, ...]
) -> Any:
    return jax.eval_shape(lambda *xs: primitive.bind(*xs, **dict(params)), *operands)


def same_as(y: Any, primitive: Primitive, operands: Sequence[Any], params: Params) -> Any:
    """`y` itself; where the primitive would, it is broadcast or loses its weak type."""
    y = y if isinstance(y, Value | jax.Array) else jnp.asarray(y)
    aval = dense_aval(y)
    out = abstract_result(primitive, operands, params)
    y = with_dtype(y, out.dtype, out.weak_type)
    if aval.shape != out.shape:
        axes = tuple(range(out.ndim - aval.ndim, out.ndim))
        to = {"shape": out.shape, "broadcast_dimensions": axes, "sharding": None}
        y = bind("broadcast_in_dim", y, **to)
    return y
