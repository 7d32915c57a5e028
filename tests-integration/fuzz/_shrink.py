"""Makes a program that fails smaller, as long as it still fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from duckarray.core import ArrayValue

from . import _arguments
from ._dense import Unsuitable
from ._evaluate import value_of
from ._program import Argument, Block, Program, Step, live, renamed, renamed_block
from ._run import Finding, Refusal, examine
from ._transforms import TRANSFORMS


def shrink(finding: Finding, seconds: float = 60.0) -> Finding:
    """The finding with the smallest program that is found in this time."""
    end = time.monotonic() + seconds
    tried: set[Program] = set()
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for program in _candidates(finding.program):
            if time.monotonic() > end:
                break
            if program in tried:
                continue
            tried.add(program)
            found = _again(program, finding.kind)
            if found is not None:
                finding, smaller = found, True
                break
    return finding


def _again(program: Program, kind: str) -> Finding | None:
    try:
        found = examine(program)
    except (Unsuitable, Refusal):
        return None
    except Exception:
        return None
    return found if found is not None and found.kind == kind else None


def _candidates(program: Program) -> Iterator[Program]:
    """Simpler programs, those that are much simpler first."""
    for body in _simpler(program.body):
        yield replace(program, body=live(body))
    order = list(TRANSFORMS)
    for transform in order[: order.index(program.transform)]:
        yield replace(program, transform=transform)
    if program.policy != "allow":
        yield replace(program, policy="allow")
    for i, argument in enumerate(program.arguments):
        if i and isinstance(value_of(argument), ArrayValue):
            dense = _densified(argument)
            yield replace(program, arguments=_with(program.arguments, i, dense))
    used = {name for step in program.body.steps for name in step.used} | {*program.body.results}
    for i, argument in enumerate(program.arguments):
        if i and argument.name not in used:
            rest = (*program.arguments[:i], *program.arguments[i + 1 :])
            params = tuple(a.name for a in rest)
            yield replace(program, arguments=rest, body=replace(program.body, params=params))


def _densified(argument: Argument) -> Argument:
    x = _arguments.dense(argument)
    text = f"{argument.name} = jnp.array({x.tolist()}, {str(x.dtype)!r})"
    return Argument(argument.name, f"import jax.numpy as jnp\nnan = inf = jnp.nan\n{text}")


def _with(items: tuple, i: int, item: object) -> tuple:  # type: ignore[type-arg]
    return (*items[:i], item, *items[i + 1 :])


def _simpler(block: Block) -> Iterator[Block]:
    for step in block.steps:  # to give what is made on the way
        if block.results != (step.name,) and len(block.results) == 1:
            yield replace(block, results=(step.name,))
    for result in block.results if len(block.results) > 1 else ():
        yield replace(block, results=(result,))
    for i, step in enumerate(block.steps):  # to take a step away, with what it is made of instead
        rest = block.steps[:i] + block.steps[i + 1 :]
        earlier = [*block.params, *(s.name for s in block.steps[:i])]
        for other in sorted(step.used & set(earlier)) or earlier[-1:]:
            inner = renamed_block(replace(block, steps=rest), step.name, other)
            yield inner
    for i, step in enumerate(block.steps):
        for simple in _simpler_step(step):
            yield replace(block, steps=_with(block.steps, i, simple))
    for i, step in enumerate(block.steps):  # to use the arguments instead of what comes before
        for name in sorted(step.used - set(block.params)):
            for param in block.params:
                yield replace(block, steps=_with(block.steps, i, renamed(step, name, param)))


def _simpler_step(step: Step) -> Iterator[Step]:
    for i, inner in enumerate(step.blocks):
        for block in _simpler(inner):
            yield replace(step, blocks=_with(step.blocks, i, live(block)))
