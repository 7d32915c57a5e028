"""Runs the benchmarks of all packages and writes what they print to `docs/benchmarks.md`.

python tools/bench_page.py core lora     # others keep what the page says of them

To be run in an environment that has the packages and their groups `test` and `bench`, as that of
the session `bench`, on a machine that does nothing else.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from monorepo import ROOT, packages

PAGE = ROOT / "docs" / "benchmarks.md"
_ASKED = ("jax", "equinox", "numpy", "scipy", "quax")
_HEAD = """---
hide: [toc] # the tables are wide
---

# Benchmarks

What the benchmarks in `packages/*/benchmarks` print. Each compares this library with something else
in the same process: plain JAX, a program written by hand, another library. **A figure is a ratio,
and less is better**, unless it has a unit; beside it is the goal. What is compared is run by turns,
so that a machine that slows down slows both.

They are figures of one machine, and differ on others by a fifth and more. What does not depend on a
machine, such as the operations of a compiled program and the bytes it needs, is tested instead, at
every change. Above each table is what it was measured with, and how busy the machine was.

Run them with `nox -s bench`; `python tools/bench_page.py` writes this page.
"""


def section(name: str) -> str:
    """What the benchmarks of one package print here and now."""
    circumstances = _circumstances()  # before the benchmarks are at work themselves
    files = sorted((ROOT / "packages" / name / "benchmarks").glob("bench_*.py"))
    printed = []
    for file in files:
        run = subprocess.run(
            [sys.executable, str(file)], capture_output=True, text=True, check=True, cwd=ROOT
        )
        printed.append(re.sub(r" +$", "", run.stdout, flags=re.MULTILINE).strip("\n"))
    text = "\n\n".join(printed)
    return f"## {name}\n\n{circumstances}\n\n```text\n{text}\n```\n"


def _circumstances() -> str:
    """Versions, and the kind of machine: what one has to know to compare."""
    found = [f"Python {platform.python_version()}"]
    for name in _ASKED:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    machine = f"{_processor()}, {os.cpu_count()} cores, {platform.system()}"
    return f"{', '.join(found)}; {machine}, {_others()}."


def _others() -> str:
    """What else ran in the last minute: times of a busy machine are longer, and ratios rougher."""
    waiting = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return "idle" if waiting < 1 else f"with {waiting:.0f} other processes at work"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    model = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return f"{model[1] if model else 'a processor'} ({platform.machine()})"


def sections(text: str) -> dict[str, str]:
    """The sections of a page by package."""
    parts = re.split(r"^(?=## \w+$)", text, flags=re.MULTILINE)
    return {part.split()[1]: part.strip() + "\n" for part in parts[1:]}


def page(parts: dict[str, str]) -> str:
    """The whole page, packages in alphabetical order."""
    return "\n".join([_HEAD, *(parts[name] for name in sorted(parts))])


def main() -> None:
    """Reads the command line."""
    old = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for name in sys.argv[1:] or packages():
        old[name] = section(name)
        PAGE.write_text(page(old), encoding="utf-8")
        print(old[name], flush=True)


if __name__ == "__main__":
    main()
