"""Tangents and cotangents: between those of a value's leaves and that of the array they make."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from duckarray.core._jax import ZeroCotangent, typeof
from duckarray.core._materialize import densify, materialize, replace_children
from duckarray.core._structure import Tree, flatten
from duckarray.core._value import Value, dense_aval


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
    value = tree.unflatten(leaves)
    told = value.to_cotangent(cotangent)
    if told is NotImplemented and isinstance(cotangent, Value):
        same = jax.tree.structure(cotangent) == tree
        told = cotangent if same and is_leaf_linear(value) else NotImplemented
    if told is not NotImplemented:
        pairs = zip(leaves, jax.tree.leaves(told), zeros, strict=True)
        return [part if is_inexact(x) else zero for x, part, zero in pairs]
    if not isinstance(cotangent, Value) and is_wrapper(value):
        return [cotangent]
    dense, chosen = _materialize_inexact(tree, leaves)
    _, vjp = jax.vjp(dense, *[leaves[i] for i in chosen])
    for i, part in zip(chosen, vjp(densify(cotangent, "cotangent")), strict=True):
        zeros[i] = part
    return zeros


def is_wrapper(value: Value) -> bool:
    """Whether `value` is an array with something said about it: `leaf_linear`, of one leaf.

    The array is that leaf, which a type that refuses to be made dense is taken at its word for.
    """
    leaves, (tree,) = flatten([value])
    if len(leaves) != 1 or not is_leaf_linear(value) or not is_inexact(leaves[0]):
        return False
    try:
        jaxpr = jax.make_jaxpr(lambda x: materialize(tree.unflatten([x])))(leaves[0]).jaxpr
    except (TypeError, NotImplementedError):
        return tuple(dense_aval(value).shape) == tuple(leaves[0].shape)
    return not jaxpr.eqns and jaxpr.outvars == jaxpr.invars


def logical_cotangent(tree: Tree, cotangent: Any) -> Any:
    """The cotangent of the array a value stands for, from that of the value's one leaf."""
    if tree is None or is_zero(cotangent):
        return cotangent
    value = tree.unflatten([cotangent])
    told = value.from_cotangent()
    return value if told is NotImplemented else told


def _materialize_inexact(tree: Tree, leaves: Sequence[Any]) -> tuple[Any, list[int]]:
    """`materialize` as a function of the leaves that have tangents, and which those are."""
    chosen = [i for i, x in enumerate(leaves) if is_inexact(x)]

    def dense(*inexact: Any) -> Any:
        all_leaves = list(leaves)
        for i, x in zip(chosen, inexact, strict=True):
            all_leaves[i] = x
        return materialize(tree.unflatten(all_leaves))

    return dense, chosen
