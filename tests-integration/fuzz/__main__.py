"""`python -m fuzz --seconds 600 --seed 0`: random programs, and the smallest that fail."""

from __future__ import annotations

import argparse
import collections
import sys
import time

import jax

jax.config.update("jax_num_cpu_devices", 2)
jax.config.update("jax_disable_most_optimizations", True)

from ._run import Refusal, Unsuitable, examine, generate  # noqa: E402
from ._shrink import shrink  # noqa: E402


def main() -> int:
    """Runs programs for some time; returns how many failed."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long it runs")
    parser.add_argument("--seed", type=int, default=None, help="which sequence of programs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--count", type=int, default=None, help="how many programs at most")
    parser.add_argument("--type", action="append", default=[], help="a subject, instead of all")
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    only = tuple(options.type)
    print(f"seed {seed}: `--seed {seed} --first N --count 1` runs program N again", flush=True)

    counts: collections.Counter[str] = collections.Counter()
    findings: dict[str, int] = {}
    start = shown = time.monotonic()
    index = options.first
    while time.monotonic() - start < options.seconds:
        if options.count is not None and index >= options.first + options.count:
            break
        try:
            found = examine(generate(seed, index, only))
        except (Refusal, Unsuitable) as why:
            counts[f"{type(why).__name__.lower()}: {why}"] += 1
        else:
            counts["agree" if found is None else "FAILED"] += 1
            if found is not None:
                smallest = shrink(found)
                text = str(smallest)
                findings.setdefault(text, index)
                if findings[text] == index:
                    print(f"\n--- program {index}: {smallest.kind}\n{text}\n", flush=True)
        index += 1
        if time.monotonic() - shown > 15:
            shown = time.monotonic()
            _show(counts, shown - start)
    _show(counts, time.monotonic() - start)
    print(f"{len(findings)} different failures, from programs {list(findings.values())}")
    return min(len(findings), 100)


def _show(counts: collections.Counter[str], seconds: float) -> None:
    parts = ", ".join(f"{n} {what}" for what, n in counts.most_common())
    print(f"{seconds:5.0f} s: {sum(counts.values())} programs: {parts}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
