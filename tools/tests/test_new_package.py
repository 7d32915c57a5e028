import ast
import builtins
import re
import shutil
import subprocess
import sys
import tomllib

import new_package
import pytest
from affected import affected
from monorepo import ROOT, packages
from new_package import NewPackageError, inside, outside

SUMMARY = "Matrices that are zero off their diagonals."
LISTS = ("README.md", "docs/index.md", "mkdocs.yml")


@pytest.fixture
def root(tmp_path):
    """A repository with what the tool reads and changes."""
    root = tmp_path / "repository"
    for folder in ("template", "docs/packages"):
        shutil.copytree(ROOT / folder, root / folder)
    for name in (*LISTS, "LICENSE", *(f"packages/{name}/pyproject.toml" for name in packages())):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


def _state(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _sources(folder):
    return {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}


def test_the_package_is_found_like_any_other(root):
    inside("diag", "Diagonal", SUMMARY, root)
    package = packages(root)["diag"]
    core = packages(root)["core"]
    assert package.settings["project"]["name"] == "duckarray-diag"
    assert package.settings["project"]["description"] == SUMMARY
    assert package.pythons == core.pythons
    assert package.siblings == {"core"}
    assert f"duckarray-core>={core.version}" in package.dependencies
    assert affected(["packages/core/README.md"], packages(root)) >= {"core", "diag"}


@pytest.mark.parametrize("make", ["inside", "outside"])
def test_nothing_is_left_to_fill_in(root, tmp_path, make):
    folder = tmp_path / "elsewhere" / "duckarray_diag"
    if make == "inside":
        folder = inside("diag", "Diagonal", SUMMARY, root)[0]
    else:
        outside(folder, "diag", "Diagonal", SUMMARY, root)
    for path, text in _state(folder).items():
        assert b"${" not in text, path
        assert "$" not in str(path)
    for path, text in _sources(folder).items():
        assert not (text and ast.parse(text) is None), path
    for name in ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"):
        assert (folder / name).stat().st_size


def test_it_has_a_row_where_all_packages_have_one_in_order(root):
    inside("diag", "Diagonal", SUMMARY, root)
    inside("aaa", "Aaa", SUMMARY, root)
    inside("zz", "Zz", SUMMARY, root)
    for name, pattern in zip(
        LISTS,
        (r"^\| \[`packages/(\w+)`\]", r"^\| \[`duckarray\.(\w+)`\]", r"^ +- (\w+): packages/"),
        strict=True,
    ):
        found = re.findall(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert found == ["core", *sorted(set(packages(root)) - {"core"})], name


def test_the_rows_say_what_it_is_without_a_full_stop(root):
    inside("diag", "Diagonal", SUMMARY, root)
    inside("qr", "Factored", "QR factors of a matrix.", root)
    text = (root / "README.md").read_text(encoding="utf-8")
    assert "| matrices that are zero off their diagonals |" in text
    assert "| QR factors of a matrix |" in text


def test_lists_lose_no_line(root):
    before = {name: (root / name).read_text(encoding="utf-8").splitlines() for name in LISTS}
    inside("diag", "Diagonal", SUMMARY, root)
    for name, lines in before.items():
        after = (root / name).read_text(encoding="utf-8").splitlines()
        assert len(after) == len(lines) + 1
        assert [line for line in after if line in lines] == lines


def test_outside_it_is_a_module_of_its_own_and_the_repository_stays_as_it_is(root, tmp_path):
    before, folder = _state(root), tmp_path / "elsewhere" / "diag"
    assert outside(folder, "diag", "Diagonal", SUMMARY, root) == [folder]
    assert _state(root) == before
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["name"] == "duckarray_diag"
    assert [path.name for path in (folder / "src").iterdir()] == ["duckarray_diag"]
    for path, text in _sources(folder).items():
        assert not re.search(r"duckarray\.(?!core|subjects)", text), path


@pytest.mark.parametrize("name", ["b", "coo", "d", "zeta"])
@pytest.mark.parametrize("make", ["inside", "outside"])
def test_imports_are_sorted_whatever_the_name(root, tmp_path, make, name):
    folder = tmp_path / "elsewhere"
    if make == "inside":
        folder = inside(name, "Name", SUMMARY, root)[0]
    else:
        outside(folder, name, "Name", SUMMARY, root)
    for path, text in _sources(folder).items():
        lines = [line for line in text.splitlines() if line.startswith("from duckarray")]
        assert lines == sorted(lines, key=lambda line: line.split()[1]), path


def test_an_empty_folder_can_be_filled(root, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    outside(folder, "diag", "Diagonal", SUMMARY, root)
    assert (folder / "pyproject.toml").exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": "Diag"}, "`Diag` cannot be the name of a package[^$]*lower-case"),
        ({"name": "my_type"}, "`my_type` cannot be the name of a package[^$]*lower-case"),
        ({"name": "2d"}, "`2d` cannot"),
        ({"name": ""}, "`` cannot"),
        ({"name": "../x"}, r"`\.\./x` cannot"),
        ({"name": "lambda"}, "`lambda` cannot[^$]*word of Python"),
        ({"name": "a" * 21}, "more than 20 characters"),
        ({"name": "zeros"}, "already is a `packages/zeros`"),
        ({"name": "core"}, "already is a `packages/core`"),
        ({"cls": "2D"}, "`2D` cannot be the name of the class: it is not an identifier"),
        ({"cls": "My Class"}, "not an identifier[^$]*`Diagonal`"),
        ({"cls": ""}, "not an identifier"),
        ({"cls": "None"}, "not an identifier"),
        ({"cls": "diagonal"}, "not in capitalized words"),
        ({"cls": "My_Class"}, "not in capitalized words"),
        ({"cls": "A" * 31}, "more than 30 characters"),
        ({"cls": "ArrayValue"}, "need that name for something else"),
        ({"cls": "ValueError"}, "need that name for something else"),
        ({"summary": "Diagonal matrices"}, "does not end with a full stop[^$]*one sentence"),
        ({"summary": "Diagonal matrices..."}, "does not end with a full stop"),
        ({"summary": ""}, "does not end with a full stop"),
        ({"summary": "Two\nlines."}, "several lines"),
        ({"summary": 'A "quoted" word.'}, 'has a " in it'),
        ({"summary": "A ${name} of it."}, r"has a \$ in it"),
        ({"summary": "diagonal matrices."}, "start with a capital"),
        ({"summary": "A" * 90 + "."}, "has 91 characters"),
    ],
)
@pytest.mark.parametrize("make", ["inside", "outside"])
def test_what_cannot_be_is_refused_and_nothing_is_made(root, tmp_path, make, change, complaint):
    asked = {"name": "diag", "cls": "Diagonal", "summary": SUMMARY, "root": root} | change
    before = _state(tmp_path)
    with pytest.raises(NewPackageError, match=complaint):
        inside(**asked) if make == "inside" else outside(tmp_path / "elsewhere", **asked)
    assert _state(tmp_path) == before
    assert not (tmp_path / "elsewhere").exists()


def test_what_is_there_is_not_written_over(root, tmp_path):
    (root / "packages" / "diag").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (root / "docs" / "packages" / "page.md").write_text("mine")
    before = _state(tmp_path)
    with pytest.raises(NewPackageError, match=r"already is something in `.*diag`"):
        inside("diag", "Diagonal", SUMMARY, root)
    with pytest.raises(NewPackageError, match=r"already is something in `.*page\.md`"):
        inside("page", "Diagonal", SUMMARY, root)
    for name in ("elsewhere", "file"):
        with pytest.raises(NewPackageError, match=f"already is something in `.*{name}`"):
            outside(tmp_path / name, "diag", "Diagonal", SUMMARY, root)
    assert _state(tmp_path) == before


def test_outside_is_not_in_the_repository(root):
    with pytest.raises(NewPackageError, match=r"is in this repository[^$]*`packages/diag`"):
        outside(root / "packages" / "duckarray_diag", "diag", "Diagonal", SUMMARY, root)


def test_a_list_without_packages_is_reported_with_what_is_missing(root):
    (root / "mkdocs.yml").write_text("nav: []\n")
    before = _state(root)
    with pytest.raises(NewPackageError, match=r"mkdocs\.yml` has no line[^$]*packages/diag\.md"):
        inside("diag", "Diagonal", SUMMARY, root)
    assert _state(root) == before


def test_all_is_undone_if_the_last_file_cannot_be_written(root):
    (root / "mkdocs.yml").chmod(0o444)
    before = _state(root)
    real = new_package.Path.write_text

    def full(path, *args, **kwargs):
        if path.name == "mkdocs.yml":
            raise OSError("no space left")
        return real(path, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(new_package.Path, "write_text", full)
        with pytest.raises(OSError, match="no space left"):
            inside("diag", "Diagonal", SUMMARY, root)
    assert _state(root) == before
    assert not (root / "packages" / "diag").exists()


def test_no_class_can_have_the_name_of_something_that_the_sources_use(root):
    used = set()
    for text in _sources(inside("diag", "Diagonal", SUMMARY, root)[0]).values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name | ast.alias):
                used.add(node.id if isinstance(node, ast.Name) else node.asname or node.name)
    capitalized = {name for name in used if name[0].isupper()}
    assert capitalized - {"Diagonal"} - set(dir(builtins)) <= new_package.USED


def test_the_command_says_what_it_made_or_why_not(tmp_path):
    command = [sys.executable, str(ROOT / "tools" / "new_package.py")]
    folder = tmp_path / "duckarray_diag"
    asked = [f"--outside={folder}", "diag", "Diagonal", SUMMARY]
    run = subprocess.run([*command, *asked], capture_output=True, text=True, check=True)
    assert str(folder) in run.stdout
    assert "python -m pytest" in run.stdout
    again = subprocess.run([*command, *asked], capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert again.stderr.startswith("Nothing made: There already is something in")
    assert "Traceback" not in again.stderr
