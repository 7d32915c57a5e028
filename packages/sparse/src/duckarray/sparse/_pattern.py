"""`Pattern`: where the entries of a sparse array are, checked and sorted once, on the host."""

import functools
import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, Self

import jax
import numpy as np
from numpy.typing import NDArray

from ._checked import checked_index, checked_shape, too_large

Index = NDArray[np.int32]
Linear = NDArray[np.int64]

_LENGTHS = """`Pattern.{how}(...)`: there are {lengths} indices for the axes.
Pass as many for each axis, one for each stored entry."""

_RANGE = """`Pattern.{how}(...)`: entry {entry} is at {where}, outside of the shape {shape}.
Indices run from 0 to one less than the size of their axis; negative ones are not counted back."""

_DUPLICATE = """`Pattern.{how}(...)`: entry {entry} is at {where}, as entry {first} is.
Each place is stored once; `sparse.from_scipy(scipy.sparse.coo_array(...))` sums duplicates."""

_RESULT = """a sparse array of shape {shape} cannot be made: {problem}.
Keep more axes, each of fewer than `2**31` places."""

_INDPTR = """`Pattern.csr(indptr, indices, shape={shape})`: {problem}.
`indptr` starts at 0, never decreases, has one more entry than there are rows ({rows} + 1 here) \
and ends with the number of indices ({nnz} here)."""

_OFFSETS = """`Pattern.dia(offsets={offsets}, shape={shape})`: {problem}.
Pass different integers, each between {low} and {high} for this shape."""


@jax.tree_util.register_static
class Pattern:
    """The places of the stored entries of an array; two of the same places are equal.

    Made by `Pattern.coo`, `Pattern.csr` or `Pattern.dia`, which check the indices and sort them by
    rows. It is known while tracing: a part of the tree structure of the arrays that have it, and
    told from others by a digest of the indices. Making one costs a sort on the host.

    Attributes:
        shape: the shape of the array.
        indices: for each axis the indices of the stored entries, sorted by rows, `int32[nnz]`.
        nnz: the number of stored entries.

    Raises:
        AttributeError: if it is assigned to.
        TypeError: by what makes one, if indices are traced or no integers.
        ValueError: by what makes one, if an index is out of range or occurs twice, or the indices
            of the axes are not as many.

    Example:
        >>> from duckarray.sparse import Pattern
        >>> pattern = Pattern.coo([1, 0], [0, 2], (2, 3))
        >>> pattern
        Pattern(2x3, nnz=2)
        >>> [axis.tolist() for axis in pattern.indices]
        [[0, 1], [2, 0]]
    """

    __slots__ = ("__weakref__", "_digest", "_hash", "_linear", "_memo", "indices", "order", "shape")

    _linear: Linear
    _digest: bytes
    _hash: int
    _memo: dict[Any, Any]

    indices: tuple[Index, ...]
    shape: tuple[int, ...]
    order: Index | None
    """Where the entries of the data a user gives go, if the indices were not sorted."""

    def __init__(self, indices: Any, shape: Any) -> None:
        made = type(self).coo(*indices, shape=shape)
        for name in ("indices", "shape", "order", "_linear", "_digest", "_hash", "_memo"):
            object.__setattr__(self, name, getattr(made, name))

    @classmethod
    def coo(cls, *indices: Any, shape: Any = None) -> Self:
        """A pattern from the indices of each entry, one vector for each axis.

        Args:
            *indices: `rows` and `cols`, or one vector for each axis, in any order of the entries.
            shape: the shape of the array; it may also be the last positional argument.

        Raises:
            ValueError: if indices are out of range or occur twice, or their numbers differ.
            TypeError: if indices are not integers, or traced.
        """
        if shape is None:
            *indices_, shape = indices
        else:
            indices_ = list(indices)
        sizes = checked_shape(shape, "Pattern.coo", len(indices_))
        return cls._checked([checked_index(x, i, "coo") for i, x in enumerate(indices_)], sizes)

    @classmethod
    def csr(cls, indptr: Any, indices: Any, shape: Any) -> Self:
        """A pattern from compressed rows: those of row `i` are `indices[indptr[i]:indptr[i + 1]]`.

        Args:
            indptr: where each row begins, and the number of entries, `[rows + 1]`.
            indices: the columns of the entries, `[nnz]`; not necessarily sorted within a row.
            shape: the numbers of rows and columns.

        Raises:
            ValueError: if `indptr` does not describe `indices`; else as `Pattern.coo`.
            TypeError: if indices are not integers, or traced.
        """
        sizes = checked_shape(shape, "Pattern.csr", 2)
        starts, cols = checked_index(indptr, 0, "csr"), checked_index(indices, 1, "csr")
        facts = {"shape": sizes, "rows": sizes[0], "nnz": len(cols)}
        problem = ""
        if len(starts) != sizes[0] + 1:
            problem = f"`indptr` has {len(starts)} entries"
        elif starts[0] != 0:
            problem = f"`indptr` starts at {starts[0]}"
        elif (np.diff(starts) < 0).any():
            row = int(np.argmax(np.diff(starts) < 0))
            problem = f"`indptr` goes down from {starts[row]} to {starts[row + 1]} at row {row}"
        elif starts[-1] != len(cols):
            problem = f"`indptr` ends with {starts[-1]}"
        if problem:
            raise ValueError(_INDPTR.format(problem=problem, **facts))
        rows = np.repeat(np.arange(sizes[0]), np.diff(starts))
        return cls._checked([rows, cols], sizes, "csr")

    @classmethod
    def dia(cls, offsets: Any, shape: Any) -> Self:
        """A pattern of whole diagonals; `data` has one after the other, each from its top.

        Args:
            offsets: which diagonals: 0 the main one, positive ones above it.
            shape: the numbers of rows and columns.

        Raises:
            ValueError: if an offset occurs twice or is outside of the matrix.
            TypeError: if offsets are not integers, or traced.
        """
        n, m = sizes = checked_shape(shape, "Pattern.dia", 2)
        given = checked_index(np.atleast_1d(offsets), 0, "dia")
        facts = {"offsets": given.tolist(), "shape": sizes, "low": 1 - n, "high": m - 1}
        if len(np.unique(given)) != len(given):
            raise ValueError(_OFFSETS.format(problem="an offset occurs twice", **facts))
        outside = [int(k) for k in given if not -n < k < m]
        if outside:
            raise ValueError(_OFFSETS.format(problem=f"there is no diagonal {outside[0]}", **facts))
        spans = [np.arange(max(0, -k), min(n, m - k)) for k in given]
        rows = np.concatenate([*spans, np.zeros(0, int)])
        cols = np.concatenate([*map(np.add, spans, given), np.zeros(0, int)])
        return cls._checked([rows, cols], sizes, "dia")

    @classmethod
    def _checked(cls, indices: Sequence[Any], shape: tuple[int, ...], how: str = "coo") -> Self:
        lengths = [len(x) for x in indices]
        if len(set(lengths)) > 1:
            raise ValueError(_LENGTHS.format(how=how, lengths=" and ".join(map(str, lengths))))
        bad = np.zeros(lengths[0], bool) if lengths else np.zeros(0, bool)
        for x, n in zip(indices, shape, strict=True):
            bad |= (x < 0) | (x >= n)
        if bad.any():
            entry = int(np.argmax(bad))
            raise ValueError(
                _RANGE.format(how=how, entry=entry, where=_place(indices, entry), shape=shape)
            )
        linear = linearize(indices, shape)
        order: Any = None
        if (np.diff(linear) <= 0).any():
            order = np.argsort(linear, kind="stable")
            linear = linear[order]
            same = linear[1:] == linear[:-1]
            if same.any():
                # The first entry, as given, that repeats another.
                repeats = order[1:][same]
                k = int(np.argmin(repeats))
                entry, first = int(repeats[k]), int(order[:-1][same][k])
                raise ValueError(
                    _DUPLICATE.format(
                        how=how, entry=entry, first=first, where=_place(indices, entry)
                    )
                )
            indices = [x[order] for x in indices]
        return cls._trusted(indices, shape, linear, order)

    @classmethod
    def _trusted(
        cls, indices: Sequence[Any], shape: tuple[int, ...], linear: Linear, order: Any = None
    ) -> Self:
        """From indices that are in range, sorted and unique."""
        problem = too_large(shape)
        if problem:
            raise ValueError(_RESULT.format(shape=shape, problem=problem))
        self = object.__new__(cls)
        frozen = tuple(np.ascontiguousarray(x, np.int32) for x in indices)
        for x in frozen:
            x.flags.writeable = False
        linear.flags.writeable = False
        order = None if order is None else np.asarray(order, np.int32)
        digest = hashlib.blake2b(repr(shape).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(linear).data)
        if order is not None:
            digest.update(np.ascontiguousarray(order).data)
        key = digest.digest()
        given = {"indices": frozen, "shape": shape, "order": order, "_linear": linear}
        for name, value in {**given, "_digest": key, "_hash": hash(key), "_memo": {}}.items():
            object.__setattr__(self, name, value)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"cannot assign to `Pattern.{name}`: patterns do not change")

    @property
    def nnz(self) -> int:
        """The number of stored entries."""
        return len(self._linear)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries, stored or not."""
        return math.prod(self.shape)

    @property
    def digest(self) -> bytes:
        """Sixteen bytes that tell this pattern from others."""
        return self._digest

    @property
    def linear(self) -> Linear:
        """The places counted through the array by rows, increasing, `int64[nnz]`."""
        return self._linear

    @property
    def indptr(self) -> Index:
        """Where the entries of each index of the first axis begin, `int32[rows + 1]`."""
        counts = np.bincount(self.indices[0], minlength=self.shape[0])
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @property
    def canonical(self) -> "Pattern":
        """This pattern, for data in the order of the sorted indices."""
        if self.order is None:
            return self
        return Pattern._trusted(self.indices, self.shape, self.linear)

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make()` gives, kept as long as this pattern; for small facts, not for plans."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Pattern) and self._digest == other._digest)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return _rebuilt, (self.indices, self.shape, self.order)

    def __repr__(self) -> str:
        return f"Pattern({'x'.join(map(str, self.shape)) or 'scalar'}, nnz={self.nnz})"


def _rebuilt(indices: Any, shape: tuple[int, ...], order: Any) -> Pattern:
    return Pattern._trusted(indices, shape, linearize(indices, shape), order)


def linearize(indices: Sequence[Any], shape: Sequence[int]) -> Linear:
    """Places counted through an array of this shape by rows."""
    out: Linear = np.zeros(len(indices[0]) if len(indices) else 0, np.int64)
    for x, n in zip(indices, shape, strict=True):
        out = out * n + x
    return out


def unlinearize(linear: Any, shape: Sequence[int]) -> list[Any]:
    """The indices of each axis, given places counted through the array."""
    out = []
    for n in reversed(shape):
        out.append(linear % max(n, 1))
        linear = linear // max(n, 1)
    return out[::-1]


def from_linear(linear: Any, shape: tuple[int, ...]) -> Pattern:
    """A pattern of places that are sorted and unique."""
    return Pattern._trusted(unlinearize(linear, shape), shape, np.asarray(linear, np.int64))


@functools.lru_cache(maxsize=64)
def empty_pattern(shape: tuple[int, ...]) -> Pattern:
    """A pattern that stores nothing."""
    return from_linear(np.zeros(0, np.int64), shape)


@functools.lru_cache(maxsize=16)
def full_pattern(shape: tuple[int, ...]) -> Pattern:
    """A pattern that stores everything."""
    return from_linear(np.arange(math.prod(shape)), shape)


def _place(indices: Sequence[Any], entry: int) -> tuple[int, ...]:
    return tuple(int(x[entry]) for x in indices)
