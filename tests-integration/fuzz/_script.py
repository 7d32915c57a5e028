"""A program as a script that shows what is wrong with it."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from duckarray.core import ArrayValue

from . import _arguments
from ._evaluate import HELPERS, IMPORTS, value_of
from ._program import Program, source
from ._transforms import TRANSFORMS, is_outer, tangents


def script(program: Program) -> str:
    """The program as a script that shows what it gives on values and on arrays."""
    text = source(program.body)
    parts = [IMPORTS]
    transform = TRANSFORMS[program.transform]
    if any(name in transform + text for name in ("loss", "total", "custom_", "dense", "one_two")):
        parts.append("\n" + HELPERS)
    if "tangents" in transform:
        parts.append("\n" + inspect.getsource(tangents))
    parts += [argument.setup for argument in program.arguments]
    parts += ["\n" + text + "\n"]
    names = ", ".join(argument.name for argument in program.arguments)
    transform = transform.replace("jit(", "jax.jit(").replace("jax.jax.", "jax.")
    parts.append(f"Q = quaxify\nwith materialization({program.policy!r}):")
    parts.append(f"    print({transform}({names}))")
    if is_outer(program.transform):
        parts.append("Q = lambda f: lambda *args: f(*materialize(args))")
        parts.append(f"print({transform}({names}))")
    else:
        parts.append("Q = lambda f: f")
        parts += [line for argument in program.arguments for line in _dense_lines(argument)]
        parts.append(f"print({transform}({names}))")
    return "\n".join(parts)


def _dense_lines(argument: Any) -> list[str]:
    if not isinstance(value_of(argument), ArrayValue):
        return []
    x = _arguments.dense(argument)
    numbers = np.asarray(x).astype(complex if x.dtype.kind == "c" else float).tolist()
    return [f"{argument.name} = jnp.array({numbers}, {str(x.dtype)!r})"]
