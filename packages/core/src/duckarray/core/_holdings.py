"""What a tree holds: how many values of which type, their parameters, and bytes against dense."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax import tree_util as jtu

from ._selections import is_leaf_value
from ._summary import nbytes
from ._value import Value, dense_aval

_COLUMNS = ("type", "count", "parameters", "stored", "bytes", "bytes if dense")


@dataclasses.dataclass(frozen=True)
class Holding:
    """What a tree holds of one type.

    Attributes:
        type: the name of the type, and of those inside it, as in `LoraArray over Quantized`;
            `"array"` for arrays outside of values.
        count: how many there are.
        parameters: the entries of the arrays that they stand for.
        stored: the entries of the arrays that they are made of.
        bytes: the bytes of those arrays.
        dense_bytes: the bytes that the arrays that they stand for would have.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> (holding,) = tree.summary({"x": jnp.ones((2, 3))}).rows
        >>> holding.type, holding.count, holding.parameters, holding.bytes
        ('array', 1, 6, 24)
    """

    type: str
    count: int
    parameters: int
    stored: int
    bytes: int
    dense_bytes: int


@dataclasses.dataclass(frozen=True, repr=False)
class Summary:
    """A table of what a tree holds, which is its `str` and `repr`.

    Attributes:
        rows: one `Holding` for each type, in the order in which they are met.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import tree
        >>> tree.summary([jnp.ones(2), jnp.ones(3)]).total.parameters
        5
    """

    rows: tuple[Holding, ...]

    @property
    def total(self) -> Holding:
        """The sums over all types."""
        numbers = [
            sum(getattr(row, f.name) for row in self.rows) for f in dataclasses.fields(Holding)[1:]
        ]
        return Holding("total", *numbers)

    def __str__(self) -> str:
        rows = [*self.rows, self.total]
        cells = [[r.type, *(f"{n:,}" for n in dataclasses.astuple(r)[1:])] for r in rows]
        widths = [max(map(len, column)) for column in zip(_COLUMNS, *cells, strict=True)]
        lines = [_line(row, widths) for row in (_COLUMNS, *cells)]
        rule = "-" * len(lines[0])
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])

    __repr__ = __str__


def summary(tree: Any) -> Summary:
    """What a tree holds, by type: how many values, their parameters and bytes, and those if dense.

    An array in several places counts once, where it is met first. Nothing is computed, and the tree
    may hold `jax.ShapeDtypeStruct`s, as `jax.eval_shape` gives them.

    Args:
        tree: any tree; what is neither an array nor a value is not counted.

    Returns:
        An object that prints as a table and has the numbers as attributes.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, tree
        >>> class Outer(ArrayValue):
        ...     x: jax.Array
        ...     y: jax.Array
        ...     def materialize(self):
        ...         return jnp.outer(self.x, self.y)
        >>> tree.summary([Outer(jnp.ones(10), jnp.ones(20)), jnp.ones(5), jnp.ones(5)])
        type   count  parameters  stored  bytes  bytes if dense
        -------------------------------------------------------
        Outer      1         200      30    120             800
        array      2          10      10     40              40
        -------------------------------------------------------
        total      3         210      40    160             840
    """
    seen: set[Any] = set()
    found: dict[str, list[int]] = {}
    for x in jtu.tree_leaves(tree, is_leaf=is_leaf_value):
        parts = [p for p in jtu.tree_leaves(x) if _is_array(p)]
        key = (type(x), *map(id, parts)) if isinstance(x, Value) else id(x)
        if not (isinstance(x, Value) or parts) or (parts and key in seen):
            continue
        new = list({id(p): p for p in parts if id(p) not in seen}.values())
        seen.update([key, *map(id, new)])
        stored = [sum(map(_size, new)), sum(map(nbytes, new))]
        stands_for = _stands_for(x) if isinstance(x, Value) else stored
        numbers = [1, stands_for[0], *stored, stands_for[1]]
        row = found.setdefault(_name(x), [0] * len(numbers))
        row[:] = [a + b for a, b in zip(row, numbers, strict=True)]
    return Summary(tuple(Holding(name, *numbers) for name, numbers in found.items()))


def _stands_for(value: Value) -> list[int]:
    """The entries and bytes of the array a value stands for; those it has if it is only a part."""
    try:
        aval: Any = dense_aval(value)
        return [_size(aval), nbytes(aval)]
    except Exception:  # `partition` has left holes in it
        parts = [p for p in jtu.tree_leaves(value) if _is_array(p)]
        return [sum(map(_size, parts)), sum(map(nbytes, parts))]


def _name(x: Any) -> str:
    if not isinstance(x, Value):
        return "array"
    inside = jtu.tree_leaves(x, is_leaf=lambda y: y is not x and isinstance(y, Value))
    names = dict.fromkeys(_name(y) for y in inside if isinstance(y, Value))
    around = type(x).__name__
    return f"{around} over {', '.join(names)}" if names else around


def _is_array(x: Any) -> bool:
    return hasattr(x, "shape") and hasattr(x, "dtype")


def _size(x: Any) -> int:
    size = 1
    for n in x.shape:
        size *= n
    return size


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    return "  ".join([first, *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))])
