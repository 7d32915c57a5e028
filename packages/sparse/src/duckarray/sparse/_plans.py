"""Plans: what an operation does with patterns, computed once on the host and kept.

A plan is a tuple of NumPy arrays and patterns. It is kept by the name of the operation and the
digests of its patterns; the least recently used are forgotten where all together need more memory
than `plan_memory` allows.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ._pattern import Index, Linear, Pattern, from_linear, linearize

T = TypeVar("T")

_NEGATIVE = """`plan_memory({limit!r})` takes a number of bytes.
Pass a non-negative integer, such as `2**30`."""

_OBJECT = 64  # what a small object of Python takes, about


class PlanStatistics(NamedTuple):
    """How many plans were made so far, and how many are kept, of how many bytes.

    The patterns that plans are for count too, since the plans keep them.

    Attributes:
        made: the number of plans made since the package was imported.
        kept: the number of those that are kept.
        nbytes: the bytes that these take.

    Example:
        >>> from duckarray.sparse import plan_statistics
        >>> statistics = plan_statistics()
        >>> statistics.made >= statistics.kept
        True
    """

    made: int
    kept: int
    nbytes: int


class _Plans:
    def __init__(self) -> None:
        self.limit = 2**30
        self.made = 0
        self.nbytes = 0
        self.kept: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self.lock = threading.RLock()

    def shrink(self) -> None:
        while self.nbytes > self.limit and self.kept:
            _, (_, size) = self.kept.popitem(last=False)
            self.nbytes -= size


_plans = _Plans()


def plan_statistics() -> PlanStatistics:
    """How many plans were made since the start, and how many are kept.

    Example:
        >>> from duckarray.sparse import plan_statistics
        >>> plan_statistics().nbytes < 2**30
        True
    """
    with _plans.lock:
        return PlanStatistics(_plans.made, len(_plans.kept), _plans.nbytes)


def plan_memory(limit: int) -> int:
    """Sets how many bytes of plans are kept; 1 GiB at first.

    Args:
        limit: the number of bytes; 0 keeps none, and forgets those there are.

    Returns:
        The limit so far.

    Raises:
        ValueError: if it is negative or no integer.

    Example:
        >>> from duckarray.sparse import plan_memory
        >>> before = plan_memory(2**28)
        >>> plan_memory(before)
        268435456
    """
    number: Any = limit
    if not isinstance(number, int) or number < 0:
        raise ValueError(_NEGATIVE.format(limit=limit))
    with _plans.lock:
        before, _plans.limit = _plans.limit, limit
        _plans.shrink()
    return before


def planned(key: Any, make: Callable[[], T]) -> T:
    """The plan kept by `key`, or what `make()` gives; patterns in a key are compared by digest."""
    with _plans.lock:
        found = _plans.kept.get(key)
        if found is not None:
            _plans.kept.move_to_end(key)
            return found[0]  # type: ignore[no-any-return]
        plan = make()
        size = _nbytes(plan) + _nbytes(key)  # a key keeps the patterns in it alive
        _plans.made += 1
        _plans.nbytes += size
        _plans.kept[key] = plan, size
        _plans.shrink()
        return plan


def _nbytes(x: Any) -> int:
    if isinstance(x, np.ndarray):
        return x.nbytes
    if isinstance(x, Pattern):
        return sum(i.nbytes for i in x.indices) + x.linear.nbytes + _OBJECT
    if isinstance(x, bytes):
        return len(x)
    if isinstance(x, tuple | list):
        return sum(map(_nbytes, x)) + _OBJECT
    return 0


class Moved(NamedTuple):
    """Entries at new places: the pattern, and which entry of the data each one is."""

    pattern: Pattern
    source: Index | None  # None: all, in the same order


def sorted_entries(linear: Any, source: Any, shape: tuple[int, ...], count: int) -> Moved:
    """The plan that puts entry `source[i]`, of `count`, at the place `linear[i]`."""
    linear = np.asarray(linear, np.int64)
    if (np.diff(linear) < 0).any():
        order = np.argsort(linear, kind="stable")
        linear, source = linear[order], source[order]
    same = len(source) == count and bool((source == np.arange(count)).all())
    return Moved(from_linear(linear, shape), None if same else source.astype(np.int32))


def moved(
    key: Any, pattern: Pattern, move: Callable[[], tuple[list[Any], Any, tuple[int, ...]]]
) -> Moved:
    """Plans an operation that moves entries; `move` gives new indices, sources, and the shape."""

    def make() -> Moved:
        indices, source, shape = move()
        count = pattern.nnz
        source = np.arange(count) if source is None else source
        linear = linearize(indices, shape) if shape else np.zeros(len(source), np.int64)
        return sorted_entries(linear, source, shape, count)

    return planned((key, pattern), make)


class Located(NamedTuple):
    """Where the entries of one pattern are among those of another."""

    entry: Index  # for each entry of the target: which one of the source, or 0
    stored: Any  # whether it is there, bool[nnz of target]
    complete: bool
    inverse: Index  # for each entry of the source: which one of the target
    contained: bool  # whether the target has them all


def locate(source: Pattern, target: Pattern) -> Located:
    """Plans reading the entries of `target` out of data of `source`."""

    def make() -> Located:
        index, stored = search(source.linear, target.linear)
        inverse, contained = search(target.linear, source.linear)
        return Located(
            np.where(stored, index, 0).astype(np.int32),
            stored,
            bool(stored.all()),
            inverse.astype(np.int32),
            bool(contained.all()),
        )

    return planned(("locate", source, target), make)


def search(linear: Linear, wanted: Linear) -> tuple[Any, Any]:
    """Where each of `wanted` is in the sorted `linear`, and whether it is there."""
    index = np.searchsorted(linear, wanted)
    if not len(linear):
        return index, np.zeros(len(wanted), bool)
    index = np.minimum(index, len(linear) - 1)
    return index, linear[index] == wanted


def union(patterns: tuple[Pattern, ...]) -> Pattern:
    """The places stored by any of several patterns of one shape."""
    first, *others = dict.fromkeys(patterns)
    if not others:
        return first
    key = ("union", *sorted((p for p in (first, *others)), key=lambda p: p.digest))

    def make() -> Pattern:
        linear = first.linear
        for other in others:
            linear = np.union1d(linear, other.linear)
        for p in (first, *others):  # a larger one may hold the others
            if len(linear) == p.nnz:
                return p
        return from_linear(linear, first.shape)

    return planned(key, make)


def intersection(patterns: tuple[Pattern, ...]) -> Pattern:
    """The places stored by all of several patterns of one shape."""
    first, *others = dict.fromkeys(patterns)
    if not others:
        return first
    key = ("intersection", *sorted((p for p in (first, *others)), key=lambda p: p.digest))

    def make() -> Pattern:
        linear = first.linear
        for other in others:
            linear = np.intersect1d(linear, other.linear, assume_unique=True)
        for p in (first, *others):
            if len(linear) == p.nnz:
                return p
        return from_linear(linear, first.shape)

    return planned(key, make)


def repeated(pattern: Pattern, batch: tuple[int, ...]) -> Pattern:
    """The pattern of an array whose leading axes, of sizes `batch`, all have `pattern`."""

    def make() -> Pattern:
        n = int(np.prod(batch, dtype=np.int64))
        linear = np.arange(n)[:, None] * pattern.size + pattern.linear
        return from_linear(linear.reshape(-1), (*batch, *pattern.shape))

    return planned(("repeated", pattern, batch), make)
