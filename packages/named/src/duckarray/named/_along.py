"""Functions along axes given by name that are no reductions: sorting, running sums, softmax."""

from typing import Any

import jax
import jax.numpy as jnp

from ._names import DimsLike
from ._places import along, along_one


def argmax(a: Any, dims: DimsLike, **options: Any) -> Any:
    """The places of the greatest entries along an axis.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the name of the axis.
        **options: those of `jax.numpy.argmax`.

    Raises:
        AxisNameError: if there is no axis of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.argmax(a, "d").array
        Array([0, 1], dtype=int32)
    """
    return along_one(jnp.argmax, "argmax", a, dims, options)


def argmin(a: Any, dims: DimsLike, **options: Any) -> Any:
    """The places of the least entries along an axis.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the name of the axis.
        **options: those of `jax.numpy.argmin`.

    Raises:
        AxisNameError: if there is no axis of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.argmin(a, "d").array
        Array([1, 0], dtype=int32)
    """
    return along_one(jnp.argmin, "argmin", a, dims, options)


def sort(a: Any, dims: DimsLike, **options: Any) -> Any:
    """The entries in rising order along an axis.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the name of the axis.
        **options: those of `jax.numpy.sort`.

    Raises:
        AxisNameError: if there is no axis of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.sort(a, "d").array
        Array([[1., 3.],
               [2., 4.]], dtype=float32)
    """
    return along_one(jnp.sort, "sort", a, dims, options)


def argsort(a: Any, dims: DimsLike, **options: Any) -> Any:
    """The places of the entries in rising order along an axis.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the name of the axis.
        **options: those of `jax.numpy.argsort`.

    Raises:
        AxisNameError: if there is no axis of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.argsort(a, "d").array
        Array([[1, 0],
               [0, 1]], dtype=int32)
    """
    return along_one(jnp.argsort, "argsort", a, dims, options)


def cumsum(a: Any, dims: DimsLike, **options: Any) -> Any:
    """Running sums along an axis.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the name of the axis.
        **options: those of `jax.numpy.cumsum`.

    Raises:
        AxisNameError: if there is no axis of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.cumsum(a, "d").array
        Array([[3., 4.],
               [2., 6.]], dtype=float32)
    """
    return along_one(jnp.cumsum, "cumsum", a, dims, options)


def cumprod(a: Any, dims: DimsLike, **options: Any) -> Any:
    """Running products along an axis.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the name of the axis.
        **options: those of `jax.numpy.cumprod`.

    Raises:
        AxisNameError: if there is no axis of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.cumprod(a, "d").array
        Array([[3., 3.],
               [2., 8.]], dtype=float32)
    """
    return along_one(jnp.cumprod, "cumprod", a, dims, options)


def flip(a: Any, dims: DimsLike, **options: Any) -> Any:
    """The entries in the opposite order along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`.
        **options: those of `jax.numpy.flip`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.flip(a, "d").array
        Array([[1., 3.],
               [4., 2.]], dtype=float32)
    """
    return along(jnp.flip, "flip", a, dims, options)


def softmax(a: Any, dims: DimsLike, **options: Any) -> Any:
    """Softmax along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`.
        **options: those of `jax.nn.softmax`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.softmax(a, "d").array.round(2)
        Array([[0.88, 0.12],
               [0.12, 0.88]], dtype=float32)
    """
    return along(jax.nn.softmax, "softmax", a, dims, options)


def log_softmax(a: Any, dims: DimsLike, **options: Any) -> Any:
    """Logarithms of the softmax along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`.
        **options: those of `jax.nn.log_softmax`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.log_softmax(0 * a, "d").array
        Array([[-0.6931472, -0.6931472],
               [-0.6931472, -0.6931472]], dtype=float32)
    """
    return along(jax.nn.log_softmax, "log_softmax", a, dims, options)
