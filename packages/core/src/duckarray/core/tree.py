"""Trees in which a value is one leaf, as the array that it stands for would be.

`jax.tree.map` goes on into a value, to the arrays it is made of, which is what an optimizer wants.
The functions here stop at it. They can also take a tree apart by the types in it, and say what it
holds.

A *selection* says which parts are meant:

| selection | what it selects |
|---|---|
| `LoraArray`, `(Zeros, LoraArray)` | whole values of these types, or other leaves of them |
| `{LoraArray: ["a", "b"]}` | these fields of values of a type |
| `lambda x: x.ndim == 2` | the leaves, values being whole ones, for which this returns True |
| a tree of bools | what has True in its place; one bool may stand for a whole branch |

By type and by field, values inside other values are found too, save inside one of the same type.

Example:
    >>> import jax, jax.numpy as jnp
    >>> from duckarray.core import ArrayValue, tree
    >>> class Scaled(ArrayValue):
    ...     array: jax.Array
    ...     factor: jax.Array
    ...     def materialize(self):
    ...         return self.factor * self.array
    >>> params = {"w": Scaled(jnp.ones((2, 3)), jnp.array(2.0)), "bias": jnp.zeros(3)}
    >>> tree.map(lambda x: x.shape, params)
    {'bias': (3,), 'w': (2, 3)}
    >>> selected, rest = tree.partition(params, {Scaled: "factor"})
    >>> selected
    {'bias': None, 'w': Scaled(array=None, factor=f32[])}
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax import tree_util as jtu

from . import _selections
from ._holdings import Holding as Holding
from ._holdings import Summary as Summary
from ._holdings import summary as summary
from ._quaxify import quaxify as _quaxify
from ._selections import Selection
from ._structure import Slot as _Slot
from ._structure import convert as _convert
from ._structure import join as _join
from ._value import ArrayValue as _ArrayValue
from ._value import Value as _Value

IsLeaf = Callable[[Any], bool] | None

_DIFFERENT = """`tree.combine` was given two arrays for the same place, {path}.
Combine what `tree.partition` has split: in each place all but one of the trees have None."""

_NOT_ONE_VALUE = """`tree.flatten_one_level({what})` takes a value apart, but got a `{type}`.
Pass one value: `tree.leaves(x)` finds those in a tree."""


def is_value(x: Any) -> bool:
    """Whether `x` is a value, and more than a hole that `partition` has left of one.

    Made to be passed as `is_leaf` to functions on trees of other libraries.

    Example:
        >>> import jax
        >>> from duckarray.core import tree
        >>> jax.tree.leaves({"x": 1.0}, is_leaf=tree.is_value)
        [1.0]
    """
    return _selections.is_leaf_value(x)


def map(  # noqa: A001  # as `jax.tree.map`
    f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None
) -> Any:
    """Applies `f` to each leaf of `tree`, a value being one.

    Args:
        f: is given a leaf of `tree`, and what is in its place in each of `rest`.
        tree: any tree.
        *rest: trees of the structure of `tree`, or with more where it has a leaf.
        is_leaf: what else is not gone into.

    Returns:
        The tree of what `f` gave.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> tree.map(lambda x, y: x.shape + (y,), {"w": jnp.ones(2)}, {"w": 7})
        {'w': (2, 7)}
    """
    return jtu.tree_map(f, tree, *rest, is_leaf=_leaf(is_leaf))


def map_with_path(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """`map`, where `f` is first given the path of the leaf, as `jax.tree_util` describes it.

    Example:
        >>> import jax
        >>> from duckarray.core import tree
        >>> tree.map_with_path(lambda path, x: jax.tree_util.keystr(path), {"w": [1.0, 2.0]})
        {'w': ["['w'][0]", "['w'][1]"]}
    """
    return jtu.tree_map_with_path(f, tree, *rest, is_leaf=_leaf(is_leaf))


def leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree, values whole.

    Example:
        >>> from duckarray.core import tree
        >>> tree.leaves({"a": 1, "b": [2, None]})
        [1, 2]
    """
    return jtu.tree_leaves(tree, is_leaf=_leaf(is_leaf))


def leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[Any, Any]]:
    """The leaves of a tree, values whole, each with its path before it.

    Example:
        >>> from duckarray.core import tree
        >>> tree.leaves_with_path([1.0])
        [((SequenceKey(idx=0),), 1.0)]
    """
    return jtu.tree_leaves_with_path(tree, is_leaf=_leaf(is_leaf))


def structure(tree: Any, is_leaf: IsLeaf = None) -> Any:
    """The structure of a tree in which a value is a leaf like any array.

    Example:
        >>> from duckarray.core import tree
        >>> tree.structure({"a": 1.0})
        PyTreeDef({'a': *})
    """
    return jtu.tree_structure(tree, is_leaf=_leaf(is_leaf))


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], Any]:
    """The leaves of a tree, values whole, and its structure.

    Example:
        >>> from duckarray.core import tree
        >>> found, structure = tree.flatten({"a": 1.0})
        >>> tree.unflatten(structure, found)
        {'a': 1.0}
    """
    return jtu.tree_flatten(tree, is_leaf=_leaf(is_leaf))


def flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[Any, Any]], Any]:
    """`flatten`, with its path before each leaf.

    Example:
        >>> from duckarray.core import tree
        >>> tree.flatten_with_path([1.0])[0]
        [((SequenceKey(idx=0),), 1.0)]
    """
    return jtu.tree_flatten_with_path(tree, is_leaf=_leaf(is_leaf))


def unflatten(structure: Any, leaves: Sequence[Any]) -> Any:
    """Undoes `flatten` and `flatten_one_level`.

    Example:
        >>> from duckarray.core import tree
        >>> tree.unflatten(tree.structure([0, 0]), ["a", "b"])
        ['a', 'b']
    """
    return jtu.tree_unflatten(structure, leaves)


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

    return jtu.tree_map_with_path(one, *trees, is_leaf=lambda x: x is None)


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


def unify(*trees: Any) -> list[Any]:
    """Brings trees to one structure, as branches of `cond` are.

    Where they have different values, these become a type that all can become (see
    `ArrayValue.join`); values of one type keep it around what is joined of their fields; whatever
    has nothing in common is made dense, under the policy of `materialization`.

    Args:
        *trees: trees that are alike, a value being one leaf.

    Returns:
        One tree for each, so that `jax.tree.structure` is the same for all.

    Raises:
        ValueError: if the trees differ otherwise.
        MaterializeError: if something has to be made dense and must not.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, tree
        >>> class Wrapped(ArrayValue):
        ...     array: jax.Array
        ...     materialization = "allow"
        ...     def materialize(self):
        ...         return self.array
        >>> tree.unify([Wrapped(jnp.ones(2)), 1.0], [jnp.zeros(2), 2.0])
        [[Array([1., 1.], dtype=float32), 1.0], [Array([0., 0.], dtype=float32), 2.0]]
    """

    def one(*parts: Any) -> _Together:
        if not any(isinstance(x, _Value) for x in parts):
            return _Together(list(parts))
        slot = _Slot(parts[0])
        for x in parts[1:]:
            slot = _join(slot, _Slot(x))
        return _Together([_convert(x, slot, "tree.unify") for x in parts])

    together = map(one, *trees)
    return [
        jtu.tree_map(lambda x, i=i: x.parts[i], together, is_leaf=lambda x: type(x) is _Together)
        for i in range(len(trees))
    ]


def depth(tree: Any) -> int:
    """How many values are inside one another, at most: 0 for a tree of arrays.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> tree.depth({"w": jnp.ones(2)})
        0
    """
    found = [x for x in leaves(tree) if is_value(x)]
    return max((1 + depth(flatten_one_level(x)[0]) for x in found), default=0)


def flatten_one_level(value: Any) -> tuple[list[Any], Any]:
    """What the fields of a value hold, which may be values, and the structure around that.

    Args:
        value: one value.

    Raises:
        TypeError: if it is not a value.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, tree
        >>> class Wrapped(ArrayValue):
        ...     array: jax.Array | ArrayValue
        ...     def materialize(self):
        ...         return self.array
        >>> tree.flatten_one_level(Wrapped(Wrapped(jnp.ones(2))))[0]
        [Wrapped(array=f32[2])]
    """
    if not isinstance(value, _Value):
        name = type(value).__name__
        raise TypeError(_NOT_ONE_VALUE.format(what=repr(value)[:40], type=name))
    return jtu.tree_flatten(value, is_leaf=lambda x: x is not value)


def materialize(tree: Any, levels: int = 1) -> Any:
    """Makes values dense from the outside in, and leaves alone what is further inside.

    A value that holds another becomes what its `materialize` makes of that other one: a wrapper
    around a low-rank array becomes the low-rank array. `duckarray.core.materialize` goes through to
    the arrays.

    Args:
        tree: any tree.
        levels: how many values around one another are taken off.

    Returns:
        The same tree; where a value was, an array or another value.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, tree
        >>> class Wrapped(ArrayValue):
        ...     array: jax.Array | ArrayValue
        ...     def materialize(self):
        ...         return self.array
        >>> tree.materialize({"w": Wrapped(Wrapped(jnp.ones(2)))})
        {'w': Wrapped(array=f32[2])}
    """
    for _ in range(levels):
        tree = map(_without_outer, tree)
    return tree


def _without_outer(x: Any) -> Any:
    if not isinstance(x, _ArrayValue):
        return x
    children, around = flatten_one_level(x)
    return _quaxify(lambda inner: around.unflatten(inner).materialize())(children)


class _Together:
    """What several trees have in one place."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


def _leaf(is_leaf: IsLeaf) -> Callable[[Any], bool]:
    if is_leaf is None:
        return is_value
    return lambda x: is_value(x) or is_leaf(x)
