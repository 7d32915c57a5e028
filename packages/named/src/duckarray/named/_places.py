"""Calls of functions that take axes by position, with axes given by name."""

from collections.abc import Callable
from typing import Any

from duckarray.core import ArrayValue

from ._by_name import quaxified
from ._names import AxisNameError, DimsLike, absent, names_of, show
from ._value import dims as dims_of

_NOT_ONE = """`{name}(a, {dims!r})` goes along one axis, but {count} were named.
Name one of {have}."""

_NO_ARRAY = """`{name}(a, ...)` takes an array, but got a `{type}`.
Pass a `NamedArray`, as `NamedArray(jnp.asarray(x), "batch d")` makes one."""


def along(
    function: Callable[..., Any],
    name: str,
    a: Any,
    dims: DimsLike | None,
    options: dict[str, Any],
) -> Any:
    """`function` of `a` along axes, of which the user speaks in a call of `name`."""
    _require_array(name, a)
    axes = None if dims is None else _axes(name, a, dims)
    return quaxified(lambda x: function(x, axis=axes, **options), a)


def along_one(
    function: Callable[..., Any], name: str, a: Any, dims: DimsLike | None, options: dict[str, Any]
) -> Any:
    """The same for functions that go along one axis."""
    if dims is None:
        return along(function, name, a, None, options)
    _require_array(name, a)
    axes = _axes(name, a, dims)
    if len(axes) != 1:
        have = dims_of(a)
        text = _NOT_ONE.format(name=name, dims=dims, count=len(axes), have=show(have))
        raise AxisNameError(text, have, names_of(dims))
    return quaxified(lambda x: function(x, axis=axes[0], **options), a)


def _require_array(name: str, a: Any) -> None:
    scalar = isinstance(a, ArrayValue | int | float | complex)
    if not (scalar or hasattr(a, "shape") or hasattr(a, "__jax_array__")):
        raise TypeError(_NO_ARRAY.format(name=name, type=type(a).__name__))


def _axes(name: str, a: Any, dims: DimsLike) -> tuple[int, ...]:
    have, wanted = dims_of(a), names_of(dims)
    for dim in wanted:
        if dim not in have:
            raise absent(dim, have, f"`{name}(a, {dims!r})`")
    return tuple(have.index(dim) for dim in wanted)
