import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import duckarray.core

SOURCES = sorted(Path(duckarray.core.__file__).parent.rglob("*.py"))
PUBLIC = sorted(
    name
    for name in vars(duckarray.core)
    if not name.startswith("_") and not inspect.ismodule(getattr(duckarray.core, name))
)


def test_the_contents_page_offers_what_it_promises():
    promised = {
        "AmbiguousRuleError",
        "ArrayValue",
        "CarryTypeError",
        "MaterializeError",
        "MaterializeWarning",
        "NoRuleError",
        "RuleOutputError",
        "Value",
        "bind",
        "checking_rules",
        "field",
        "materialization",
        "materialize",
        "quaxify",
        "register",
        "value_of",
    }
    assert promised <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_documented_in_one_sentence(name):
    thing = getattr(duckarray.core, name)
    text = inspect.getdoc(thing)
    assert text
    first = text.splitlines()[0]
    assert first.endswith(".")
    assert len(first) <= 100
    assert thing.__doc__ is not None


@pytest.mark.parametrize(
    "name", [n for n in PUBLIC if not inspect.isclass(getattr(duckarray.core, n))]
)
def test_each_public_function_has_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(duckarray.core, name))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_no_source_uses_what_jax_does_not_export(path):
    text = path.read_text()
    assert not re.search(
        r"jax\._src|jaxlib|from jax import _|jax\.interpreters\.partial_eval", text
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_each_module_says_what_it_is_for(path):
    first = path.read_text().lstrip()
    assert first.startswith('"""')


def test_every_module_can_be_imported_alone():
    prefix = duckarray.core.__name__ + "."
    for module in pkgutil.walk_packages(duckarray.core.__path__, prefix):
        assert importlib.import_module(module.name).__name__ == module.name


def test_the_version_is_that_of_the_distribution():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", duckarray.core.__version__)


def test_the_package_is_typed():
    assert (Path(duckarray.core.__file__).parent / "py.typed").exists()
