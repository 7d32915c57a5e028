"""A random program as data: steps, each the text of an expression, which can hold functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAME = re.compile(r"\bv\d+\b")


@dataclass(frozen=True)
class Block:
    """A function with the steps of its body; it may use what is in scope where it stands."""

    params: tuple[str, ...]
    steps: tuple[Step, ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """`name = text`, where `f0`, `f1` ... in the text, marked `{f0}`, are functions of its own."""

    name: str
    text: str
    blocks: tuple[Block, ...] = ()

    @property
    def used(self) -> set[str]:
        """The variables of the program that it needs."""
        found = set(_NAME.findall(self.text))
        for block in self.blocks:
            found |= free(block)
        return found


@dataclass(frozen=True)
class Argument:
    """What the program is called with: a name, and the text that makes the value."""

    name: str
    setup: str  # statements, the last of which assigns `name`
    subjects: tuple[str, ...] = ()  # whose values it holds, the outermost first


@dataclass(frozen=True)
class Program:
    """A program, what it is called with, and how it is transformed."""

    arguments: tuple[Argument, ...]
    body: Block
    transform: str  # a name in `_run.TRANSFORMS`
    policy: str = "allow"


def free(block: Block) -> set[str]:
    """The variables that a block takes from where it stands."""
    bound = {*block.params, *(step.name for step in block.steps)}
    used = set(block.results).union(*(step.used for step in block.steps))
    return {name for name in used if _NAME.fullmatch(name)} - bound


def live(block: Block) -> Block:
    """The block without the steps that its results do not need."""
    needed = set(block.results)
    steps: list[Step] = []
    for step in reversed(block.steps):
        if step.name in needed:
            steps.append(step)
            needed |= step.used
    return Block(block.params, tuple(reversed(steps)), block.results)


def source(block: Block, name: str = "program", noisy: bool = False) -> str:
    """The block as the definition of a function.

    With `noisy` each variable is passed through `noise`, to see what depends on rounding.
    """
    return "\n".join(_lines(block, name, noisy))


def _lines(block: Block, name: str, noisy: bool) -> Iterator[str]:
    yield f"def {name}({', '.join(block.params)}):"
    for step in block.steps:
        names = {f"f{i}": f"{step.name}_f{i}" for i in range(len(step.blocks))}
        for key, inner in zip(names, step.blocks, strict=True):
            yield from (f"    {line}" for line in _lines(inner, names[key], noisy))
        text = step.text
        for key, function in names.items():
            text = text.replace(f"{{{key}}}", function)
        yield f"    {step.name} = " + (f"noise({text})" if noisy else text)
    results = ", ".join(block.results)
    yield f"    return {results}" if len(block.results) == 1 else f"    return ({results})"


def renamed(step: Step, old: str, new: str) -> Step:
    """The step with another variable in the place of `old`."""

    def swap(text: str) -> str:
        return re.sub(rf"\b{old}\b", new, text)

    return Step(step.name, swap(step.text), tuple(renamed_block(b, old, new) for b in step.blocks))


def renamed_block(block: Block, old: str, new: str) -> Block:
    """The block with another variable in the place of `old`, unless it has one of that name."""
    if old in block.params:
        return block
    steps = tuple(renamed(step, old, new) for step in block.steps)
    return Block(block.params, steps, tuple(new if r == old else r for r in block.results))
