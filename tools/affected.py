"""Which packages a change can affect: those it touches and all that depend on them.

python tools/affected.py origin/main                     prints one name on each line
python tools/affected.py origin/main --sessions < list   keeps those of `nox --list --json`
python tools/affected.py --all --sessions < list         keeps all, in the form CI wants
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from monorepo import ROOT, Package, dependents, packages

# Other checks, which run for every change, read these; the tests of a package do not.
_NO_PACKAGE = (
    ".github/dependabot.yml",
    ".gitignore",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "docs/",
    "mkdocs.yml",
    "template/",
    "tests-integration/",
    "tools/new_package.py",
    "tools/tests/",
)


def affected(paths: Iterable[str], known: dict[str, Package]) -> set[str]:
    """The packages whose tests can come out differently after a change to these files.

    A file of which it is not known that it belongs to one package, or to none, affects all.
    """
    touched: set[str] = set()
    for path in paths:
        parts = path.split("/")
        if parts[0] == "packages" and len(parts) > 2 and parts[1] in known:
            touched.add(parts[1])
        elif not path.startswith(_NO_PACKAGE):
            return set(known)
    return dependents(touched, known)


def changed_paths(base: str) -> list[str]:
    """The files that differ from where this branch left `base`; a renamed file counts twice."""
    command = ["git", "diff", "--name-only", "--no-renames", "-z", f"{base}...HEAD"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for path in run.stdout.split("\0") if path]


def matrix(sessions: Iterable[dict[str, Any]], names: set[str], device: str) -> dict[str, Any]:
    """The sessions of these packages as a matrix of GitHub Actions."""
    chosen = [
        {"session": session["session"], "python": session["python"]}
        for session in sessions
        if session["call_spec"]["package"] in names and session["call_spec"]["device"] == device
    ]
    return {"include": chosen}


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("base", nargs="?", help="branch or commit to compare with")
    parser.add_argument("--all", action="store_true", help="every package, whatever has changed")
    parser.add_argument("--sessions", action="store_true", help="filter nox's list from stdin")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    if bool(options.base) == options.all:
        parser.error("say what to compare with, or --all")

    known = packages()
    names = set(known) if options.all else affected(changed_paths(options.base), known)
    if options.sessions:
        print(json.dumps(matrix(json.load(sys.stdin), names, options.device)))
    else:
        print("\n".join(sorted(names)))


if __name__ == "__main__":
    main()
