"""Where the codes of an array are: the stored order of axes, and what part of bytes is a unit.

Stored arrays are *canonical*, `[*lead, K, *trail]`: `K` is the axis along which entries share
scales, the one that a product most often sums over. So that it can be walked through in blocks it
comes before the axes of the results, whatever the order of the axes of the array; transposing
changes a permutation.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from ._format import packed_size

_UNITS = (64, 32, 16, 8, 4, 2)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The static part of how codes are stored.

    Attributes:
        axes: for each of the last axes of the array which canonical axis it is, counted from the
            end; the axes before those are the same in both.
        trail: how many canonical axes follow `K`.
        unit: how many codes are packed together.
        dtype: the name of the dtype of the array.
        origins: the numbers of the weights that it is made of, while `report` follows them.
    """

    axes: tuple[int, ...]
    trail: int
    unit: int
    dtype: str
    origins: tuple[int, ...] = ()

    @property
    def k(self) -> int:
        """The canonical axis `K`, counted from the end."""
        return -1 - self.trail

    def permutation(self, ndim: int) -> tuple[int, ...]:
        """For each axis of the array the canonical axis, counted from the front."""
        extra = ndim - len(self.axes)
        return (*range(extra), *(axis + ndim for axis in self.axes))

    def fits(self, ndim: int) -> bool:
        """Whether it can be that of codes with so many axes."""
        n = len(self.axes)
        is_order = sorted(self.axes) == list(range(-n, 0)) and self.trail < n <= ndim
        return is_order and self.trail >= 0 and self.unit >= 1

    def with_permutation(self, permutation: Sequence[int], **changes: Any) -> "Layout":
        """This, with the order of axes that `permutation` returns."""
        trail = changes.get("trail", self.trail)
        return dataclasses.replace(self, axes=shortest(permutation, trail), **changes)


def shortest(permutation: Sequence[int], trail: int) -> tuple[int, ...]:
    """The permutation as `Layout.axes`: without the leading axes that stay where they are."""
    ndim = len(permutation)
    start = 0
    while start < ndim - 1 - trail and permutation[start] == start:
        start += 1
    return tuple(axis - ndim for axis in permutation[start:])


def layout_for(ndim: int, axis: int, unit: int, dtype: str, trail: int | None = None) -> Layout:
    """The layout of an array that is quantized along `axis`.

    Args:
        ndim: how many axes it has.
        axis: the one along which entries share scales, counted from the front.
        unit: how many codes are packed together.
        dtype: the name of its dtype.
        trail: how many axes are to follow; by default those after `axis`, or that before it if it
            is the last.
    """
    if trail is None:
        trail = ndim - 1 - axis if axis < ndim - 1 else min(1, ndim - 1)
    others = [i for i in range(ndim) if i != axis]
    before = ndim - 1 - trail
    canonical = [*others[:before], axis, *others[before:]]
    permutation = [canonical.index(i) for i in range(ndim)]
    return Layout(shortest(permutation, trail), trail, unit, dtype)


def unit_for(length: int, group_size: int | None, bits: int) -> int:
    """How many codes to pack together: a group, or if all are one group some that divide it."""
    if group_size is not None:
        return group_size
    if bits == 8:
        return 1
    whole_bytes = {3: 8, 5: 8, 6: 4}.get(bits, 8 // bits)
    for unit in _UNITS:
        if length % unit == 0 and unit % whole_bytes == 0:
            return unit
    return max(length, 1)


def length_of(stored: int, unit: int, bits: int) -> int:
    """How many codes are in `stored` bytes along the axis `K`."""
    return stored // packed_size(bits, unit) * unit


def size_of(shape: Sequence[int], dtype: Any) -> int:
    """The bytes of an array."""
    return math.prod(shape) * int(dtype.itemsize)
