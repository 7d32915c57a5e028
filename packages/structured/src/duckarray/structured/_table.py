"""The closure table: for types and an operation the type of the result, asked of the rules.

`python -m duckarray.structured._table` writes it to the file that is part of the documentation.
"""

import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl

from duckarray.core import materialization, quaxify

from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import Structured
from ._lowrank import DiagonalPlusLowRank, LowRank
from ._permutation import Permutation
from ._product import BlockDiagonal, Kronecker
from ._stored import Symmetric, Triangular
from ._toeplitz import Circulant, Toeplitz

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "@": operator.matmul,
    "solve": jnp.linalg.solve,
}

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "`inv(a)`": jnp.linalg.inv,
    "`pinv(a)`": jnp.linalg.pinv,
    "`cholesky(a)`": jnp.linalg.cholesky,
    "`matrix_power(a, 2)`": lambda a: jnp.linalg.matrix_power(a, 2),
    "`expm(a)`": jsl.expm,
    "`a.mT`": lambda a: a.mT,
    "`jnp.sin(a)`": jnp.sin,
}

_HEAD = """Both operands are square, of the same size, and conform: blocks and factors are of the \
same sizes, triangles on the same
side. "dense" is an array: what has no structure of these. Where an operand has to be made dense \
for it, the policy of
`materialization` is asked.
"""

_FUNCTIONS_HEAD = """### Functions of one matrix

The inverse of a band has no zeros and that of a Toeplitz matrix is not constant along diagonals, \
so these are arrays; so is
a pseudo-inverse of these, of a diagonal plus a low rank and of a triangle, which may be \
singular. It is made of a dense matrix,
for which the policy is asked, save for types that store one.
"""


def samples(numbers: Callable[..., Any]) -> dict[str, Any]:
    """One value of each type, four rows each; `numbers(*shape)` gives arrays."""
    values = [
        Identity(4),
        Diagonal(numbers(4)),
        Tridiagonal(numbers(3), numbers(4), numbers(3)),
        Banded(numbers(4, 4), 1, 2),
        Triangular(numbers(4, 4), lower=True),
        Symmetric(numbers(4, 4)),
        Permutation(jnp.array([2, 0, 3, 1])),
        Toeplitz(numbers(4), numbers(4)),
        Circulant(numbers(4)),
        Kronecker(numbers(2, 2), numbers(2, 2)),
        BlockDiagonal(numbers(2, 2, 2)),
        LowRank(numbers(4, 2), numbers(4, 2)),
        DiagonalPlusLowRank(numbers(4), numbers(4, 2), numbers(4, 2)),
    ]
    return {type(x).__name__: x for x in values}


def closure_table() -> dict[tuple[str, str, str], str]:
    """For left type, operation and right type: the name of the type of the result, or "dense"."""
    given = samples(lambda *shape: jnp.ones(shape))
    found = {}
    with materialization("allow"):
        for left, x in given.items():
            for name, function in OPERATIONS.items():
                for right, y in given.items():
                    out = jax.eval_shape(quaxify(function), x, y)
                    structured = isinstance(out, Structured)
                    found[left, name, right] = type(out).__name__ if structured else "dense"
    return found


def function_table() -> dict[tuple[str, str], str]:
    """For a type and a function: the name of the type of the result, or "dense"."""
    given = samples(lambda *shape: jnp.ones(shape))
    found = {}
    with materialization("allow"):
        for kind, x in given.items():
            for name, function in FUNCTIONS.items():
                out = jax.eval_shape(quaxify(function), x)
                structured = isinstance(out, Structured)
                found[kind, name] = type(out).__name__ if structured else "dense"
    return found


def as_markdown(
    table: dict[tuple[str, str, str], str], functions: dict[tuple[str, str], str]
) -> str:
    """A table for each operation, left operands down and right ones across; one of functions."""
    types = list(dict.fromkeys(left for left, _, _ in table))
    lines = [_HEAD]
    for name in OPERATIONS:
        title = "`jnp.linalg.solve(left, right)`" if name == "solve" else f"`left {name} right`"
        lines += [f"### {title}", "", "| |" + "|".join(types) + "|"]
        lines.append("|---" * (len(types) + 1) + "|")
        for left in types:
            row = [table[left, name, right] for right in types]
            lines.append(f"|**{left}**|" + "|".join(row) + "|")
        lines.append("")
    lines += [_FUNCTIONS_HEAD, "|`a`|" + "|".join(FUNCTIONS) + "|"]
    lines.append("|---" * (len(FUNCTIONS) + 1) + "|")
    for kind in types:
        lines.append(f"|**{kind}**|" + "|".join(functions[kind, name] for name in FUNCTIONS) + "|")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(as_markdown(closure_table(), function_table()), encoding="utf-8")
