"""Tests of what makes pages of the site."""

import sys
from types import SimpleNamespace

import bench_page
import pytest
import site_tables
from monorepo import ROOT


@pytest.fixture
def kit(monkeypatch):
    """A kit that knows two types of this repository and one of elsewhere."""
    found = {
        "lora": SimpleNamespace(keeps=("neg", "add*"), without_dense=("matmul",)),
        "other": SimpleNamespace(keeps=("exp",), without_dense=()),
        "zeros": SimpleNamespace(keeps=("add_same",), without_dense=()),
    }
    calls = dict.fromkeys(["exp", "neg", "add", "add_same", "matmul"])
    module = SimpleNamespace(CALLS=calls, subjects=lambda: found)
    monkeypatch.setitem(sys.modules, "duckarray.core.testing", module)


def test_the_table_of_structure_says_what_subjects_say(kit):
    text = site_tables.on_page_markdown("Before.\n\n<!-- table: structure -->\n\nAfter.")
    assert text.splitlines() == [
        "Before.",
        "",
        "| call | [lora](packages/lora.md) | [zeros](packages/zeros.md) |",
        "| --- | :-: | :-: |",
        "| `neg` | ● |  |",
        "| `add` | ● |  |",
        "| `add_same` | ● | ● |",
        "| `matmul` | ○ |  |",
        "",
        "After.",
    ]


def test_the_changelogs_of_all_packages_stand_below_one_title():
    lines = site_tables.on_page_markdown("# Changes\n\n<!-- table: changelogs -->\n").splitlines()
    titles = [line for line in lines if line.startswith("#")]
    packages = sorted(path.name for path in (ROOT / "packages").iterdir() if path.is_dir())
    assert [t for t in titles if t.startswith("## ")] == [f"## duckarray-{p}" for p in packages]
    assert titles[0] == "# Changes"
    assert titles[2].startswith("### ")


def test_pages_without_a_mark_stay_as_they_are():
    assert site_tables.on_page_markdown("# Title\n\ntext\n") == "# Title\n\ntext\n"


def test_the_page_of_benchmarks_keeps_the_sections_that_are_not_run_again():
    first = bench_page.page({"zeros": "## zeros\n\nold\n", "core": "## core\n\nx\n"})
    parts = bench_page.sections(first)
    assert list(parts) == ["core", "zeros"]
    parts["core"] = "## core\n\nnew\n"
    second = bench_page.page(parts)
    assert "## core\n\nnew\n" in second
    assert "## zeros\n\nold\n" in second
    assert bench_page.page(bench_page.sections(second)) == second
