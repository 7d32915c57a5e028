"""Draws a random program, runs it on values and on dense arrays, and compares."""

from __future__ import annotations

import contextlib
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax

from duckarray.core import (
    AmbiguousRuleError,
    BranchTypeError,
    CarryTypeError,
    MaterializeError,
    NoRuleError,
    checking_rules,
    materialization,
    quaxify,
)
from duckarray.core.testing._compare import Mismatch, with_notes

from . import _arguments
from ._dense import Unsuitable, least_precise, on_dense
from ._evaluate import compile_block, value_of
from ._generate import Generator, Refused
from ._program import Program, live
from ._rounding import is_rounding
from ._script import script
from ._transforms import TRANSFORMS, WEIGHTS, is_outer, transformed


@dataclass(frozen=True)
class Finding:
    """What went wrong: `kind` says how, in a word or by an exception, `text` in full."""

    program: Program
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.text}\n\n{script(self.program)}"


class Refusal(Exception):  # noqa: N818
    """The types say, by an error that is documented, that they cannot do this."""


def generate(seed: int, index: int, only: tuple[str, ...] = ()) -> Program:
    """The program of this number in the sequence that the seed begins."""
    rng = random.Random(f"{seed}/{index}")
    while True:
        arguments = _arguments.draw(rng, only)
        avals = {a.name: _struct(_arguments.dense(a)) for a in arguments}
        transform, weights = list(TRANSFORMS), [WEIGHTS.get(t, 1) for t in TRANSFORMS]
        try:
            body = Generator(rng, len(avals)).body(avals, rng.choice([2, 3, 4, 6]))
        except Refused:
            continue
        policy = "error" if rng.random() < 0.08 else "allow"
        (chosen,) = rng.choices(transform, weights)
        return Program(arguments, live(body), chosen, policy)


def _struct(x: Any) -> Any:
    return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=x.weak_type)


def examine(program: Program) -> Finding | None:
    """What is wrong with a program, if something is.

    Raises:
        Unsuitable: if it says nothing.
        Refusal: if the types refuse it.
    """
    with _settings(program.policy):
        want, struct = on_dense(program)
        try:
            got = _on_values(program)
            got = jax.block_until_ready(got)
        except Exception as error:
            if _is_refusal(program, error):
                raise Refusal(type(error).__name__) from error
            kind = type(error).__name__
            return Finding(program, kind, f"{kind}: {with_notes(error)}")
        try:
            _compare(program, got, want, struct)
        except Mismatch as error:
            if is_rounding(program, got, want):
                raise Unsuitable("rounding") from error
            kind = "wrong" if "wrong numbers" in str(error) else "aval"
            return Finding(program, kind, str(error))
    return None


def _on_values(program: Program) -> Any:
    run = transformed(program.transform, compile_block(program.body), quaxify)
    return run(*[value_of(argument) for argument in program.arguments])


@contextlib.contextmanager
def _settings(policy: str) -> Iterator[None]:
    with (
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
        materialization(policy),
        checking_rules(),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def _is_refusal(program: Program, error: Exception) -> bool:
    names = {name for argument in program.arguments for name in argument.subjects}
    refuses = tuple(kind for name in names for kind in _arguments.known()[name][1].refuses)
    if program.policy == "error":
        refuses = (*refuses, MaterializeError)
    if len(names) > 1:
        refuses = (*refuses, AmbiguousRuleError)
    if "units" in names:
        refuses = (*refuses, MaterializeError, NoRuleError, BranchTypeError, CarryTypeError)
    return isinstance(error, refuses)


def _compare(program: Program, got: Any, want: Any, struct: Any) -> None:
    comparison = _arguments.comparison(least_precise(program, want))
    if is_outer(program.transform):
        tree = jax.tree.structure
        if tree(got) != tree(want):
            raise Mismatch(f"the structure is {tree(got)}, not {tree(want)}")
        got, want, struct = jax.tree.leaves(got), jax.tree.leaves(want), None
    try:
        comparison.same(got, want, struct, loose=10)
    except Mismatch:
        raise
    except Exception as error:
        raise Mismatch(f"the result {got} cannot be made dense: {error}") from error
