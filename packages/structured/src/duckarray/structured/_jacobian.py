"""`jacobian`: the Jacobian matrix with the structure that the function gives it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core import materialization, quaxify, value_of

from ._apply import transpose
from ._band import Band
from ._bands import Banded, Identity
from ._base import Structured, as_arrays

_NOT_A_FUNCTION = """`jacobian({f!r}, x)` takes a function of a vector, but got a `{type}`.
Pass the function, and where to differentiate it second."""

_NOT_VECTORS = """`jacobian(f, x)` takes a function of vectors, but {what} has shape {shape}.
Wrap it: `jacobian(lambda v: f(v.reshape(...)).ravel(), x.ravel())`."""

_NOT_FLOATING = """`jacobian(f, x)` differentiates by floating-point numbers, but x is of dtype \
{dtype}.
Pass `x.astype(float)`."""


def jacobian(f: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian matrix of a function of vectors, in one pass, with its structure.

    All unit vectors, an `Identity`, are pushed through the derivative at once: a function of each
    entry gives a `Diagonal`, a stencil of slices and `jnp.pad` a `Tridiagonal` or `Banded` matrix.
    There is no colouring and no probing. What mixes all entries, joins pieces or convolves gives a
    dense Jacobian.

    Args:
        f: a function of a vector `[n]` that gives a vector `[m]`.
        x: where to differentiate, a vector `[n]` of floating-point numbers.

    Returns:
        The matrix `[m, n]`: a structured matrix, or an array.

    Raises:
        ValueError: if `x` or `f(x)` is not a vector.
        TypeError: if `f` is no function, or `x` holds integers.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import structured
        >>> structured.jacobian(jnp.sin, jnp.zeros(3))
        Diagonal(diagonal=f32[3])
        >>> structured.jacobian(jnp.diff, jnp.zeros(3))
        Banded(ab=f32[2,3], lower=0, upper=1, rows=2)
    """
    if not callable(f):
        raise TypeError(_NOT_A_FUNCTION.format(f=f, type=type(f).__name__))
    (x,) = as_arrays(x)
    if x.ndim != 1:
        raise ValueError(_NOT_VECTORS.format(what="x", shape=tuple(x.shape)))
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise TypeError(_NOT_FLOATING.format(dtype=x.dtype))
    y = jax.eval_shape(f, x)
    if jnp.ndim(y) != 1:
        raise ValueError(_NOT_VECTORS.format(what="f(x)", shape=jnp.shape(y)))

    def push(tangent: Any) -> Any:
        # Not by `linearize`, which would leave of a zero, as `relu` has, only an array of such.
        return jax.jvp(f, (x,), (tangent,))[1]

    # Each row of what comes out is the derivative along one unit vector: the transpose.
    with materialization("allow"):
        out = value_of(quaxify(jax.vmap(push))(Identity(x.shape[0], x.dtype)))
    if not isinstance(out, Structured):
        return jnp.transpose(out)
    out = transpose(out)
    return Band.of(out).value() if isinstance(out, Banded) else out  # it may be tridiagonal
