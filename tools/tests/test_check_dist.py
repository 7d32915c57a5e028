import io
import tarfile
import zipfile

import pytest
from check_dist import problems

METADATA = """Metadata-Version: 2.4
Name: duckarray-core
License-Expression: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: jax>=0.10
Requires-Dist: numpy>=2.0; python_version > '3.10'

A `Requires-Dist: jax` in the description is no requirement.
"""
INFO = "duckarray_core-0.1.0.dist-info"
WHEEL = {
    "duckarray/core/__init__.py": "",
    "duckarray/core/_rules/jit.py": "",
    "duckarray/core/py.typed": "",
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/licenses/LICENSE": "Apache",
}
SDIST = {
    "CHANGELOG.md": "",
    "LICENSE": "",
    "PKG-INFO": "",
    "README.md": "",
    "pyproject.toml": "",
    "src/duckarray/core/__init__.py": "",
    "tests/test_value.py": "",
}


@pytest.fixture
def wheel(tmp_path):
    def make(add=(), drop=(), metadata=METADATA):
        path = tmp_path / "duckarray_core-0.1.0-py3-none-any.whl"
        contents = WHEEL | {f"{INFO}/METADATA": metadata} | dict.fromkeys(add, "")
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in contents.items():
                if name not in drop:
                    archive.writestr(name, text)
        return path

    return make


@pytest.fixture
def sdist(tmp_path):
    def make(drop=(), links=()):
        path = tmp_path / "duckarray_core-0.1.0.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name in SDIST.keys() - set(drop):
                archive.addfile(tarfile.TarInfo(f"duckarray_core-0.1.0/{name}"), io.BytesIO())
            for name in links:
                member = tarfile.TarInfo(f"duckarray_core-0.1.0/{name}")
                member.type, member.linkname = tarfile.SYMTYPE, "../../LICENSE"
                archive.addfile(member)
        return path

    return make


def test_a_wheel_as_it_should_be_has_no_problem(wheel):
    assert problems(wheel()) == []


@pytest.mark.parametrize(
    ("added", "complaint"),
    [
        ("duckarray/__init__.py", "hides all other packages"),
        ("duckarray/lora/_value.py", "`duckarray/lora/_value.py` is outside `duckarray/core/`"),
        ("core/__init__.py", "`core/__init__.py` is outside"),
        ("tests/test_value.py", "`tests/test_value.py` is outside"),
        ("duckarray/core/__pycache__/_value.cpython-311.pyc", "is compiled"),
    ],
)
def test_a_file_too_many_is_found(wheel, added, complaint):
    (found,) = problems(wheel(add=[added]))
    assert complaint in found


@pytest.mark.parametrize(
    ("dropped", "complaint"),
    [
        ("duckarray/core/__init__.py", "no `duckarray/core/__init__.py`"),
        ("duckarray/core/py.typed", "users would get no types"),
        (f"{INFO}/licenses/LICENSE", "no licence"),
    ],
)
def test_a_file_too_few_is_found(wheel, dropped, complaint):
    (found,) = problems(wheel(drop=[dropped]))
    assert complaint in found


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("jax>=0.10", "jax", "`jax` without a lower bound"),
        ("jax>=0.10", "jax<1", "`jax<1` without a lower bound"),
        ("jax>=0.10", "jax @ https://example.org/jax.whl", "no index would accept"),
        ("License-Expression: Apache-2.0\n", "", "the licence is Apache-2.0"),
        ("Requires-Python: >=3.11\n", "", "which Python"),
    ],
)
def test_metadata_that_should_not_be_published_is_found(wheel, old, new, complaint):
    (found,) = problems(wheel(metadata=METADATA.replace(old, new)))
    assert complaint in found


def test_an_sdist_as_it_should_be_has_no_problem(sdist):
    assert problems(sdist()) == []


@pytest.mark.parametrize("name", sorted(SDIST))
def test_a_file_too_few_in_an_sdist_is_found(sdist, name):
    (found,) = problems(sdist(drop=[name]))
    assert ("tests" if name.startswith("tests/") else f"`{name}`") in found


def test_a_link_in_an_sdist_is_found(sdist):
    found = problems(sdist(drop=["LICENSE"], links=["LICENSE"]))
    assert found == ["`duckarray_core-0.1.0/LICENSE` is a link"]


@pytest.mark.parametrize("name", ["core-0.1.0.tar.gz", "duckarray_core-0.1.0.zip"])
def test_another_kind_of_file_is_refused(tmp_path, name):
    assert problems(tmp_path / name)
