"""Parts of the site that are made from the packages themselves, when it is built.

A line `<!-- table: NAME -->` of a page becomes one. mkdocs.yml names this module as a hook.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_MARK = re.compile(r"^<!-- table: (\w+) -->$", re.MULTILINE)
# Other distributions that are installed have subjects too.
_FOLDERS = {
    path.parent.name: path.parent
    for path in sorted(Path(__file__).parents[1].glob("packages/*/pyproject.toml"))
}
_KEPT, _CHEAP = "●", "○"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts what is made in the places of the marks."""
    return _MARK.sub(lambda match: TABLES[match[1]](), markdown)


def structure() -> str:
    """Which calls keep which types, as the subjects say and the tests of each type check."""
    from duckarray.core.testing import CALLS, subjects

    types = {name: subject for name, subject in subjects().items() if name in _FOLDERS}
    rows = []
    for call in CALLS:
        cells = [_cell(call, subject) for subject in types.values()]
        if any(cells):
            rows.append([f"`{call}`", *cells])
    return _table(["call", *(f"[{name}](packages/{name}.md)" for name in types)], rows)


def changelogs() -> str:
    """What has changed in each package, as its file says, one level further down."""
    texts = [(folder / "CHANGELOG.md").read_text("utf-8") for folder in _FOLDERS.values()]
    lower = re.sub(r"^#", "##", "\n".join(texts), flags=re.MULTILINE)
    return lower.replace("## Changelog of ", "## ")


def _cell(call: str, subject: Any) -> str:
    if _is_among(call, subject.keeps):
        return _KEPT
    return _CHEAP if _is_among(call, subject.without_dense) else ""


def _is_among(call: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(call, pattern) for pattern in patterns)


def _table(titles: list[str], rows: list[list[str]]) -> str:
    rule = ["---", *[":-:"] * (len(titles) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [titles, rule, *rows])


TABLES: dict[str, Callable[[], str]] = {"structure": structure, "changelogs": changelogs}
