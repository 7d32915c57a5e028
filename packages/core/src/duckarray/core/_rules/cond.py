"""`cond`, `switch` and `platform_dependent`: the branches run with dispatch; their types are joined."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive

from .._dispatch import handles
from .._jax import cond_p
from .._materialize import densify
from .._structure import Slot, convert, flatten, join, unflatten
from .._trace import run_jaxpr
from ._mismatch import Mismatch, forget


@handles(cond_p)
def _cond(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    index = densify(operands[0], primitive, operands)
    leaves, trees = flatten(operands[1:])
    branches = params["branches"]

    def run_branch(jaxpr: Any, leaves: Sequence[Any]) -> list[Any]:
        return run_jaxpr(jaxpr, unflatten(trees, leaves))

    def choose(settle: Callable[[list[Any]], list[Any]]) -> Any:
        functions = [_branch(run_branch, jaxpr, settle) for jaxpr in branches]
        return _choose(index, functions, leaves, params)

    first: list[Slot] | None = None

    def same_as_first(outs: list[Any]) -> list[Any]:
        nonlocal first
        slots = list(map(Slot, outs))
        if first is None:
            first = slots
        elif slots != first:
            raise Mismatch
        return outs

    try:
        return choose(same_as_first)
    except Mismatch as error:
        forget(error)
    slots: list[list[Slot]] = []
    for jaxpr in branches:
        jax.eval_shape(_probe(run_branch, jaxpr, slots), *leaves)
    joined = [functools.reduce(join, each) for each in zip(*slots, strict=True)]
    return choose(
        lambda outs: [convert(x, s, primitive) for x, s in zip(outs, joined, strict=True)]
    )


def _branch(run_branch: Any, jaxpr: Any, settle: Any) -> Callable[..., tuple[Any, ...]]:
    return lambda *leaves: tuple(settle(run_branch(jaxpr, leaves)))


def _probe(run_branch: Any, jaxpr: Any, slots: list[list[Slot]]) -> Callable[..., list[Any]]:
    def probe(*leaves: Any) -> list[Any]:
        outs: list[Any] = run_branch(jaxpr, leaves)
        slots.append(list(map(Slot, outs)))
        return outs

    return probe


def _choose(
    index: Any, functions: list[Any], leaves: Sequence[Any], params: dict[str, Any]
) -> list[Any]:
    platforms = params.get("branches_platforms")
    if platforms is None:
        return list(lax.switch(index, functions, *leaves))
    default, by_platform = None, {}
    for names, function in zip(platforms, functions, strict=True):
        if names is None:
            default = function
        else:
            by_platform.update(dict.fromkeys(names, function))
    return list(lax.platform_dependent(*leaves, default=default, **by_platform))
