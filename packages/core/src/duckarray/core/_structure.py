"""Structures of values: taking values apart into leaves, comparing, joining and converting them."""

from collections.abc import Iterable, Sequence
from typing import Any

import jax
from jax import tree_util as jtu

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

    __slots__ = ("example", "leaves", "tree")

    def __init__(self, x: Any) -> None:
        if isinstance(x, Value):
            leaves, self.tree = _take_apart(x)
            avals = [x if isinstance(x, jax.ShapeDtypeStruct) else jax.typeof(x) for x in leaves]
            self.leaves = tuple((a.shape, a.dtype) for a in avals)
            structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
            self.example: Any = self.tree.unflatten(structs)
        else:
            self.tree, self.leaves, self.example = None, (), None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slot) or (self.tree is None) is not (other.tree is None):
            return False
        # Comparing a tree structure with None raises.
        return self.tree is None or (self.tree == other.tree and self.leaves == other.leaves)

    def __hash__(self) -> int:
        return hash((self.tree, self.leaves))

    def __repr__(self) -> str:
        return "a dense array" if self.tree is None else repr(self.example)


DENSE = Slot(None)


def join(a: Slot, b: Slot) -> Slot:
    """The slot that what passes through `a` and through `b` can both be converted to."""
    if a == b:
        return a
    if a.tree is not None and b.tree is not None:
        for x, y in ((a.example, b.example), (b.example, a.example)):
            common = x.join(y)
            if common is not None:
                return Slot(common)
    return DENSE


def convert(x: Any, slot: Slot, primitive: Any) -> Any:
    """`x` with the structure of `slot`."""
    if slot.tree is None:
        return densify(x, primitive)
    if isinstance(x, Value) and jtu.tree_structure(x) == slot.tree:
        return x
    out = x.coerce_like(slot.example) if isinstance(x, Value) else NotImplemented
    if out is NotImplemented:
        raise TypeError(
            f"`{primitive}` cannot convert {summarize(x)} to {slot}.\n"
            f"Give `{type(slot.example).__name__}` a `coerce_like` that does, or no `join`."
        )
    return out
