"""Times of several ways to do one thing, taken in turns, for benchmarks of array types.

A machine that is busy, or changes its speed, does so for all that is compared.

Example:
    >>> import jax, jax.numpy as jnp
    >>> from duckarray.core.testing import timing
    >>> x = jnp.ones(8)
    >>> found = timing.best({"one": lambda: x + x, "ten": lambda: [x + x for _ in range(10)]}, 3)
    >>> found["ten"].clock > found["one"].clock
    True
"""

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax


class Time(NamedTuple):
    """How long one call takes, in seconds.

    Attributes:
        clock: by the clock.
        processor: of the processors, which what else runs on the machine disturbs less.
    """

    clock: float
    processor: float


def times(
    programs: Mapping[str, Callable[[], Any]],
    repeats: int = 21,
    calls: int = 1,
    before: Callable[[], Any] | None = None,
) -> dict[str, list[Time]]:
    """The time of each program in each of several rounds, in which they take turns.

    Args:
        programs: functions without arguments; what they return is waited for.
        repeats: how many rounds.
        calls: how often a program is called in each, for those too short for the clock.
        before: called ahead of each turn, such as `jax.clear_caches`. If left out, each program is
            called once before the first round, so that all is compiled.
    """
    if before is None:
        for program in programs.values():
            jax.block_until_ready(program())
    found: dict[str, list[Time]] = {name: [] for name in programs}
    gc.collect()
    gc.disable()
    try:
        for turn in range(repeats):
            for name in programs if turn % 2 else reversed(list(programs)):
                if before is not None:
                    before()
                found[name].append(_time(programs[name], calls))
    finally:
        gc.enable()
    return found


def _time(program: Callable[[], Any], calls: int) -> Time:
    clock, processor = time.perf_counter(), time.process_time()
    out = None
    for _ in range(calls):
        out = program()
    jax.block_until_ready(out)
    return Time((time.perf_counter() - clock) / calls, (time.process_time() - processor) / calls)


def best(
    programs: Mapping[str, Callable[[], Any]], repeats: int = 21, calls: int = 1
) -> dict[str, Time]:
    """The least time of each program, for those that run long: others only add to it.

    Args:
        programs: functions without arguments.
        repeats: how many rounds, in which they take turns.
        calls: how often a program is called in each.
    """
    return _each(min, times(programs, repeats, calls))


def medians(
    programs: Mapping[str, Callable[[], Any]], repeats: int = 21, calls: int = 1
) -> dict[str, Time]:
    """The median time of each program.

    Args:
        programs: functions without arguments.
        repeats: how many rounds, in which they take turns.
        calls: how often a program is called in each.
    """
    return _each(statistics.median, times(programs, repeats, calls))


def _each(choose: Callable[[Any], float], found: dict[str, list[Time]]) -> dict[str, Time]:
    return {name: Time(*map(choose, zip(*each, strict=True))) for name, each in found.items()}


def ratios(
    base: Callable[[], Any],
    *others: Callable[[], Any],
    repeats: int = 21,
    calls: int = 1,
    before: Callable[[], Any] | None = None,
) -> list[float]:
    """How many times as long as `base` each of the others takes, by the processor.

    It is the median of quotients of neighbours in time: the speed of a machine changes within a
    run.

    Args:
        base: what is compared with.
        *others: what is compared.
        repeats: how many rounds, in which they take turns.
        calls: how often each is called in a round.
        before: called ahead of each turn, such as `jax.clear_caches`.
    """
    programs = {str(i): program for i, program in enumerate((base, *others))}
    first, *rest = times(programs, repeats, calls, before).values()
    return [
        statistics.median(x.processor / y.processor for x, y in zip(each, first, strict=True))
        for each in rest
    ]


_IMPORT = """
import time, {after}
start = time.process_time()
import {module}
print(time.process_time() - start)
"""


def import_seconds(module: str, after: str = "jax, equinox", repeats: int = 5) -> float:
    """What importing a module takes over others, in processes of their own, in seconds.

    Args:
        module: its name.
        after: names of modules that are imported before.
        repeats: of how many the median is.
    """
    command = [sys.executable, "-c", _IMPORT.format(module=module, after=after)]
    # As installed, with the bytecode of its modules.
    env = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [
        subprocess.run(command, capture_output=True, check=True, env=env) for _ in range(repeats)
    ]
    return statistics.median(float(run.stdout) for run in runs)
