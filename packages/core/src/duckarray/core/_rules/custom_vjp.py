"""`custom_vjp`: the user's forward and backward functions stay the rule where values are met.

The call is bound again on the leaves of its operands. The backward function gets its residuals
as the values they were, and cotangents of arrays; what it returns for an operand that is a value
is pulled back to that value's leaves, for which they are appended to the residuals (as forwarded
inputs, which JAX does not store twice).
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax import tree_util as jtu
from jax.extend import linear_util as lu
from jax.extend.core import Primitive, TraceTag, set_current_trace

from duckarray.core._jax import (
    ZeroCotangent,
    bind_under,
    is_zero,
    pull_back_result,
    struct,
    typeof,
    without_argument_names,
)
from duckarray.core._materialize import densify
from duckarray.core._structure import Tree, flatten, unflatten, width
from duckarray.core._trace import DuckTrace, run
from duckarray.core._value import Value

from .custom_jvp import (
    Kept,
    keep_or_densify,
    nobody_differentiates,
    output_examples,
    repeatable,
)
from .tangents import (
    as_symbolic_zero,
    is_known_zero,
    is_leaf_linear,
    is_wrapper,
    logical_cotangent,
    pull_back,
)


class _Call:
    """What is known of one call: fixed parts, and what its forward function leaves for later."""

    def __init__(
        self,
        tag: TraceTag,
        trees: Sequence[Tree],
        out_trees: Callable[[], Any],
        symbolic_zeros: bool,
    ) -> None:
        self.tag, self.trees, self.user_out_trees = tag, trees, out_trees
        self.symbolic_zeros = symbolic_zeros
        self.starts = [sum(map(width, trees[:i])) for i in range(len(trees))]
        # The leaves of operands that are values, by their position among all leaves.
        self.saved = [
            start + j
            for start, tree in zip(self.starts, trees, strict=True)
            if tree is not None
            for j in range(tree.num_leaves)
        ]
        self.stored_trees: tuple[Tree, ...] = ()
        self.kept: Kept = None

    def residual_trees(self) -> list[Tree]:
        """The structure of each residual; those that are inputs look like these."""
        stored = iter(self.stored_trees)
        _, _, forwarded = self.user_out_trees()
        return [next(stored) if i is None else self.trees[i] for i in forwarded]

    def out_trees(self) -> tuple[Any, Any, list[int | None]]:
        """What JAX is told of the residuals: in leaves, those of value operands appended."""
        out_tree, _, forwarded = self.user_out_trees()
        sources: list[int | None] = []
        for i, tree in zip(forwarded, self.residual_trees(), strict=True):
            sources += [None if i is None else self.starts[i] + j for j in range(width(tree))]
        sources += self.saved
        return out_tree, jtu.tree_structure([0] * len(sources)), sources


def custom_vjp_call(
    trace: DuckTrace,
    primitive: Primitive,
    fun: Any,
    fwd: Any,
    bwd: Any,
    operands: Sequence[Any],
    out_trees: Callable[[], Any],
    symbolic_zeros: bool,
) -> list[Any]:
    """Binds the call on the leaves of `operands` under the parent of `trace`."""
    if nobody_differentiates(trace):
        with set_current_trace(trace.parent_trace):
            return run(trace.tag, fun.call_wrapped, operands)
    leaves, trees = flatten(operands)
    call = _Call(trace.tag, trees, out_trees, symbolic_zeros)
    if any(isinstance(x, Value) and is_leaf_linear(x) for x in operands):
        with set_current_trace(trace.parent_trace):
            call.kept = _wrappers(call, fun, leaves)
    subfuns = (
        _primal(without_argument_names(fun), call),
        _forward(without_argument_names(fwd), call),
        _backward(without_argument_names(bwd), call),
    )
    params = {"subfuns": subfuns, "out_trees": call.out_trees, "symbolic_zeros": symbolic_zeros}
    outs = bind_under(trace.parent_trace, primitive, leaves, params)
    return list(outs) if call.kept is None else unflatten(call.kept, outs)


def _wrappers(call: _Call, fun: Any, leaves: Sequence[Any]) -> Kept:
    """The outputs that the function gives as a wrapper of an array.

    The forward function is not asked too: what it is told of its operands cannot be made up. If it
    gives an array instead, that is what the wrapper holds.
    """
    structs = [struct(typeof(x)) for x in leaves]
    outs, _ = output_examples(call.tag, repeatable(fun), structs, call.trees)
    _, trees = flatten(outs)
    kept = tuple(
        tree if isinstance(x, Value) and is_wrapper(x) else None
        for x, tree in zip(outs, trees, strict=True)
    )
    return None if all(tree is None for tree in kept) else kept


@lu.transformation2  # type: ignore[untyped-decorator]
def _primal(fun: Callable[..., Any], call: _Call, *leaves: Any) -> list[Any]:
    outs = run(call.tag, fun, unflatten(call.trees, leaves))
    return flatten(keep_or_densify(outs, call.kept))[0]


@lu.transformation2  # type: ignore[untyped-decorator]
def _forward(fwd: Callable[..., Any], call: _Call, *leaves_and_flags: Any) -> list[Any]:
    # JAX passes each leaf followed by whether a derivative with respect to it is wanted.
    leaves, flags = leaves_and_flags[::2], leaves_and_flags[1::2]
    wanted = [
        any(flags[start : start + width(tree)])
        for start, tree in zip(call.starts, call.trees, strict=True)
    ]

    def forward(*operands: Any) -> Any:
        return fwd(*[y for pair in zip(operands, wanted, strict=True) for y in pair])

    outs = run(call.tag, forward, unflatten(call.trees, leaves))
    _, residual_tree, forwarded = call.user_out_trees()
    n = residual_tree.num_leaves - sum(i is not None for i in forwarded)
    stored, call.stored_trees = flatten(outs[:n])
    return [*stored, *flatten(keep_or_densify(outs[n:], call.kept))[0]]


@lu.transformation2  # type: ignore[untyped-decorator]
def _backward(bwd: Callable[..., Any], call: _Call, *residuals_and_cotangents: Any) -> Any:
    trees = call.residual_trees()
    n = sum(map(width, trees))
    m = n + len(call.saved)
    residuals = unflatten(trees, residuals_and_cotangents[:n])
    saved = iter(residuals_and_cotangents[n:m])
    give: Callable[[list[Any]], Any] = list

    def backward(*operands: Any) -> list[Any]:
        nonlocal give
        cotangents, give = pull_back_result(bwd(*operands))
        return cotangents

    given: Sequence[Any] = residuals_and_cotangents[m:]
    if call.kept is not None:
        given = [logical_cotangent(t, c) for t, c in zip(call.kept, given, strict=True)]
    if call.symbolic_zeros:
        given = list(map(as_symbolic_zero, given))
    cotangents = run(call.tag, backward, [*residuals, *given])
    leaves: list[Any] = []
    for tree, cotangent in zip(call.trees, cotangents, strict=True):
        if tree is None and isinstance(cotangent, Value) and is_known_zero(cotangent):
            leaves.append(ZeroCotangent(cotangent.aval()))
        elif tree is None:
            leaves.append(cotangent if is_zero(cotangent) else densify(cotangent, "cotangent"))
        else:
            leaves += pull_back(tree, [next(saved) for _ in range(tree.num_leaves)], cotangent)
    return give(leaves)
