"""Calls of library functions that have a rule: the rule answers for the program of the call."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
from jax import tree_util as jtu

from duckarray.core._dispatch import call_one_level_down
from duckarray.core._functions import functions_named, key_of
from duckarray.core._jax import debug_info_of
from duckarray.core._materialize import densify, has_nested
from duckarray.core._recognise import Mask, recognise
from duckarray.core._registry import call_rules
from duckarray.core._structure import flatten, unflatten
from duckarray.core._value import Value

from .scan import tree_of_slice, tree_of_stack

Answered = tuple[list[Any], list[Any]]  # the operands of a call and what the rule gave for them


class _Answers(threading.local):
    found: list[Answered] | None = None


_answers = _Answers()


@contextmanager
def noting_answers() -> Iterator[list[Answered]]:
    """The calls that rules for functions have answered meanwhile."""
    before, found = _answers.found, list[Answered]()
    _answers.found = found
    try:
        yield found
    finally:
        _answers.found = before


def call_function_rule(primitive: Any, params: dict[str, Any], operands: Sequence[Any]) -> Any:
    """What a rule gives for the function a `jit` equation holds, as a list, or `NotImplemented`."""
    functions = functions_named(params["name"])
    if not functions:
        return NotImplemented
    program = params["jaxpr"]
    debug_info = debug_info_of(program)
    names = debug_info.arg_names
    if names is None or len(names) != len(operands):
        return NotImplemented
    for function in functions:
        if function.source != debug_info.func_src_info:
            continue
        mapped = recognise(function, program, names)
        if mapped is None:
            continue
        key = key_of(function)
        order = function.order(names)

        def call(given: Sequence[Any], key: str = key, order: Sequence[int] = order) -> Any:
            given = [given[i] for i in order]
            nested = any(isinstance(x, Value) and has_nested(x) for x in given)
            return call_rules(key, given, call_one_level_down) if nested else call_rules(key, given)

        outs = _map(call, operands, mapped, primitive)
        if outs is not NotImplemented and _are_of(outs, program.out_avals):
            if _answers.found is not None:
                _answers.found.append((list(operands), list(outs)))
            return outs
    return NotImplemented


def _are_of(outs: Sequence[Any], avals: Sequence[Any]) -> bool:
    return len(outs) == len(avals) and all(
        tuple(x.shape) == tuple(want.shape) and x.dtype == want.dtype
        for x, want in zip(outs, avals, strict=True)
    )


def _map(
    call: Callable[[Sequence[Any]], Any],
    operands: Sequence[Any],
    mapped: tuple[Mask, ...],
    primitive: Any,
) -> Any:
    """The results of `call` as a list, for each entry of the operands that are mapped over."""
    if not mapped:
        out = call(operands)
        if out is NotImplemented:
            return NotImplemented
        return jtu.tree_leaves(out, is_leaf=lambda x: isinstance(x, Value))
    mask, *inner = mapped
    pairs = list(zip(operands, mask, strict=True))
    slices = [tree_of_slice(x) if m else None for x, m in pairs]
    if any(
        m and isinstance(x, Value) and t is None for (x, m), t in zip(pairs, slices, strict=True)
    ):
        return NotImplemented  # not to be taken apart along this axis
    whole = [flatten([x]) for x in operands]
    trees = [t if m else tree[0] for t, m, (_, tree) in zip(slices, mask, whole, strict=True)]
    axes = [0 if m else None for m, (leaves, _) in zip(mask, whole, strict=True) for _ in leaves]
    length = next(x.shape[0] for x, m in pairs if m)
    stacks: list[Any] = []
    declined = False

    def one(*leaves: Any) -> Any:
        nonlocal declined
        outs = _map(call, unflatten(trees, leaves), tuple(inner), primitive)
        if outs is NotImplemented:
            declined = True
            return []
        stacks[:] = [tree_of_stack(y, length) for y in outs]
        kept = zip(outs, stacks, strict=True)
        return flatten(densify(y, primitive) if t is None else y for y, t in kept)[0]

    leaves = [leaf for leaves, _ in whole for leaf in leaves]
    outs = jax.vmap(one, in_axes=tuple(axes))(*leaves)
    return NotImplemented if declined else unflatten(stacks, outs)
