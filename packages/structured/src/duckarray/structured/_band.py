"""`Band`: a matrix as a dictionary of its diagonals, the common form of all types with few of them.

Sums, products, slices and so on are written once, for it; `Band.value` then gives the narrowest
type, or one that was asked for. A diagonal is stored at its true length, so nothing outside the
matrix is ever read.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import Structured, make, zero_of, zeros_as

# From the narrowest to the widest.
CHAIN: tuple[type[Structured], ...] = (Identity, Diagonal, Tridiagonal, Banded)


def start(k: int) -> tuple[int, int]:
    """Row and column of the first entry of diagonal `k`."""
    return max(0, -k), max(0, k)


def length(m: int, n: int, k: int) -> int:
    """How many entries diagonal `k` of an `m x n` matrix has."""
    r, c = start(k)
    return max(0, min(m - r, n - c))


class Band:
    """Diagonals by offset, each `[*batch, length]`, of a matrix with `m` rows and `n` columns."""

    def __init__(self, m: int, n: int, diagonals: dict[int, Any]) -> None:
        self.m, self.n, self.diagonals = m, n, diagonals

    @staticmethod
    def of(x: Any) -> "Band":
        """The diagonals of a value of one of the band types."""
        if isinstance(x, Identity):
            *batch, n, _ = x.empty.shape
            return Band(n, n, {0: jnp.ones((*batch, n), x.empty.dtype)})
        if isinstance(x, Diagonal):
            n = x.diagonal.shape[-1]
            return Band(n, n, {0: x.diagonal})
        if isinstance(x, Tridiagonal):
            n = x.diagonal.shape[-1]
            return Band(n, n, {-1: x.lower, 0: x.diagonal, 1: x.upper})
        m, n = x.rows, x.ab.shape[-1]
        found = {}
        for k in x.offsets:
            c, size = start(k)[1], length(m, n, k)
            found[k] = x.ab[..., x.upper - k, c : c + size]
        return Band(m, n, found)

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes, which all diagonals have."""
        return tuple(next(iter(self.diagonals.values())).shape[:-1])

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return next(iter(self.diagonals.values())).dtype

    @property
    def lower(self) -> int:
        """How many diagonals there are below the main one."""
        return -min(self.diagonals)

    @property
    def upper(self) -> int:
        """How many diagonals there are above the main one."""
        return max(self.diagonals)

    def size_of(self, k: int) -> int:
        """How many entries diagonal `k` has."""
        return length(self.m, self.n, k)

    def get(self, k: int) -> Any:
        """Diagonal `k`, zero where it is not stored."""
        found = self.diagonals.get(k)
        return self._zeros(length(self.m, self.n, k)) if found is None else found

    def value(self, at_least: type[Structured] = Diagonal) -> Any:
        """The narrowest type that has these diagonals, or the wider one that is asked for."""
        square, reach = self.m == self.n, max(self.lower, self.upper)
        if at_least in (Identity, Diagonal) and square and set(self.diagonals) == {0}:
            return make(Diagonal, self.diagonals[0])
        if at_least is not Banded and square and reach <= 1 and self.m > 0:
            return make(Tridiagonal, self.get(-1), self.get(0), self.get(1))
        return self.banded()

    def banded(self) -> Any:
        """The same as `Banded`."""
        rows = []
        for k in range(self.upper, -self.lower - 1, -1):
            vector = self.get(k)
            c = start(k)[1]
            rows.append(_pad(vector, min(c, self.n), self.n - min(c, self.n) - vector.shape[-1]))
        ab = jnp.stack(rows, axis=-2)
        return make(Banded, ab, lower=self.lower, upper=self.upper, rows=self.m)

    def dense(self) -> Any:
        """The dense matrix."""
        out: Any = None
        for k, vector in self.diagonals.items():
            r = start(k)[0]
            column = _pad(vector, r, self.m - r - vector.shape[-1]) if vector.shape[-1] else None
            if column is None:
                continue
            mask = jnp.eye(self.m, self.n, k, dtype=bool)
            out = jnp.where(mask, column[..., None], zero_of(column) if out is None else out)
        if out is None:
            out = self._zeros(self.m, self.n)
        return out

    def transpose(self) -> "Band":
        """Rows and columns exchanged."""
        return Band(self.n, self.m, {-k: v for k, v in self.diagonals.items()})

    def map(self, change: Callable[[Any], Any]) -> "Band":
        """`change` applied to each diagonal."""
        return Band(self.m, self.n, {k: change(v) for k, v in self.diagonals.items()})

    def apply(self, y: Any) -> Any:
        """The product with a dense `y`, `[*batch, n, columns]`."""
        total: Any = None
        for k, vector in self.diagonals.items():
            (r, c), size = start(k), vector.shape[-1]
            if size == 0:
                continue
            term = vector[..., None] * y[..., c : c + size, :]
            if size != self.m:
                pads = [(0, 0, 0)] * (term.ndim - 2) + [(r, self.m - r - size, 0), (0, 0, 0)]
                term = lax.pad(term, lax.full_like(term, 0, shape=()), pads)
            total = term if total is None else total + term
        if total is None:
            batch = jnp.broadcast_shapes(self.batch, y.shape[:-2])
            return jnp.zeros((*batch, self.m, y.shape[-1]), jnp.result_type(self.dtype, y.dtype))
        return total

    def matmul(self, other: "Band") -> "Band":
        """The product with another: its reach is the sum of both."""
        sums: dict[int, Any] = {}
        for ka, a in self.diagonals.items():
            for kb, b in other.diagonals.items():
                # Over the index p that is summed: columns of `self`, rows of `other`.
                ca, rb = start(ka)[1], start(kb)[0]
                low, high = max(ca, rb), min(ca + a.shape[-1], rb + b.shape[-1])
                k = ka + kb
                if high <= low:
                    low = high = ca
                term = a[..., low - ca : high - ca] * (
                    b[..., low - rb : high - rb] if high > low else a[..., :0]
                )
                placed = _place(self.m, other.n, k, term, low - ka)
                if placed is not None:
                    sums[k] = placed if k not in sums else sums[k] + placed
        return Band(self.m, other.n, sums or {0: self._nothing(self.m, other.n)})

    def slice(self, rows: tuple[int, int], columns: tuple[int, int]) -> "Band":
        """The block of these rows and columns, each from the first up to the second number."""
        (r0, r1), (c0, c1) = rows, columns
        m, n = r1 - r0, c1 - c0
        found = {}
        for k, vector in self.diagonals.items():
            first = start(k)[0]
            low = max(first, r0, c0 - k)
            high = max(low, min(first + vector.shape[-1], r1, c1 - k))
            new = k + r0 - c0
            if -m < new < n or new == 0:
                found[new] = vector[..., low - first : high - first]
        return Band(m, n, found or {0: self._nothing(m, n)})

    def pad(self, rows: tuple[int, int], columns: tuple[int, int]) -> "Band":
        """Zeros around it; negative numbers cut off."""
        cut = self.slice(
            (max(0, -rows[0]), self.m - max(0, -rows[1])),
            (max(0, -columns[0]), self.n - max(0, -columns[1])),
        )
        (top, bottom), (left, right) = ([max(0, x) for x in pair] for pair in (rows, columns))
        m, n = cut.m + top + bottom, cut.n + left + right
        found = {}
        for k, vector in cut.diagonals.items():
            placed = _place(m, n, k + left - top, vector, start(k)[0] + top)
            if placed is not None:
                found[k + left - top] = placed
        return Band(m, n, found or {0: self._nothing(m, n)})

    def rows(self, lower: int, upper: int) -> Any:
        """Row by row, `[*batch, lower + upper + 1, m]`: `t, i` is the entry `i, i - lower + t`."""
        found = []
        for k in range(-lower, upper + 1):
            vector, r = self.get(k), start(k)[0]
            r = min(r, self.m)
            found.append(_pad(vector, r, self.m - r - vector.shape[-1]))
        return jnp.stack(found, axis=-2)

    def _nothing(self, m: int, n: int) -> Any:
        return self._zeros(length(m, n, 0))

    def _zeros(self, *shape: int) -> Any:
        return zeros_as(next(iter(self.diagonals.values())), (*self.batch, *shape))


def union(bands: Sequence[Band], change: Callable[..., Any]) -> Band:
    """`change` applied to the diagonals of several matrices that at least one of them has."""
    offsets = sorted({k for band in bands for k in band.diagonals})
    first = bands[0]
    return Band(first.m, first.n, {k: change(*[b.get(k) for b in bands]) for k in offsets})


def _place(m: int, n: int, k: int, vector: Any, row: int) -> Any:
    """`vector` as part of diagonal `k`, from this row on; None if there is no such diagonal."""
    size = length(m, n, k)
    if size == 0 and k != 0:
        return None
    before = row - start(k)[0]
    if vector.shape[-1] == 0:
        before = 0
    return _pad(vector, before, size - before - vector.shape[-1])


def _pad(vector: Any, before: int, after: int) -> Any:
    if before == 0 and after == 0:
        return vector
    if not isinstance(vector, jax.Array):
        return jnp.pad(vector, [(0, 0)] * (vector.ndim - 1) + [(before, after)])
    config = [(0, 0, 0)] * (vector.ndim - 1) + [(before, after, 0)]
    return lax.pad(vector, lax.full_like(vector, 0, shape=()), config)  # as weak as it is
