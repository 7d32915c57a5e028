"""Names of axes: how they are written, how two lists of them become one, and what is an error."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

Dims: TypeAlias = tuple[str | None, ...]
"""One name for each axis; None for an axis without one."""

_NOT_AS_MANY = """`NamedArray(array, {dims!r})` names {named}, but the array of shape {shape} has \
{ndim}.
Name every axis, the anonymous ones `None`: `NamedArray(array, ("batch", None))`."""

_TWICE = """the name {name!r} stands twice in {dims}: an axis could not be told by it.
Give one of them another name, or `None`."""

_BAD_NAME = """{name!r} cannot be the name of an axis.
A name is an identifier, as in `"batch seq d"`, an `Axis`, or `None` for an axis without one."""

_NO_NAMES = """names of axes were expected, but got {dims!r} of type `{type}`.
Pass `"batch seq d"`, or a sequence of names, `Axis` and `None`."""

_NO_SIZE = """`Axis({name!r}, {size!r})`: the size of an axis is an integer, not negative.
Pass one, or the name alone: {name!r}."""

_WRONG_SIZE = """`{axis}` names an axis of size {size} in an array of shape {shape}.
Pass an array with an axis of {expected}, or the name alone: {name!r}."""


class AxisNameError(ValueError):
    """Names of axes that do not fit what is asked of them.

    Attributes:
        left: the names of the first operand.
        right: the names of the second, or those asked for.
    """

    def __init__(self, message: str, left: Dims = (), right: Dims = ()) -> None:
        self.left, self.right = left, right
        super().__init__(message)


class Axis(NamedTuple):
    """A name together with a size, which is then checked wherever the axis is given by it.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import Axis, NamedArray
        >>> batch = Axis("batch", 2)
        >>> NamedArray(jnp.zeros((2, 3)), (batch, "d")).dims
        ('batch', 'd')
    """

    name: str
    size: int

    def __repr__(self) -> str:
        return f"Axis({self.name!r}, {self.size})"


DimsLike: TypeAlias = str | Sequence[str | Axis | None]


def parse(dims: DimsLike) -> tuple[str | Axis | None, ...]:
    """`"batch seq d"`, or a sequence of names, `Axis` and None, as a tuple."""
    if not isinstance(dims, Iterable):
        raise AxisNameError(_NO_NAMES.format(dims=dims, type=type(dims).__name__))
    given = tuple(dims.split()) if isinstance(dims, str) else tuple(dims)
    for x in given:
        name: Any = x.name if isinstance(x, Axis) else x
        if name is not None and not (isinstance(name, str) and name.isidentifier()):
            raise AxisNameError(_BAD_NAME.format(name=name))
        if isinstance(x, Axis) and not (hasattr(x.size, "__index__") and x.size >= 0):
            raise AxisNameError(_NO_SIZE.format(name=x.name, size=x.size))
    return given


def names_of(dims: DimsLike) -> Dims:
    """The names alone."""
    return tuple(x.name if isinstance(x, Axis) else x for x in parse(dims))


def named_axes(dims: DimsLike, shape: tuple[int, ...]) -> Dims:
    """The names for the axes of an array of this shape, checked against it."""
    given = parse(dims)
    if len(given) != len(shape):
        named = f"{len(given)} {'axis' if len(given) == 1 else 'axes'}"
        text = _NOT_AS_MANY.format(dims=dims, named=named, shape=shape, ndim=len(shape))
        raise AxisNameError(text, names_of(dims))
    for x, size in zip(given, shape, strict=True):
        if isinstance(x, Axis) and x.size != size:
            text = _WRONG_SIZE.format(axis=x, size=size, shape=shape, expected=x.size, name=x.name)
            raise AxisNameError(text, names_of(dims))
    return without_repetition(names_of(dims))


def without_repetition(dims: Dims) -> Dims:
    """The names as they are, if none stands twice."""
    names = [d for d in dims if d is not None]
    if len(names) != len(set(names)):
        name = next(d for d in names if names.count(d) > 1)
        raise AxisNameError(_TWICE.format(name=name, dims=show(dims)), dims)
    return dims


def once(dims: Dims) -> Dims:
    """The names, of which a repeated one is kept only where it stands first."""
    return tuple(None if d in dims[:i] else d for i, d in enumerate(dims))


def unify(several: Iterable[Dims]) -> Dims:
    """One list of names for operands matched axis by axis; an anonymous axis fits any.

    Raises:
        AxisNameError: if an axis has two different names.
    """
    out: Dims | None = None
    for dims in several:
        if out is None:
            out = dims
        elif out != dims:
            out = _unify_two(out, dims)
    return out or ()


def _unify_two(left: Dims, right: Dims) -> Dims:
    out = []
    for p, q in zip(left, right, strict=True):
        if p is not None and q is not None and p != q:
            raise clash(left, right)
        out.append(q if p is None else p)
    # A name that came to stand twice, by way of anonymous axes, tells neither axis.
    return tuple(None if out.count(d) > 1 else d for d in out)


def clash(left: Dims, right: Dims) -> AxisNameError:
    """The error that two lists of names do not fit, axis by axis."""
    if sorted(map(str, left)) == sorted(map(str, right)):
        advice = f"Bring the axes into one order first: `x.unwrap({_text(left)!r})`."
    else:
        advice = "Rename an axis, `x.rename(old='new')`, if they are the same thing."
    text = f"axes {show(left)} and {show(right)} do not fit{_differences(left, right)}.\n{advice}"
    return AxisNameError(text, left, right)


def _differences(left: Dims, right: Dims) -> str:
    only_left = [d for d in left if d is not None and d not in right]
    only_right = [d for d in right if d is not None and d not in left]
    parts = [f"{only_left} only on the left"] if only_left else []
    parts += [f"{only_right} only on the right"] if only_right else []
    return f": {' and '.join(parts)}" if parts else ""


def does_not_nest(left: Dims, right: Dims) -> AxisNameError:
    """The error that two arrays share no name."""
    return AxisNameError(
        f"axes {show(left)} and {show(right)} have no name in common"
        f"{_differences(left, right)}.\n"
        "If every entry is to meet every other, say so: `outer(op, a, b)`.",
        left,
        right,
    )


def absent(name: Any, dims: Dims, asked: str) -> AxisNameError:
    """The error that there is no axis of that name."""
    return AxisNameError(
        f"{asked}: there is no axis {name!r} among {show(dims)}.\n"
        "Name one of those, or name the axes anew with `x.rename(old='new')`.",
        dims,
        (name,),
    )


def show(dims: Dims) -> str:
    """The names as the user writes them."""
    return f"({', '.join('·' if d is None else d for d in dims)})"


def _text(dims: Dims) -> str:
    return " ".join(map(str, dims))


def reshaped(dims: Dims, old: tuple[int, ...], new: tuple[int, ...]) -> Dims:
    """The names after a reshape, of the axes that it leaves whole.

    Axes are grouped so that the sizes of a group multiply to the same on both sides; entries move
    only within groups, so that a group of one axis on either side is the same axis. Axes of size
    one keep their names where as many of them stand in the same place.
    """
    if old == new:
        return dims
    if 0 in old:
        return (None,) * len(new)
    out: list[str | None] = [None] * len(new)
    i = j = 0
    while i < len(old) or j < len(new):
        ones_old, ones_new = _ones(old, i), _ones(new, j)
        if len(ones_old) == len(ones_new):
            for a, b in zip(ones_old, ones_new, strict=True):
                out[b] = dims[a]
        i, j = i + len(ones_old), j + len(ones_new)
        if i == len(old):
            break
        start_i, start_j = i, j
        i, j = i + 1, j + 1
        while math.prod(old[start_i:i]) != math.prod(new[start_j:j]):
            if math.prod(old[start_i:i]) < math.prod(new[start_j:j]):
                i += 1
            else:
                j += 1
        if (i, j) == (start_i + 1, start_j + 1):
            out[start_j] = dims[start_i]
    return tuple(out)


def _ones(shape: tuple[int, ...], start: int) -> list[int]:
    stop = start
    while stop < len(shape) and shape[stop] == 1:
        stop += 1
    return list(range(start, stop))
