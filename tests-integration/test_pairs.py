"""All array types of this repository next to each other, and found where they are declared."""

from pathlib import Path

import pytest

from duckarray.core.testing import conformance, subjects

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "core"])
def test_each_package_of_a_type_ships_a_subject(name):
    modules = {subject.make.__module__ for subject in subjects().values()}
    assert any(module.startswith(f"duckarray.{name}.") for module in modules)


@conformance(*subjects().values(), families=["pairs"])
def test_pair(check):
    check()
