"""The namespace `duckarray` belongs to no package, and no package needs another by accident."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
SOURCES = sorted(ROOT.glob("packages/*/src/duckarray/**/*.py"))


def test_there_is_something_to_test():
    assert NAMES
    assert SOURCES


def test_duckarray_is_a_namespace_without_a_file():
    import duckarray

    assert duckarray.__file__ is None
    assert not list(ROOT.glob("packages/*/src/duckarray/*.*"))


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_holds_one_package_of_its_own_name(name):
    folders = (ROOT / "packages" / name / "src").glob("*/*")
    assert [path.name for path in folders if path.name != "__pycache__"] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_each_package_imports_alone_and_brings_only_what_it_declares(name):
    code = (
        f"import duckarray.{name}, sys;"
        "print(*sorted({key.split('.')[1] for key in sys.modules if key.startswith('duckarray.')}))"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) <= _needed(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_version_is_that_of_the_distribution(name):
    module = __import__(f"duckarray.{name}", fromlist=["__version__"])
    assert module.__version__ == importlib.metadata.version(f"duckarray-{name}")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_source_uses_the_private_parts_of_jax(path):
    private = ["jax._src", "jaxlib._"]
    assert not [name for name in private if name in path.read_text(encoding="utf-8")]


def _needed(name: str) -> set[str]:
    """The package and all packages of ours that its distribution asks for."""
    requirements = importlib.metadata.requires(f"duckarray-{name}") or []
    direct = {
        text.split(">")[0].strip().removeprefix("duckarray-")
        for text in requirements
        if text.startswith("duckarray-") and "extra ==" not in text
    }
    return {name}.union(*(_needed(other) for other in direct))
