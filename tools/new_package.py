"""Makes a package for a new array type, tests and documentation included, from `template/`.

python tools/new_package.py diag Diagonal "Diagonal matrices that store one vector."
python tools/new_package.py --outside ../duckarray_diag diag Diagonal "Diagonal matrices …."
"""

from __future__ import annotations

import argparse
import builtins
import keyword
import re
import shutil
import string
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from monorepo import PREFIX, ROOT, Package, packages

# What the sources of the template use; the class must not take one of these names away.
USED = frozenset({"Any", "ArrayLike", "ArrayValue", "Case", "Primitive", "SUBJECT", "Subject"})
USED |= {"ARRAY", "FACTOR", "OTHER"}
LONGEST_NAME, LONGEST_CLASS, LONGEST_SUMMARY = 20, 30, 90

_BAD_NAME = """`{name}` cannot be the name of a package: {problem}.
Choose a short word of lower-case letters and digits, as `lora` or `zeros`."""

_BAD_CLASS = """`{cls}` cannot be the name of the class: {problem}.
Choose a noun in capitalized words, as `Diagonal` or `LoraArray`."""

_BAD_SUMMARY = """{summary!r} cannot be the summary: {problem}.
Write one sentence of at most {longest} characters that says what the type is, as
"Arrays of zeros without memory, for unmodified JAX programs.\""""

_OCCUPIED = """There already is something in `{path}`.
Take it away first, or choose another name or folder."""

_INSIDE = """`{folder}` is in this repository, so it is not outside.
Leave `--outside` away to make `packages/{name}`, or pass a folder elsewhere."""

_NO_ROWS = """`{path}` has no line for any package, so the new one finds no place in it.
It should have one like: {example}"""


class NewPackageError(ValueError):
    """A package that cannot be made as asked."""


@dataclass(frozen=True)
class Names:
    """What is put for the `${…}` of the template."""

    name: str
    cls: str
    summary: str
    module: str
    distribution: str

    @property
    def package(self) -> str:
        """The folder of the sources."""
        return self.module.replace(".", "/")

    def values(self, core: Package) -> dict[str, str]:
        """By placeholder; the versions are those that core declares."""
        (jax,) = (text for text in core.dependencies if re.match(r"jax\b(?!-)", text))
        line = '    "Programming Language :: Python :: {}",'
        return {
            "name": self.name,
            "cls": self.cls,
            "summary": self.summary,
            "module": self.module,
            "distribution": self.distribution,
            "package": self.package,
            "core": core.version,
            "jax": jax,
            "python": core.settings["project"]["requires-python"],
            "classifiers": "\n".join(line.format(version) for version in core.pythons),
        }


def inside(name: str, cls: str, summary: str, root: Path = ROOT) -> list[Path]:
    """Makes `packages/<name>`, its page, and its lines in the lists of packages.

    Returns:
        The folder and the files that were made or changed.

    Raises:
        NewPackageError: if that cannot be; then nothing has been made.
    """
    known = packages(root)
    _check(name, cls, summary, known)
    names = Names(name, cls, summary, f"duckarray.{name}", f"{PREFIX}{name}")
    folder = root / "packages" / name
    page = root / "docs" / "packages" / f"{name}.md"
    for path in (folder, page):
        if path.exists():
            raise NewPackageError(_OCCUPIED.format(path=path))
    files = dict(_rendered(root, names, ["common", "inside"], known["core"]))
    text = (root / "template" / "page.md").read_text(encoding="utf-8")
    pages = {page: _fill(text, names.values(known["core"])), **_lists(root, names)}
    _write(folder, files, pages)
    return [folder, *pages]


def outside(folder: Path, name: str, cls: str, summary: str, root: Path = ROOT) -> list[Path]:
    """Makes a distribution `duckarray_<name>` of its own in `folder`.

    Returns:
        The folder.

    Raises:
        NewPackageError: if that cannot be; then nothing has been made.
    """
    known = packages(root)
    _check(name, cls, summary, known)
    folder = folder.absolute()
    if folder.resolve().is_relative_to(root.resolve()):
        raise NewPackageError(_INSIDE.format(folder=folder, name=name))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NewPackageError(_OCCUPIED.format(path=folder))
    names = Names(name, cls, summary, f"duckarray_{name}", f"duckarray_{name}")
    files = dict(_rendered(root, names, ["common", "outside"], known["core"]))
    _write(folder, files, {})
    return [folder]


# --- what was asked -------------------------------------------------------------------------


def _check(name: str, cls: str, summary: str, known: dict[str, Package]) -> None:
    for problem in _name_problems(name, known):
        raise NewPackageError(_BAD_NAME.format(name=name, problem=problem))
    for problem in _class_problems(cls):
        raise NewPackageError(_BAD_CLASS.format(cls=cls, problem=problem))
    for problem in _summary_problems(summary):
        values = {"summary": summary, "problem": problem, "longest": LONGEST_SUMMARY}
        raise NewPackageError(_BAD_SUMMARY.format(**values))


def _name_problems(name: str, known: dict[str, Package]) -> Iterator[str]:
    if re.fullmatch(r"[a-z][a-z0-9]*", name) is None:
        yield "it is also that of a module, a tag and a distribution, `duckarray-<name>`"
    if keyword.iskeyword(name):
        yield "it is a word of Python"
    if len(name) > LONGEST_NAME:
        yield f"it has more than {LONGEST_NAME} characters"
    if name in known:
        yield f"there already is a `packages/{name}`"


def _class_problems(cls: str) -> Iterator[str]:
    if not (cls.isidentifier() and cls.isascii()) or keyword.iskeyword(cls):
        yield "it is not an identifier"
    if not cls[:1].isupper() or "_" in cls:
        yield "it is not in capitalized words"
    if len(cls) > LONGEST_CLASS:
        yield f"it has more than {LONGEST_CLASS} characters"
    if cls in USED or cls in dir(builtins):
        yield "the sources need that name for something else"


def _summary_problems(summary: str) -> Iterator[str]:
    if not summary.endswith(".") or summary.endswith(".."):
        yield "it does not end with a full stop"
    if not summary.isprintable():
        yield "it has characters that are not printed, or several lines"
    if wrong := sorted(set('"\\|$') & set(summary)):
        yield f"it has a {' and a '.join(wrong)} in it, which mean something in the files made"
    if not summary[:1].isupper() and not summary[:1].isdigit():
        yield "it does not start with a capital letter"
    if len(summary) > LONGEST_SUMMARY:
        yield f"it has {len(summary)} characters"


# --- what is made ---------------------------------------------------------------------------


def _rendered(
    root: Path, names: Names, parts: list[str], core: Package
) -> Iterator[tuple[str, str]]:
    """The files of the package by where they are in it."""
    values = names.values(core)
    for part in parts:
        source = root / "template" / part
        for path in sorted(p for p in source.rglob("*") if p.is_file()):
            if "__pycache__" in path.parts:
                continue
            relative = _fill(path.relative_to(source).as_posix(), values)
            text = _fill(path.read_text(encoding="utf-8"), values)
            yield relative, _formatted(text) if relative.endswith(".py") else text
    yield "LICENSE", (root / "LICENSE").read_text(encoding="utf-8")


def _fill(text: str, values: dict[str, str]) -> str:
    return string.Template(text).substitute(values)


def _formatted(text: str) -> str:
    """What ruff would make of it: only imports and signatures depend on the names filled in."""
    out: list[str] = []
    imports: list[str] = []
    for line in text.splitlines():
        if line.startswith("from duckarray"):
            imports.append(line)
            continue
        out += sorted(imports, key=lambda line: line.split()[1])
        imports = []
        signature = re.fullmatch(r"(def \w+\()(.*)(\) -> .*:)", line) if len(line) > 100 else None
        if signature:
            out += [signature[1], f"    {signature[2]}", signature[3]]
        else:
            out.append(line)
    return "\n".join(out) + "\n" if out else ""


def _lists(root: Path, names: Names) -> dict[Path, str]:
    """The files that name every package, with this one among them."""
    name = names.name
    what = names.summary.removesuffix(".")
    if what[1:2].islower() or what[1:2] == " ":
        what = what[0].lower() + what[1:]
    install = f"`pip install ./packages/core ./packages/{name}`"
    link = f"[`duckarray.{name}`](packages/{name}.md)"
    rows = {
        "README.md": f"| [`packages/{name}`](packages/{name}) | `{names.module}` | {install} "
        f"| {what} |",
        "docs/index.md": f"| {link} | {what} |",
        "mkdocs.yml": f"      - {name}: packages/{name}.md",
    }
    patterns = {
        "README.md": r"\| \[`packages/(\w+)`\]\(packages/",
        "docs/index.md": r"\| \[`duckarray\.(\w+)`\]\(packages/",
        "mkdocs.yml": r" +- (\w+): packages/\w+\.md",
    }
    return {
        root / file: _with_row(root / file, row, name, patterns[file]) for file, row in rows.items()
    }


def _with_row(path: Path, row: str, name: str, pattern: str) -> str:
    """The text with `row` after those of the packages before it; core comes first."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [(i, match[1]) for i, line in enumerate(lines) if (match := re.match(pattern, line))]
    if not found:
        raise NewPackageError(_NO_ROWS.format(path=path, example=row))
    before = [i for i, other in found if other == "core" or other < name]
    at = before[-1] + 1 if before else found[0][0]
    return "\n".join([*lines[:at], row, *lines[at:]]) + "\n"


def _write(folder: Path, files: dict[str, str], others: dict[Path, str]) -> None:
    """Writes all of it, or nothing: what has been done is undone if something fails."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    was_there = folder.exists()
    old = {path: path.read_bytes() if path.exists() else None for path in others}
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as temporary:
        new = Path(temporary, "package")
        for relative, text in files.items():
            path = new / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        if was_there:
            folder.rmdir()  # it is empty
        new.rename(folder)
    try:
        for path, text in others.items():
            path.write_text(text, encoding="utf-8", newline="\n")
    except BaseException:
        for path, data in old.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)
        shutil.rmtree(folder)
        raise


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", help="the folder and the module: `diag` for `duckarray.diag`")
    parser.add_argument("cls", metavar="class", help="the type: `Diagonal`")
    parser.add_argument("summary", help="one sentence that says what it is, in quotes")
    parser.add_argument(
        "--outside",
        metavar="FOLDER",
        type=Path,
        help="make a distribution `duckarray_<name>` there instead of a package of this repository",
    )
    options = parser.parse_args()
    name, asked = options.name, (options.name, options.cls, options.summary)
    try:
        made = outside(options.outside, *asked) if options.outside else inside(*asked)
    except NewPackageError as error:
        sys.exit(f"Nothing made: {error}")
    print("Made, or changed:", *(f"  {_shown(path)}" for path in made), sep="\n")
    if options.outside:
        print(_NEXT_OUTSIDE.format(folder=_shown(made[0]), core=_shown(ROOT / "packages" / "core")))
    else:
        print(_NEXT_INSIDE.format(name=name))


_NEXT_INSIDE = """
Test it:    python -m nox -t {name}
Then make it yours: `_value.py` says what the type is, `_rules/` what it can do, `_subjects.py` what
the tests are to expect. docs/guides/write-a-type.md leads through these."""

_NEXT_OUTSIDE = """
Test it:    python -m pip install -e {core} -e {folder} "pytest>=9"
            cd {folder} && python -m pytest
Then make it yours: `_value.py` says what the type is, `_rules/` what it can do, `_subjects.py` what
the tests are to expect. docs/guides/write-a-type.md leads through these."""


def _shown(path: Path) -> str:
    """The path from here, where it is below."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    main()
