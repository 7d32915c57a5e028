"""Every package is laid out as the others are."""

import re
import tomllib
from pathlib import Path

import pytest
from monorepo import ROOT, packages

PACKAGES = packages(ROOT)
TYPES = [name for name in PACKAGES if name != "core"]
AT_THE_TOP = {
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "benchmarks",
    "pyproject.toml",
    "src",
    "tests",
}
# What the tables of a page are made of may lie beside it, and comparisons with other libraries.
ALSO_AT_THE_TOP = {"CLOSURE.md", "oracles"}


def _settings(name):
    text = (ROOT / "packages" / name / "pyproject.toml").read_text("utf-8")
    return tomllib.loads(text)


def _source(name):
    return ROOT / "packages" / name / "src" / "duckarray" / name


@pytest.mark.parametrize("name", PACKAGES)
def test_the_same_files_are_at_the_top_of_each_package(name):
    found = {p.name for p in (ROOT / "packages" / name).iterdir() if not p.name.startswith(".")}
    found -= {"dist", "build"}  # what is built there is not kept
    assert found - ALSO_AT_THE_TOP == AT_THE_TOP


@pytest.mark.parametrize("name", TYPES)
def test_a_type_has_its_value_its_rules_and_its_subject_where_the_others_have_them(name):
    source = _source(name)
    value = source / ("_value.py" if name != "structured" else "_base.py")
    for path in (value, source / "_rules" / "__init__.py", source / "_subjects.py"):
        assert path.is_file(), f"{path.relative_to(ROOT)} is missing"
    assert (source / "py.typed").is_file()
    tests = ROOT / "packages" / name / "tests"
    for file in ("conftest.py", "test_conformance.py"):
        assert (tests / file).is_file(), f"packages/{name}/tests/{file} is missing"
    assert (ROOT / "packages" / name / "benchmarks" / f"bench_{name}.py").is_file()


@pytest.mark.parametrize("name", TYPES)
def test_a_type_is_found_by_the_kit(name):
    groups = _settings(name)["project"]["entry-points"]["duckarray.subjects"]
    assert groups[name].partition(":")[0] == f"duckarray.{name}._subjects"


@pytest.mark.parametrize("name", PACKAGES)
def test_what_a_distribution_says_of_itself_is_the_same_but_for_its_name(name):
    ours, cores = _settings(name), _settings("core")
    for key in ("readme", "requires-python", "license", "license-files", "authors"):
        assert ours["project"][key] == cores["project"][key]
    assert ours["project"]["name"] == f"duckarray-{name}"
    assert ours["build-system"] == cores["build-system"]
    assert ours["tool"]["hatch"] == cores["tool"]["hatch"]
    for title, url in cores["project"]["urls"].items():
        assert ours["project"]["urls"][title] == url.replace("core", name)
    python = [text for text in ours["project"]["classifiers"] if "Python" in text]
    assert python == [text for text in cores["project"]["classifiers"] if "Python" in text]


@pytest.mark.parametrize("name", PACKAGES)
def test_the_licence_is_that_of_the_repository(name):
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert (ROOT / "packages" / name / "LICENSE").read_text("utf-8") == licence


@pytest.mark.parametrize("name", PACKAGES)
def test_the_contents_page_of_a_package_holds_nothing_but_names(name):
    text = (_source(name) / "__init__.py").read_text("utf-8")
    code = text.split('"""', 2)[2]
    # Names that are made when they are asked for need the two functions of modules.
    assert not re.search(
        r"^(class|if|for|while|with|def (?!__(getattr|dir)__)) ?", code, re.MULTILINE
    )


@pytest.mark.parametrize("name", PACKAGES)
def test_the_changelog_opens_with_the_version(name):
    lines = (ROOT / "packages" / name / "CHANGELOG.md").read_text("utf-8").splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert headings[:2] == [f"# Changelog of duckarray-{name}", f"## {PACKAGES[name].version}"]
    assert any(line.startswith("- ") for line in lines)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_page_of_a_package_is_laid_out_as_the_others(name):
    lines = (ROOT / "docs" / "packages" / f"{name}.md").read_text("utf-8").splitlines()
    assert lines[:3] == [f"# `duckarray.{name}`", "", f"::: duckarray.{name}"]
    assert lines[-1] == f'--8<-- "{name}/CHANGELOG.md"'


def test_the_repository_has_what_a_visitor_looks_for():
    templates = list((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(templates) > 1
    for name in ("CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"):
        assert (ROOT / name).is_file()
    (version,) = re.findall(
        r"^version: (\S+)$", Path(ROOT, "CITATION.cff").read_text(), re.MULTILINE
    )
    assert version == PACKAGES["core"].version
