"""Structures of values: taking values apart into leaves, comparing, joining and converting them."""

from collections.abc import Iterable, Sequence
from typing import Any

import jax
from jax import tree_util as jtu

from ._jax import struct
from ._materialize import densify
from ._summary import summarize
from ._value import Value

Tree = Any  # the tree structure of a value, or None for a dense array


def flatten(operands: Iterable[Any]) -> tuple[list[Any], tuple[Tree, ...]]:
    """Takes operands apart: the leaves of all, and for each its tree structure or None."""
    leaves: list[Any] = []
    trees: list[Tree] = []
    for x in operands:
        if isinstance(x, Value):
            parts, tree = _take_apart(x)
            leaves += parts
            trees.append(tree)
        else:
            leaves.append(x)
            trees.append(None)
    return leaves, tuple(trees)


def unflatten(trees: Sequence[Tree], leaves: Iterable[Any]) -> list[Any]:
    """Undoes `flatten`."""
    rest = iter(leaves)
    return [
        next(rest) if tree is None else tree.unflatten([next(rest) for _ in range(tree.num_leaves)])
        for tree in trees
    ]


def _structure_of(x: Any) -> Tree:
    return jtu.tree_structure(x)


def _equal(a: Tree, b: Tree) -> bool:
    """Whether two tree structures are: JAX finds those of some different dataclasses equal."""
    return bool(a == b) and hash(a) == hash(b)


def _take_apart(value: Value) -> tuple[list[Any], Tree]:
    return jtu.tree_flatten(value)


def width(tree: Tree) -> int:
    """How many leaves an operand of this structure has."""
    return 1 if tree is None else int(tree.num_leaves)


def value_type(tree: Tree) -> type[Value]:
    """The class of the value that a tree structure describes."""
    return tree.node_data()[0]  # type: ignore[no-any-return]


class Slot:
    """What passes through one place of a branch or a carry: dense, or a value of this structure."""

    __slots__ = ("_avals", "leaves", "tree")

    def __init__(self, x: Any) -> None:
        if isinstance(x, Value):
            leaves, self.tree = _take_apart(x)
            self._avals = list(map(jax.typeof, leaves))
            self.leaves = tuple([(a.shape, a.dtype) for a in self._avals])
        else:
            self.tree, self.leaves, self._avals = None, (), []

    @property
    def example(self) -> Any:
        """A value of this structure, of abstract leaves; None for a dense array."""
        return None if self.tree is None else self.tree.unflatten(map(struct, self._avals))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slot) or (self.tree is None) is not (other.tree is None):
            return False
        # Comparing a tree structure with None raises.
        return self.tree is None or (self.leaves == other.leaves and _equal(self.tree, other.tree))

    def __hash__(self) -> int:
        return hash((self.tree, self.leaves))

    def __repr__(self) -> str:
        return "a dense array" if self.tree is None else repr(self.example)


DENSE = Slot(None)


def join(a: Slot, b: Slot) -> Slot:
    """The slot that what passes through `a` and through `b` can both be converted to.

    Of values of one type whose children differ, that type around the joins of the children; else a
    common type by the `join` hooks; else dense.
    """
    if a == b:
        return a
    common = None if a.tree is None or b.tree is None else _join_values(a.example, b.example)
    return DENSE if common is None else Slot(common)


def _join_values(x: Value, y: Value) -> Value | None:
    common = _common_prefix(x, y)  # hooks need not look into children that are values themselves
    for one, other in ((x, y), (y, x)):
        if common is None:
            common = one.join(other)
    return common


def _common_prefix(x: Value, y: Value) -> Value | None:
    """The outer value that `x` and `y` share, around the joins of their children."""
    x_children, x_outer = one_level(x)
    y_children, y_outer = one_level(y)
    if not _equal(x_outer, y_outer):
        return None
    joined = [_join_children(p, q) for p, q in zip(x_children, y_children, strict=True)]
    if any(child is None for child in joined):
        return None
    return x_outer.unflatten(joined)  # type: ignore[no-any-return]


def _join_children(p: Any, q: Any) -> Any:
    if Slot(p) == Slot(q) and isinstance(p, Value):
        return p
    if isinstance(p, Value) and isinstance(q, Value):
        common = _join_values(p, q)
        if common is not None:
            return common
    if not (_is_like_an_array(p) and _is_like_an_array(q)):
        return p if _equal(_structure_of(p), _structure_of(q)) and _alike(p, q) else None
    same = tuple(p.shape) == tuple(q.shape) and p.dtype == q.dtype
    return jax.ShapeDtypeStruct(p.shape, p.dtype) if same else None


def _is_like_an_array(x: Any) -> bool:
    """Whether `x` is an array, a value or abstract, and not a tree that only has a shape."""
    return hasattr(x, "shape") and hasattr(x, "dtype")


def _alike(p: Any, q: Any) -> bool:
    pairs = zip(jtu.tree_leaves(p), jtu.tree_leaves(q), strict=True)
    return all(x.shape == y.shape and x.dtype == y.dtype for x, y in pairs)


def one_level(value: Value) -> tuple[list[Any], Tree]:
    """The children of a value, taken apart no further."""
    return jtu.tree_flatten(value, is_leaf=lambda x: x is not value)


def resized(x: Any) -> Any:
    """`x`, and the values in it, told that their leaves have another leading size now."""
    if not isinstance(x, Value):
        return x
    outer: Tree
    parts, outer = jtu.tree_flatten(x, is_leaf=lambda y: isinstance(y, Value) and y is not x)
    return outer.unflatten(map(resized, parts)).resize_leading()


def convert(x: Any, slot: Slot, primitive: Any) -> Any:
    """`x` with the structure of `slot`.

    Raises:
        TypeError: if it cannot be converted.
    """
    return densify(x, primitive) if slot.tree is None else _like(x, slot.example, primitive)


def _like(x: Any, example: Any, primitive: Any) -> Any:
    if not isinstance(example, Value):
        return densify(x, primitive) if isinstance(x, Value) else x
    if isinstance(x, Value):
        if _equal(_structure_of(x), _structure_of(example)):
            return x
        out = x.coerce_like(example)
        if out is not NotImplemented:
            if _equal(_structure_of(out), _structure_of(example)):
                return out
            x = out  # of that type, but with other types inside
        children, outer = one_level(x)
        targets, target_outer = one_level(example)
        if _equal(outer, target_outer):
            pairs = zip(children, targets, strict=True)
            return outer.unflatten([_like(p, t, primitive) for p, t in pairs])
    raise TypeError(
        f"`{primitive}` cannot convert {summarize(x)} to {summarize(example)}.\n"
        f"Give `{type(x).__name__}` a `coerce_like` that does, or no `join`."
    )
