"""All array types of this repository next to each other, and found where they are declared."""

from dataclasses import replace
from pathlib import Path

import pytest

from duckarray.core.testing import conformance, subjects

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "core"])
def test_each_package_of_a_type_ships_a_subject(name):
    modules = {subject.make.__module__ for subject in subjects().values()}
    assert any(module.startswith(f"duckarray.{name}.") for module in modules)


def _small(subject):
    """With one case, a matrix that fits that of the others; `nox -s pairs` takes all."""
    fits = [c for c in subject.cases if (c.shape, c.dtype, c.variant) == ((4, 4), "float32", "")]
    failures = {k: v for k, v in subject.expected_failures.items() if k.startswith("pairs/")}
    cases = tuple(fits[:1]) or subject.cases[:1]
    return replace(subject, cases=cases, expected_failures=failures)


SMALL = [_small(subject) for subject in subjects().values()]


@conformance(*SMALL, families=["pairs"], against=SMALL)
def test_pair(check):
    check()
