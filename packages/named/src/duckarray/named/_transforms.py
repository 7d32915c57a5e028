"""Transforms of functions over an axis given by name."""

from collections.abc import Callable
from typing import Any

import jax
from jax import lax

from duckarray.core import Value

from ._names import AxisNameError, Dims
from ._value import NamedArray, make

_NOBODY_HAS_IT = """`{what}(..., {name!r})`: {who} an axis of that name; they are {args}.
Name one of their axes so: `NamedArray(x, ...)`."""


def _is_leaf(x: Any) -> bool:
    return isinstance(x, Value)


def _without(tree: Any, name: str) -> tuple[list[Any], list[int | None], Callable[..., Any]]:
    """The arrays in a tree, where each has the axis, and how to rebuild it without the axis."""
    leaves, structure = jax.tree.flatten(tree, is_leaf=_is_leaf)
    places = [x.dims.index(name) if _has(x, name) else None for x in leaves]
    arrays = [x.array if place is not None else x for x, place in zip(leaves, places, strict=True)]
    inner: list[Dims | None] = [
        None if place is None else (*x.dims[:place], *x.dims[place + 1 :])
        for x, place in zip(leaves, places, strict=True)
    ]

    def rebuild(parts: Any) -> Any:
        named = [
            p if d is None else make(p, d) if d else p for p, d in zip(parts, inner, strict=True)
        ]
        return jax.tree.unflatten(structure, named)

    return arrays, places, rebuild


def _has(x: Any, name: str) -> bool:
    return isinstance(x, NamedArray) and name in x.dims


def _apart(tree: Any) -> tuple[list[Any], Callable[[Any, str, int], Any]]:
    """The arrays of a result, and how to rebuild it with an axis more."""
    leaves, structure = jax.tree.flatten(tree, is_leaf=_is_leaf)
    arrays = [x.array if isinstance(x, NamedArray) else x for x in leaves]
    dims = [x.dims if isinstance(x, NamedArray) else None for x in leaves]

    def rebuild(parts: Any, name: str, axis: int) -> Any:
        out = []
        for part, names in zip(parts, dims, strict=True):
            inner = list(names if names is not None else (None,) * (part.ndim - 1))
            inner.insert(axis, name)
            out.append(NamedArray(part, inner))
        return jax.tree.unflatten(structure, out)

    return arrays, rebuild


def vmap(function: Callable[..., Any], over: str, **options: Any) -> Callable[..., Any]:
    """Maps a function over the axis of that name, wherever in its arguments there is one.

    Arguments without the axis are the same for all. Results have it as their first axis.

    Args:
        function: of trees of arrays, named or not; it sees named arrays without the axis.
        over: the name.
        **options: `axis_name`, `axis_size`, `spmd_axis_name` of `jax.vmap`.

    Raises:
        AxisNameError: if no argument has the axis.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, vmap
        >>> x = NamedArray(jnp.ones((3, 2)), "d batch")
        >>> vmap(lambda row: row / row.sum("d"), over="batch")(x).dims
        ('batch', 'd')
    """

    def mapped(*args: Any) -> Any:
        arrays, places, rebuild = _without(args, over)
        if all(place is None for place in places):
            raise _nobody("vmap", over, "no argument has", args)
        results: list[Any] = []

        def inner(*parts: Any) -> Any:
            out, together = _apart(function(*rebuild(parts)))
            results[:] = [together]
            return out

        out = jax.vmap(inner, in_axes=tuple(places), **options)(*arrays)
        return results[0](out, over, 0)

    return mapped


def scan(
    function: Callable[[Any, Any], tuple[Any, Any]], over: str, init: Any, xs: Any, **options: Any
) -> tuple[Any, Any]:
    """`jax.lax.scan` over the axis of that name.

    The carry keeps the names and the order of axes it begins with. What the turns give is stacked
    on a first axis of that name.

    Args:
        function: from a carry and a slice of `xs` to a new carry and a result, or None.
        over: the name.
        init: the carry to begin with.
        xs: a tree of named arrays that all have the axis.
        **options: `reverse`, `unroll` of `jax.lax.scan`.

    Raises:
        AxisNameError: if an array of `xs` has no such axis, or the carry comes back with other
            names.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, scan
        >>> x = NamedArray(jnp.arange(6.0).reshape(3, 2), "time d")
        >>> total, sums = scan(lambda s, row: (s + row, s + row), "time", 0 * x.isel(time=0), x)
        >>> total.array, sums.dims
        (Array([6., 9.], dtype=float32), ('time', 'd'))
    """
    return _scanned("scan", function, over, init, xs, options)


def _scanned(
    what: str, function: Any, over: str, init: Any, xs: Any, options: dict[str, Any]
) -> tuple[Any, Any]:
    """`scan`, called as `what` by the user."""
    arrays, places, rebuild = _without(xs, over)
    if None in places or not places:
        raise _nobody(what, over, "not all of `xs` have", xs)
    moved = [jax.numpy.moveaxis(x, p or 0, 0) for x, p in zip(arrays, places, strict=True)]
    results: list[Any] = []

    def turn(carry: Any, parts: Any) -> tuple[Any, Any]:
        new, y = function(carry, rebuild(parts))
        new = jax.tree.map(_like, carry, new, is_leaf=_is_leaf)
        out, together = _apart(y)
        results[:] = [together]
        return new, out

    carry, ys = lax.scan(turn, init, moved, **options)
    return carry, results[0](ys, over, 0)


def _like(old: Any, new: Any) -> Any:
    if isinstance(old, NamedArray):
        if not isinstance(new, NamedArray):
            raise AxisNameError(
                f"the carry enters as {old!r} and leaves as {new!r}, without names.\n"
                "Return it with its names: `NamedArray(x, carry.dims)`.",
                old.dims,
            )
        return new.transpose_to(old.dims)
    return new


def map(function: Callable[[Any], Any], over: str, xs: Any) -> Any:  # noqa: A001
    """`function` of each slice of `xs` along the axis of that name, one after the other.

    Like `vmap`, with the memory of one slice.

    Args:
        function: of a slice, which does not have the axis.
        over: the name.
        xs: a tree of named arrays that all have the axis.

    Raises:
        AxisNameError: if an array of `xs` has no such axis.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.named as n
        >>> x = n.NamedArray(jnp.arange(6.0).reshape(3, 2), "batch d")
        >>> n.map(lambda row: row.sum("d"), "batch", x).array
        Array([1., 5., 9.], dtype=float32)
    """
    return _scanned("map", lambda carry, x: (carry, function(x)), over, None, xs, {})[1]


def _nobody(what: str, name: str, who: str, args: Any) -> AxisNameError:
    text = _NOBODY_HAS_IT.format(what=what, name=name, who=who, args=args)
    return AxisNameError(text, (), (name,))


def grad(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0, **options: Any) -> Any:
    """`jax.grad` of a function of named arrays, whose gradients have their names.

    Args:
        function: its result has no axes.
        argnums: which arguments to differentiate by.
        **options: those of `jax.grad`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, grad
        >>> x = NamedArray(jnp.array([1.0, 2.0]), "d")
        >>> grad(lambda x: (x * x).sum("d"))(x)
        NamedArray(f32[2], 'd')
    """
    return jax.grad(_plain_result(function, options), argnums, **options)


def value_and_grad(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0, **options: Any
) -> Any:
    """`jax.value_and_grad` of a function of named arrays, whose gradients have their names.

    Args:
        function: its result has no axes.
        argnums: which arguments to differentiate by.
        **options: those of `jax.value_and_grad`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, value_and_grad
        >>> x = NamedArray(jnp.array([1.0, 2.0]), "d")
        >>> value_and_grad(lambda x: (x * x).sum("d"))(x)
        (Array(5., dtype=float32), NamedArray(f32[2], 'd'))
    """
    return jax.value_and_grad(_plain_result(function, options), argnums, **options)


def _plain_result(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    def plain(*args: Any, **kwargs: Any) -> Any:
        out = function(*args, **kwargs)
        if options.get("has_aux"):
            return (_array(out[0]), out[1])
        return _array(out)

    return plain


def _array(x: Any) -> Any:
    return x.array if isinstance(x, NamedArray) else x
