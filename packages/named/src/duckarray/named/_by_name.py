"""Operators of `NamedArray`: operands are brought together by the names of their axes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax

from duckarray.core import ArrayValue, Value, bind, quaxify, value_of
from duckarray.core.extend import IndexUpdateHelper

from ._names import AxisNameError, Dims, clash, does_not_nest, show

if TYPE_CHECKING:
    from ._value import NamedArray

_BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "radd",
    "rsub",
    "rmul",
    "rtruediv",
    "rfloordiv",
    "rmod",
    "rpow",
    "rand",
    "ror",
    "rxor",
    "rlshift",
    "rrshift",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "divmod",
    "rdivmod",
]

_RAW = """an operand of axes {dims} met an array of shape {shape} without names.
Name its axes, `NamedArray(y, {example!r})`; numbers, and arrays of as many axes, need no names."""


class ByName:
    """Operators that align."""

    def __getitem__(self: Any, index: Any) -> Any:
        from ._indexing import isel

        if isinstance(index, dict):
            return isel(self, index)
        return ArrayValue.__getitem__(self, index)

    def isel(self: Any, index: Any = None, /, **by_name: Any) -> Any:
        """Entries by the names of axes: `a.isel(seq=slice(0, 4))`, like `a[{"seq": slice(0, 4)}]`.

        Args:
            index: from names to integers, slices, arrays of integers, or a `NamedArray` of such,
                whose axes stand in the place of the one that is indexed.
            **by_name: the same.

        Raises:
            AxisNameError: if there is no axis of a name.
            IndexError: if an integer is no place of its axis.
        """
        from ._indexing import isel

        return isel(self, {**(index or {}), **by_name})

    @property
    def at(self: Any) -> Any:
        """Updates by name or by position: `a.at[{"seq": 3}].set(0.0)`."""
        from ._indexing import update

        return IndexUpdateHelper(self, update)

    def split(self: Any, name: str, /, **sizes: int) -> Any:
        """`split` of `duckarray.named`: `a.split("d", h=8)`."""
        from ._axes import split

        return split(self, name, **sizes)

    def flatten(self: Any, dims: Any = None, name: str | None = None) -> Any:
        """`flatten` of `duckarray.named`, `a.flatten("h d", "hd")`; without names all axes."""
        from ._axes import flatten

        return self.reshape(-1) if name is None else flatten(self, dims, name)

    def unflatten(self: Any, name: str, /, **sizes: int) -> Any:
        """`unflatten` of `duckarray.named`: `a.unflatten("hd", h=8, d=-1)`."""
        from ._axes import unflatten

        return unflatten(self, name, **sizes)


_REDUCTIONS = "sum prod mean var std max min any all argmax argmin argsort sort cumsum cumprod"


def _reduction(name: str) -> Callable[..., Any]:
    """The method of arrays, whose axes may be given by name."""
    method: Any = getattr(ArrayValue, name)

    def reduce(self: Any, dims: Any = None, *args: Any, **options: Any) -> Any:
        if dims is None and "axis" in options:
            dims = options.pop("axis")
        if isinstance(dims, str) or (isinstance(dims, tuple | list) and _strings(dims)):
            from duckarray import named

            return getattr(named, name)(self, dims, *args, **options)
        if dims is None:
            return method(self, *args, **options)
        return method(self, dims, *args, **options)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Like that of arrays; axes may be given by name: `a.{name}('seq')`."
    return reduce


def _strings(dims: Any) -> bool:
    return bool(dims) and all(isinstance(d, str) for d in dims)


for _name in _REDUCTIONS.split():
    if hasattr(ArrayValue, _name):
        setattr(ByName, _name, _reduction(_name))


def _operator(name: str) -> Callable[[Any, Any], Any]:
    method: Any = getattr(ArrayValue, f"__{name}__")

    def operate(self: Any, other: Any) -> Any:
        if type(other) is type(self) and other.dims == self.dims:
            return method(self, other)
        if isinstance(other, str | bytes) or other is None:
            return method(self, other)
        # Compiled, `method` sees a traced leaf, of which less is known than now.
        return method(*aligned(self, other)) if self.dims else method(self, other)

    operate.__name__ = operate.__qualname__ = f"__{name}__"
    operate.__doc__ = method.__doc__
    return operate


for _name in _BINARY:
    if hasattr(ArrayValue, f"__{_name}__"):
        setattr(ByName, f"__{_name}__", _operator(_name))
ByName.__hash__ = None  # type: ignore[assignment]


def aligned(x: Any, y: Any) -> tuple[Any, Any]:
    """Both operands with all axes of either, in one order.

    The order is that of the one that has all names, else the axes of the first and then what the
    second has more.

    Raises:
        AxisNameError: if they have no name in common, or an axis has two sizes, or one operand is
            an array with axes but no names.
    """
    from ._value import NamedArray

    a, b = value_of(x), value_of(y)
    if not isinstance(a, NamedArray) or not isinstance(b, NamedArray):
        named = a if isinstance(a, NamedArray) else b
        other = b if named is a else a
        if not isinstance(named, NamedArray) or isinstance(other, list | tuple | dict):
            return x, y
        shape = np.shape(other) if not isinstance(other, Value) else other.aval().shape
        if len(shape) not in (0, len(named.dims)):
            example = " ".join(map(str, named.dims[len(named.dims) - len(shape) :]))
            text = _RAW.format(dims=show(named.dims), shape=tuple(shape), example=example)
            raise AxisNameError(text, named.dims, (None,) * len(shape))
        return x, y
    left, right = a.dims, b.dims
    if left == right or not left or not right:
        _same_sizes(a, b)
        return x, y
    if None in left or None in right:
        if len(left) == len(right):
            return x, y  # by position, where an anonymous axis fits any
        raise clash(left, right)
    out = merged(left, right)
    _same_sizes(a, b)
    sizes = {**a.sizes, **b.sizes}
    return expanded(a, out, sizes), expanded(b, out, sizes)


def merged(left: Dims, right: Dims) -> Dims:
    """All names of either, in the order of the one that has all."""
    if set(right) <= set(left):
        return left
    if set(left) <= set(right):
        return right
    if not set(left) & set(right):
        raise does_not_nest(left, right)
    return (*left, *(d for d in right if d not in left))


def _same_sizes(a: "NamedArray", b: "NamedArray") -> None:
    theirs = b.sizes
    for name, size in a.sizes.items():
        if theirs.get(name, size) != size:
            raise AxisNameError(
                f"axis {name!r} has {size} entries in {a!r} but {theirs[name]} in {b!r}.\n"
                "An axis has one size: take a part, `a.isel(...)`, or rename one of them.",
                a.dims,
                b.dims,
            )


def expanded(a: "NamedArray", dims: Dims, sizes: dict[str, int]) -> "NamedArray":
    """The same repeated along the axes that it has not, all in this order."""
    from ._value import make

    if a.dims == dims:
        return a
    mine = [d for d in dims if d in a.dims]
    array = a.unwrap(mine)  # type: ignore[arg-type]
    shape = tuple(sizes[d] for d in dims)  # type: ignore[index]
    places = tuple(dims.index(d) for d in mine)
    if len(mine) < len(dims):
        array = bind(
            lax.broadcast_in_dim_p,
            array,
            shape=shape,
            broadcast_dimensions=places,
            sharding=None,
        )
    return make(array, dims)


def quaxified(function: Callable[..., Any], *args: Any) -> Any:
    """`function` of named arrays, outside `quaxify` and inside."""
    if any(isinstance(x, Value) for x in jax.tree.leaves(args, is_leaf=_is_value)):
        return quaxify(function)(*args)
    return function(*args)


def _is_value(x: Any) -> bool:
    return isinstance(x, Value)
