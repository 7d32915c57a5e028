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

from collections.abc import Callable, Sequence
from typing import Any

from jax import tree_util as jtu

from . import _selections
from ._alike import require_alike as _require_alike
from ._holdings import Holding as Holding
from ._holdings import Summary as Summary
from ._holdings import summary as summary
from ._partition import combine as combine
from ._partition import labels as labels
from ._partition import mask as mask
from ._partition import partition as partition
from ._quaxify import quaxify as _quaxify
from ._selections import Selection as Selection
from ._structure import Slot as _Slot
from ._structure import convert as _convert
from ._structure import join as _join
from ._value import ArrayValue as _ArrayValue
from ._value import Value as _Value

IsLeaf = Callable[[Any], bool] | None

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

    Args:
        f: is given the path and the leaf of `tree`, and what is in its place in each of `rest`.
        tree: any tree.
        *rest: trees of the structure of `tree`, or with more where it has a leaf.
        is_leaf: what else is not gone into.

    Example:
        >>> import jax
        >>> from duckarray.core import tree
        >>> tree.map_with_path(lambda path, x: jax.tree_util.keystr(path), {"w": [1.0, 2.0]})
        {'w': ["['w'][0]", "['w'][1]"]}
    """
    return jtu.tree_map_with_path(f, tree, *rest, is_leaf=_leaf(is_leaf))


def leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree, values whole and what `is_leaf` says of.

    Example:
        >>> from duckarray.core import tree
        >>> tree.leaves({"a": 1, "b": [2, None]})
        [1, 2]
    """
    return jtu.tree_leaves(tree, is_leaf=_leaf(is_leaf))


def leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[Any, Any]]:
    """The leaves of a tree, values whole and what `is_leaf` says of, each after its path.

    Example:
        >>> from duckarray.core import tree
        >>> tree.leaves_with_path([1.0])
        [((SequenceKey(idx=0),), 1.0)]
    """
    return jtu.tree_leaves_with_path(tree, is_leaf=_leaf(is_leaf))


def structure(tree: Any, is_leaf: IsLeaf = None) -> Any:
    """The structure of a tree in which a value is a leaf like any array, as is what `is_leaf` says.

    Example:
        >>> from duckarray.core import tree
        >>> tree.structure({"a": 1.0})
        PyTreeDef({'a': *})
    """
    return jtu.tree_structure(tree, is_leaf=_leaf(is_leaf))


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], Any]:
    """The leaves of a tree, values whole and what `is_leaf` says of, and its structure.

    Example:
        >>> from duckarray.core import tree
        >>> found, structure = tree.flatten({"a": 1.0})
        >>> tree.unflatten(structure, found)
        {'a': 1.0}
    """
    return jtu.tree_flatten(tree, is_leaf=_leaf(is_leaf))


def flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[Any, Any]], Any]:
    """`flatten`, with its path before each leaf; `is_leaf` says what else is one.

    Example:
        >>> from duckarray.core import tree
        >>> tree.flatten_with_path([1.0])[0]
        [((SequenceKey(idx=0),), 1.0)]
    """
    return jtu.tree_flatten_with_path(tree, is_leaf=_leaf(is_leaf))


def unflatten(structure: Any, leaves: Sequence[Any]) -> Any:
    """Undoes `flatten` and `flatten_one_level`: the tree of a structure with these `leaves`.

    Example:
        >>> from duckarray.core import tree
        >>> tree.unflatten(tree.structure([0, 0]), ["a", "b"])
        ['a', 'b']
    """
    return jtu.tree_unflatten(structure, leaves)


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
        TypeError: if no tree is given.
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

    _require_alike("tree.unify", trees, is_value)
    first, *rest = trees
    together = map(one, first, *rest)
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
