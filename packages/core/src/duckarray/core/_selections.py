"""Saying which parts of a tree are meant: by type, by fields of a type, by predicate, by tree."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax import tree_util as jtu

from ._summary import summarize
from ._value import Value

Selection = (
    type | tuple[type, ...] | Mapping[type, str | Sequence[str]] | Callable[[Any], bool] | Any
)

_NOT_A_SELECTION = """`{asked}` was told what to select by {what!r} of type `{type}`.
Pass a type, `{{Type: "field"}}`, a function of a leaf, or a tree of bools like the tree itself."""

_NO_FIELD = """`{{{cls}: {name!r}}}` selects a field of `{cls}`, {problem}.
Its fields that hold arrays are: {fields}."""

_A_BASE = """`{{{cls}: {name!r}}}` selects a field of `{cls}`, the base of all values, which has \
no fields.
Name the class that has it: `{{MyArray: {name!r}}}`."""

_NOT_A_BOOL = """the predicate {what!r} returned {answer!r} for {leaf}, not True or False.
It is given each leaf of the tree, a value as a whole; return whether to select it."""

_OTHER_TREE = """`{asked}` was given a tree of bools that does not fit the tree: {error}
Each bool stands for the whole of what is in its place."""


def is_leaf_value(x: Any) -> bool:
    """Whether `x` is a value that is more than a hole: `partition` left something in it."""
    if not isinstance(x, Value):
        return False
    return bool(jtu.tree_leaves(x)) or not _has_fields(x)


def mark(tree: Any, what: Selection, asked: str) -> Any:
    """`tree` with True or False in place of each array, inside values too."""
    fields = _as_fields(what, asked)
    if fields is not None:
        return jtu.tree_map(lambda x: _mark_leaf(x, fields), tree, is_leaf=is_leaf_value)
    if callable(what):
        return jtu.tree_map(
            lambda x: _fill(x, _answer(what, x)),
            tree,
            is_leaf=is_leaf_value,
        )
    try:
        return jtu.tree_map(lambda flag, x: _fill(x, _as_bool(flag)), what, tree)
    except (ValueError, TypeError) as error:
        if not isinstance(what, bool | Mapping | list | tuple) and not jtu.tree_leaves(what):
            text = _NOT_A_SELECTION.format(asked=asked, what=what, type=type(what).__name__)
            raise TypeError(text) from error
        first = str(error).splitlines()[0]
        raise ValueError(_OTHER_TREE.format(asked=asked, error=first)) from error


# For each type the fields that are meant, or None for all of them.
_Fields = dict[type, tuple[str, ...] | None]


def _as_fields(what: Selection, asked: str) -> _Fields | None:
    """A selection by types or their fields; None for one of another kind."""
    if isinstance(what, type):
        return {what: None}
    if isinstance(what, tuple) and what and all(isinstance(t, type) for t in what):
        return dict.fromkeys(what)
    if not (isinstance(what, Mapping) and what and all(isinstance(t, type) for t in what)):
        return None
    found: _Fields = {}
    for cls, names in what.items():
        names = (names,) if isinstance(names, str) else tuple(names)
        for name in names:
            _require_field(cls, name)
        found[cls] = names
    return found


def _require_field(cls: Any, name: str) -> None:
    if not (isinstance(cls, type) and issubclass(cls, Value)):
        raise TypeError(
            f"`{{{cls.__name__}: {name!r}}}` selects a field of `{cls.__name__}`, which is not a "
            "type of values.\n"
            "Fields are selected of subclasses of `ArrayValue`; select other things by a function."
        )
    if not hasattr(cls, "__dataclass_fields__"):
        raise TypeError(_A_BASE.format(cls=cls.__name__, name=name))
    fields = {f.name: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    dynamic = [n for n, f in fields.items() if not f.metadata.get("static")]
    if name not in dynamic:
        problem = "which is static, so no part of the tree" if name in fields else "which has none"
        listing = ", ".join(f"`{n}`" for n in dynamic) or "none"
        raise ValueError(
            _NO_FIELD.format(cls=cls.__name__, name=name, problem=problem, fields=listing)
        )


def _mark_leaf(x: Any, fields: _Fields) -> Any:
    cls = next((t for t in fields if isinstance(x, t)), None)
    if cls is not None:
        names = fields[cls]
        if names is None:
            return _fill(x, True)
        # A value inside one of its own type is left alone: it is the outer one that is meant.
        return _mark_children(x, {t: n for t, n in fields.items() if t is not cls}, names)
    return _mark_children(x, fields, ()) if isinstance(x, Value) else False


def _mark_children(value: Value, fields: _Fields, names: tuple[str, ...]) -> Any:
    """`value` with True in the named fields, and elsewhere what is said of values inside it."""

    def one(path: Any, child: Any) -> Any:
        if path[0].name in names:
            return _fill(child, True)
        return jtu.tree_map(
            lambda x: _mark_leaf(x, fields) if isinstance(x, Value) else False,
            child,
            is_leaf=is_leaf_value,
        )

    return jtu.tree_map_with_path(one, value, is_leaf=lambda x: x is not value)


def _answer(predicate: Callable[[Any], Any], leaf: Any) -> bool:
    answer = predicate(leaf)
    if not isinstance(answer, bool | np.bool_):
        text = _NOT_A_BOOL.format(what=predicate, answer=answer, leaf=summarize(leaf))
        raise TypeError(text)
    return bool(answer)


def _as_bool(flag: Any) -> bool:
    if not isinstance(flag, bool):
        raise TypeError(f"{flag!r} is not a bool")
    return flag


def _fill(x: Any, flag: bool) -> Any:
    """`x` with `flag` in place of each array in it."""
    return jtu.tree_map(lambda _: flag, x)


def _has_fields(value: Value) -> bool:
    """Whether a value without any leaf once had some: it has fields that are not static."""
    return any(not f.metadata.get("static") for f in dataclasses.fields(value))  # type: ignore[arg-type]
