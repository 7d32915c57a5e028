"""What a tag would release, or a sentence that says why it must not.

python tools/release_plan.py core-v0.3.0 --on origin/main --notes notes.md
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from monorepo import ROOT, Package, packages

_TAG = re.compile(r"(?P<name>[a-z][a-z0-9]*)-v(?P<version>\d+\.\d+\.\d+((a|b|rc)\d+)?)")


class ReleaseError(ValueError):
    """A tag that does not fit what is in the repository."""


@dataclass(frozen=True)
class Plan:
    """What to build and what to say about it."""

    package: Package
    notes: str

    def outputs(self) -> str:
        """The lines that later steps of the workflow read."""
        folder = self.package.folder.relative_to(self.package.folder.parent.parent).as_posix()
        lines = {"package": self.package.name, "version": self.package.version, "folder": folder}
        return "\n".join(f"{key}={value}" for key, value in lines.items())


def plan(tag: str, known: dict[str, Package]) -> Plan:
    """What a tag releases.

    Raises:
        ReleaseError: if the tag, the declared version and the changelog do not agree.
    """
    match = _TAG.fullmatch(tag)
    if match is None:
        raise ReleaseError(f"`{tag}` is not a release: it should look like `core-v0.3.0`.")
    package = known.get(match["name"])
    if package is None:
        raise ReleaseError(f"`{tag}` names no package: there is no `packages/{match['name']}`.")
    if package.version != match["version"]:
        raise ReleaseError(
            f"`{tag}` does not agree with `packages/{package.name}/pyproject.toml`, "
            f"which says version {package.version}."
        )
    return Plan(package, _section(package))


def _section(package: Package) -> str:
    """What the changelog says about the version."""
    text = (package.folder / "CHANGELOG.md").read_text(encoding="utf-8")
    # [before, title, body, title, body, …]
    parts = re.split(r"^## +(\S+).*$", text, flags=re.MULTILINE)
    titles, bodies = parts[1::2], [body.strip() for body in parts[2::2]]
    where = f"`packages/{package.name}/CHANGELOG.md`"
    if package.version not in titles:
        raise ReleaseError(f"{where} has no section `## {package.version}`.")
    if titles[0] != package.version:
        raise ReleaseError(f"{where} should start with `## {package.version}`, not {titles[0]}.")
    if not bodies[0]:
        raise ReleaseError(f"{where} says nothing about {package.version}.")
    return bodies[0]


def require_ancestor(commit: str, branch: str, root: Path = ROOT) -> None:
    """Refuses a commit that has not been merged.

    Raises:
        ReleaseError: if the commit is not on the branch.
    """
    command = ["git", "merge-base", "--is-ancestor", commit, branch]
    if subprocess.run(command, cwd=root, check=False).returncode:
        raise ReleaseError(f"`{commit}` is not on `{branch}`: merge first, then tag.")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tag")
    parser.add_argument("--on", metavar="BRANCH", help="refuse unless the tag is on this branch")
    parser.add_argument("--notes", metavar="FILE", help="write the section of the changelog here")
    options = parser.parse_args()
    try:
        what = plan(options.tag, packages())
        if options.on:
            require_ancestor(options.tag, options.on)
    except ReleaseError as error:
        sys.exit(f"No release: {error}")
    if options.notes:
        Path(options.notes).write_text(what.notes + "\n", encoding="utf-8")
    print(what.outputs())


if __name__ == "__main__":
    main()
