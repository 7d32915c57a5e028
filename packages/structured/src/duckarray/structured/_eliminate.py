"""Gaussian elimination with partial pivoting in a band, as one scan over the rows.

The right-hand sides, or the batch, are in the minor axis, so that each step is a vector operation.
"""

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from duckarray.core.extend import vary, varying_axes

from ._band import Band

# Of one system two rows share one turn of a scan, if they are short.
_UNROLL, _SHORT = 2, 256
# There a batch is solved in groups of about as many numbers a row, whose axes are exchanged in the
# cache: to exchange those of a large batch takes longer than to solve it.
_WIDTH = 64


def solve_band(band: Band, b: Any) -> Any:
    """The solution for right-hand sides `[*batch, n, columns]`. Differentiable by its adjoint.

    The cost is `O(n (p + q) p)` for `p` diagonals below and `q` above, and that of each column.
    """
    batch = jnp.broadcast_shapes(band.batch, b.shape[:-2])
    b = jnp.broadcast_to(b, (*batch, *b.shape[-2:]))
    if band.m == 0 or b.size == 0:
        return b
    new = (1,) * (len(batch) - len(band.batch))
    band = band.map(lambda v: v.reshape(*new, *v.shape))
    # Over a mesh both have to vary where one does, or no scan could carry them.
    axes = varying_axes(b).union(*map(varying_axes, band.diagonals.values()))
    band, b = band.map(lambda v: vary(v, axes)), vary(b, axes)

    out = lax.custom_linear_solve(
        band.apply,
        b,
        lambda _, right: _solve(band, right),
        lambda _, right: _solve(band.transpose(), right),
    )
    return out


def _solve(matrix: Band, right: Any) -> Any:
    """The solution for `[*batch, n, k]`."""
    systems = math.prod(right.shape[:-2])
    if math.prod(matrix.batch) <= 1 or systems * right.shape[-1] <= 2 * _WIDTH:
        return _at_once(matrix, right)
    matrix = matrix.map(
        lambda v: jnp.broadcast_to(v, (*right.shape[:-2], v.shape[-1])).reshape(systems, -1)
    )
    flat = right.reshape(systems, *right.shape[-2:])
    out = lax.platform_dependent(
        matrix.diagonals,
        flat,
        cpu=lambda v, b: _in_groups(Band(matrix.m, matrix.n, v), b),
        default=lambda v, b: _at_once(Band(matrix.m, matrix.n, v), b),
    )
    return out.reshape(right.shape)


def _in_groups(matrix: Band, right: Any) -> Any:
    """Of a batch with one axis, group after group; the last of them may overlap the one before."""
    systems, _, k = right.shape
    size = group_size(systems, max(1, _WIDTH // k))
    count = -(-systems // size)

    def solve(start: Any) -> Any:
        part = matrix.map(lambda v: lax.dynamic_slice_in_dim(v, start, size))
        return _at_once(part, lax.dynamic_slice_in_dim(right, start, size))

    out = lax.map(solve, jnp.minimum(jnp.arange(count) * size, systems - size))
    out = out.reshape(count * size, *right.shape[1:])
    rest = systems - (count - 1) * size
    return out if rest == size else jnp.concatenate([out[: systems - rest], out[-rest:]])


def group_size(systems: int, wanted: int) -> int:
    """The divisor that is nearest to what is wanted; if none is near, groups about equal."""
    near = [g for g in range(max(1, wanted // 2), 2 * wanted + 1) if systems % g == 0]
    if near:
        return min(near, key=lambda g: abs(g - wanted))
    count = -(-systems // wanted)
    return -(-systems // count)


def _at_once(matrix: Band, right: Any) -> Any:
    columns = jnp.moveaxis(right, -2, 0)  # [n, *batch, k]
    if matrix.lower <= 0:
        x = _back(_rows(matrix, 0, matrix.upper), columns)
    elif matrix.upper <= 0:
        # Turned round, a lower triangle is an upper one.
        turned = {-k: jnp.flip(v, -1) for k, v in matrix.diagonals.items()}
        rows = _rows(Band(matrix.m, matrix.n, turned), 0, matrix.lower)
        x = jnp.flip(_back(rows, jnp.flip(columns, 0)), 0)
    elif max(matrix.lower, matrix.upper) <= 1:
        x = _solve_three(matrix, columns)
    else:
        x = _solve_many(matrix, columns)
    return jnp.moveaxis(x, 0, -2)


def pivots(band: Band) -> tuple[Any, Any]:
    """The pivots of the elimination, `[n, *batch]`, and the sign of its exchanges, `[*batch]`."""
    nothing = jnp.zeros((band.m, *band.batch, 0), band.dtype)
    if max(band.lower, band.upper) <= 1:
        (pivot, *_), (last, _), swapped = _forward_three(band, nothing)
        pivot, odd = jnp.concatenate([pivot[1:], last[None]])[..., 0], swapped[..., 0]
    else:
        rows, _, swapped = _forward_many(band, nothing)
        pivot, odd = rows[:, 0, ..., 0], swapped[..., 0]
    sign = 1 - 2 * (odd.sum(0) % 2)
    return pivot, sign.astype(band.dtype)


def _rows(band: Band, lower: int, upper: int) -> Any:
    """Row by row, `[n, lower + upper + 1, *batch, 1]`: row `i` has the columns from `i - lower`."""
    rows = jnp.moveaxis(band.rows(lower, upper), -1, 0)[..., None]
    return jnp.moveaxis(rows, -2, 1)


def _diagonals(band: Band) -> Any:
    """Lower, main and upper diagonal, row by row, `[n, *batch, 1]`."""
    low, d, up = (band.get(k) for k in (-1, 0, 1))
    last = [(0, 0)] * (d.ndim - 1)
    padded = jnp.pad(low, [*last, (1, 0)]), d, jnp.pad(up, [*last, (0, 1)])
    return [jnp.moveaxis(v, -1, 0)[..., None] for v in padded]


def _unroll(row: Any) -> int:
    return _UNROLL if row.size == row.shape[-1] <= _SHORT else 1


def _forward_three(band: Band, right: Any) -> Any:
    """Pivot, its two neighbours and right-hand side of each row; of the last the pivot and side.

    Entry `i` is that of row `i - 1`, so that what is scanned need not be copied to be cut: before
    the first row there is one which eliminates nothing.
    """
    low, d, up = _diagonals(band)
    start = (jnp.ones_like(d[0]), jnp.zeros_like(up[0]), jnp.zeros_like(right[0]))

    def step(current: Any, following: Any) -> Any:
        # The next row is eliminated by the current one, or the other way round.
        (d0, u0, r0), (l1, d1, u1, r1) = current, following
        swap = jnp.abs(l1) > jnp.abs(d0)
        pivot = jnp.where(swap, l1, d0)
        factor = jnp.where(swap, d0, l1) / jnp.where(pivot == 0, 1, pivot)
        first = jnp.where(swap, d1, u0)
        second = jnp.where(swap, u1, 0)
        d2 = jnp.where(swap, u0 - factor * d1, d1 - factor * u0)
        u2 = jnp.where(swap, -factor * u1, u1)
        top, bottom = jnp.where(swap, r1, r0), jnp.where(swap, r0, r1)
        return (d2, u2, bottom - factor * top), (pivot, first, second, top, swap)

    last, (*rows, swap) = lax.scan(step, start, (low, d, up, right), unroll=_unroll(right[0]))
    return rows, (last[0], last[2]), swap


def _solve_three(band: Band, right: Any) -> Any:
    (pivot, *rows), (pivot_last, last), _ = _forward_three(band, right)
    x = last / pivot_last
    many = right.shape[-1] > 1
    if many:  # one division here, not one for each column in the scan
        pivot = 1 / pivot

    def step(later: Any, row: Any) -> Any:
        x1, x2 = later
        p, u1, u2, r = row
        x = r - _times(u1, x1) - _times(u2, x2)
        return (x * p if many else x / p, x1), x1

    start = (x, jnp.zeros_like(x))
    return lax.scan(step, start, (pivot, *rows), reverse=True, unroll=_unroll(x))[1]


def _times(entry: Any, x: Any) -> Any:
    """Where nothing is, an infinity in the solution of a singular system has no effect."""
    return jnp.where(entry == 0, 0, entry * x)


def _forward_many(band: Band, right: Any) -> Any:
    p, q = max(band.lower, 0), max(band.upper, 0)
    n = band.m
    rows = _rows(band, p, q)
    # A window of p + 1 rows, aligned to the column that is eliminated next.
    window = [_aligned(rows[i], p - i) if i < n else jnp.zeros_like(rows[0]) for i in range(p + 1)]
    held = [right[i] if i < n else jnp.zeros_like(right[0]) for i in range(p + 1)]
    later = jnp.concatenate([rows[p + 1 :], jnp.zeros_like(rows[: min(p + 1, n)])])[:n]
    later_right = jnp.concatenate([right[p + 1 :], jnp.zeros_like(right[: min(p + 1, n)])])[:n]

    def step(carry: Any, new: Any) -> Any:
        w, r = carry  # [p + 1, width, *batch, 1], [p + 1, *batch, k]
        best = jnp.argmax(jnp.abs(w[:, 0]), axis=0)  # [*batch, 1]
        chosen = jnp.arange(p + 1).reshape(-1, *[1] * best.ndim) == best
        # The first row takes the place of the one that is chosen.
        pivot_row = jnp.where(chosen[:, None], w, 0).sum(0)
        pivot_right = jnp.where(chosen, r, 0).sum(0)
        rest = jnp.where(chosen[1:, None], w[0], w[1:])
        rest_right = jnp.where(chosen[1:], r[0], r[1:])
        pivot = pivot_row[0]
        factor = rest[:, 0] / jnp.where(pivot == 0, 1, pivot)
        rest = rest - factor[:, None] * pivot_row
        rest_right = rest_right - factor * pivot_right
        shifted = jnp.concatenate([rest[:, 1:], jnp.zeros_like(rest[:, :1])], axis=1)
        w = jnp.concatenate([shifted, new[0][None]])
        r = jnp.concatenate([rest_right, new[1][None]])
        return (w, r), (pivot_row, pivot_right, best != 0)

    start = (jnp.stack(window), jnp.stack(held))
    _, (pivot_rows, tops, swapped) = lax.scan(step, start, (later, later_right))
    return pivot_rows, tops, swapped


def _solve_many(band: Band, right: Any) -> Any:
    rows, tops, _ = _forward_many(band, right)
    return _back(rows, tops)


def _back(rows: Any, tops: Any) -> Any:
    """Substitution in an upper triangle, `[n, reach + 1, *batch, 1]`, from the last row on."""
    reach = rows.shape[1] - 1

    def step(later: Any, row: Any) -> Any:
        entries, r = row
        x = (r - _times(entries[1:], later).sum(0)) / entries[0]
        return jnp.concatenate([x[None], later[:-1]]) if reach else later, x

    zero = jnp.broadcast_to(jnp.zeros_like(tops[:1]), (reach, *tops.shape[1:]))
    _, x = lax.scan(step, zero, (rows, tops), reverse=True)
    return x


def _aligned(row: Any, empty: int) -> Any:
    """A row without the entries in front that lie outside the matrix, zeros at its end."""
    return jnp.concatenate([row[empty:], jnp.zeros_like(row[:empty])]) if empty else row
