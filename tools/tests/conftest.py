import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from monorepo import Package, packages

_PROJECT = """
[project]
name = "duckarray-{name}"
version = "{version}"
classifiers = ["Programming Language :: Python :: 3.11", "Programming Language :: Python :: 3.9"]
dependencies = {dependencies}

[dependency-groups]
base = ["pytest>=9"]
test = [{{ include-group = "base" }}, {group}]
"""


@pytest.fixture
def repository(tmp_path: Path) -> dict[str, Package]:
    """Four packages: lora and zeros need core, and the tests of quant need lora."""
    _add(tmp_path, "core", ["jax>=0.10"])
    _add(tmp_path, "lora", ["duckarray-core>=0.2.0"], version="0.3.0")
    _add(tmp_path, "zeros", ["DuckArray_core>=0.2.0"])
    _add(tmp_path, "quant", ["jax>=0.10"], group='"duckarray-lora>=0.3.0"')
    return packages(tmp_path)


def _add(
    root: Path, name: str, dependencies: list[str], version: str = "0.2.0", group: str = ""
) -> None:
    folder = root / "packages" / name
    folder.mkdir(parents=True)
    text = _PROJECT.format(name=name, version=version, dependencies=dependencies, group=group)
    (folder / "pyproject.toml").write_text(text)
    (folder / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## {version}\n\n- A new thing.\n\n### Details\n\nMore.\n\n"
        "## 0.0.1\n\nFirst.\n"
    )
