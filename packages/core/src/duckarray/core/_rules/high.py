"""JAX's composite primitives (`HiPrim`), each with rules of its own for every transform.

Where no transform outside can ask for those rules, what the primitive stands for is run with
dispatch. Elsewhere it is kept whole, so that its rules stay the rules, and is given dense arrays; a
`checkpoint` and a `custom_jvp` are made anew on the leaves.
"""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import linear_util as lu
from jax.extend.core import Primitive, TraceTag, primitives, set_current_trace, take_current_trace

from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import debug_info_of, expanded, flat_jvp_rule, is_checkpoint
from duckarray.core._structure import Tree, flatten, unflatten
from duckarray.core._trace import DuckTrace, run

from .custom_jvp import custom_jvp_call
from .remat import each_leaf


@handles("call_hi_primitive")
def _high(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    with take_current_trace() as trace, set_current_trace(trace):
        if is_checkpoint(params):
            return _checkpoint(operands, params["_prim"])
        if trace.requires_low:
            return run(TraceTag(), expanded(primitive, params), operands)
        rule = flat_jvp_rule(params)
        return NotImplemented if rule is None else _custom_jvp(primitive, operands, params, rule)


def _checkpoint(operands: Sequence[Any], checkpoint: Any) -> list[Any]:
    leaves, trees = flatten(operands)
    out_trees: tuple[Tree, ...] = ()

    def interpreted(*leaves: Any) -> Any:
        nonlocal out_trees
        outs, out_trees = flatten(run_jaxpr(checkpoint.jaxpr, unflatten(trees, leaves)))
        return outs

    prevent_cse = each_leaf(checkpoint.params.get("prevent_cse", True), trees)
    again = jax.checkpoint(interpreted, prevent_cse=prevent_cse, policy=checkpoint.policy)
    outs = again(*leaves)
    return unflatten(out_trees, outs)


def _custom_jvp(
    primitive: Primitive, operands: Sequence[Any], params: dict[str, Any], rule: Any
) -> list[Any]:
    """As the `custom_jvp` that it is without JAX's new implementation."""
    with take_current_trace() as parent:
        trace = DuckTrace(parent, TraceTag())
    debug_info = debug_info_of(params["_prim"].traced.jaxpr)
    fun, jvp = (
        lu.wrap_init(f, debug_info=debug_info.with_unknown_names())
        for f in (expanded(primitive, params), rule)
    )
    symbolic_zeros = params["_prim"].symbolic_zeros
    with set_current_trace(parent):
        return custom_jvp_call(
            trace, primitives.custom_jvp_call_p, fun, jvp, operands, symbolic_zeros
        )
