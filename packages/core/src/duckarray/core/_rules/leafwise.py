"""Primitives that do nothing to the array: they act on each leaf of a value."""

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive, primitives

from duckarray.core._dispatch import handles
from duckarray.core._structure import flatten, unflatten


@handles(primitives.name_p, primitives.copy_p)
def _each_leaf(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    return jax.tree.map(lambda leaf: primitive.bind(leaf, **params), operands[0])


@handles(lax.optimization_barrier_p)
def _all_leaves(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    leaves, trees = flatten(operands)
    return unflatten(trees, primitive.bind(*leaves, **params))
