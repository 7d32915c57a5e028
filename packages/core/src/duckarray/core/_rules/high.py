"""JAX's composite primitives (`HiPrim`), each with rules of its own for every transform.

Where no transform outside can ask for those rules, what the primitive stands for is run with
dispatch. Elsewhere it is kept whole, so that its rules stay the rules, and is given dense arrays; a
`checkpoint`, a `custom_jvp` and a `custom_vjp` are made anew on the leaves.
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import linear_util as lu
from jax.extend.core import Primitive, primitives

from duckarray.core._composite import (
    NAME,
    expanded,
    flat_jvp_rule,
    flat_vjp_rules,
    is_checkpoint,
    take_tag,
)
from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import current_trace, debug_info_of
from duckarray.core._structure import Tree, flatten, unflatten
from duckarray.core._trace import DuckTrace, run

from .custom_jvp import custom_jvp_call
from .custom_vjp import custom_vjp_call
from .remat import each_leaf


@handles(NAME)
def _high(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    tag = take_tag()
    parent = current_trace()
    if is_checkpoint(params):
        return _checkpoint(operands, params["_prim"])
    if parent.requires_low:
        return run(tag, expanded(primitive, params), operands)
    return _custom_derivative(DuckTrace(parent, tag), primitive, operands, params)


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


def _custom_derivative(
    trace: DuckTrace, primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]
) -> Any:
    """As the `custom_jvp` or `custom_vjp` that it is without JAX's new implementation."""
    composite = params["_prim"]
    jvp, vjp = flat_jvp_rule(params), flat_vjp_rules(params)
    if jvp is None and vjp is None:
        return NotImplemented
    debug_info = debug_info_of(composite.traced.jaxpr).with_unknown_names()
    wrap = functools.partial(lu.wrap_init, debug_info=debug_info)
    fun, zeros = wrap(expanded(primitive, params)), composite.symbolic_zeros
    if jvp is not None:
        jvp_call = primitives.custom_jvp_call_p
        return custom_jvp_call(trace, jvp_call, fun, wrap(jvp), operands, zeros)
    assert vjp is not None
    rules = wrap(vjp.forward), wrap(vjp.backward)
    vjp_call = primitives.custom_vjp_call_p
    return custom_vjp_call(trace, vjp_call, fun, *rules, operands, vjp.out_trees, zeros)
