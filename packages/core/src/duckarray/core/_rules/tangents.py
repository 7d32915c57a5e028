"""Tangents and cotangents: between those of a value's leaves and that of the array they make."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from duckarray.core._jax import ZeroCotangent, typeof
from duckarray.core._materialize import densify, materialize, replace_children
from duckarray.core._structure import Tree
from duckarray.core._value import Value


def is_zero(x: Any) -> bool:
    """Whether a tangent or cotangent is one of JAX's symbolic zeros."""
    return type(x) in (ZeroCotangent, SymbolicZero)


def is_inexact(x: Any) -> bool:
    """Whether an array can have a tangent: floating-point or complex."""
    return jnp.issubdtype(typeof(x).dtype, jnp.inexact)


def zero_cotangent(x: Any) -> Any:
    """The symbolic zero cotangent of `x`."""
    return ZeroCotangent(typeof(x).to_ct_aval())


def is_leaf_linear(value: Any) -> bool:
    """Whether the array `value` stands for is linear in all its leaves, values inside it too."""
    if not value.leaf_linear:
        return False
    inner: list[Any] = []
    replace_children(value, inner.append)
    return all(map(is_leaf_linear, inner))


def tree_is_linear(tree: Tree) -> bool:
    """`is_leaf_linear` of the values with this structure; False for None, a dense array."""
    return tree is not None and is_leaf_linear(tree.unflatten([None] * tree.num_leaves))


def push_forward(tree: Tree, leaves: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The tangent of the array a value stands for, from the tangents of the value's leaves.

    A `leaf_linear` type's is a value of the same type; others' is the derivative of `materialize`.
    """
    value = tree.unflatten(leaves)
    if all(type(t) is SymbolicZero for t in tangents):
        aval = value.aval().to_tangent_aval()
        return SymbolicZero(aval) if tangents else jnp.zeros(aval.shape, aval.dtype)
    tangents = [jnp.zeros(t.shape, t.dtype) if type(t) is SymbolicZero else t for t in tangents]
    if is_leaf_linear(value):
        pairs = zip(leaves, tangents, strict=True)
        return tree.unflatten([t if is_inexact(x) else x for x, t in pairs])
    dense, chosen = _materialize_inexact(tree, leaves)
    primals = [leaves[i] for i in chosen]
    return jax.jvp(dense, primals, [tangents[i] for i in chosen])[1]


def pull_back(tree: Tree, leaves: Sequence[Any], cotangent: Any) -> list[Any]:
    """The cotangents of a value's leaves, from the cotangent of the array the value stands for."""
    zeros = [zero_cotangent(x) for x in leaves]
    if is_zero(cotangent):
        return zeros
    if isinstance(cotangent, Value):
        parts, found = jax.tree.flatten(cotangent)
        if found == tree and tree_is_linear(tree):
            pairs = zip(leaves, parts, zeros, strict=True)
            return [part if is_inexact(x) else zero for x, part, zero in pairs]
    dense, chosen = _materialize_inexact(tree, leaves)
    _, vjp = jax.vjp(dense, *[leaves[i] for i in chosen])
    for i, part in zip(chosen, vjp(densify(cotangent, "cotangent")), strict=True):
        zeros[i] = part
    return zeros


def _materialize_inexact(tree: Tree, leaves: Sequence[Any]) -> tuple[Any, list[int]]:
    """`materialize` as a function of the leaves that have tangents, and which those are."""
    chosen = [i for i, x in enumerate(leaves) if is_inexact(x)]

    def dense(*inexact: Any) -> Any:
        all_leaves = list(leaves)
        for i, x in zip(chosen, inexact, strict=True):
            all_leaves[i] = x
        return materialize(tree.unflatten(all_leaves))

    return dense, chosen
