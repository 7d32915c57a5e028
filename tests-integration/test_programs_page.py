"""The page that says which test shows what names tests that exist."""

import ast
import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "developers" / "programs.md"
NAMED = re.compile(r"`(\w+)/(\w+)::(\w+)(?:\[([^`]+)\])?`")


@functools.cache
def source(package: str, module: str) -> tuple[str, frozenset[str], frozenset[object]]:
    """The text of a test module, the names of its tests, and its strings."""
    tests = ROOT / (
        "tests-integration" if package == "integration" else f"packages/{package}/tests"
    )
    path = tests / f"{module}.py"
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    functions = frozenset(n.name for n in nodes if isinstance(n, ast.FunctionDef))
    return str(path), functions, frozenset(n.value for n in nodes if isinstance(n, ast.Constant))


def test_each_test_that_the_page_names_exists():
    named = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) > 150
    for package, module, name, case in named:
        path, functions, strings = source(package, module)
        assert name in functions, f"{path} has no {name}"
        assert not case or case in strings, f"{path} has no case {case!r}"


def test_each_row_of_the_page_names_a_test():
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    bodies = [line for line in rows if not line.endswith("| tests |")]
    assert bodies
    for line in bodies:
        assert NAMED.search(line), line
