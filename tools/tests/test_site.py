"""Tests of what makes pages of the site."""

import sys
from types import SimpleNamespace

import bench_page
import pytest
import site_offline
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


PAGE = SimpleNamespace(file=SimpleNamespace(src_uri="index.md"))


def test_nothing_of_a_page_is_loaded_from_other_hosts(caplog):
    html = """<a href="https://github.com/x" data-md-component="source">repository</a>
<script data-mkdocs-jupyter-mathjax="{}">load("https://cdn.example/mathjax.js")</script>
<script src="assets/bundle.js"></script><link rel="canonical" href="https://example.org/">"""
    out = site_offline.on_post_page(html, page=PAGE)
    assert "mathjax" not in out
    assert 'data-md-component="source"' not in out
    assert '<a href="https://github.com/x"' in out
    assert '<script src="assets/bundle.js">' in out
    assert not caplog.records


@pytest.mark.parametrize(
    "html",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example/x.css">',
        '<img alt="stars" src="//shields.example/stars.svg">',
    ],
)
def test_a_page_that_loads_from_another_host_is_warned_of(html, caplog):
    site_offline.on_post_page(html, page=PAGE)
    (record,) = caplog.records
    assert "index.md loads from another host" in record.getMessage()
