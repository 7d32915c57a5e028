"""`custom_jvp`: the user's derivative rule stays the rule for programs that meet values.

The call is bound again on the leaves of its operands. Around the user's function leaves become
values; around its rule, tangents of leaves become tangents of the arrays the values stand for.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
from jax.custom_derivatives import SymbolicZero
from jax.extend import linear_util as lu
from jax.extend.core import Primitive, TraceTag, set_current_trace

from duckarray.core._jax import bind_under, struct, typeof, without_argument_names
from duckarray.core._materialize import densify
from duckarray.core._structure import Tree, flatten, unflatten, width
from duckarray.core._trace import DuckTrace, run
from duckarray.core._value import Value, dense_aval

from .tangents import is_leaf_linear, push_forward, tree_is_linear

Kept = tuple[Tree, ...] | None  # the structure each output keeps, or None where it is made dense


class Record(list[Any]):
    """What a traced function left behind; hashed by identity, as transformations need."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


def custom_jvp_call(
    trace: DuckTrace,
    primitive: Primitive,
    fun: Any,
    jvp: Any,
    operands: Sequence[Any],
    symbolic_zeros: bool,
) -> list[Any]:
    """Binds the call on the leaves of `operands` under the parent of `trace`."""
    parent, tag = trace.parent_trace, trace.tag
    if nobody_differentiates(trace):
        with set_current_trace(parent):
            return run(tag, fun.call_wrapped, operands)
    leaves, trees = flatten(operands)
    kept: Kept = None
    if any(isinstance(x, Value) and is_leaf_linear(x) for x in operands):
        with set_current_trace(parent):
            kept = _agreement(tag, fun, jvp, leaves, trees)
    out_trees = Record()
    call = _call(without_argument_names(fun), tag, trees, kept, out_trees)
    rule = _rule(without_argument_names(jvp), tag, trees, kept, out_trees)
    params = {"subfuns": (call, rule), "symbolic_zeros": symbolic_zeros}
    outs = bind_under(parent, primitive, leaves, params)
    return unflatten(out_trees[-1], outs)


def nobody_differentiates(trace: DuckTrace) -> bool:
    """Whether no trace below `trace` can want the derivative rule, so that calling will do."""
    return trace.parent_requires_low or _probe.running


@lu.transformation2  # type: ignore[untyped-decorator]
def _call(
    fun: Callable[..., Any],
    tag: TraceTag,
    trees: Sequence[Tree],
    kept: Kept,
    out_trees: Record,
    *leaves: Any,
) -> list[Any]:
    outs, out = flatten(keep_or_densify(run(tag, fun, unflatten(trees, leaves)), kept))
    out_trees.append(out)
    return outs


@lu.transformation2  # type: ignore[untyped-decorator]
def _rule(
    jvp: Callable[..., Any],
    tag: TraceTag,
    trees: Sequence[Tree],
    kept: Kept,
    out_trees: Record,
    *leaves_and_tangents: Any,
) -> list[Any]:
    n = len(leaves_and_tangents) // 2
    leaves, leaf_tangents = leaves_and_tangents[:n], leaves_and_tangents[n:]
    tangents: list[Any] = []
    start = 0
    for tree in trees:
        stop = start + width(tree)
        if tree is None:
            tangents.append(leaf_tangents[start])
        else:
            tangents.append(push_forward(tree, leaves[start:stop], leaf_tangents[start:stop]))
        start = stop
    outs = run(tag, jvp, [*unflatten(trees, leaves), *tangents])
    m = len(outs) // 2
    primals_out, out = flatten(keep_or_densify(outs[:m], kept))
    tangents_out, _ = flatten(keep_or_densify(outs[m:], kept))
    out_trees.append(out)
    return [*primals_out, *tangents_out]


def keep_or_densify(outs: Sequence[Any], kept: Kept) -> list[Any]:
    """Makes outputs dense, other than those that keep their structure and symbolic zeros."""
    dense = (None,) * len(outs) if kept is None else kept
    return [
        x if tree is not None or type(x) is SymbolicZero else densify(x, "custom derivative output")
        for x, tree in zip(outs, dense, strict=True)
    ]


def _agreement(
    tag: TraceTag, fun: Any, jvp: Any, leaves: Sequence[Any], trees: Sequence[Tree]
) -> Kept:
    """The outputs for which the function and its rule give one and the same `leaf_linear` type."""
    structs = [struct(typeof(x)) for x in leaves]
    primal_trees = _out_trees(tag, repeatable(fun), structs, trees)
    if all(tree is None for tree in primal_trees):
        return None
    tangent_structs: list[Any] = []
    tangent_trees: list[Tree] = []
    start = 0
    for tree, x in zip(trees, unflatten(trees, leaves), strict=True):
        stop = start + width(tree)
        if tree_is_linear(tree):
            tangent_structs += structs[start:stop]
            tangent_trees.append(tree)
        else:
            tangent_structs.append(struct(dense_aval(x).to_tangent_aval()))
            tangent_trees.append(None)
        start = stop
    try:
        both = _out_trees(tag, repeatable(jvp), structs + tangent_structs, [*trees, *tangent_trees])
    except Exception:  # a rule that refuses some tangents will say so itself, if it is given them
        both = (*primal_trees, *primal_trees)
    m = len(primal_trees)
    tangents = both[m:]
    kept = tuple(
        a if tree_is_linear(a) and b is not None and t is not None and a == b == t else None
        for a, b, t in zip(primal_trees, both[:m], tangents, strict=True)
    )
    return None if all(tree is None for tree in kept) else kept


def repeatable(fun: Any) -> Callable[..., Any]:
    """Calls a wrapped function so that what it stores on the way can be stored again."""

    def call(*operands: Any) -> Any:
        out = fun.call_wrapped(*operands)
        for store in fun.stores:
            if store:
                store.reset()
        return out

    return call


class _Probe(threading.local):
    running = False

    @contextmanager
    def start(self) -> Iterator[None]:
        before, self.running = self.running, True
        try:
            yield
        finally:
            self.running = before


_probe = _Probe()


def output_examples(
    tag: TraceTag, call: Callable[..., Any], structs: Sequence[Any], trees: Sequence[Tree]
) -> list[Any]:
    """Runs `call` abstractly: its outputs, with abstract leaves.

    Nothing is differentiated meanwhile, and rules often call their own function: inside, custom
    rules are left out.
    """
    found: tuple[Tree, ...] = ()

    def probe(*leaves: Any) -> Any:
        nonlocal found
        outs, found = flatten(run(tag, call, unflatten(trees, leaves)))
        return outs

    with _probe.start():
        leaves = jax.eval_shape(probe, *structs)
    return unflatten(found, leaves)


def _out_trees(*probe: Any) -> tuple[Tree, ...]:
    return flatten(output_examples(*probe))[1]
