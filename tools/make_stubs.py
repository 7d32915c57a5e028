"""Writes the stubs of `duckarray.core.numpy` and its like, from the JAX that is installed.

`python tools/make_stubs.py` with the newest JAX, `python tools/make_stubs.py --narrow` with the
oldest, which takes off what that does not have, then `ruff check --fix` and `ruff format`. A name
that a stub does not have is `Any` to type checkers.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

CORE = Path(__file__).resolve().parent.parent / "packages" / "core" / "src" / "duckarray" / "core"
MODULES = {
    "numpy": "jax.numpy",
    "lax": "jax.lax",
    "nn": "jax.nn",
    "scipy": "jax.scipy",
    "random": "jax.random",
}
AGAIN = {"fft": "numpy.fft", "linalg": "numpy.linalg"}
# To type checkers, JAX's `numpy` does not have these, or had them not in 0.10.
UNDECLARED = {"int1", "uint1", "float6_e2m3fn", "float6_e3m2fn"}
HEAD = "# `{module}`, made by `tools/make_stubs.py`: do not edit.\nfrom typing import Any\n"
REST = "\ndef __getattr__(name: str) -> Any: ...\n"


def stubs(narrow: bool) -> dict[Path, str]:
    """The text of each stub, by its file; if `narrow`, of names alone that it has already."""
    found: dict[Path, str] = {}

    def add(path: Path, module: types.ModuleType) -> None:
        text = path.read_text("utf-8") if narrow else ""
        known = set(re.findall(r"(?:_jax\.|as )(\w+)", text))
        own = path.relative_to(CORE).with_suffix("").as_posix().removesuffix("/__init__")
        head = HEAD.format(module=f"duckarray.core.{own.replace('/', '.')}")
        found[path] = head + stub(module, known if narrow else None)

    for name, original in MODULES.items():
        module = importlib.import_module(original)
        if (CORE / name).is_dir():
            add(CORE / name / "__init__.pyi", module)
            for child in pkgutil.iter_modules(module.__path__):
                if not child.name.startswith("_"):
                    inner = importlib.import_module(f"{original}.{child.name}")
                    add(CORE / name / f"{child.name}.pyi", inner)
        else:
            add(CORE / f"{name}.pyi", module)
    for name, other in AGAIN.items():
        head = HEAD.format(module=f"duckarray.core.{name}")
        found[CORE / f"{name}.pyi"] = f"{head}from duckarray.core.{other} import *\n{REST}"
    return found


def stub(module: types.ModuleType, known: set[str] | None) -> str:
    """The stub of a mirror of one module of JAX, of the names that are known."""
    parent, _, own = module.__name__.rpartition(".")
    functions, others, children = [], [], []
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        if known is not None and name not in known:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = getattr(module, name, None)
        if isinstance(found, types.ModuleType):
            if found.__name__ == f"{module.__name__}.{name}":
                children.append(name)
        elif callable(found) and not _is_type(found):
            functions.append(name)
        elif found is not None and name not in UNDECLARED:
            others.append(name)
    lines: list[str] = []
    if functions:
        lines.append(f"from {parent} import {own} as _jax")
        lines.append("from duckarray.core._signatures import quaxified as _quaxified")
    if others:
        names = ", ".join(f"{name} as {name}" for name in others)
        lines.append(f"from {module.__name__} import ({names},)")
    if children and hasattr(module, "__path__") and parent == "jax":
        lines.append(f"from . import {', '.join(f'{name} as {name}' for name in children)}")
    lines.append("")
    for name in functions:
        lines.append(f"def _{name}({_parameters(getattr(module, name))}) -> Any: ...")
        lines.append(f"{name} = _quaxified(_jax.{name}, _{name})")
    return "\n".join([*lines, REST])


def _parameters(function: Callable[..., object]) -> str:
    """Its parameters, of any type, for type checkers cannot say "an array of JAX, or a value"."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except ValueError:  # of a function in C
        return "*args: Any, **kwargs: Any"
    plain = [
        x.replace(annotation=Any, default=x.empty if x.default is x.empty else ...) for x in found
    ]
    return str(inspect.Signature(plain))[1:-1].replace("Ellipsis", "...")


def _is_type(found: object) -> bool:
    """Whether it is an alias such as `jax.random.Key`, which can be called, too."""
    return isinstance(found, type) or type(found).__module__ in ("typing", "types")


def main() -> None:
    """Writes them."""
    narrow = sys.argv[1:] == ["--narrow"]
    for path, text in stubs(narrow).items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
