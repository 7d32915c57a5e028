"""Whether trees are of one structure, and where they are not."""

from collections.abc import Callable, Sequence
from typing import Any

from jax import tree_util as jtu

_NO_TREES = """`{asked}()` was given no trees.
Pass some: `{asked}(first, second)`."""

_NOT_ALIKE = """`{asked}` was given trees that differ in structure, {where}: the first has \
`{first}`, the one at {at} has `{other}`.
Pass trees that are alike; None stands for what one of them does not have."""

_LEAF = jtu.tree_structure(0)


def require_alike(asked: str, trees: Sequence[Any], is_leaf: Callable[[Any], bool]) -> None:
    """Raises unless all trees have the structure of the first, or more where it has a leaf.

    Raises:
        TypeError: if there is no tree.
        ValueError: if two differ in structure.
    """
    if not trees:
        raise TypeError(_NO_TREES.format(asked=asked))
    for at, tree in enumerate(trees[1:], 1):
        found = _difference(trees[0], tree, is_leaf)
        if found is not None:
            path, first, other = found
            where = f"at {jtu.keystr(path)}" if path else "at the root"
            raise ValueError(
                _NOT_ALIKE.format(asked=asked, where=where, first=first, at=at, other=other)
            )


def _difference(
    x: Any, y: Any, is_leaf: Callable[[Any], bool], path: tuple[Any, ...] = ()
) -> tuple[tuple[Any, ...], str, str] | None:
    """The first place where `y` has not what `x` has: its path, and what there is."""
    children, around = _one_level(x, is_leaf)
    others, around_others = _one_level(y, is_leaf)
    if around == _LEAF:  # in place of which there may be more
        return None
    if around != around_others:
        return path, _text(around), _text(around_others)
    for (key, child), (_, other) in zip(children, others, strict=True):
        found = _difference(child, other, is_leaf, path + key)
        if found is not None:
            return found
    return None


def _one_level(x: Any, is_leaf: Callable[[Any], bool]) -> tuple[Any, Any]:
    return jtu.tree_flatten_with_path(x, is_leaf=lambda y: y is not x or is_leaf(y))


def _text(structure: Any) -> str:
    text = str(structure).removeprefix("PyTreeDef(")[:-1]
    return text if len(text) <= 60 else f"{text[:57]}..."
