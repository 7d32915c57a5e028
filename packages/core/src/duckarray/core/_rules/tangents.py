"""Tangents and cotangents: between those of a value's leaves and that of the array they make."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from duckarray.core._bind import bind
from duckarray.core._constants import look_up
from duckarray.core._fields import field
from duckarray.core._jax import ZeroCotangent, is_zero, typeof
from duckarray.core._materialize import densify, materialize, replace_children
from duckarray.core._structure import Tree, flatten, one_level, value_type
from duckarray.core._trace import value_of
from duckarray.core._value import ArrayValue, Value, dense_aval


def is_inexact(x: Any) -> bool:
    """Whether an array can have a tangent: floating-point or complex."""
    return jnp.issubdtype(typeof(x).dtype, jnp.inexact)


def zero_cotangent(x: Any) -> Any:
    """The symbolic zero cotangent of `x`."""
    return ZeroCotangent(typeof(x).to_ct_aval())


def as_symbolic_zero(x: Any) -> Any:
    """JAX's `SymbolicZero` for a tangent or cotangent that is a value known to be zero; else `x`.

    It is what rules declared with `symbolic_zeros=True` look for.
    """
    return SymbolicZero(dense_aval(x).to_tangent_aval()) if is_known_zero(x) else x


def is_known_zero(x: Any) -> bool:
    """Whether `x` is a value, or stands for one in a trace, that says it is zero everywhere."""
    value = value_of(x)
    return isinstance(value, Value) and look_up(value) == 0


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


class Tangent(ArrayValue):
    """The tangent of the array that a value of a type not `leaf_linear` stands for.

    It is the derivative of `materialize`, which builds an array as large as the value does: that is
    put off until something asks for it, and then subject to the policy of the value's type.
    """

    primals: tuple[Any, ...]
    tangents: tuple[Any, ...]
    """Of the leaves that have tangents; None for the others."""
    structure: Any = field(static=True)

    @property
    def materialization(self) -> Any:  # type: ignore[override]
        return value_type(self.structure).materialization

    def aval(self) -> Any:
        return dense_aval(self.structure.unflatten(self.primals)).to_tangent_aval()

    def materialize(self) -> Any:
        chosen = tuple(i for i, t in enumerate(self.tangents) if t is not None)
        return _dense_tangent(
            self.structure, chosen, self.primals, [self.tangents[i] for i in chosen]
        )

    @staticmethod
    def default(primitive: Any, values: list[Any], params: dict[str, Any]) -> Any:
        """Passes the array on, so that other operands, which may have rules, stay as they are."""
        dense = [densify(x, primitive, values) if isinstance(x, Tangent) else x for x in values]
        return bind(primitive, *dense, **params)


def push_forward(tree: Tree, leaves: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The tangent of the array a value stands for, from the tangents of the value's leaves.

    A `leaf_linear` type's is a value of the same type; others' is a `Tangent`.
    """
    value = tree.unflatten(leaves)
    if all(type(t) is SymbolicZero for t in tangents):
        aval = value.aval().to_tangent_aval()
        return SymbolicZero(aval) if tangents else jnp.zeros(aval.shape, aval.dtype)
    tangents = [jnp.zeros(t.shape, t.dtype) if type(t) is SymbolicZero else t for t in tangents]
    pairs = zip(leaves, tangents, strict=True)
    if is_leaf_linear(value):
        return tree.unflatten([t if is_inexact(x) else x for x, t in pairs])
    return Tangent(tuple(leaves), tuple(t if is_inexact(x) else None for x, t in pairs), tree)


def pull_back(tree: Tree, leaves: Sequence[Any], cotangent: Any) -> list[Any]:
    """The cotangents of a value's leaves, from the cotangent of the array the value stands for."""
    zeros = [zero_cotangent(x) for x in leaves]
    if is_zero(cotangent) or is_known_zero(cotangent):
        return zeros
    value = tree.unflatten(leaves)
    told = value.to_cotangent(cotangent)
    if told is NotImplemented and isinstance(cotangent, Value):
        # Of a type that is only linear in its leaves their cotangents are other numbers.
        same = jax.tree.structure(cotangent) == tree
        told = cotangent if same and is_wrapper(value) else NotImplemented
    if told is NotImplemented:
        around = _wrapped(value, cotangent)
        if around is not None:
            inner, part = around
            return pull_back(jax.tree.structure(inner), leaves, part)
    if told is not NotImplemented:
        pairs = zip(leaves, jax.tree.leaves(told), zeros, strict=True)
        return [part if is_inexact(x) else zero for x, part, zero in pairs]
    if not isinstance(cotangent, Value) and is_wrapper(value):
        return [cotangent]
    chosen = tuple(i for i, x in enumerate(leaves) if is_inexact(x))
    parts = _leaf_cotangents(tree, chosen, leaves, densify(cotangent, "cotangent"))
    for i, part in zip(chosen, parts, strict=True):
        zeros[i] = part
    return zeros


def _wrapped(value: Value, cotangent: Any) -> tuple[Value, Any] | None:
    """The value that `value` is a wrapper of, and its cotangent; None if it is no such."""
    children, outer = one_level(value)
    if len(children) != 1 or not isinstance(children[0], Value) or not value.leaf_linear:
        return None
    inner = children[0]
    aval = dense_aval(inner)
    if not jnp.issubdtype(aval.dtype, jnp.inexact):
        return None
    if not is_wrapper(outer.unflatten([jnp.broadcast_to(jnp.zeros((), aval.dtype), aval.shape)])):
        return None
    if isinstance(cotangent, Value):
        parts, around = one_level(cotangent)
        if around != outer:
            return None
        (cotangent,) = parts
    return inner, cotangent


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


# Both derivatives of `materialize` are compiled, so that the array itself, which neither returns,
# is built only where they need it.


@functools.partial(jax.jit, static_argnums=(0, 1))
def _dense_tangent(
    tree: Tree, chosen: tuple[int, ...], leaves: Sequence[Any], tangents: Sequence[Any]
) -> Any:
    primals = [leaves[i] for i in chosen]
    return jax.jvp(_materialize_inexact(tree, chosen, leaves), primals, tangents)[1]


@functools.partial(jax.jit, static_argnums=(0, 1))
def _leaf_cotangents(
    tree: Tree, chosen: tuple[int, ...], leaves: Sequence[Any], cotangent: Any
) -> Any:
    primals = [leaves[i] for i in chosen]
    return jax.vjp(_materialize_inexact(tree, chosen, leaves), *primals)[1](cotangent)


def _materialize_inexact(tree: Tree, chosen: Sequence[int], leaves: Sequence[Any]) -> Any:
    """`materialize` as a function of the leaves that have tangents."""

    def dense(*inexact: Any) -> Any:
        all_leaves = list(leaves)
        for i, x in zip(chosen, inexact, strict=True):
            all_leaves[i] = x
        return materialize(tree.unflatten(all_leaves))

    return dense
