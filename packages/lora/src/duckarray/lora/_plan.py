"""How a product with a `LoraArray` is computed: as two thin ones, in the cheaper of two orders."""

import functools
import math
from typing import Any, Literal, NamedTuple

from ._layout import RANK, Label, Labels, axes_of, dimension_numbers

Factor = Literal["a", "b"]


class Plan(NamedTuple):
    """The two steps of a thin product: the other operand meets one factor, then the second one."""

    first: Factor
    first_numbers: Any
    second_numbers: Any
    scale_order: tuple[int, ...] | None
    """The order in which the axes of `scale` occur in the intermediate, if it is another."""
    scale_axes: tuple[int, ...]
    """Where in the intermediate they are."""
    result_order: tuple[int, ...] | None
    """How the result has to be transposed, if at all."""
    between: Labels
    """The axes of the intermediate: those of the weight, `RANK`, and pairs for the other's."""


@functools.lru_cache(maxsize=4096)
def plan(
    w_shape: tuple[int, ...],
    rows: tuple[int, ...],
    columns: tuple[int, ...],
    rank: int,
    y_shape: tuple[int, ...],
    numbers: Any,
    lora_on_left: bool,
) -> Plan | None:
    """The plan for `dot_general` of such operands; None where the other meets no row and no column.

    Args:
        w_shape: the shape of the weight.
        rows: its rows, counted from the end.
        columns: its columns, counted from the end.
        rank: the rank of the update.
        y_shape: the shape of the other operand.
        numbers: the `dimension_numbers` of the product.
        lora_on_left: whether the weight is the left operand.
    """
    ndim = len(w_shape)
    of_w, of_y, wanted = labels_of(ndim, len(y_shape), numbers, lora_on_left)
    w_summed = numbers[0][0 if lora_on_left else 1]
    sizes = dict(zip(of_y, y_shape, strict=True)) | dict(zip(of_w, w_shape, strict=True))
    sizes[RANK] = rank
    batch, row_axes, column_axes = axes_of(ndim, rows, columns)
    if not {*row_axes, *column_axes}.intersection(of_y):
        return None
    factors: dict[Factor, Labels] = {
        "a": (*batch, *row_axes, RANK),
        "b": (*batch, RANK, *column_axes),
    }
    summed = {*w_summed, RANK}
    orders: tuple[tuple[Factor, Factor], ...] = (("a", "b"), ("b", "a"))
    found: list[tuple[int, Plan]] = []
    for first, second in orders:
        # A batch axis that is summed over stays for the second step, where both factors have met.
        now = summed.difference(factors[second])
        first_numbers, between = _step(factors[first], of_y, now, lora_on_left)
        second_numbers, result = _step(factors[second], between, summed, lora_on_left)
        cost = _size({*factors[first], *of_y}, sizes) + _size({*factors[second], *between}, sizes)
        scale_axes = tuple(map(between.index, batch))
        found.append(
            (
                cost,
                Plan(
                    first,
                    first_numbers,
                    second_numbers,
                    _order(scale_axes),
                    tuple(sorted(scale_axes)),
                    None if result == wanted else tuple(map(result.index, wanted)),
                    between,
                ),
            )
        )
    return min(found, key=lambda pair: pair[0])[1]


def labels_of(
    w_ndim: int, y_ndim: int, numbers: Any, lora_on_left: bool
) -> tuple[Labels, Labels, Labels]:
    """The labels of the axes of the weight, of the other operand, and of their product."""
    (left_summed, right_summed), (left_batch, right_batch) = numbers
    w_summed, y_summed = (left_summed, right_summed)[:: 1 if lora_on_left else -1]
    w_batch, y_batch = (left_batch, right_batch)[:: 1 if lora_on_left else -1]
    of_w: Labels = tuple(range(w_ndim))
    partner = dict(zip((*y_summed, *y_batch), (*w_summed, *w_batch), strict=True))
    of_y: Labels = tuple(partner.get(i, ("y", i)) for i in range(y_ndim))
    free_w = [label for label in of_w if label not in of_y]
    free_y = [label for label in of_y if label not in of_w]
    return of_w, of_y, (*w_batch, *(free_w + free_y if lora_on_left else free_y + free_w))


def _step(factor: Labels, other: Labels, summed: set[Label], lora_on_left: bool) -> Any:
    if lora_on_left:
        return dimension_numbers(factor, other, summed)
    return dimension_numbers(other, factor, summed)


def _size(labels: set[Label], sizes: dict[Label, int]) -> int:
    return math.prod(sizes[label] for label in labels)


def _order(axes: tuple[int, ...]) -> tuple[int, ...] | None:
    order = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    return None if order == tuple(range(len(axes))) else order
