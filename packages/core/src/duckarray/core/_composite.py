"""JAX's composite primitives (`HiPrim`): what they stand for, and rules that programs gave them.

`custom_jvp`, `custom_vjp` and `checkpoint` will be such primitives; flags of JAX switch to that.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import Primitive, TraceTag

from ._jax import ZeroCotangent, is_zero

NAME = "call_hi_primitive"  # of the one primitive that all of them are bound with


class _Met(threading.local):
    tag: TraceTag | None = None


_met = _Met()


@contextmanager
def met_by(tag: TraceTag) -> Iterator[None]:
    """Says by which trace a composite primitive was met: its rules may close over its tracers."""
    before, _met.tag = _met.tag, tag
    try:
        yield
    finally:
        _met.tag = before


def take_tag() -> TraceTag:
    """The tag of the trace that met the primitive being handled, once; else a new one."""
    tag, _met.tag = _met.tag, None
    return TraceTag() if tag is None else tag


def expanded(primitive: Primitive, params: Any) -> Callable[..., Any]:
    """What a composite primitive stands for, as a function of its operands."""
    return lambda *operands: primitive.to_lojax(*operands, **params)  # type: ignore[attr-defined]


def is_checkpoint(params: Any) -> bool:
    """Whether a composite primitive is a `jax.checkpoint`, as it will be from `jax_remat3` on."""
    return {"jaxpr", "policy"} <= _params(params["_prim"]).keys()


def flat_jvp_rule(params: Any) -> Callable[..., list[Any]] | None:
    """The rule of a composite primitive that is a `custom_jvp`, on flat operands and tangents.

    That is what it will be from `jax_custom_jvp3` on; None for any other.
    """
    composite = params["_prim"]
    rule = _params(composite).get("jvp_rule")
    if rule is None:
        return None

    def flat_rule(*operands: Any) -> list[Any]:
        n = len(operands) // 2
        halves = [composite.in_tree.unflatten(half) for half in (operands[:n], operands[n:])]
        outs = [x for half in rule(*halves) for x in jax.tree.leaves(half, is_leaf=is_zero)]
        return [SymbolicZero(x.aval) if type(x) is ZeroCotangent else x for x in outs]

    return flat_rule


class FlatVJP(NamedTuple):
    """The rules of a composite primitive that is a `custom_vjp`, on flat operands.

    They are as JAX binds those of a `custom_vjp` that is none: each operand of `forward` is
    followed by whether its derivative is wanted, and residuals that are operands are not returned.
    """

    forward: Callable[..., list[Any]]
    backward: Callable[..., Any]
    out_trees: Callable[[], tuple[Any, Any, list[int | None]]]


def flat_vjp_rules(params: Any) -> FlatVJP | None:
    """The rules of a composite primitive that is a `custom_vjp`; None for any other."""
    composite = params["_prim"]
    if not {"fwd", "bwd"} <= _params(composite).keys():
        return None
    residual_tree: Any = None
    forwarded: list[int | None] = []

    def forward(*operands_and_flags: Any) -> list[Any]:
        nonlocal residual_tree
        flat = operands_and_flags[::2]
        flags = composite.in_tree.unflatten(operands_and_flags[1::2])
        out, residuals, *_ = composite.vjp_fwd(flags, *composite.in_tree.unflatten(flat))
        leaves, residual_tree = jax.tree.flatten(residuals)
        positions = {id(x): i for i, x in enumerate(flat)}
        forwarded[:] = [positions.get(id(x)) for x in leaves]
        stored = [x for x, i in zip(leaves, forwarded, strict=True) if i is None]
        return [*stored, *composite.out_tree.flatten_up_to(out)]

    def backward(*residuals_and_cotangents: Any) -> Any:
        n = residual_tree.num_leaves
        residuals = residual_tree.unflatten(residuals_and_cotangents[:n])
        cotangent = composite.out_tree.unflatten(residuals_and_cotangents[n:])
        trees = composite.in_tree.children()
        is_old = "static_argnums" in composite.params
        if is_old:
            cotangents, log = composite.vjp_bwd_retval(residuals, cotangent), None
            zeros: list[Any] = []
        else:  # the first two are what the functions close over, and have none
            cotangents, log = composite.bwd(residuals, cotangent)
            n = sum(tree.num_leaves for tree in trees[:2])
            zeros = [ZeroCotangent(aval.to_ct_aval()) for aval in composite.in_avals_flat[:n]]
            trees = trees[2:]
        parts = zip(trees, cotangents, strict=True)
        flat = [*zeros, *(x for tree, part in parts for x in tree.flatten_up_to(part))]
        return flat if is_old else (flat, log)

    return FlatVJP(forward, backward, lambda: (composite.out_tree, residual_tree, forwarded))


def _params(composite: Any) -> dict[str, Any]:
    params: dict[str, Any] = getattr(composite, "params", {})
    return params
