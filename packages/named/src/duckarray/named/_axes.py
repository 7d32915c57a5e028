"""Joining, splitting and merging axes by name."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from ._by_name import quaxified
from ._names import AxisNameError, DimsLike, names_of, show
from ._value import NamedArray, require_named

_SIZES = """`{asked}`: {sizes} do not multiply to {size}, the size of axis {name!r} of {array}.
Leave one size open with -1, or choose others."""

_NO_LIST = """`{function}(arrays, ...)` takes a list of arrays, but got a `{type}`.
Pass a list or a tuple of `NamedArray`s: `{function}([a, b], "batch")`."""


def stack(arrays: Sequence[NamedArray], name: str, axis: int = 0) -> NamedArray:
    """Arrays of the same names, which may be in another order, next to each other on a new axis.

    Args:
        arrays: at least one `NamedArray`.
        name: the name of the new axis.
        axis: where it is put.

    Raises:
        AxisNameError: if the names differ, or `name` is among them.
        TypeError: if `arrays` is no list of named arrays.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, stack
        >>> a = NamedArray(jnp.ones(3), "d")
        >>> stack([a, 2 * a], "batch").sizes
        {'batch': 2, 'd': 3}
    """
    first, *others = _alike(arrays, "stack")
    if name in first.dims:
        text = f"`stack(..., {name!r})`: the arrays have that axis already: {show(first.dims)}.\n"
        raise AxisNameError(text + "Choose another name, or use `concat`.", first.dims, (name,))
    dims = list(first.dims)
    dims.insert(axis if axis >= 0 else len(dims) + 1 + axis, name)
    whole = quaxified(lambda *xs: jnp.stack(xs, axis=axis), *(x.array for x in (first, *others)))
    return NamedArray(whole, dims)


def concat(arrays: Sequence[NamedArray], name: str) -> Any:
    """Arrays of the same names, which may be in another order, one after the other along an axis.

    Args:
        arrays: at least one `NamedArray`.
        name: the axis.

    Raises:
        AxisNameError: if the names differ, or `name` is not among them.
        TypeError: if `arrays` is no list of named arrays.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, concat
        >>> a = NamedArray(jnp.ones((2, 3)), "batch d")
        >>> concat([a, a.transpose_to("d batch")], "batch").sizes
        {'batch': 4, 'd': 3}
    """
    ordered = _alike(arrays, "concat")
    axis = ordered[0].axis(name, f"`concat(..., {name!r})`")
    return quaxified(lambda *xs: jnp.concatenate(xs, axis=axis), *ordered)


def _alike(arrays: Sequence[NamedArray], function: str) -> list[NamedArray]:
    if not isinstance(arrays, Sequence):
        raise TypeError(_NO_LIST.format(function=function, type=type(arrays).__name__))
    for i, x in enumerate(arrays):
        require_named(x, f"{function}(arrays, ...)` of `arrays[{i}]")
    if not arrays:
        raise AxisNameError(f"`{function}([])`: there is nothing to join.\nPass some arrays.")
    dims = arrays[0].dims
    return [arrays[0], *(x.transpose_to(dims) for x in arrays[1:])]


def flatten(a: NamedArray, dims: DimsLike, name: str) -> NamedArray:
    """Merges axes into one, the last of them running fastest.

    They are brought next to each other, where the first of them stands.

    Args:
        a: the array.
        dims: the names to merge, in this order: `"h d"`.
        name: that of the new axis.

    Raises:
        AxisNameError: if there is no axis of such a name, or the new one is there already.
        TypeError: if `a` is no `NamedArray`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray
        >>> NamedArray(jnp.ones((2, 4, 3)), "h batch d").flatten("h d", "hd").sizes
        {'hd': 6, 'batch': 4}
    """
    require_named(a, f"flatten(a, {dims!r}, {name!r})")
    merged = names_of(dims)
    places = [a.axis(str(d), f"`flatten({dims!r}, {name!r})`") for d in merged]
    rest = [d for d in a.dims if d not in merged]
    start = sum(p < places[0] for p in range(len(a.dims)) if a.dims[p] in rest)
    order = [*rest[:start], *merged, *rest[start:]]
    array = a.transpose_to(order).array
    size = math.prod(a.array.shape[p] for p in places)
    before, after = array.shape[:start], array.shape[start + len(merged) :]
    whole = quaxified(lambda x: jnp.reshape(x, (*before, size, *after)), array)
    return NamedArray(whole, [*rest[:start], name, *rest[start:]])


def unflatten(a: NamedArray, name: str, /, **sizes: int) -> NamedArray:
    """Splits an axis into several, the last of them running fastest.

    Args:
        a: the array.
        name: the axis to split.
        **sizes: names and sizes of the new axes; one may be -1. If they multiply to less, and
            that divides the size, what is left keeps the old name as the last of them.

    Raises:
        AxisNameError: if there is no such axis, or the sizes do not fit.
        TypeError: if `a` is no `NamedArray`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray
        >>> x = NamedArray(jnp.ones((2, 24)), "batch d")
        >>> x.unflatten("d", h=8, dh=3).dims, x.split("d", h=8).sizes
        (('batch', 'h', 'dh'), {'batch': 2, 'h': 8, 'd': 3})
    """
    asked = f"unflatten({name!r}, {', '.join(f'{k}={v}' for k, v in sizes.items())})"
    require_named(a, asked)
    place = a.axis(name, f"`{asked}`")
    size = a.array.shape[place]
    known = math.prod(v for v in sizes.values() if v != -1)
    new = dict(sizes)
    if -1 not in sizes.values() and name not in sizes and 0 < known < size and size % known == 0:
        new[name] = size // known
    open_ones = [k for k, v in sizes.items() if v == -1]
    if len(open_ones) == 1 and known > 0 and size % known == 0:
        new[open_ones[0]] = size // known
    if math.prod(new.values()) != size or min(new.values(), default=-1) < 0:
        text = _SIZES.format(asked=asked, sizes=sizes, size=size, name=name, array=repr(a))
        raise AxisNameError(text, a.dims, tuple(sizes))
    shape = (*a.array.shape[:place], *new.values(), *a.array.shape[place + 1 :])
    whole = quaxified(lambda x: jnp.reshape(x, shape), a.array)
    return NamedArray(whole, [*a.dims[:place], *new, *a.dims[place + 1 :]])


def split(a: NamedArray, name: str, /, **sizes: int) -> NamedArray:
    """Splits an axis into new ones and what is left of it: `split("d", h=8)` has axes `h` and `d`.

    Args:
        a: the array.
        name: the axis to split; what is left of it keeps the name.
        **sizes: names and sizes of the new axes.

    Raises:
        AxisNameError: if there is no such axis, or the sizes do not divide its size.
        TypeError: if `a` is no `NamedArray`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, split
        >>> split(NamedArray(jnp.ones((2, 24)), "batch d"), "d", h=8).sizes
        {'batch': 2, 'h': 8, 'd': 3}
    """
    require_named(a, f"split(a, {name!r}, ...)")
    return unflatten(a, name, **{**sizes, name: -1})


def rename(a: Any, names: dict[str, str] | None = None, /, **more: str) -> NamedArray:
    """The same array with some axes named anew: `rename(a, seq="key")`.

    Args:
        a: a `NamedArray`.
        names: from old names to new ones.
        **more: the same.

    Raises:
        AxisNameError: if there is no axis of an old name, or a new one stands twice.
        TypeError: if `a` is no `NamedArray`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, rename
        >>> rename(NamedArray(jnp.ones((2, 3)), "batch seq"), seq="key").dims
        ('batch', 'key')
    """
    require_named(a, "rename(a, ...)")
    renamed: NamedArray = a.rename(names, **more)
    return renamed
