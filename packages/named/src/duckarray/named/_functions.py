"""Functions along axes given by name: reductions, softmax, sorting, cumulative sums."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core import value_of

from ._by_name import aligned, expanded, quaxified
from ._names import DimsLike, absent, names_of
from ._value import dims as dims_of

_ALONG = """{summary}

Args:
    a: a `NamedArray`, or an array inside `quaxify`.
    dims: the names of the axes{every}.
    **options: those of `{function}`.

Raises:
    AxisNameError: if there is no axis of such a name.
"""


def _axes(a: Any, dims: DimsLike | None, asked: str) -> tuple[int, ...] | None:
    if dims is None:
        return None
    have = dims_of(a)
    for name in names_of(dims):
        if name not in have:
            raise absent(name, have, asked)
    return tuple(have.index(name) for name in names_of(dims))


def _reduction(name: str, function: Callable[..., Any], summary: str) -> Callable[..., Any]:
    def reduce(a: Any, dims: DimsLike | None = None, **options: Any) -> Any:
        axes = _axes(a, dims, f"`{name}(a, {dims!r})`")
        return quaxified(lambda x: function(x, axis=axes, **options), a)

    return _described(reduce, name, summary, ', `"seq d"`; all if left out')


def _along(name: str, function: Callable[..., Any], summary: str) -> Callable[..., Any]:
    def along(a: Any, dims: DimsLike, **options: Any) -> Any:
        (axis,) = _axes(a, dims, f"`{name}(a, {dims!r})`") or (None,)
        return quaxified(lambda x: function(x, axis=axis, **options), a)

    return _described(along, name, summary, "; one name")


def _over(name: str, function: Callable[..., Any], summary: str) -> Callable[..., Any]:
    def over(a: Any, dims: DimsLike, **options: Any) -> Any:
        axes = _axes(a, dims, f"`{name}(a, {dims!r})`")
        return quaxified(lambda x: function(x, axis=axes, **options), a)

    return _described(over, name, summary, "")


def _described(made: Callable[..., Any], name: str, summary: str, every: str) -> Callable[..., Any]:
    made.__name__ = made.__qualname__ = name
    spelled = f"jax.{'nn' if hasattr(jax.nn, name) else 'numpy'}.{name}"
    made.__doc__ = _ALONG.format(summary=summary, every=every, function=spelled)
    return made


sum = _reduction("sum", jnp.sum, "Sums along axes.")  # noqa: A001
prod = _reduction("prod", jnp.prod, "Multiplies along axes.")
mean = _reduction("mean", jnp.mean, "Means along axes.")
var = _reduction("var", jnp.var, "Variances along axes.")
std = _reduction("std", jnp.std, "Standard deviations along axes.")
max = _reduction("max", jnp.max, "The greatest entries along axes.")  # noqa: A001
min = _reduction("min", jnp.min, "The least entries along axes.")  # noqa: A001
any = _reduction("any", jnp.any, "Whether any entry along axes is true.")  # noqa: A001
all = _reduction("all", jnp.all, "Whether all entries along axes are true.")  # noqa: A001
logsumexp = _reduction("logsumexp", jax.nn.logsumexp, "Logarithms of sums of exponentials.")
argmax = _along("argmax", jnp.argmax, "The places of the greatest entries along an axis.")
argmin = _along("argmin", jnp.argmin, "The places of the least entries along an axis.")
sort = _along("sort", jnp.sort, "The entries in rising order along an axis.")
argsort = _along("argsort", jnp.argsort, "The places of the entries in rising order.")
cumsum = _along("cumsum", jnp.cumsum, "Running sums along an axis.")
cumprod = _along("cumprod", jnp.cumprod, "Running products along an axis.")
flip = _over("flip", jnp.flip, "The entries in the opposite order along axes.")
softmax = _over("softmax", jax.nn.softmax, "Softmax along axes.")
log_softmax = _over("log_softmax", jax.nn.log_softmax, "Logarithm of the softmax along axes.")


def where(condition: Any, x: Any, y: Any) -> Any:
    """Entries of `x` where `condition` holds, else of `y`; all brought together by name.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, where
        >>> a = NamedArray(jnp.arange(6.0).reshape(2, 3), "batch d")
        >>> keep = NamedArray(jnp.array([True, False]), "batch")
        >>> where(keep, a, 0.0).array
        Array([[0., 1., 2.],
               [0., 0., 0.]], dtype=float32)
    """
    x, y = aligned(x, y) if dims_of(x) or dims_of(y) else (x, y)
    whole = x if dims_of(x) else y
    if dims_of(whole):
        condition, whole = aligned(condition, whole)
        x, y = (_like(z, whole) if dims_of(z) else z for z in (x, y))
    return quaxified(jnp.where, condition, x, y)


def _like(z: Any, whole: Any) -> Any:
    """With all axes of `whole`, in its order."""
    dims, value = dims_of(whole), value_of(z)
    if None in dims or None in dims_of(z):
        return aligned(z, whole)[0]
    return expanded(value, dims, value_of(whole).sizes)
