"""Elimination with partial pivoting of a Toeplitz matrix, in memory that is linear in its size.

A matrix `T` that is constant along its diagonals has `Z T - T Y` of rank two, where `Z` shifts down
cyclically and `Y` does so with a sign. Fourier transforms make shifts diagonal and `T` a matrix
`C[i, j] = g[i] . b[j] / (t[i] - s[j])`, in which rows can be exchanged, and what elimination leaves
of it is of that form again.
"""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def cauchy_pivots(values: Any) -> tuple[Any, Any]:
    """The pivots `[n]` and a number of absolute value one: all times one another, the determinant.

    It costs `O(n²)`.

    Args:
        values: those of the diagonals from the uppermost to the lowest, `[2 n - 1]`, complex.

    References:
        Gohberg, Kailath and Olshevsky, "Fast Gaussian elimination with partial pivoting for
        matrices with displacement structure", 1995.
    """
    n = (values.shape[0] + 1) // 2
    if n == 0:
        return values[:0], jnp.ones((), values.dtype)
    left, right, t, s = _cauchy_like(values, n)
    rows = jnp.arange(n)

    def step(state: Any, k: Any) -> Any:
        g, b, t, sign = state
        column = jnp.where(rows >= k, (g @ b[:, k]) / (t - s[k]), 0)
        best = jnp.argmax(jnp.abs(lax.stop_gradient(column)))
        order = jnp.where(rows == k, best, jnp.where(rows == best, k, rows))
        g, t, column = g[order], t[order], column[order]
        pivot = column[k]
        divisor = jnp.where(pivot == 0, 1, pivot)
        row = (g[k] @ b) / (t[k] - s)
        below = jnp.where(rows > k, column / divisor, 0)
        g = g - below[:, None] * g[k]
        b = b - b[:, k, None] * jnp.where(rows > k, row / divisor, 0)
        return (g, b, t, jnp.where(best == k, sign, -sign)), pivot

    turn = jnp.exp(1j * jnp.pi * ((n - 1) / 2 % 2)).astype(values.dtype)
    (*_, sign), pivots = lax.scan(step, (left, right, t, turn), rows)
    return pivots, sign


def _cauchy_like(values: Any, n: int) -> tuple[Any, Any, Any, Any]:
    """Generators `[n, 2]` and `[2, n]` of the transform of the matrix, and its nodes."""
    at = values[n - 1 :]  # t[i]
    before = jnp.concatenate([values[:1] * 0, values[: n - 1]])  # t[i - n]
    first = jnp.zeros_like(at).at[0].set(1)
    rows = jnp.stack([first, (at + before).at[0].set(0)], axis=1)
    # t[n - 1 - j] - t[-1 - j], and 2 t[0] at the end
    wide = jnp.flip(at - before)
    columns = jnp.stack([wide.at[-1].set(2 * at[0]), first[::-1]])
    root = np.exp(2j * np.pi * np.arange(n) / n)
    half = np.exp(1j * np.pi * np.arange(n) / n)
    scale = math.sqrt(n)
    # Of F v each entry is a sum with exp(2 pi i j k / n): n times the inverse transform.
    left = jnp.fft.ifft(rows, axis=0) * scale
    right = jnp.fft.fft(columns * half.conj().astype(values.dtype), axis=1) / scale
    nodes = jnp.asarray(root, values.dtype)
    return left, right, nodes, jnp.asarray(root * np.exp(1j * np.pi / n), values.dtype)
