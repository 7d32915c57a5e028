"""Packages of types are built on what `duckarray.core` offers, not on how it is made."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from duckarray.core import extend

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    path
    for pattern in ("packages/*/src/**/*.py", "packages/*/benchmarks/*.py", "examples/**/*.py")
    for path in ROOT.glob(pattern)
    if path.relative_to(ROOT).parts[:2] != ("packages", "core")
)


def private_imports(text):
    """Modules of other packages of ours with a leading underscore that a module imports from."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if re.match(r"duckarray\.(\w+\.)+_", name))


def test_no_package_imports_what_is_private_to_another():
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in private_imports(path.read_text(encoding="utf-8"))
        if name.split(".")[1] not in path.relative_to(ROOT).parts[1:2]
    }
    assert len(SOURCES) > 50
    assert not found, "use `duckarray.core.extend`, or add to it what is missing"


@pytest.mark.parametrize(
    "text",
    [
        "from duckarray.core._jax import vary",
        "import duckarray.core._jax",
        "import duckarray.a.b._c",
    ],
)
def test_imports_of_what_is_private_are_found(text):
    assert list(private_imports(text))


@pytest.mark.parametrize("name", sorted(n for n in vars(extend) if not n.startswith("_")))
def test_what_packages_use_is_documented_with_an_example(name):
    text = inspect.getdoc(getattr(extend, name))
    page = (ROOT / "docs" / "packages" / "core.md").read_text(encoding="utf-8")
    assert text.splitlines()[0].endswith(".")
    assert ">>> " in text
    assert f"::: duckarray.core.extend.{name}\n" in page
