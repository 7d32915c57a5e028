"""Rehearses a release in a clean clone: all that the workflow does, but for publishing.

python tools/rehearse_release.py lora zeros      # all packages without a name
python tools/rehearse_release.py --tests lora    # and their tests, which takes minutes

For each package: a tag, its plan, sdist and wheel with their checks, and two environments that hold
nothing but the wheel and what it declares, in the newest versions, and on its oldest Python in the
oldest ones. There it is imported and the examples of its README are run; its tests on demand, since
they are those of the session `tests`, which the workflow runs as well.
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
_VERSIONS = """
import jax, platform
print(f"Python {platform.python_version()}, jax {jax.__version__}")
"""
_DOCTEST = """
import doctest, sys
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
failed, tried = doctest.testfile(sys.argv[1], module_relative=False, optionflags=flags)
sys.exit(f"{failed} of {tried} examples failed" if failed or not tried else 0)
"""


class RehearsalError(Exception):
    """Something that would have stopped the release, or should have."""


def rehearse(names: list[str], folder: Path, tests: bool = False) -> None:
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
        _tag(package, clone)
        for resolution in ("highest", "lowest-direct"):
            began = time.monotonic()
            where = folder / f"{package.name}-{resolution}"
            versions = _use(package, known, index, where, resolution, tests)
            took = time.monotonic() - began
            print(f"{package.name} {package.version}, {versions}: {took:.0f} s", flush=True)


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


def _use(
    package: Package,
    known: dict[str, Package],
    index: Path,
    where: Path,
    resolution: str,
    tests: bool,
) -> str:
    """What a user does with an empty environment and the name of the distribution; versions."""
    of = sys.executable if resolution == "highest" else package.pythons[0]
    _run("uv", "venv", "--quiet", "--python", of, str(where))
    python = str(where / ("Scripts" if os.name == "nt" else "bin") / "python")
    install = ["uv", "pip", "install", "--quiet", "--python", python, "--find-links", str(index)]
    install += ["--resolution", resolution]
    mine = [f"{PREFIX}{package.name}=={package.version}"]
    # Only what the command line names counts as direct.
    mine += [text for each in _with_siblings([package], known) for text in each.dependencies]
    _run(*install, *mine)
    _run("uv", "pip", "check", "--quiet", "--python", python)
    code = _IMPORT.format(name=package.name, prefix=PREFIX)
    version, *found = _run(python, "-I", "-W", "error", "-c", code).split()
    if version != package.version or set(found) != installed(package, known):
        raise RehearsalError(f"{package.name} {version} was installed with {found}")
    extra = [text for text in package.group("test") if sibling(text) is None]
    _run(*install, *mine, *extra)  # some examples need more, as they say
    _run(python, "-I", "-c", _DOCTEST, str(package.folder / "README.md"))
    if tests:
        root = package.folder.parents[1]
        pytest = ["pytest", "-c", "pyproject.toml", "--rootdir", str(root), "--numprocesses=auto"]
        _run(python, "-m", *pytest, str(package.folder / "tests"), cwd=root)
    return _run(python, "-I", "-c", _VERSIONS).strip()


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
    parser.add_argument("--tests", action="store_true", help="run the tests of the packages too")
    options = parser.parse_args()
    names = options.packages
    if unknown := [name for name in names if name not in packages()]:
        sys.exit(f"There is no `packages/{unknown[0]}`.")
    with tempfile.TemporaryDirectory() as folder:
        try:
            rehearse(names, Path(folder).resolve(), options.tests)
        except RehearsalError as error:
            sys.exit(f"No release: {error}")


if __name__ == "__main__":
    main()
