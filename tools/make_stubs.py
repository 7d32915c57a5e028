"""Writes the stubs of `duckarray.core.numpy` and its like, from the JAX that is installed.

`python tools/make_stubs.py`, then `ruff check --fix` and `ruff format`. A name that a stub does not
have, of a newer JAX, is `Any` to type checkers.
"""

from __future__ import annotations

import importlib
import pkgutil
import types
import warnings
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "packages" / "core" / "src" / "duckarray" / "core"
MODULES = {
    "numpy": "jax.numpy",
    "lax": "jax.lax",
    "nn": "jax.nn",
    "scipy": "jax.scipy",
    "fft": "jax.numpy.fft",
    "linalg": "jax.numpy.linalg",
    "random": "jax.random",
}
UNDECLARED = {"int1", "uint1"}  # to type checkers, JAX's `numpy` does not have these
HEAD = "# Made by `tools/make_stubs.py`: do not edit.\nfrom typing import Any\n"
REST = "\ndef __getattr__(name: str) -> Any: ...\n"


def stubs() -> dict[Path, str]:
    """The text of each stub, by its file."""
    found: dict[Path, str] = {}
    for name, original in MODULES.items():
        module = importlib.import_module(original)
        if (CORE / name).is_dir():
            found[CORE / name / "__init__.pyi"] = stub(module)
            for child in pkgutil.iter_modules(module.__path__):
                if not child.name.startswith("_"):
                    inner = importlib.import_module(f"{original}.{child.name}")
                    found[CORE / name / f"{child.name}.pyi"] = stub(inner)
        else:
            found[CORE / f"{name}.pyi"] = stub(module)
    return found


def stub(module: types.ModuleType) -> str:
    """The stub of a mirror of one module of JAX."""
    parent, _, own = module.__name__.rpartition(".")
    functions, others, children = [], [], []
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
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
    lines = [HEAD]
    if functions:
        lines.append(f"from {parent} import {own} as _jax")
        lines.append("from duckarray.core._signatures import quaxified as _quaxified")
    if others:
        names = ", ".join(f"{name} as {name}" for name in others)
        lines.append(f"from {module.__name__} import ({names},)")
    if children and hasattr(module, "__path__") and parent == "jax":
        lines.append(f"from . import {', '.join(f'{name} as {name}' for name in children)}")
    lines += ["", *(f"{name} = _quaxified(_jax.{name})" for name in functions)]
    return "\n".join([*lines, REST])


def _is_type(found: object) -> bool:
    """Whether it is an alias such as `jax.random.Key`, which can be called, too."""
    return isinstance(found, type) or type(found).__module__ in ("typing", "types")


def main() -> None:
    """Writes them."""
    for path, text in stubs().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
