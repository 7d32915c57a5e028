"""Prints, as JSON, the name of each primitive of JAX and Equinox, and how core treats it.

Run in a process of its own: it imports every public module there is.
"""

import contextlib
import gc
import importlib
import json
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from jax.extend.core import Primitive

LIBRARIES = ("jax", "equinox", "lineax")


def public_modules(library: str) -> Iterator[str]:
    """The names of the modules of `library`, found without importing what is private."""
    yield library
    try:
        package = importlib.import_module(library)
    except ImportError:
        return
    waiting = [(f"{library}.", package.__path__)]
    while waiting:
        prefix, path = waiting.pop()
        for module in pkgutil.iter_modules(path, prefix):
            if any(part.startswith("_") for part in module.name.split(".")):
                continue
            yield module.name
            if module.ispkg:
                with contextlib.suppress(Exception, SystemExit):
                    waiting.append(
                        (f"{module.name}.", importlib.import_module(module.name).__path__)
                    )


def import_all() -> None:
    """Imports what can be imported here; some modules need an accelerator or another library."""
    for library in LIBRARIES:
        for name in public_modules(library):
            with contextlib.suppress(Exception, SystemExit):
                importlib.import_module(name)


def all_primitives() -> list[Primitive]:
    import_all()
    return [x for x in gc.get_objects() if isinstance(x, Primitive)]


def described(primitive: Primitive) -> dict[str, Any]:
    from duckarray.core import families
    from duckarray.core._dispatch import handler_of
    from duckarray.core._rules.table import treatments
    from duckarray.core._trace import DuckTrace

    named = {name: members for name, members in vars(families).items() if type(members) is tuple}
    name = primitive.name
    return {
        "name": name,
        "families": [f for f, members in named.items() if primitive in members or name in members],
        "treatment": treatments.get(name, (None, None))[0],
        "handler": handler_of(primitive) is not None,
        "process": hasattr(DuckTrace, f"process_{name}"),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(sys.stderr):
        found = [described(p) for p in all_primitives()]
    print(json.dumps(found))  # noqa: T201
