"""`scan`, and what is made of it: `map`, `fori_loop` with a static trip count."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive

from .._dispatch import handles
from .._jax import scan_operands, scan_p
from .._materialize import densify
from .._structure import Tree, flatten, unflatten
from .._trace import run_jaxpr
from .._value import Value
from .carry import fixed_point


@handles(scan_p)
def _scan(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    consts, initial, xs = scan_operands(operands, params)
    n, length = len(initial), params["length"]
    slices = [_slice_tree(x) for x in xs]
    x_leaves, x_trees = flatten(
        densify(x, primitive, operands) if t is None else x for x, t in zip(xs, slices, strict=True)
    )
    del x_trees  # one turn sees the structures of `slices`, not those of the whole

    def attempt(carry: Sequence[Any], settle: Any) -> list[Any]:
        leaves, trees = flatten(carry)
        y_trees: list[Tree] = []

        def turn(leaves: Sequence[Any], x_leaves: Sequence[Any]) -> tuple[Any, Any]:
            turn_xs = unflatten(slices, x_leaves)
            outs = run_jaxpr(params["jaxpr"], [*consts, *unflatten(trees, leaves), *turn_xs])
            y_trees[:] = [_stack_tree(y, length) for y in outs[n:]]
            ys = [
                densify(y, primitive) if t is None else y
                for y, t in zip(outs[n:], y_trees, strict=True)
            ]
            return flatten(settle(outs[:n]))[0], flatten(ys)[0]

        leaves, y_leaves = lax.scan(
            turn,
            leaves,
            x_leaves,
            length=length,
            reverse=params["reverse"],
            unroll=params["unroll"],
        )
        return [*unflatten(trees, leaves), *unflatten(y_trees, y_leaves)]

    def body(carry: Sequence[Any]) -> list[Any]:
        turn_xs = unflatten(slices, [_first(x) for x in x_leaves])
        return run_jaxpr(params["jaxpr"], [*consts, *carry, *turn_xs])[:n]

    return fixed_point(primitive, initial, attempt, body)


def _first(x: Any) -> Any:
    """One slice along the leading axis; of an empty array too, since only its type is asked."""
    x = jnp.asarray(x)
    return x[0] if x.shape[0] else jnp.zeros(x.shape[1:], x.dtype)


def _slice_tree(x: Any) -> Tree:
    """The structure that one turn sees of `x`, or None where `x` has to be dense."""
    if not isinstance(x, Value):
        return None
    return _tree_after(x, lambda value: value.drop_leading(), lambda shape: shape[1:])


def _stack_tree(y: Any, length: int) -> Tree:
    """The structure of `length` values like `y` stacked, or None where `y` has to be dense."""
    if not isinstance(y, Value):
        return None
    return _tree_after(y, lambda value: value.add_leading(length), lambda shape: (length, *shape))


def _tree_after(value: Value, hook: Any, new_shape: Any) -> Tree:
    """The structure that `hook` gives `value`, if its leaves are the value's, of the new shapes.

    A hook may change the leaves itself, or only the static fields and leave the leaves as they are.
    """
    leaves, tree = jax.tree.flatten(value)
    found: Tree = None
    same = False

    def probe(leaves: Sequence[Any]) -> list[Any]:
        nonlocal found, same
        out = hook(tree.unflatten(leaves))
        if out is None:
            return []
        parts, structure = jax.tree.flatten(out)
        before, after = [jnp.shape(x) for x in leaves], [jnp.shape(x) for x in parts]
        same = after in (before, [tuple(new_shape(s)) for s in before])
        found = structure
        return []

    if any(not jnp.shape(x) for x in leaves) and new_shape((1,)) == ():
        return None  # a leaf without axes has no leading one to lose
    jax.eval_shape(probe, leaves)
    return found if same else None
