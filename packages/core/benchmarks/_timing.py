"""Interleaved timing of several ways to do one thing, and the table of what came out."""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax


class Row(NamedTuple):
    """One line of the table; `ours` and `quax` are compared with `goal`, both in `unit`."""

    name: str
    goal: float | None
    ours: float
    quax: float | None = None
    unit: str = "x"
    plain: str = ""


def medians(
    programs: Sequence[Callable[[], Any]], repeats: int, calls: int = 1, cold: bool = False
) -> list[float]:
    """Seconds for one call of each program: the median over `repeats`, taken in turn."""
    return list(map(statistics.median, _times(programs, repeats, calls, cold)))


def _times(
    programs: Sequence[Callable[[], Any]], repeats: int, calls: int, cold: bool
) -> list[list[float]]:
    """The seconds of each repeat of each program.

    It is processor time, so that what else runs on the machine counts less.
    With `cold`, JAX's caches are emptied before each; otherwise each is called once beforehand.
    """
    if not cold:
        for program in programs:
            jax.block_until_ready(program())
    times: list[list[float]] = [[] for _ in programs]
    gc.collect()
    gc.disable()
    try:
        for turn in range(repeats):
            order = range(len(programs)) if turn % 2 else reversed(range(len(programs)))
            for i in order:
                if cold:
                    jax.clear_caches()
                times[i].append(_seconds(programs[i], calls))
    finally:
        gc.enable()
    return times


def _seconds(program: Callable[[], Any], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        out = program()
    jax.block_until_ready(out)
    return (time.process_time() - start) / calls


def ratios(
    name: str,
    goal: float | None,
    plain: Callable[[], Any],
    ours: Callable[[], Any],
    quax: Callable[[], Any] | None = None,
    *,
    repeats: int,
    calls: int = 1,
    cold: bool = False,
) -> Row:
    """The row that compares `ours` and `quax` with `plain`, repeat by repeat.

    The median of quotients of neighbours in time: the speed of a machine changes within a run.
    """
    programs = [plain, ours] if quax is None else [plain, ours, quax]
    base, *others = _times(programs, repeats, calls, cold)
    quotients = [
        statistics.median(t / b for t, b in zip(each, base, strict=True)) for each in others
    ]
    return Row(name, goal, *quotients, plain=_duration(statistics.median(base)))


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.1f} µs"


def show(rows: Sequence[Row]) -> None:
    """Prints the table; of a row without a goal nothing is judged."""
    head = ("", "plain JAX", "goal", "duckarray", "", "quax")
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
    return row.name, row.plain, goal, number(row.ours), verdict, number(row.quax)
