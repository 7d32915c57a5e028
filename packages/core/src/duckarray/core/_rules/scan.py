"""`scan`, and what is made of it: `map`, `fori_loop` with a static trip count."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive, primitives

from duckarray.core._bind import bind
from duckarray.core._constants import each_constant
from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import (
    is_jit_disabled,
    scan_arity,
    scan_operands,
    scan_p,
    stage,
    typeof,
    without_leading_axis,
)
from duckarray.core._materialize import current_policy, densify
from duckarray.core._registry import resolve
from duckarray.core._structure import Tree, flatten, unflatten
from duckarray.core._value import Value, dense_aval

from .bodies import Carry, fixed_point
from .eager import compiled_when_eager
from .recall import Recall


@handles(scan_p)
@compiled_when_eager
def _scan(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    consts, initial, xs = scan_operands(operands, params)
    length, n = params["length"], len(initial)
    xs = [dense_inside(x, primitive, operands) for x in xs]
    x_trees = [tree_of_slice(x) for x in xs]
    # What is indexed in the body is one of its constants; in its place the numbers of the turns
    # are scanned over.
    indexed = [t is None and _is_indexed(x) for x, t in zip(xs, x_trees, strict=True)]
    kept = zip(xs, x_trees, indexed, strict=True)
    x_leaves, _ = flatten(
        jnp.arange(length) if i else densify(x, primitive, operands) if t is None else x
        for x, t, i in kept
    )
    whole = [x for x, i in zip(xs, indexed, strict=True) if i]
    const_leaves, const_trees = flatten([*consts, *whole])
    x_avals = [without_leading_axis(typeof(x)) for x in x_leaves]
    loop = Carry(primitive, initial, params["jaxpr"], len(consts))
    const_constants, x_constants = each_constant(consts), each_constant(xs)

    def attempt(carry: list[Any]) -> Any:
        leaves, trees = flatten(carry)
        y_trees: list[Tree] = []
        constants = (*const_constants, *loop.constants(), *x_constants)

        def turn(*all_leaves: Any) -> list[Any]:
            k, j = len(const_leaves), len(const_leaves) + len(leaves)
            turn_consts = unflatten(const_trees, all_leaves[:k])
            turn_xs = unflatten(x_trees, all_leaves[j:])
            to_index = iter(turn_consts[len(consts) :])
            turn_operands = [
                *turn_consts[: len(consts)],
                *unflatten(trees, all_leaves[k:j]),
                *(
                    _at(next(to_index), x) if i else x
                    for x, i in zip(turn_xs, indexed, strict=True)
                ),
            ]
            outs = run_jaxpr(params["jaxpr"], turn_operands, constants, loop.observe)
            y_trees[:] = [tree_of_stack(y, length) for y in outs[n:]]
            ys = zip(outs[n:], y_trees, strict=True)
            stacked, _ = flatten(densify(y, primitive) if t is None else y for y, t in ys)
            return [*flatten(loop.settle(outs[:n]))[0], *stacked]

        avals = [*map(typeof, [*const_leaves, *leaves]), *x_avals]
        return turn, leaves, trees, y_trees, stage(turn, avals, params["jaxpr"])

    recall = Recall(primitive, operands, params)
    if recall.found is None:
        with recall.watching():
            turn, leaves, trees, y_trees, (jaxpr, out_avals) = fixed_point(loop, attempt)
        k = len(leaves)
        if jaxpr is None or out_avals[:k] != list(map(typeof, leaves)) or is_jit_disabled():
            outs = _public_scan(turn, const_leaves, leaves, x_leaves, params)
            return [*loop.end(unflatten(trees, outs[:k])), *unflatten(y_trees, outs[k:])]
        arity = scan_arity(len(const_leaves), k, len(x_leaves), len(out_avals) - k)
        recall.keep(({**params, **arity, "jaxpr": jaxpr}, loop.types, y_trees))
    else:
        _, loop.types, y_trees = recall.found
        leaves, trees = flatten(loop.begin())
    outs = primitive.bind(*const_leaves, *leaves, *x_leaves, **recall.found[0])
    k = len(leaves)
    return [*loop.end(unflatten(trees, outs[:k])), *unflatten(y_trees, outs[k:])]


def _public_scan(
    turn: Callable[..., list[Any]],
    consts: list[Any],
    carry: list[Any],
    xs: list[Any],
    params: dict[str, Any],
) -> list[Any]:
    """By JAX's public function, for bodies with constants or effects, or weak types to promote."""

    def body(carry: list[Any], xs: list[Any]) -> tuple[list[Any], list[Any]]:
        outs = turn(*consts, *carry, *xs)
        return outs[: len(carry)], outs[len(carry) :]

    options = {name: params[name] for name in ("length", "reverse", "unroll")}
    carry, ys = lax.scan(body, carry, xs, **options)
    return [*carry, *ys]


def tree_of_slice(x: Any) -> Tree:
    """The structure one turn sees of `x`, or None where `x` has to be dense."""
    if not isinstance(x, Value):
        return None
    return _tree_after(x, lambda value: value.drop_leading(), lambda shape: shape[1:])


def _is_indexed(x: Any) -> bool:
    """Whether `x`, which cannot be sliced leaf by leaf, has a rule for taking one of its entries.

    Only where it must not be made dense: else that is done once, not in each turn.
    """
    if not isinstance(x, Value) or (current_policy() or x.materialization) != "error":
        return False
    types = (type(x), *[jax.Array] * len(dense_aval(x).shape))
    return bool(resolve(primitives.dynamic_slice_p, types))


def dense_inside(x: Any, primitive: Primitive, operands: Sequence[Any]) -> Any:
    """`x`, or, if what is inside it cannot be sliced, `x` around a dense array, if that can."""

    def is_inside(v: Any) -> bool:
        return isinstance(v, Value) and v is not x

    if not isinstance(x, Value) or tree_of_slice(x) is not None or _is_indexed(x):
        return x
    parts, structure = jax.tree.flatten(x, is_leaf=is_inside)
    if not any(map(is_inside, parts)):
        return x
    sliced = [dense_inside(v, primitive, operands) for v in parts]
    around = jax.tree.unflatten(
        structure,
        [densify(v, primitive, operands) if tree_of_slice(v) is None else v for v in sliced],
    )
    return x if tree_of_slice(around) is None else around


def _at(x: Any, i: Any) -> Any:
    """Entry `i` along the leading axis of the value `x`."""
    shape = dense_aval(x).shape
    starts = [i, *[jnp.zeros((), i.dtype)] * (len(shape) - 1)]
    part = bind(primitives.dynamic_slice_p, x, *starts, slice_sizes=(1, *shape[1:]))
    return bind(primitives.squeeze_p, part, dimensions=(0,))


def tree_of_stack(y: Any, length: int) -> Tree:
    """The structure of `length` values like `y` stacked, or None where `y` has to be dense."""
    if not isinstance(y, Value):
        return None
    return _tree_after(y, lambda value: value.add_leading(length), lambda shape: (length, *shape))


def _tree_after(value: Value, hook: Callable[[Any], Any], new_shape: Callable[[Any], Any]) -> Tree:
    """The structure `hook` gives `value`, if its leaves are still the value's, of the new shapes.

    A hook may change the leaves, or only the static fields and leave the leaves to the caller.
    """
    tree: Any
    leaves, tree = jax.tree.flatten(value)
    before = [jnp.shape(x) for x in leaves]
    if new_shape((0, 1)) == (1,) and () in before:
        return None  # a leaf without axes has no leading one to lose
    found: Tree = None

    def probe(leaves: Sequence[Any]) -> None:
        nonlocal found
        out = hook(tree.unflatten(leaves))
        if out is not None:
            parts, structure = jax.tree.flatten(out)
            if [jnp.shape(x) for x in parts] in (before, [new_shape(s) for s in before]):
                found = structure

    jax.eval_shape(probe, leaves)
    return found
