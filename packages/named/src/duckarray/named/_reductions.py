"""Reductions along axes given by name."""

from typing import Any

import jax
import jax.numpy as jnp

from ._names import DimsLike
from ._places import along


def sum(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:  # noqa: A001
    """Sums along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.sum`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.sum(a, "d").array
        Array([4., 6.], dtype=float32)
    """
    return along(jnp.sum, "sum", a, dims, options)


def prod(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:
    """Products along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.prod`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.prod(a, "d").array
        Array([3., 8.], dtype=float32)
    """
    return along(jnp.prod, "prod", a, dims, options)


def mean(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:
    """Means along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.mean`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.mean(a, "d").array
        Array([2., 3.], dtype=float32)
    """
    return along(jnp.mean, "mean", a, dims, options)


def var(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:
    """Variances along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.var`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.var(a, "d").array
        Array([1., 1.], dtype=float32)
    """
    return along(jnp.var, "var", a, dims, options)


def std(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:
    """Standard deviations along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.std`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.std(a, "d").array
        Array([1., 1.], dtype=float32)
    """
    return along(jnp.std, "std", a, dims, options)


def max(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:  # noqa: A001
    """The greatest entries along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.max`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.max(a, "d").array
        Array([3., 4.], dtype=float32)
    """
    return along(jnp.max, "max", a, dims, options)


def min(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:  # noqa: A001
    """The least entries along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.min`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.min(a, "d").array
        Array([1., 2.], dtype=float32)
    """
    return along(jnp.min, "min", a, dims, options)


def any(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:  # noqa: A001
    """Whether any entry along axes is true.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.any`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.any(a > 3, "d").array
        Array([False,  True], dtype=bool)
    """
    return along(jnp.any, "any", a, dims, options)


def all(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:  # noqa: A001
    """Whether all entries along axes are true.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.numpy.all`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.all(a > 1, "d").array
        Array([False,  True], dtype=bool)
    """
    return along(jnp.all, "all", a, dims, options)


def logsumexp(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:
    """Logarithms of the sums of exponentials along axes.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        dims: the names of the axes, `"seq d"`; all if left out.
        **options: those of `jax.nn.logsumexp`.

    Raises:
        AxisNameError: if there is no axis of such a name.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> a = n.NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> n.logsumexp(0 * a, "d").array
        Array([0.6931472, 0.6931472], dtype=float32)
    """
    return along(jax.nn.logsumexp, "logsumexp", a, dims, options)
