"""What `explain` returns: a record for each operation, their sums, and a table."""

import dataclasses
import html
import importlib
import os
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ._errors import listing

_WIDTH = 100

_NO_PANDAS = """`Report.to_pandas()` makes a table of pandas, which is not installed.
Install it (`pip install pandas`), or use `Report.operations`, which are dataclasses."""

_POLICIES = {
    "allow": "dense",
    "warn": "dense, warned of",
    "error": "REFUSED as dense",
    "impossible": "REFUSED, no dense form",
}


Outcome = Literal["rule", "default", "structural", "leafwise", "materialized"]
Fate = Literal["allow", "warn", "error", "impossible"]


@dataclasses.dataclass(frozen=True)
class Operation:
    """One operation that met a value.

    Attributes:
        primitive: its name; for what is no primitive, what asked for a dense array.
        operands: a summary of each, such as `"LoraArray f32[4,8]"`.
        results: likewise.
        outcome: who answered: a `"rule"`; the `"default"` of a type; core itself, which is
            `"structural"` where the program that the primitive carries is run, and `"leafwise"`
            where the primitive is applied to each leaf; or nobody, so that it is `"materialized"`.
        rule: the full name of the rule or default, or None.
        rule_location: its file and line.
        line: the line of the program, as in `"model.py:12 (forward)"`.
        path: what it happens inside of, from the outermost: `("jit step", "scan × 10")`.
        times: how often it happens, as far as loops around it have a known length.
        dense: the values made dense for it, as summaries.
        bytes: the size of the dense arrays, one time.
        policy: what would have come of it: `"allow"`, `"warn"`, `"error"`, or `"impossible"` if the
            value has no dense form; None if nothing was made dense.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, explain
        >>> class Doubled(ArrayValue):
        ...     half: jax.Array
        ...     def materialize(self):
        ...         return 2 * self.half
        >>> (operation,) = explain(jax.lax.sin, Doubled(jnp.ones(3))).operations
        >>> operation.operands, operation.results, operation.policy
        (('Doubled f32[3]',), ('f32[3]',), 'warn')
    """

    primitive: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    outcome: Outcome
    rule: str | None
    rule_location: str | None
    line: str
    path: tuple[str, ...]
    times: int
    dense: tuple[str, ...]
    bytes: int
    policy: Fate | None


@dataclasses.dataclass(frozen=True, repr=False)
class Report:
    """What becomes of the operations of a program; `str` and `repr` are a table.

    Attributes:
        operations: those that met a value, in order.
        passed: how many others there were, on arrays alone, which are JAX's as ever.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, explain
        >>> class Doubled(ArrayValue):
        ...     half: jax.Array
        ...     materialization = "error"
        ...     def materialize(self):
        ...         return 2 * self.half
        >>> report = explain(jax.lax.sin, Doubled(jnp.ones(3)))
        >>> [x.primitive for x in report.refused], report.bytes, report.totals
        (['sin'], 12, {'materialized': 1})
    """

    operations: tuple[Operation, ...]
    passed: int

    @property
    def materialized(self) -> list[Operation]:
        """The operations for which something is made dense."""
        return [x for x in self.operations if x.dense]

    @property
    def refused(self) -> list[Operation]:
        """Those of `materialized` at which the program would stop with an error."""
        return [x for x in self.operations if x.policy in ("error", "impossible")]

    @property
    def bytes(self) -> int:
        """The size of all arrays made dense; what is in a loop counts once."""
        return sum(x.bytes for x in self.operations)

    @property
    def totals(self) -> dict[str, int]:
        """How many operations had which outcome."""
        return dict(Counter(x.outcome for x in self.operations))

    @property
    def by_line(self) -> dict[str, tuple[Operation, ...]]:
        """The operations of each line of the program."""
        lines: dict[str, list[Operation]] = {}
        for x in self.operations:
            lines.setdefault(x.line, []).append(x)
        return {line: tuple(operations) for line, operations in lines.items()}

    def to_pandas(self) -> Any:
        """The operations as a `pandas.DataFrame`, one row each.

        Raises:
            ImportError: if pandas is not installed.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise ImportError(_NO_PANDAS) from error
        names = [f.name for f in dataclasses.fields(Operation)]
        return pandas.DataFrame(
            [[getattr(x, n) for n in names] for x in self.operations], None, names
        )

    @cached_property
    def _text(self) -> str:
        return "\n".join(_table(self))

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _table(report: Report) -> Iterator[str]:
    n = len(report.operations)
    yield f"{n:,} {'operation meets' if n == 1 else 'operations meet'} a value: {_outcomes(report)}"
    dense = report.materialized
    if dense:
        refused = len(report.refused)
        stop = f"; the policy refuses {refused:,} of them" if refused else ""
        yield f"made dense at {len(dense):,}: {report.bytes:,} bytes{stop}"
    yield f"{report.passed:,} more on arrays alone"
    sections: dict[tuple[str, str], Counter[tuple[str, ...]]] = {}
    for x in report.operations:
        if x.outcome == "structural" and not x.dense:
            continue  # what happens inside is listed
        section = sections.setdefault((x.line, _where(x)), Counter())
        operands = listing(x.operands)
        section[x.primitive, operands, _result(x)] += 1
    rows = [row for section in sections.values() for row in section]
    if not rows:
        return
    count = max(len(f"{c:,}") for section in sections.values() for c in section.values())
    first = min(max(len(row[0]) for row in rows), 18)
    third = min(max(len(row[2]) for row in rows), 50)
    second = min(max(len(row[1]) for row in rows), _WIDTH - count - first - third - 8)
    for (line, where), section in sections.items():
        yield ""
        heading = f"{_short_line(line)}{f' in {where}' if where else ''}"
        yield _cut(heading, _WIDTH)
        for (primitive, operands, result), c in section.items():
            cells = [f"{c:>{count},} ×", _cut(primitive, first).ljust(first)]
            cells += [_cut(operands, second).ljust(second), _cut(result, third)]
            yield "  " + "  ".join(cells)


def _outcomes(report: Report) -> str:
    words = {
        "rule": "by a rule",
        "default": "by the type's default",
        "leafwise": "leaf by leaf",
        "structural": "by what is inside",
        "materialized": "without a rule",
    }
    totals = report.totals
    return ", ".join(f"{totals[k]:,} {text}" for k, text in words.items() if k in totals) or "none"


def _where(x: Operation) -> str:
    """What the operation is inside of, without the jitted functions that JAX itself is made of."""
    return " › ".join(part for part in x.path if not part.startswith("jit "))


def _result(x: Operation) -> str:
    if x.dense:
        return f"{x.bytes:,} bytes {_POLICIES[x.policy or 'allow']}"
    if x.rule is not None:
        return f"{x.rule.rpartition('.')[2]} ({_short_file(x.rule_location or '')})"
    return "leaf by leaf" if x.outcome == "leafwise" else ""


def _short_file(location: str) -> str:
    return location.rpartition(os.sep)[2]


def _short_line(line: str) -> str:
    """A line with its file's path cut to what tells: relative, or the file's last folder."""
    file, colon, rest = line.partition(":")
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        file = str(path.relative_to(Path.cwd()))
    elif len(path.parts) > 3:
        file = str(Path(*path.parts[-2:]))
    return f"{file}{colon}{rest}" or "outside any line of the program"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
