"""What a wheel or an sdist of this repository may contain, and what it must.

python tools/check_dist.py dist/core/*
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement

_BOUNDS = {">=", "==", "~=", ">"}


def problems(path: Path) -> list[str]:
    """A sentence for each thing that is wrong with a built file; none if it is fit to publish."""
    leaf = re.match(r"duckarray_([a-z0-9]+)-", path.name)
    if leaf is None:
        return ["it is not called `duckarray_<name>-…`"]
    if path.name.endswith(".whl"):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            found = [name for name in names if name.endswith(".dist-info/METADATA")]
            metadata = archive.read(found[0]).decode() if found else ""
        return [*_wheel(leaf[1], names), *_metadata(metadata)]
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as tar:
            names = [member.name.partition("/")[2] for member in tar if not member.isdir()]
            links = [member.name for member in tar if member.issym() or member.islnk()]
        return [*_sdist(leaf[1], names), *(f"`{name}` is a link" for name in links)]
    return ["it is neither a wheel nor an sdist"]


def _wheel(leaf: str, names: list[str]) -> Iterable[str]:
    code = [name for name in names if ".dist-info/" not in name]
    for name in code:
        if name == "duckarray/__init__.py":
            yield "it has a `duckarray/__init__.py`, which hides all other packages"
        elif not name.startswith(f"duckarray/{leaf}/"):
            yield f"`{name}` is outside `duckarray/{leaf}/`"
        if "__pycache__" in name:
            yield f"`{name}` is compiled"
    if f"duckarray/{leaf}/__init__.py" not in code:
        yield f"there is no `duckarray/{leaf}/__init__.py`"
    if f"duckarray/{leaf}/py.typed" not in code:
        yield f"there is no `duckarray/{leaf}/py.typed`: users would get no types"
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        yield "there is no licence in it"


def _metadata(text: str) -> Iterable[str]:
    metadata = HeaderParser().parsestr(text)
    if metadata["License-Expression"] != "Apache-2.0":
        yield "its metadata does not say that the licence is Apache-2.0"
    if not metadata["Requires-Python"]:
        yield "its metadata does not say which Python it needs"
    for requirement in map(Requirement, metadata.get_all("Requires-Dist", [])):
        if requirement.url:
            yield f"it needs `{requirement}`, which no index would accept"
        elif not any(part.operator in _BOUNDS for part in requirement.specifier):
            yield f"it needs `{requirement}` without a lower bound"


def _sdist(leaf: str, names: list[str]) -> Iterable[str]:
    for name in ("CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"):
        if name not in names:
            yield f"there is no `{name}` in it"
    if not any(re.fullmatch(r"tests/(.*/)?test_[^/]*\.py", name) for name in names):
        yield "there are no tests in it"
    if f"src/duckarray/{leaf}/__init__.py" not in names:
        yield f"there is no `src/duckarray/{leaf}/__init__.py` in it"
    if any("__pycache__" in name for name in names):
        yield "there are compiled files in it"


def main() -> None:
    """Checks the files that the command line names."""
    paths = [Path(argument) for argument in sys.argv[1:]]
    found = [f"{path.name}: {problem}" for path in paths for problem in problems(path)]
    if not paths:
        found = ["Nothing to check: name the wheels and sdists."]
    if found:
        sys.exit("\n".join(found))
    print(f"{len(paths)} files as they should be")


if __name__ == "__main__":
    main()
