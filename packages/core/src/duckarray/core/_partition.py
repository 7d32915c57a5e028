"""Splitting trees by what is in them: `partition`, `combine`, `mask` and `labels`."""

from collections.abc import Mapping
from typing import Any

from jax import tree_util as jtu

from . import _selections
from ._alike import require_alike
from ._selections import Selection

_DIFFERENT = """`tree.combine` was given two arrays for the same place, {path}.
Combine what `tree.partition` has split: in each place all but one of the trees have None."""


def partition(tree: Any, what: Selection) -> tuple[Any, Any]:
    """Splits a tree in two: what is selected, and the rest.

    To train only the factors of adapters, take the gradient with respect to the selected part: what
    is frozen then has no gradient and no state in the optimizer.

    Args:
        tree: any tree.
        what: a selection; see `duckarray.core.tree`.

    Returns:
        `(selected, rest)`, both of the structure of `tree`, with None in place of each array of the
        other, inside values too. `combine` puts them together.

    Raises:
        TypeError: if `what` is no selection, or a predicate gives something other than a bool.
        ValueError: if a type has no such field, or a tree of bools does not fit.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> tree.partition({"w": jnp.ones((2, 2)), "b": 1.0}, lambda x: jnp.ndim(x) == 0)[0]
        {'b': 1.0, 'w': None}
    """
    marks = _selections.mark(tree, what, "tree.partition(tree, what)")
    selected = jtu.tree_map(lambda x, chosen: x if chosen else None, tree, marks)
    rest = jtu.tree_map(lambda x, chosen: None if chosen else x, tree, marks)
    return selected, rest


def combine(*trees: Any) -> Any:
    """Puts together what `partition` has split.

    Args:
        *trees: trees of one structure, each place having None in all but one of them.

    Raises:
        TypeError: if no tree is given.
        ValueError: if two trees have something in the same place, or differ in structure.

    Example:
        >>> from duckarray.core import tree
        >>> tree.combine({"a": 1.0, "b": None}, {"a": None, "b": 2.0})
        {'a': 1.0, 'b': 2.0}
    """

    def one(path: Any, *parts: Any) -> Any:
        found = [x for x in parts if x is not None]
        if len(found) > 1:
            raise ValueError(_DIFFERENT.format(path=jtu.keystr(path) or "the whole tree"))
        return found[0] if found else None

    require_alike("tree.combine", trees, lambda x: x is None)
    first, *rest = trees
    return jtu.tree_map_with_path(one, first, *rest, is_leaf=lambda x: x is None)


def mask(tree: Any, what: Selection) -> Any:
    """True in place of each array that is selected and False in place of others.

    It is a mask for `optax.masked`, and labels for `optax.multi_transform`, for which `labels`
    gives names.

    Args:
        tree: any tree.
        what: a selection; see `duckarray.core.tree`.

    Raises:
        TypeError: as `partition`.
        ValueError: as `partition`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> tree.mask({"w": jnp.ones((2, 2)), "b": jnp.ones(2)}, lambda x: x.ndim == 2)
        {'b': False, 'w': True}
    """
    return _selections.mark(tree, what, "tree.mask(tree, what)")


def labels(tree: Any, selections: Mapping[Any, Selection], default: Any) -> Any:
    """A label in place of each array: that of the first selection it is in, or `default`.

    They are for `optax.multi_transform`, which trains what has one label with one optimizer.

    Args:
        tree: any tree.
        selections: for each label what it is for; see `duckarray.core.tree`.
        default: the label of all else.

    Raises:
        TypeError: as `partition`.
        ValueError: as `partition`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> params = {"w": jnp.ones((2, 2)), "b": jnp.ones(2)}
        >>> tree.labels(params, {"decay": lambda x: x.ndim == 2}, default="plain")
        {'b': 'plain', 'w': 'decay'}
    """
    names = list(selections)
    asked = "tree.labels(tree, selections)"
    marks = [_selections.mark(tree, selections[name], asked) for name in names]

    def one(_: Any, *chosen: bool) -> Any:
        return next((name for name, c in zip(names, chosen, strict=True) if c), default)

    return jtu.tree_map(one, tree, *marks)
