"""Taking and setting entries by the names of axes."""

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from duckarray.core import value_of

from ._by_name import aligned, quaxified
from ._names import AxisNameError, absent, once, show

_OUT_OF_RANGE = """an index by name: {at} is not among the {size} entries of axis {name!r}.
Count from 0 to {last}, or from -1 to -{size}."""

if TYPE_CHECKING:
    from ._value import NamedArray


def isel(a: "NamedArray", index: dict[str, Any]) -> Any:
    """Entries by name, for integers and slices, and one array of integers."""
    from ._value import NamedArray

    position = _positions(a, index, "an index by name")
    for place, at in enumerate(position):
        if isinstance(at, int) and not -a.array.shape[place] <= at < a.array.shape[place]:
            size = a.array.shape[place]
            text = _OUT_OF_RANGE.format(at=at, name=a.dims[place], size=size, last=size - 1)
            raise IndexError(text)
    arrays = [i for i, x in enumerate(position) if not isinstance(x, slice | int)]
    if len(arrays) > 1:
        names = [a.dims[i] for i in arrays]
        raise AxisNameError(
            f"an index by name takes one array of integers, but got some for {names}.\n"
            "Index one after the other, or use `take_along` or `x.unwrap()[...]`.",
            a.dims,
        )
    if not arrays:
        dims = tuple(d for d, at in zip(a.dims, position, strict=True) if isinstance(at, slice))
        return _called(a[tuple(position)], dims)
    (i,) = arrays
    if not isinstance(position[i], NamedArray):  # some of the entries along the axis it is
        where = jnp.asarray(position[i])
        if where.dtype == bool:
            where = jnp.flatnonzero(where)
        position[i] = NamedArray(where, (a.dims[i], *(None,) * (where.ndim - 1))[: where.ndim])
    rest = tuple(slice(None) if j == i else x for j, x in enumerate(position))
    return take(a[rest], position[i], a.dims[i])


def _called(entries: Any, dims: Any) -> Any:
    """By these names, which JAX's indexing does not keep where no entry is left."""
    from ._value import NamedArray, make

    return make(entries.array, dims) if isinstance(entries, NamedArray) else entries


def _kept(entries: Any, dims: Any) -> Any:
    """By these names if there is no entry: JAX then makes an array without looking at any."""
    from ._value import NamedArray, make

    if entries.size or not any(dims):
        return entries
    found = value_of(entries)
    return make(found.array if isinstance(found, NamedArray) else found, once(dims))


def take(a: Any, indices: Any, name: str | None) -> Any:
    """Entries along the axis `name`, at integers that may be a named array themselves.

    The axes of `indices` stand where the axis was: an embedding is `take(table, tokens, "vocab")`.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        indices: integers, of any axes.
        name: the axis.

    Raises:
        AxisNameError: if there is no axis of that name.
        TypeError: if `a` or `indices` is no array.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, take
        >>> table = NamedArray(jnp.ones((10, 4)), "vocab d")
        >>> take(table, NamedArray(jnp.zeros((2, 3), int), "batch seq"), "vocab").dims
        ('batch', 'seq', 'd')
    """
    from ._value import dims, require_arrays

    indices = jnp.asarray(indices) if isinstance(indices, list | tuple) else indices
    require_arrays("take(a, indices, name)", a=a, indices=indices)
    names = dims(a)
    if name not in names:
        raise absent(name, names, f"`take(..., {name!r})`")
    axis = names.index(name)
    out = quaxified(lambda x, i: jnp.take(x, i, axis=axis), a, indices)
    return _kept(out, (*names[:axis], *dims(indices), *names[axis + 1 :]))


def take_along(a: Any, indices: Any, name: str) -> Any:
    """For each entry of `indices`, the entry of `a` at that place of the axis `name`.

    Args:
        a: a `NamedArray`.
        indices: integers with the same names, whose sizes differ along `name` only.
        name: the axis.

    Raises:
        AxisNameError: if there is no axis of that name, or the names differ.
        TypeError: if `a` or `indices` has no names.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, take_along
        >>> a = NamedArray(jnp.array([[3.0, 1.0], [2.0, 4.0]]), "batch d")
        >>> greatest = NamedArray(jnp.array([[0], [1]]), "batch d")
        >>> take_along(a, greatest, "d").array
        Array([[3.],
               [4.]], dtype=float32)
    """
    from ._value import dims, require_named

    for operand in (a, indices):
        require_named(value_of(operand), "take_along(a, indices, name)")
    names = dims(a)
    if name not in names:
        raise absent(name, names, f"`take_along(..., {name!r})`")
    axis = names.index(name)
    indices = indices.transpose_to(names)
    out = quaxified(lambda x, i: jnp.take_along_axis(x, i, axis=axis), a, indices)
    return _kept(out, names)


def _positions(a: "NamedArray", index: dict[str, Any], asked: str) -> list[Any]:
    dims = a.dims
    for name in index:
        if name not in dims:
            raise absent(name, dims, asked)
    return [index.get(d, slice(None)) if d is not None else slice(None) for d in dims]


def update(a: "NamedArray", index: Any, method: str, *args: Any, **options: Any) -> Any:
    """`a.at[index].method(*args, **options)`, where the index is by position or by name."""
    from ._value import NamedArray

    if isinstance(index, dict):
        index = tuple(_positions(a, index, "`at`"))
    if "values" in options:
        args = (options.pop("values"),)
    if args and isinstance(args[0], NamedArray):  # in the order of the entries that it is for
        values = args[0]
        entries = a[index]
        theirs = entries.dims if isinstance(entries, NamedArray) else ()
        if not set(values.dims) <= set(theirs):
            raise AxisNameError(
                f"entries of axes {show(theirs)} cannot be set to {values!r}.\n"
                "Its axes have to be among theirs: take a part of it, or rename an axis.",
                theirs,
                values.dims,
            )
        _, values = aligned(entries, values)
        args = (values.array, *args[1:])
    return quaxified(lambda x, args: getattr(x.at[index], method)(*args, **options), a, args)
