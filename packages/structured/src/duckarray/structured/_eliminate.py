"""Gaussian elimination with partial pivoting in a band, as one scan over the rows.

The right-hand sides, or the batch, are in the minor axis, so that each step is a vector operation.
"""

from typing import Any

import jax.numpy as jnp
from jax import lax

from ._band import Band

# Each turn of a scan costs about a microsecond on a CPU: several rows share one, if they are short.
_UNROLL, _SHORT = 4, 256


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

    def solve(matrix: Band, right: Any) -> Any:
        columns = jnp.moveaxis(right, -2, 0)  # [n, *batch, k]
        if matrix.lower <= 0:
            x = _back(_rows(matrix, 0, matrix.upper), columns)
        elif matrix.upper <= 0:
            # Turned round, a lower triangle is an upper one.
            turned = {-k: jnp.flip(v, -1) for k, v in matrix.diagonals.items()}
            rows = _rows(Band(band.m, band.n, turned), 0, matrix.lower)
            x = jnp.flip(_back(rows, jnp.flip(columns, 0)), 0)
        elif max(matrix.lower, matrix.upper) <= 1:
            x = _solve_three(matrix, columns)
        else:
            x = _solve_many(matrix, columns)
        return jnp.moveaxis(x, 0, -2)

    out = lax.custom_linear_solve(
        band.apply,
        b,
        lambda _, right: solve(band, right),
        lambda _, right: solve(band.transpose(), right),
    )
    return out


def pivots(band: Band) -> tuple[Any, Any]:
    """The pivots of the elimination, `[n, *batch]`, and the sign of its exchanges, `[*batch]`."""
    nothing = jnp.zeros((band.m, *band.batch, 0), band.dtype)
    if max(band.lower, band.upper) <= 1:
        (pivot, *_), swapped = _forward_three(band, nothing)
        pivot, odd = pivot[..., 0], swapped[..., 0]
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
    return _UNROLL if row.size <= _SHORT else 1


def _forward_three(band: Band, right: Any) -> Any:
    low, d, up = _diagonals(band)
    # The next row is eliminated by the current one (pivot, its neighbour), or the other way round.
    start = (d[0], up[0], right[0])

    def step(current: Any, following: Any) -> Any:
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

    last, (pivot, first, second, top, swap) = lax.scan(
        step, start, (low[1:], d[1:], up[1:], right[1:]), unroll=_unroll(right[0])
    )
    join = jnp.concatenate
    zero = jnp.zeros_like(last[0])
    found = (
        join([pivot, last[0][None]]),
        join([first, zero[None]]),
        join([second, zero[None]]),
        join([top, last[2][None]]),
    )
    return found, swap


def _solve_three(band: Band, right: Any) -> Any:
    (pivot, first, second, top), _ = _forward_three(band, right)
    # One division here, not one for each column in the scan below.
    scale = 1 / pivot

    def step(later: Any, row: Any) -> Any:
        x1, x2 = later
        s, u1, u2, r = row
        x = (r - _times(u1, x1) - _times(u2, x2)) * s
        return (x, x1), x

    zero = jnp.zeros_like(top[0])
    rows = scale, first, second, top
    _, x = lax.scan(step, (zero, zero), rows, reverse=True, unroll=_unroll(zero))
    return x


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

    zero = jnp.zeros((reach, *tops.shape[1:]), tops.dtype)
    _, x = lax.scan(step, zero, (rows, tops), reverse=True)
    return x


def _aligned(row: Any, empty: int) -> Any:
    """A row without the entries in front that lie outside the matrix, zeros at its end."""
    return jnp.concatenate([row[empty:], jnp.zeros_like(row[:empty])]) if empty else row
