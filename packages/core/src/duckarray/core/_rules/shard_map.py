"""`shard_map`, and `pmap`, which is made of it: the function runs with dispatch on each device.

A value that is replicated goes in and comes out leaf by leaf. One that is split along its leading
axis does too, if its type says by `drop_leading` that its leaves have that axis. Others are made
dense; where that is an error, one that comes out is kept as the parts of the devices, which go back
in as they are: so do the residuals of a gradient.
"""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive, set_current_trace, take_current_trace
from jax.sharding import AxisType, PartitionSpec

from duckarray.core._jax import bind_under
from duckarray.core._materialize import current_policy, densify
from duckarray.core._mesh import manual_axes
from duckarray.core._structure import Tree, flatten, resized, unflatten
from duckarray.core._trace import DuckTrace
from duckarray.core._value import Value

from .parts import Parts
from .scan import dense_inside, tree_of_slice


def shard_map(
    trace: DuckTrace,
    primitive: Primitive,
    fun: Any,
    operands: Sequence[Any],
    in_specs: Sequence[Any],
    params: dict[str, Any],
) -> Any:
    """Maps the function on the leaves of `operands` under the parent of `trace`."""
    flat: list[Any] = []
    specs: list[Any] = []
    trees: list[Tree] = []
    with set_current_trace(trace.parent_trace):
        for x, spec in zip(operands, in_specs, strict=True):
            kept = x if _is_whole(x, spec) else dense_inside(x, primitive, operands)
            kept = kept if _is_whole(kept, spec) else densify(kept, primitive, operands)
            leaves, (tree,) = flatten([kept])
            flat += leaves
            specs += [spec] * len(leaves)
            trees.append(tree)
    call = _Call(trace, primitive, fun, trees)
    if AxisType.Explicit not in params["mesh"].axis_types:
        mapped = jax.shard_map(
            call.leaves,
            mesh=params["mesh"],
            in_specs=tuple(specs),
            out_specs=call.specs,
            check_vma=params["check_vma"],
            axis_names=manual_axes(params),
        )
        with set_current_trace(trace.parent_trace):
            outs = mapped(*flat)
        whole = map(resized, unflatten(call.trees, outs))
        return call.outs.update(map(trace.wrap, whole))
    # Where axes are part of types, JAX's function compares specifications with types once more,
    # which those of residuals do not stand.
    if len(flat) != len(operands) and "debug_info" in params:
        params = {**params, "debug_info": params["debug_info"].with_unknown_names()}
    changed = {**params, "in_specs": tuple(specs), "subfuns": (call.dense,)}
    return bind_under(trace.parent_trace, primitive, flat, changed)


class _Call:
    """The function on the leaves of its operands, which notes what its outputs are."""

    def __init__(
        self, trace: DuckTrace, primitive: Primitive, fun: Any, trees: Sequence[Tree]
    ) -> None:
        self.tag, self.primitive, self.fun, self.operand_trees = trace.tag, primitive, fun, trees
        self.outs: Any = None
        self.trees: tuple[Tree, ...] = ()
        self.specs: list[PartitionSpec] = []
        """One for each leaf of the outputs; JAX reads it when the function has run."""

    def leaves(self, *leaves: Any) -> list[Any]:
        """The leaves of the outputs."""
        with take_current_trace() as parent:
            outs, self.outs, specs = self._run(parent, leaves)
            with set_current_trace(parent):
                kept = [self._keep(x, s) for x, s in zip(outs, specs, strict=True)]
                flat, self.trees = flatten(kept)
        pairs = zip(kept, specs, strict=True)
        self.specs[:] = [spec for x, spec in pairs for _ in jax.tree.leaves(x)]
        return flat

    def dense(self, *leaves: Any) -> Any:
        """The outputs made dense, as JAX's own object."""
        with take_current_trace() as parent:
            outs, tree, specs = self._run(parent, leaves)
            with set_current_trace(parent):
                return tree.update([densify(x, self.primitive) for x in outs]).with_aux(specs)

    def _run(self, parent: Any, leaves: Sequence[Any]) -> tuple[list[Any], Any, Sequence[Any]]:
        inner = DuckTrace(parent, self.tag)
        with set_current_trace(parent):
            operands = [
                x.on_this_device() if isinstance(x, Parts) else resized(x)
                for x in unflatten(self.operand_trees, leaves)
            ]
        with set_current_trace(inner):
            outs, specs = self.fun(*map(inner.wrap, operands)).unpack_aux()
        return list(map(inner.unwrap, outs.vals)), outs, specs

    def _keep(self, x: Any, spec: Any) -> Any:
        if _is_whole(x, spec):
            return x
        policy = current_policy() or x.materialization
        if policy == "error" and _split_axes(spec) == [0]:
            return Parts.of_this_device(x, spec[0])
        return densify(x, self.primitive)


def _is_whole(x: Any, spec: Any) -> bool:
    """Whether giving each leaf of `x` the partition `spec` partitions the array so."""
    if isinstance(x, Parts):
        return _split_axes(spec) == [0] and spec[0] == x.axes
    if not isinstance(x, Value):
        return True
    split = _split_axes(spec)
    return not split or (split == [0] and tree_of_slice(x) is not None and _equal_lengths(x))


def _split_axes(spec: Any) -> list[int]:
    return [i for i, axis in enumerate(spec) if axis is not None]


def _equal_lengths(x: Any) -> bool:
    leaves = jax.tree.leaves(x)
    return all(leaf.shape and leaf.shape[0] == x.shape[0] for leaf in leaves)
