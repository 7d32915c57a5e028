"""`shard_map`, and `pmap`, which is made of it: the function runs with dispatch on each device.

A value that is replicated goes in leaf by leaf. One that is split along its leading axis does too,
if its type says by `drop_leading` that its leaves have that axis. Others are made dense, as outputs
are.
"""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive, set_current_trace, take_current_trace

from duckarray.core._jax import bind_under
from duckarray.core._materialize import densify
from duckarray.core._structure import Tree, flatten, unflatten
from duckarray.core._trace import DuckTrace
from duckarray.core._value import Value

from .scan import tree_of_slice


def shard_map(
    trace: DuckTrace,
    primitive: Primitive,
    fun: Any,
    operands: Sequence[Any],
    in_specs: Sequence[Any],
    params: dict[str, Any],
) -> Any:
    """Binds the call on the leaves of `operands` under the parent of `trace`."""
    flat: list[Any] = []
    specs: list[Any] = []
    trees: list[Tree] = []
    with set_current_trace(trace.parent_trace):
        for x, spec in zip(operands, in_specs, strict=True):
            kept = x if _splits_leafwise(x, spec) else densify(x, primitive, operands)
            leaves, (tree,) = flatten([kept])
            flat += leaves
            specs += [spec] * len(leaves)
            trees.append(tree)
    if len(flat) != len(operands) and "debug_info" in params:
        params = {**params, "debug_info": params["debug_info"].with_unknown_names()}

    def on_each_device(*leaves: Any) -> Any:
        with take_current_trace() as parent:
            inner = DuckTrace(parent, trace.tag)
            wrapped = [inner.wrap(x) for x in unflatten(trees, leaves)]
            with set_current_trace(inner):
                outs = fun(*wrapped)
            with set_current_trace(parent):
                return outs.map(lambda x: densify(inner.unwrap(x), primitive))

    changed = {**params, "in_specs": tuple(specs), "subfuns": (on_each_device,)}
    return bind_under(trace.parent_trace, primitive, flat, changed)


def _splits_leafwise(x: Any, spec: Any) -> bool:
    """Whether giving each leaf of `x` the partition `spec` partitions the array so."""
    if not isinstance(x, Value):
        return True
    named = [i for i, axis in enumerate(spec) if axis is not None]
    return not named or (named == [0] and tree_of_slice(x) is not None and _equal_lengths(x))


def _equal_lengths(x: Any) -> bool:
    leaves = jax.tree.leaves(x)
    return all(leaf.shape and leaf.shape[0] == x.shape[0] for leaf in leaves)
