"""Which axis is which: products and rearrangements of arrays whose axes carry labels.

The axes of a weight are labelled by their positions, the axis its two factors share by `RANK`. An
axis that both factors have is a batch axis, one that only `a` has a row, one that only `b` has a
column.
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from jax import lax

Label = Any  # hashable: the position of an axis, `RANK`, or what a rule calls a new axis
Labels = tuple[Label, ...]

RANK = "rank"


@functools.lru_cache(maxsize=4096)
def axes_of(
    ndim: int, rows: tuple[int, ...], columns: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The batch axes, rows and columns of a weight with `ndim` axes, counted from the front."""
    row_axes = tuple(sorted(axis + ndim for axis in rows))
    column_axes = tuple(sorted(axis + ndim for axis in columns))
    taken = {*row_axes, *column_axes}
    return tuple(axis for axis in range(ndim) if axis not in taken), row_axes, column_axes


def arrange(x: Any, labels: Sequence[Label], wanted: Sequence[Label]) -> Any:
    """`x` with its axes in the order of `wanted`."""
    if tuple(labels) == tuple(wanted):
        return x
    return lax.transpose(x, [labels.index(label) for label in wanted])


def spread(x: Any, labels: Labels, wanted: Labels, sizes: dict[Label, int]) -> Any:
    """`x` with the axes `wanted`, among them all it has; repeated along those it has not."""
    if labels == wanted:
        return x
    x = arrange(x, labels, [label for label in wanted if label in labels])
    dims = [i for i, label in enumerate(wanted) if label in labels]
    return lax.broadcast_in_dim(x, [sizes[label] for label in wanted], dims)


def as_dtype(x: Any, dtype: Any) -> Any:
    """`x`, converted where it has another dtype."""
    return x if x.dtype == dtype else lax.convert_element_type(x, dtype)


def contract(
    x: Any, of_x: Labels, y: Any, of_y: Labels, wanted: Iterable[Label], **params: Any
) -> Any:
    """The product of `x` and `y`, summed over the labels they share that are not `wanted`."""
    wanted = tuple(wanted)
    numbers, labels = dimension_numbers(of_x, of_y, {*of_x, *of_y}.difference(wanted))
    return arrange(lax.dot_general(x, y, numbers, **params), labels, wanted)


def dimension_numbers(of_x: Labels, of_y: Labels, summed: set[Label]) -> tuple[Any, Labels]:
    """What `dot_general` is told for operands with these labels, and the labels of its result."""
    shared = [label for label in of_x if label in of_y]
    over = [label for label in shared if label in summed]
    batch = [label for label in shared if label not in summed]
    numbers = (
        (tuple(map(of_x.index, over)), tuple(map(of_y.index, over))),
        (tuple(map(of_x.index, batch)), tuple(map(of_y.index, batch))),
    )
    free_x = [label for label in of_x if label not in shared]
    free_y = [label for label in of_y if label not in shared]
    return numbers, (*batch, *free_x, *free_y)
