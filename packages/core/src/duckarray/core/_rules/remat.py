"""`jax.checkpoint`: the program is run with dispatch inside a new checkpoint of the same kind."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import Primitive, set_current_trace, take_current_trace

from duckarray.core._constants import constants_of
from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import EditingTrace, remat_p
from duckarray.core._structure import Tree, flatten, unflatten, width

from .recall import Recall


@handles(remat_p)
def _remat(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    leaves, trees = flatten(operands)
    # Where a gradient was taken inside `quaxify`, this is the recomputation. Only with
    # `differentiated` kept does XLA not merge it with the forward pass.
    updates = {"differentiated": params["differentiated"]}
    recall = Recall(primitive, operands, params)
    if recall.found is None:
        checkpointed, give_trees = _checkpointed(operands, trees, params)
        with recall.watching():
            outs = _call(checkpointed, leaves, primitive, updates)
        recall.keep((checkpointed, give_trees()))
    else:  # of a function that it has traced for such leaves, JAX has the program
        outs = _call(recall.found[0], leaves, primitive, updates)
    return unflatten(recall.found[1], outs)


def _call(
    checkpointed: Callable[..., Any],
    leaves: Sequence[Any],
    primitive: Primitive,
    updates: dict[str, Any],
) -> Any:
    with (
        take_current_trace() as parent,
        set_current_trace(EditingTrace(parent, primitive, updates)),
    ):
        return checkpointed(*leaves)


def _checkpointed(
    operands: Sequence[Any], trees: Sequence[Tree], params: dict[str, Any]
) -> tuple[Callable[..., Any], Callable[[], Sequence[Tree]]]:
    """The program as a function of leaves, and what tells the structures of what it gave."""
    constants = constants_of(operands)
    out_trees: tuple[Tree, ...] = ()

    def interpreted(*leaves: Any) -> Any:
        nonlocal out_trees
        outs, out_trees = flatten(run_jaxpr(params["jaxpr"], unflatten(trees, leaves), constants))
        return outs

    checkpointed = jax.checkpoint(
        interpreted, prevent_cse=each_leaf(params["prevent_cse"], trees), policy=params["policy"]
    )
    return checkpointed, lambda: out_trees


def each_leaf(flags: Any, trees: Sequence[Tree]) -> Any:
    """Flags for operands, from 0.11 on perhaps one for each, as flags for their leaves."""
    if isinstance(flags, bool):
        return flags
    pairs = zip(flags, trees, strict=True)
    return tuple(flag for flag, tree in pairs for _ in range(width(tree)))
