"""Each public name has a place in the documentation, and each package its page."""

import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("README.md", "docs/*.md", "docs/guides/*.md", "packages/*/README.md")
    for path in ROOT.glob(pattern)
)
# What the text of a page calls a module.
CALLED = {
    "families": "duckarray.core.families",
    "n": "duckarray.named",
    "tree": "duckarray.core.tree",
    "timing": "duckarray.core.testing.timing",
    "u": "duckarray.units",
    **{name: f"duckarray.{name}" for name in NAMES},
}


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


@pytest.mark.parametrize("page", PAGES)
def test_names_in_the_text_of_a_page_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)  # these are run
    for code in re.findall(r"`([^`\n]+)`", text):
        for dotted in re.findall(r"(?<![\w./-])[a-z]\w*(?:\.\w+)+", code):
            first, *rest = dotted.split(".")
            if first == "duckarray" and rest[0] in NAMES:
                first, rest = f"duckarray.{rest[0]}", rest[1:]
            elif first not in CALLED:
                continue
            assert _has(CALLED.get(first, first), rest), f"there is no `{dotted}`"


def _has(module, rest):
    found = importlib.import_module(module)
    for name in rest:
        if not hasattr(found, name):
            if not isinstance(found, ModuleType) or name.startswith("_"):
                return False
            try:  # a module that is imported only by who wants it
                importlib.import_module(f"{found.__name__}.{name}")
            except ModuleNotFoundError:
                return False
        found = getattr(found, name)
    return True
