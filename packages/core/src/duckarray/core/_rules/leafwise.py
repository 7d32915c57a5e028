"""Primitives that do nothing to the array: they act on each leaf of a value."""

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive, primitives

from duckarray.core._dispatch import handles
from duckarray.core._materialize import densify
from duckarray.core._mesh import on_mesh_of, vary
from duckarray.core._structure import flatten, unflatten, width
from duckarray.core._value import Value


@handles(primitives.name_p, primitives.copy_p, primitives.stop_gradient_p)
def _each_leaf(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    return jax.tree.map(lambda leaf: primitive.bind(leaf, **params), operands[0])


@handles("pvary")
def _vary(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    return jax.tree.map(lambda leaf: vary(leaf, frozenset(params["axes"])), operands[0])


@handles(lax.optimization_barrier_p)
def _all_leaves(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    leaves, trees = flatten(operands)
    return unflatten(trees, primitive.bind(*leaves, **params))


@handles(primitives.device_put_p)
def _device_put(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    if not all(fits(x, d) for x, d in zip(operands, params["devices"], strict=True)):
        return NotImplemented
    leaves, trees = flatten(operands)
    per_leaf = {
        name: tuple(y for y, tree in zip(value, trees, strict=True) for _ in range(width(tree)))
        if isinstance(value, tuple | list) and len(value) == len(operands)
        else value
        for name, value in params.items()
    }
    return unflatten(trees, primitive.bind(*leaves, **per_leaf))


@handles(primitives.sharding_constraint_p)
def _constrain(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    if not fits(operands[0], params["sharding"]):
        return NotImplemented
    return jax.tree.map(lambda leaf: primitive.bind(leaf, **params), operands[0])


@handles("reshard")
def _reshard(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    (x,) = operands
    leaves, shape = jax.tree.leaves(x), x.aval().shape
    if all(leaf.shape == shape for leaf in leaves):
        return jax.tree.map(lambda leaf: primitive.bind(leaf, **params), x)
    with on_mesh_of([jax.typeof(leaf) for leaf in leaves]):
        dense = densify(x, primitive, operands)
    return primitive.bind(dense, **params)


def fits(x: Any, placement: Any) -> bool:
    """Whether where an array is to be put says where the leaves of the value are to be put.

    A device does, and so does a sharding that leaves the array whole; one that splits it does if
    every leaf has the shape of the array.
    """
    if not isinstance(x, Value) or not isinstance(placement, jax.sharding.Sharding):
        return True
    if placement.is_fully_replicated:
        return True
    shape = x.aval().shape
    return all(leaf.shape == shape for leaf in jax.tree.leaves(x))


@handles(primitives.convert_element_type_p)
def _convert_to_own(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """A conversion to the dtype it has already: what `jnp.array` and `jnp.copy` come to."""
    aval = operands[0].aval()
    same = params["new_dtype"] == aval.dtype and params["weak_type"] == aval.weak_type
    return operands[0] if same and params.get("sharding") is None else NotImplemented
