"""Solving Toeplitz systems: conjugate gradients with a circulant preconditioner, and Levinson's."""

from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax import lax

from duckarray.core import value_of

from ._apply import apply, transpose
from ._base import cast, make
from ._limits import at_least, finfo
from ._ranks import free_ranks
from ._toeplitz import Toeplitz, values_of

Method = Literal["auto", "cg", "levinson"]
_MOST = 60

_METHOD = """`toeplitz_solve(..., method={method!r})` is not a method.
Pass "cg", "levinson", or "auto", which is the first and falls back on the second."""

_NOT_TOEPLITZ = """`toeplitz_solve(a, b)` takes a `Toeplitz` matrix, but got a `{type}`.
Pass `Toeplitz(c, r)` of the first column and the first row, or call `jnp.linalg.solve(a, b)`."""

_SHAPES = """`toeplitz_solve(a, b)` takes a square matrix and right-hand sides of as many rows, \
but got shapes {a} and {b}.
Pass `b` as a vector `[n]` or as columns `[*batch, n, columns]`."""


@free_ranks
def toeplitz_solve(
    a: Toeplitz, b: Any, *, method: Method = "auto", tol: float | None = None, maxiter: int = _MOST
) -> Any:
    """Solves `a @ x = b` for a square `Toeplitz` matrix.

    Args:
        a: the matrix.
        b: a right-hand side `[n]`, or several as columns, `[*batch, n, columns]`.
        method: `"cg"` is conjugate gradients on the normal equations, preconditioned by the optimal
            circulant matrix of T. Chan: `O(n log n)` an iteration, few of which are needed if the
            matrix is well conditioned. `"levinson"` is the recursion: `O(n²)`, and accurate if all
            leading blocks are well conditioned. `"auto"`, the default, takes the former and, where
            that does not converge, the latter; where neither has a small residual, as with a
            singular matrix, the solution is not-a-number.
        tol: the relative residual at which `"cg"` stops; by default four times the precision.
        maxiter: the most iterations of `"cg"`.

    Returns:
        The solution, of the shape of `b`. It is differentiable, by the adjoint system.

    Raises:
        TypeError: if `a` is no `Toeplitz`.
        ValueError: if the shapes do not fit, or there is no such method.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Toeplitz, toeplitz_solve
        >>> a = Toeplitz(jnp.array([2.0, 1.0, 0.0]))
        >>> x = toeplitz_solve(a, jnp.array([4.0, 8.0, 8.0]), method="levinson")
        >>> bool(jnp.allclose(x, jnp.array([1.0, 2.0, 3.0]), rtol=1e-5))
        True

    References:
        T. Chan, "An optimal circulant preconditioner for Toeplitz systems", 1988.
        Golub and Van Loan, "Matrix Computations", 4th ed., 2013, section 4.7.
    """
    if method not in ("auto", "cg", "levinson"):
        raise ValueError(_METHOD.format(method=method))
    a = value_of(a)
    if not isinstance(a, Toeplitz):
        raise TypeError(_NOT_TOEPLITZ.format(type=type(a).__name__))
    b = jnp.asarray(b)
    n = a.c.shape[-1]
    columns = b[:, None] if b.ndim == 1 else b
    if a.r.shape[-1] != n or columns.ndim < 2 or columns.shape[-2] != n:
        raise ValueError(_SHAPES.format(a=a.shape, b=tuple(b.shape)))
    dtype = at_least(jnp.result_type(a.c.dtype, b.dtype), jnp.float32)
    limit = 4 * float(finfo(dtype).eps) if tol is None else tol
    out = solve_columns(
        make(Toeplitz, cast(a.c, dtype), cast(a.r, dtype)),
        cast(columns, dtype),
        method,
        limit,
        maxiter,
    )
    return out[..., 0] if b.ndim == 1 else out


def solve_columns(
    a: Toeplitz, b: Any, method: Method = "auto", tol: float = 0.0, maxiter: int = _MOST
) -> Any:
    """The solution for right-hand sides `[*batch, n, columns]`."""
    batch = jnp.broadcast_shapes(a.batch_shape, b.shape[:-2])
    if b.size == 0:
        return jnp.broadcast_to(b, (*batch, *b.shape[-2:]))
    tol = tol or 4 * float(finfo(b.dtype).eps)

    def one(c: Any, r: Any, right: Any) -> Any:
        matrix = make(Toeplitz, c, r)
        return lax.custom_linear_solve(
            lambda x: apply(matrix, x),
            right,
            lambda _, x: _solve(matrix, x, method, tol, maxiter),
            lambda _, x: _solve(transpose(matrix), x, method, tol, maxiter),
        )

    for _ in batch:
        one = jax.vmap(one)
    c, r = (jnp.broadcast_to(x, (*batch, x.shape[-1])) for x in (a.c, a.r))
    return one(c, r, jnp.broadcast_to(b, (*batch, *b.shape[-2:])))


def _solve(a: Toeplitz, b: Any, method: Method, tol: float, maxiter: int) -> Any:
    if method == "levinson":
        return levinson(a, b)
    x, residual = _conjugate_gradients(a, b, tol, maxiter)
    if method == "cg":
        return x
    close = 100 * float(finfo(b.dtype).eps)

    def direct(_: Any) -> Any:
        y = levinson(a, b)
        error = _norm(b - apply(a, y)) / _norm(b)
        better = error < residual  # false if it is nan
        # What neither solves is taken to be singular: there conjugate gradients find what is
        # closest to a solution, which might be taken for one.
        solved = jnp.where(better, error, residual) < float(finfo(b.dtype).eps) ** 0.25
        return jnp.where(solved, jnp.where(better, y, x), jnp.nan)

    return lax.cond(jnp.all(residual <= close), lambda _: x, direct, None)


def _norm(x: Any) -> Any:
    squares = jnp.abs(x) ** 2
    return jnp.sqrt(squares.sum(0, keepdims=True))


def _conjugate_gradients(a: Toeplitz, b: Any, tol: float, maxiter: int) -> tuple[Any, Any]:
    """Column by column, on the normal equations of the preconditioned system."""
    n = b.shape[0]
    real = not jnp.iscomplexobj(b)
    spectrum = jnp.fft.fft(_optimal_circulant(a))
    small = jnp.abs(spectrum).max() * finfo(b.dtype).eps
    spectrum = jnp.where(jnp.abs(spectrum) <= small, 1, spectrum)[:, None]

    def divide(x: Any, by: Any) -> Any:
        out = jnp.fft.ifft(jnp.fft.fft(x, axis=0) / by, axis=0)
        return out.real.astype(b.dtype) if real else out.astype(b.dtype)

    adjoint = make(Toeplitz, *[jnp.conj(x) for x in _leaves(transpose(a))])

    def forward(x: Any) -> Any:
        return divide(apply(a, x), spectrum)

    def backward(x: Any) -> Any:
        return apply(adjoint, divide(x, jnp.conj(spectrum)))

    size = _norm(b)
    size = jnp.where(size == 0, 1, size)
    right = divide(b, spectrum)
    scale = _norm(right)
    scale = jnp.where(scale == 0, 1, scale)

    def more(state: Any) -> Any:
        i, _, residual, _, _ = state
        return (i < min(maxiter, 2 * n + 8)) & jnp.any(_norm(residual) > tol * scale)

    def step(state: Any) -> Any:
        i, x, residual, direction, gamma = state
        image = forward(direction)
        length = _norm(image) ** 2
        alpha = jnp.where(length > 0, gamma / jnp.where(length > 0, length, 1), 0)
        x = x + alpha.astype(b.dtype) * direction
        residual = residual - alpha.astype(b.dtype) * image
        gradient = backward(residual)
        new = _norm(gradient) ** 2
        beta = jnp.where(gamma > 0, new / jnp.where(gamma > 0, gamma, 1), 0)
        return i + 1, x, residual, gradient + beta.astype(b.dtype) * direction, new

    gradient = backward(right)
    start = (0, jnp.zeros_like(b), right, gradient, _norm(gradient) ** 2)
    x = lax.while_loop(more, step, start)[1]
    x = x + 0 * b
    return x, _norm(b - apply(a, x)) / size


def _optimal_circulant(a: Toeplitz) -> Any:
    """The circulant matrix that is closest to `a`, by its first column."""
    n = a.c.shape[-1]
    j = jnp.arange(n)
    values = values_of(a)
    below = values[n - 1 + j]  # t[j]
    above = jnp.where(j == 0, 0, values[jnp.where(j == 0, 0, j - 1)])  # t[j - n]
    share = (j / n).astype(a.c.dtype)
    return (1 - share) * below + share * above


def levinson(a: Toeplitz, b: Any) -> Any:
    """The recursion of Levinson for a general matrix, all right-hand sides at once."""
    n = b.shape[0]
    values = values_of(a)  # t[k] at n - 1 + k
    i = jnp.arange(n)
    t0 = values[n - 1]
    first = jnp.zeros(n, b.dtype).at[0].set(1 / t0)
    x0 = jnp.zeros_like(b).at[0].set(b[0] / t0)

    def step(k: Any, state: Any) -> Any:
        # f and g solve the leading block of size k for the first and the last unit vector.
        f, g, x = state
        inside = i < k
        down = jnp.where(inside, values[jnp.clip(n - 1 + k - i, 0, 2 * n - 2)], 0)  # t[k - i]
        up = jnp.where(inside, values[jnp.clip(n - 2 - i, 0, 2 * n - 2)], 0)  # t[-1 - i]
        error_f, error_g = down @ f, up @ g
        shifted = jnp.roll(g, 1)  # its last entry is zero
        scale = 1 / (1 - error_f * error_g)
        f, g = (f - error_f * shifted) * scale, (shifted - error_g * f) * scale
        return f, g, x + (b[k] - down @ x) * g[:, None]

    return lax.fori_loop(1, n, step, (first, first, x0))[2]


def _leaves(x: Any) -> list[Any]:
    return jax.tree.leaves(x)
