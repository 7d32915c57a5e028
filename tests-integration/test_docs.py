"""Each public name has a place in the documentation, and each package its page."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_package_documents_every_public_name_once(name):
    module = importlib.import_module(f"duckarray.{name}")
    public = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and not isinstance(value, ModuleType)
    }
    page = (ROOT / "docs" / "packages" / f"{name}.md").read_text(encoding="utf-8")
    documented = re.findall(rf"^::: duckarray\.{name}\.(\w+)$", page, flags=re.MULTILINE)
    assert not public - set(documented), f"add `::: duckarray.{name}.…` for these to the page"
    unknown = set(documented) - vars(module).keys()
    # A module that is imported only by who wants it is no attribute yet.
    unknown = {n for n in unknown if importlib.util.find_spec(f"duckarray.{name}.{n}") is None}
    assert not unknown, "these do not exist, take them off the page"
    assert len(documented) == len(set(documented))


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
@pytest.mark.parametrize("name", NAMES)
def test_a_package_is_in_both_tables(name, page):
    assert f"| `duckarray.{name}` |" in (ROOT / page).read_text(encoding="utf-8").replace(
        f"| [`duckarray.{name}`](packages/{name}.md) |", f"| `duckarray.{name}` |"
    )
