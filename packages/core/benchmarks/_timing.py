"""The table of what came out, next to Quax and to goals."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from duckarray.core.testing import timing


class Row(NamedTuple):
    """One line of the table; `ours`, the `least` it can be, `quax` and the `goal` are in `unit`."""

    name: str
    goal: float | None
    ours: float
    quax: float | None = None
    unit: str = "x"
    plain: str = ""
    least: float | None = None


def compared(
    name: str,
    goal: float | None,
    plain: Callable[[], Any],
    ours: Callable[[], Any],
    quax: Callable[[], Any] | None = None,
    least: Callable[[], Any] | None = None,
    *,
    repeats: int,
    calls: int = 1,
    cold: bool = False,
) -> Row:
    """The row that compares `ours`, `quax` and `least` with `plain`, repeat by repeat.

    The median of quotients of neighbours in time, by the processor: the speed of a machine changes
    within a run. With `cold`, JAX's caches are emptied before each.
    """
    given = {"plain": plain, "ours": ours, "quax": quax, "least": least}
    programs = {key: program for key, program in given.items() if program is not None}
    found = timing.times(programs, repeats, calls, jax.clear_caches if cold else None)
    seconds = {key: [t.processor for t in each] for key, each in found.items()}
    base = seconds.pop("plain")
    quotients = {
        key: statistics.median(t / b for t, b in zip(each, base, strict=True))
        for key, each in seconds.items()
    }
    return Row(name, goal, plain=_duration(statistics.median(base)), **quotients)


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.1f} µs"


def show(rows: Sequence[Row]) -> None:
    """Prints the table; of a row without a goal nothing is judged."""
    head = ("", "plain JAX", "goal", "duckarray", "", "at least", "quax")
    lines = [head, *map(_line, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        first, *rest = zip(line, widths, strict=True)
        print("  ".join([first[0].ljust(first[1]), *(text.rjust(n) for text, n in rest)]))


def _line(row: Row) -> tuple[str, ...]:
    def number(x: float | None) -> str:
        return "" if x is None else f"{x:.2f}{row.unit}"

    verdict = "" if row.goal is None else "ok" if row.ours <= row.goal else "MISSED"
    goal = "" if row.goal is None else f"≤ {row.goal:g}{row.unit}"
    numbers = number(row.least), number(row.quax)
    return row.name, row.plain, goal, number(row.ours), verdict, *numbers
