"""Rehearses a release in a clean clone: all that the workflow does, but for publishing.

python tools/rehearse_release.py lora zeros      # all packages without a name

For each package: a tag, its plan, sdist and wheel with their checks, and an environment that holds
nothing but the wheel and what it declares. There it is imported and the examples of its README are
run. Its tests are those of the session `tests`, which the workflow runs as well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from monorepo import PREFIX, ROOT, Package, packages, sibling

_IMPORT = """
import importlib.metadata as m, duckarray.{name} as package
print(package.__version__, *sorted(
    d.name for d in m.distributions() if d.name.startswith("{prefix}")
))
"""
_DOCTEST = """
import doctest, sys
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
failed, tried = doctest.testfile(sys.argv[1], module_relative=False, optionflags=flags)
sys.exit(f"{failed} of {tried} examples failed" if failed or not tried else 0)
"""


class RehearsalError(Exception):
    """Something that would have stopped the release, or should have."""


def rehearse(names: list[str], folder: Path) -> None:
    """Releases packages from a clone in an empty folder to an index of files in it.

    Raises:
        RehearsalError: at the first thing that is not as it should be.
    """
    clone, index = folder / "clone", folder / "index"
    _run("git", "clone", "--quiet", str(ROOT), str(clone))
    known = packages(clone)
    wanted = [known[name] for name in names or known]
    needed = _with_siblings(wanted, known)
    for package in needed:
        _build(package, clone, index)
    for package in wanted:
        began = time.monotonic()
        _tag(package, clone)
        _use(package, known, index, folder / f"env-{package.name}")
        print(f"{package.name} {package.version}: {time.monotonic() - began:.0f} s", flush=True)


def installed(package: Package, known: dict[str, Package]) -> set[str]:
    """The distributions of this repository that installing a package brings."""
    out = {f"{PREFIX}{package.name}"}
    for name in filter(None, map(sibling, package.dependencies)):
        out |= installed(known[name], known)
    return out


def _with_siblings(wanted: list[Package], known: dict[str, Package]) -> list[Package]:
    names = set().union(*(installed(package, known) for package in wanted))
    return [known[name.removeprefix(PREFIX)] for name in sorted(names)]


def _tag(package: Package, clone: Path) -> None:
    """The tag as a maintainer sets it, and the first job of `release.yml`."""
    tag = f"{package.name}-v{package.version}"
    _run("git", "tag", "--force", tag, cwd=clone)
    notes = clone / "notes.md"
    plan = str(clone / "tools" / "release_plan.py")
    out = _run(sys.executable, plan, tag, "--on", "HEAD", "--notes", str(notes), cwd=clone)
    if f"package={package.name}\n" not in out or not notes.read_text(encoding="utf-8").strip():
        raise RehearsalError(f"the plan of {tag} is not about {package.name}:\n{out}")


def _build(package: Package, clone: Path, index: Path) -> None:
    """The job `build`: an sdist, and the wheel from it."""
    command = ["uv", "build", "--quiet", "--no-sources", "--out-dir", str(index)]
    _run(*command, str(package.folder))
    leaf = f"duckarray_{package.name}-{package.version}"
    files = [str(index / f"{leaf}{end}") for end in ("-py3-none-any.whl", ".tar.gz")]
    _run(sys.executable, str(clone / "tools" / "check_dist.py"), *files)
    with zipfile.ZipFile(files[0]) as wheel:
        (name,) = (n for n in wheel.namelist() if n.endswith(".dist-info/licenses/LICENSE"))
        if wheel.read(name) != (clone / "LICENSE").read_bytes():
            raise RehearsalError(f"{files[0]} holds another licence than the repository")


def _use(package: Package, known: dict[str, Package], index: Path, where: Path) -> None:
    """What a user does with an empty environment and the name of the distribution."""
    _run("uv", "venv", "--quiet", "--python", sys.executable, str(where))
    python = str(where / ("Scripts" if os.name == "nt" else "bin") / "python")
    install = ["uv", "pip", "install", "--quiet", "--python", python, "--find-links", str(index)]
    _run(*install, f"{PREFIX}{package.name}=={package.version}")
    _run("uv", "pip", "check", "--quiet", "--python", python)
    code = _IMPORT.format(name=package.name, prefix=PREFIX)
    version, *found = _run(python, "-I", "-W", "error", "-c", code).split()
    if version != package.version or set(found) != installed(package, known):
        raise RehearsalError(f"{package.name} {version} was installed with {found}")
    extra = [text for text in package.group("test") if sibling(text) is None]
    _run(*install, *extra)  # some examples need more, as they say
    _run(python, "-I", "-c", _DOCTEST, str(package.folder / "README.md"))


def _run(*command: str, cwd: Path | None = None) -> str:
    env = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    env["JAX_PLATFORMS"] = "cpu"
    run = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RehearsalError(f"`{' '.join(command)}` failed:\n{run.stdout}{run.stderr}")
    return run.stdout


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    names = parser.parse_args().packages
    if unknown := [name for name in names if name not in packages()]:
        sys.exit(f"There is no `packages/{unknown[0]}`.")
    with tempfile.TemporaryDirectory() as folder:
        try:
            rehearse(names, Path(folder).resolve())
        except RehearsalError as error:
            sys.exit(f"No release: {error}")


if __name__ == "__main__":
    main()
