"""What PEFT calls the modules of a model: by default the paths in the tree."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

PREFIX = "base_model.model."
Names = Callable[[str], str | None] | Mapping[str, str] | None

_LISTS = ("layers", "layer", "blocks", "block", "h")

_NO_PLACES = """`{path}` is a stack of {batch} layers, but the name `{name}` has {n} places for \
their numbers.
Pass a name with `{{}}` for each: `names=lambda path: "model.layers.{{}}.q_proj"`."""

_NOT_A_NAME = """`names` gave {name!r} for `{path}`, which is not a name.
Return the name of the module in the file, or None for the path itself."""


def module_names(
    path: str, module: str, batch: tuple[int, ...], names: Names
) -> list[tuple[tuple[int, ...], str]]:
    """For each matrix in a weight, where it is in the stack and what its module is called.

    Args:
        path: the path of the weight.
        module: that of its module.
        batch: the sizes of the axes that layers are stacked along.
        names: what the user says of names.

    Raises:
        ValueError: if a stack has no names for its layers.
        TypeError: if a name is not a string.
    """
    given = given_name(path, module, names)
    name = given if given is not None else module
    if given is None and len(batch) == 1:
        name = _with_place(module)
    if name.count("{}") != len(batch):
        raise ValueError(_NO_PLACES.format(path=path, batch=batch, name=name, n=name.count("{}")))
    indices = list(itertools.product(*map(range, batch)))
    return [(index, name.format(*index) if batch else name) for index in indices]


def given_name(path: str, module: str, names: Names) -> str | None:
    """The name that the user gives a module, if any.

    Raises:
        TypeError: if it is not a string.
    """
    given: Any = None
    if callable(names):
        given = names(path)
    elif names is not None:
        given = names.get(path, names.get(module))
    if given is not None and not isinstance(given, str):
        raise TypeError(_NOT_A_NAME.format(name=given, path=path))
    return given


def _with_place(module: str) -> str:
    """A name with a place for the number after the first part that is a list of layers."""
    parts = module.split(".")
    for i, part in enumerate(parts):
        if part in _LISTS:
            return ".".join([*parts[: i + 1], "{}", *parts[i + 1 :]])
    return module
