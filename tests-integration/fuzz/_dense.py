"""The oracle: the same program on the arrays that the values stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from duckarray.core import materialization

from . import _arguments
from ._evaluate import compile_block, value_of
from ._program import Program, source
from ._transforms import identity, is_outer, on_materialized, transformed


class Unsuitable(Exception):  # noqa: N818
    """The program does not work on dense arrays, or its results depend on rounding."""


def on_dense(program: Program) -> tuple[Any, Any]:
    """What it gives on dense arrays, and its shapes, dtypes and weak types.

    Raises:
        Unsuitable: if it does not work.
    """
    run, args = dense_run(program, compile_block(program.body))
    try:
        struct = jax.eval_shape(run, *args)
        return jax.block_until_ready(run(*args)), struct
    except Exception as error:
        raise Unsuitable("dense") from error


def dense_run(program: Program, function: Callable[..., Any]) -> tuple[Any, list[Any]]:
    """The function, transformed as the program is, and what to call it with."""
    outer = is_outer(program.transform)
    run = transformed(program.transform, function, on_materialized if outer else identity)

    def allowed(*args: Any) -> Any:
        with materialization("allow"):
            return run(*args)

    one = value_of if outer else _arguments.dense
    return allowed, [one(argument) for argument in program.arguments]


def least_precise(program: Program, want: Any) -> str:
    """The least precise of the dtypes that the program meets."""
    arrays = [*jax.tree.leaves(want), *map(_arguments.dense, program.arguments)]
    half = any(x.dtype == "bfloat16" for x in arrays) or "bfloat16" in source(program.body)
    return "bfloat16" if half else "float32"
