"""Library functions that take the algorithm of a structure: `jnp.linalg.solve` and its like."""

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
from jax.typing import ArrayLike

from duckarray.core import known_constant, materialize
from duckarray.structured._apply import diagonal
from duckarray.structured._base import Structured, leaves_of
from duckarray.structured._check import checked
from duckarray.structured._determinant import det_of, slogdet_of
from duckarray.structured._policy import dense_under_policy
from duckarray.structured._rules._common import with_dtype
from duckarray.structured._rules._register import register_function
from duckarray.structured._solve import can_solve, inverse_of, solve, solve_dense
from duckarray.structured._spectrum import eigvalsh_of, expm_of, pinv_of


def _inexact(x: Any, *others: Any) -> Any:
    """`x` with the dtype that a function of `jnp.linalg` promotes to; None if that is dense."""
    dtype = jnp.result_type(x.dtype, *others)
    if not jnp.issubdtype(dtype, jnp.inexact):
        dtype = jnp.zeros((), float).dtype
    return with_dtype(x, dtype)


def _is_square(x: Any) -> bool:
    return bool(x.shape[-1] == x.shape[-2])


@register_function(jnp.linalg.solve)
def _solve_structured_dense(a: Structured, b: ArrayLike) -> Any:
    """By the structure of `a`."""
    b = jnp.asarray(b)
    matrix = _inexact(a, b.dtype)
    rows = -1 if b.ndim == 1 else -2
    if matrix is None or not _is_square(a) or b.ndim == 0 or b.shape[rows] != a.shape[-1]:
        return NotImplemented
    b = b.astype(matrix.dtype)
    out = solve_dense(matrix, b[:, None] if b.ndim == 1 else b)
    if out is NotImplemented:
        return NotImplemented
    out = checked(out, b, *_arrays(matrix))
    return out[..., 0] if b.ndim == 1 else out


@register_function(jnp.linalg.solve)
def _solve_structured_structured(a: Structured, b: Structured) -> Any:
    """The type that the closure table says; else by the structure of `a`, for dense columns."""
    if not _is_square(a) or a.ndim != b.ndim or a.shape[:-1] != b.shape[:-1]:
        return NotImplemented
    left, right = _inexact(a, b.dtype), _inexact(b, a.dtype)
    if left is None or right is None:
        return NotImplemented
    out = solve(left, right)
    if out is not None:
        return _checked_all(out, left, right)
    if not can_solve(left):
        return NotImplemented
    dense = dense_under_policy(right, "solve", (a, b))
    return checked(solve_dense(left, dense), dense, *_arrays(left))


@register_function(jnp.linalg.inv)
def _inv_structured(a: Structured) -> Any:
    """Of the same type where there is one; the inverse of a band, say, is dense."""
    matrix = _inexact(a)
    if matrix is None or not _is_square(a):
        return NotImplemented
    out = inverse_of(matrix)
    if out is None:
        n = a.shape[-1]
        out = solve_dense(matrix, jnp.eye(n, dtype=matrix.dtype))
        if out is NotImplemented:
            return NotImplemented
        out = jnp.broadcast_to(out, a.shape)
    return _checked_all(out, matrix)


def _checked_all(out: Any, *operands: Any) -> Any:
    """`out`, with an error if one of its arrays is not finite although the operands are."""
    given = [x for operand in operands for x in _arrays(operand)]
    if not isinstance(out, Structured):
        return checked(out, *given)
    leaves, structure = leaves_of(out)
    floats = [isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jnp.inexact) for x in leaves]
    return structure.unflatten(
        [checked(x, *given) if float_ else x for x, float_ in zip(leaves, floats, strict=True)]
    )


@register_function(jnp.linalg.det)
def _det_structured(a: Structured) -> Any:
    """By the structure of `a`."""
    matrix = _inexact(a)
    return NotImplemented if matrix is None or not _is_square(a) else det_of(matrix)


@register_function(jnp.linalg.slogdet)
def _slogdet_structured(a: Structured) -> Any:
    """By the structure of `a`."""
    matrix = _inexact(a)
    return NotImplemented if matrix is None or not _is_square(a) else slogdet_of(matrix)


@register_function(jnp.linalg.eigvalsh)
def _eigvalsh_structured(a: Structured) -> Any:
    """Without the eigenvectors, that a structure may not have."""
    matrix = _inexact(a)
    return NotImplemented if matrix is None or not _is_square(a) else eigvalsh_of(matrix)


@register_function(jnp.linalg.pinv)
def _pinv_structured(a: Structured) -> Any:
    """By the structure of `a`, with the tolerance that is the default."""
    matrix = _inexact(a)
    return NotImplemented if matrix is None else pinv_of(matrix)


@register_function(jsl.expm)
def _expm_structured(a: Structured) -> Any:
    """By the structure of `a`."""
    matrix = _inexact(a)
    return NotImplemented if matrix is None or not _is_square(a) else expm_of(matrix)


@register_function(jnp.trace)
def _trace_structured(a: Structured, offset: ArrayLike) -> Any:
    """The sum of the main diagonal of one matrix. Of a batch JAX means other axes by default."""
    return _trace_main(a) if known_constant(offset) == 0 else NotImplemented


@register_function(jnp.trace)
def _trace_main(a: Structured) -> Any:
    """The same where no offset is passed."""
    return diagonal(a, 0).sum() if a.ndim == 2 else NotImplemented


@register_function(jnp.diagonal)
def _diagonal_structured(a: Structured) -> Any:
    """The main diagonal of one square matrix; no other is as long."""
    return diagonal(a, 0) if a.ndim == 2 and _is_square(a) else NotImplemented


def _arrays(x: Any) -> list[Any]:
    return [y for y in leaves_of(materialize_nested(x))[0] if jnp.issubdtype(y.dtype, jnp.inexact)]


def materialize_nested(x: Any) -> Any:
    """`x`, with values among its leaves made dense: they are only looked at."""
    leaves, structure = leaves_of(x)
    return structure.unflatten([materialize(y) for y in leaves])
