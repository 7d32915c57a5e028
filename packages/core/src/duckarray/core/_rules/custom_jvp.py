"""`custom_jvp`: the user's derivative rule stays the rule for programs that meet values.

The call is bound again on the leaves of its operands. Around the user's function leaves become
values; around its rule, tangents of leaves become tangents of the arrays the values stand for.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
from jax.custom_derivatives import SymbolicZero
from jax.extend import linear_util as lu
from jax.extend.core import Primitive, TraceTag, set_current_trace

from duckarray.core import _watch
from duckarray.core._jax import bind_under, struct, typeof, without_argument_names
from duckarray.core._materialize import densify, muted_warnings
from duckarray.core._structure import Tree, flatten, unflatten, width
from duckarray.core._summary import summarize
from duckarray.core._trace import DuckTrace, DuckTracer, run
from duckarray.core._value import Value

from .function import noting_answers
from .tangents import as_symbolic_zero, is_known_zero, push_forward, tree_is_linear

_NOT_PASSED = """a `custom_jvp` function returns its argument {value} as it is, but its rule gives \
that another tangent than the argument's, which leaves of the value have none for.
Make the argument dense before the call: `materialize(x)`."""

Kept = tuple[Tree, ...] | None  # the structure each output keeps, or None where it is made dense


class _Keeping(NamedTuple):
    """What is known of the outputs of a call that meets values."""

    trees: Kept = None
    passed: tuple[int | None, ...] = ()
    """For each output the operand that it is, and whose tangent its tangent is; or None."""
    answered: bool = False
    """Whether a rule for the function answers with a value that has to be made dense here."""


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
    keeping = _Keeping()
    # A rule that is told of symbolic zeros may give anything for them.
    told = symbolic_zeros and any(map(is_known_zero, operands))
    if any(isinstance(x, Value) for x in operands) and not told:
        with set_current_trace(parent):
            keeping = _agreement(tag, fun, jvp, leaves, trees)
            if keeping.answered:  # its operations have derivatives of their own
                return run(tag, fun.call_wrapped, operands)
    out_trees = Record()
    call = _call(without_argument_names(fun), tag, trees, keeping, out_trees)
    translate = as_symbolic_zero if symbolic_zeros else None
    rule = _rule(without_argument_names(jvp), tag, trees, keeping, out_trees, translate)
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
    keeping: _Keeping,
    out_trees: Record,
    *leaves: Any,
) -> list[Any]:
    outs, out = flatten(keep_or_densify(run(tag, fun, unflatten(trees, leaves)), keeping.trees))
    out_trees.append(out)
    return outs


@lu.transformation2  # type: ignore[untyped-decorator]
def _rule(
    jvp: Callable[..., Any],
    tag: TraceTag,
    trees: Sequence[Tree],
    keeping: _Keeping,
    out_trees: Record,
    translate: Callable[[Any], Any] | None,
    *leaves_and_tangents: Any,
) -> list[Any]:
    n = len(leaves_and_tangents) // 2
    leaves, leaf_tangents = leaves_and_tangents[:n], leaves_and_tangents[n:]
    parts: list[Sequence[Any]] = []  # the tangents of the leaves of each operand
    tangents: list[Any] = []
    start = 0
    for tree in trees:
        stop = start + width(tree)
        part = leaf_tangents[start:stop]
        parts.append(part)
        whole = part[0] if tree is None else push_forward(tree, leaves[start:stop], part)
        tangents.append(whole if translate is None else translate(whole))
        start = stop
    outs = run(tag, jvp, [*unflatten(trees, leaves), *tangents])
    m = len(outs) // 2
    if translate is not None:
        kept = keeping.trees or (None,) * m
        outs[m:] = [translate(x) if t is None else x for x, t in zip(outs[m:], kept, strict=True)]
    primals_out, out = flatten(keep_or_densify(outs[:m], keeping.trees))
    tangents_out: list[Any] = []
    passed = keeping.passed or (None,) * m
    for x, i in zip(keep_or_densify(outs[m:], keeping.trees), passed, strict=True):
        if i is None:
            tangents_out += flatten([x])[0]
        elif x is tangents[i]:
            tangents_out += parts[i]
        elif type(x) is SymbolicZero:
            tangents_out += [SymbolicZero(typeof(t).to_tangent_aval()) for t in parts[i]]
        else:
            raise TypeError(_NOT_PASSED.format(value=summarize(unflatten(trees, leaves)[i])))
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
) -> _Keeping:
    """Which outputs keep their structure: those it is known how to give leaf tangents for.

    Either the function and its rule give one and the same `leaf_linear` type, as value and as
    tangent; or both return an operand, and its tangent, as they are.
    """
    structs = [struct(typeof(x)) for x in leaves]
    call, answered = repeatable(fun), False

    def noted(*operands: Any) -> Any:
        nonlocal answered
        with noting_answers() as answers:
            out = call(*operands)
        answered = any(_are(operands, given) and _are(out, outs) for given, outs in answers)
        return out

    outs, returned = output_examples(tag, noted, structs, trees)
    out_trees = flatten(outs)[1]
    if answered and any(t is not None and not tree_is_linear(t) for t in out_trees):
        return _Keeping(answered=True)
    passed = [
        None if tree is None or tree_is_linear(tree) else i
        for i, tree in zip(returned, out_trees, strict=True)
    ]
    if not any(i is not None or tree_is_linear(t) for i, t in zip(passed, out_trees, strict=True)):
        return _Keeping()
    tangents = [
        _tangent_example(x, tree) for x, tree in zip(unflatten(trees, structs), trees, strict=True)
    ]
    tangent_structs, tangent_trees = flatten(tangents)
    both_structs, both_trees = [*structs, *tangent_structs], [*trees, *tangent_trees]
    m, n = len(outs), len(trees)
    try:
        both, both_returned = output_examples(tag, repeatable(jvp), both_structs, both_trees)
    except Exception:  # a rule that refuses some tangents will say so itself, if it is given them
        rule_trees = out_trees * 2
    else:
        rule_trees = flatten(both)[1]
        passed = [
            i if i is not None and (p, t) == (i, n + i) else None
            for i, p, t in zip(passed, both_returned[:m], both_returned[m:], strict=True)
        ]
    kept = [
        a if i is not None or (tree_is_linear(a) and _all_equal(a, b, t)) else None
        for i, a, b, t in zip(passed, out_trees, rule_trees[:m], rule_trees[m:], strict=True)
    ]
    return _Keeping(tuple(kept), tuple(passed))


def _are(traced: Sequence[Any], given: Sequence[Any]) -> bool:
    """Whether these are one and the same, some of them in tracers."""
    return len(traced) == len(given) and all(
        (x.value if type(x) is DuckTracer else x) is y for x, y in zip(traced, given, strict=True)
    )


def _all_equal(a: Tree, b: Tree, c: Tree) -> bool:  # to compare one with None raises
    return b is not None and c is not None and bool(a == b == c)


def _tangent_example(x: Any, tree: Tree) -> Any:
    """A tangent of `x`, with abstract leaves."""
    if tree is None:
        return struct(typeof(x).to_tangent_aval())
    return push_forward(tree, jax.tree.leaves(x), jax.tree.leaves(x))


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
) -> tuple[list[Any], list[int | None]]:
    """Runs `call` abstractly: its outputs, with abstract leaves, and which operands they are.

    Nothing is differentiated meanwhile, and rules often call their own function: inside, custom
    rules are left out.
    """
    found: tuple[Tree, ...] = ()
    returned: list[int | None] = []

    def probe(*leaves: Any) -> Any:
        nonlocal found
        operands = unflatten(trees, leaves)
        results = run(tag, call, operands)
        positions = {id(x): i for i, x in enumerate(operands)}
        returned[:] = [positions.get(id(x)) for x in results]
        outs, found = flatten(results)
        return outs

    point = _watch.mark()
    with _probe.start(), muted_warnings():
        leaves = jax.eval_shape(probe, *structs)
    _watch.back_to(point)
    return unflatten(found, leaves), returned
