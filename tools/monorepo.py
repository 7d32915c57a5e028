"""What the repository consists of, read from the folders under `packages/`.

Shared by the noxfile and the scripts beside this file; there is no other list of packages.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "duckarray-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Package:
    """One folder under `packages/`: `name` is the folder, the import leaf and the tag prefix."""

    name: str
    folder: Path
    settings: dict[str, Any]

    @property
    def version(self) -> str:
        """The version that `pyproject.toml` declares."""
        return str(self.settings["project"]["version"])

    @property
    def pythons(self) -> list[str]:
        """The Python versions of the classifiers, oldest first."""
        found = [
            match[1]
            for text in self.settings["project"].get("classifiers", [])
            if (match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text))
        ]
        return sorted(found, key=lambda version: int(version.partition(".")[2]))

    @property
    def dependencies(self) -> list[str]:
        """The requirements of an installed wheel."""
        return list(self.settings["project"].get("dependencies", []))

    def group(self, name: str) -> list[str]:
        """The requirements of a dependency group, `[]` if there is no such group."""
        return group(self.settings, name)

    @property
    def siblings(self) -> set[str]:
        """The packages of this repository that an install, an extra or a group asks for."""
        extras = self.settings["project"].get("optional-dependencies", {})
        groups = self.settings.get("dependency-groups", {})
        requirements = [
            *self.dependencies,
            *(text for texts in extras.values() for text in texts),
            *(text for name in groups for text in self.group(name)),
        ]
        return {leaf for text in requirements if (leaf := sibling(text))} - {self.name}


def packages(root: Path = ROOT) -> dict[str, Package]:
    """Every package of the repository by name, in alphabetical order."""
    return {
        path.parent.name: Package(
            path.parent.name, path.parent, tomllib.loads(path.read_text(encoding="utf-8"))
        )
        for path in sorted(root.glob("packages/*/pyproject.toml"))
    }


def group(settings: dict[str, Any], name: str) -> list[str]:
    """The requirements of a dependency group of a `pyproject.toml`, included groups as well."""
    out: list[str] = []
    for entry in settings.get("dependency-groups", {}).get(name, []):
        out += [entry] if isinstance(entry, str) else group(settings, entry["include-group"])
    return out


def distribution(requirement: str) -> str:
    """The normalised name of the distribution that a requirement asks for."""
    match = _NAME.match(requirement)
    if match is None:
        raise ValueError(f"`{requirement}` is not a requirement: it does not start with a name.")
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def sibling(requirement: str) -> str | None:
    """The package of this repository that a requirement asks for, or None."""
    name = distribution(requirement)
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else None


def dependents(names: set[str], known: dict[str, Package]) -> set[str]:
    """The given packages and all that need one of them, directly or not."""
    out = names & known.keys()
    while more := {p.name for p in known.values() if p.siblings & out} - out:
        out |= more
    return out
