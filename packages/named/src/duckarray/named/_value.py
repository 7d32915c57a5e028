"""`NamedArray`: an array and the names of its axes."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import jax
from jax import lax
from jax.core import ShapedArray
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, Value, bind, field, value_of

from ._by_name import ByName
from ._fit import Gone, Stated, fit, stated
from ._names import Axis, AxisNameError, Dims, DimsLike, absent, named_axes, names_of, show

_NO_ARRAY = """`NamedArray({value!r}, {dims!r})`: there are no axes to name.
Pass an array: `NamedArray(jnp.asarray(x), "batch d")`."""

_NOT_NAMED = """`{asked}` goes by the names of axes, but got {what}.
Pass a `NamedArray`: name the axes with `NamedArray(x, "batch d")`, inside `quaxify` too."""

_NO_OPERAND = """`{asked}` takes arrays, but got a `{type}` for `{name}`.
Pass a `NamedArray`, an array or a number."""

_set = object.__setattr__


class NamedArray(ByName, ArrayValue):
    """An array each of whose axes has a name, or None.

    Operators, and the functions of `duckarray.named`, bring operands together by name. A program
    of `jax.numpy` under `quaxify` works by position as ever; there the names are a label that is
    checked: operands are matched axis by axis, an anonymous axis fits any, two names for one axis
    are an error. It costs what the array costs: names are part of the type.

    Args:
        array: an array of any shape, or a value itself (`named` stays outermost).
        dims: the names, one for each axis: `"batch seq d"`, or a sequence of names, `Axis` and
            None.

    Raises:
        AxisNameError: if there are more or fewer names than axes, or a name stands twice, or an
            `Axis` has another size.
        TypeError: if `array` is none.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray
        >>> a = NamedArray(jnp.ones((2, 3)), "batch d")
        >>> b = NamedArray(jnp.arange(3.0), "d")
        >>> (a + b).dims, a.mean("d").dims
        (('batch', 'd'), ('batch',))
        >>> a + NamedArray(jnp.ones(2), "time")
        Traceback (most recent call last):
            ...
        duckarray.named._names.AxisNameError: axes (batch, d) and (time) have no name in common: \
['batch', 'd'] only on the left and ['time'] only on the right.
        If every entry is to meet every other, say so: `outer(op, a, b)`.
    """

    array: Any
    _stated: Stated = field(static=True)

    array_priority: ClassVar[int] = 200
    leaf_linear: ClassVar[bool] = True

    def __init__(self, array: Any, dims: DimsLike) -> None:
        if not (hasattr(array, "shape") and hasattr(array, "dtype")):
            raise TypeError(_NO_ARRAY.format(value=array, dims=dims))
        if isinstance(array, NamedArray):
            array = array.array
        _set(self, "array", array)
        shape = tuple(array.shape)
        _set(self, "_stated", stated(named_axes(dims, shape), shape, ()))

    @property
    def dims(self) -> Dims:
        """The names of the axes.

        Raises:
            AxisNameError: if the array was changed without them, so that they no longer fit.
        """
        given = self._stated
        if self.array.shape == given.sizes:
            return given.names
        return fit(given, self.array)[0]

    @property
    def _state(self) -> tuple[Dims, Gone]:
        """The names, and those of axes that a transform has taken off for a while."""
        return fit(self._stated, self.array)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of the named axes."""
        pairs = zip(self.dims, self.array.shape, strict=True)
        return {name: size for name, size in pairs if name is not None}

    @property
    def axes(self) -> tuple[Axis | None, ...]:
        """The axes with their sizes; None for one without a name."""
        pairs = zip(self.dims, self.array.shape, strict=True)
        return tuple(None if name is None else Axis(name, size) for name, size in pairs)

    def materialize(self) -> Any:
        return self.array

    def aval(self) -> ShapedArray:
        if self.array.shape != self._stated.sizes:
            fit(self._stated, self.array)  # so that it is said in time
        return self._inner_aval()

    def _inner_aval(self) -> ShapedArray:
        array = self.array
        return array.aval() if isinstance(array, ArrayValue) else jax.typeof(array)  # type: ignore[no-any-return]

    def unwrap(self, dims: DimsLike | None = None) -> Any:
        """The array without names, its axes in the order asked for.

        Args:
            dims: all names, in the order wanted; that of the array if left out.

        Raises:
            AxisNameError: if these are not the names of the array.
        """
        return self.array if dims is None else self.transpose_to(dims).array

    def transpose_to(self, dims: DimsLike) -> "NamedArray":
        """The same with its axes in another order."""
        wanted, have = names_of(dims), self.dims
        if wanted == have:
            return self
        if sorted(map(str, wanted)) != sorted(map(str, have)) or None in have:
            raise AxisNameError(
                f"the axes {show(have)} cannot be brought into the order {show(wanted)}.\n"
                "Pass each name of the array once; an axis without a name has to be named first.",
                have,
                wanted,
            )
        order = [have.index(name) for name in wanted]
        return make(_transpose(self.array, order), wanted, self._stated.gone)

    def axis(self, name: str, asked: str = "axis") -> int:
        """The position of the axis of that name.

        Raises:
            AxisNameError: if there is none.
        """
        dims = self.dims
        if name not in dims:
            raise absent(name, dims, asked)
        return dims.index(name)

    def rename(self, names: Mapping[str, str] | None = None, /, **more: str) -> "NamedArray":
        """The same array with some axes named anew: `a.rename(seq="key")`.

        Raises:
            AxisNameError: if there is no axis of an old name, or a new one stands twice.
        """
        new = {**(names or {}), **more}
        dims = self.dims
        for old in new:
            if old not in dims:
                raise absent(old, dims, f"`rename({old}={new[old]!r})`")
        return NamedArray(self.array, [new.get(d, d) if d is not None else None for d in dims])

    def join(self, other: Any) -> Self | None:
        """Axes in another order are brought into the order of the first."""
        if not isinstance(other, NamedArray) or _nested(self, other):
            return None  # core joins the arrays within, if the names are the same
        mine, theirs = self.dims, other.dims
        if mine == theirs or (
            None not in mine and sorted(map(str, mine)) == sorted(map(str, theirs))
        ):
            return make(self.array, mine, common_gone([self, other]))  # type: ignore[return-value]
        if len(mine) == len(theirs):
            pairs = zip(mine, theirs, strict=True)
            dims = tuple(q if p is None else p if q in (None, p) else None for p, q in pairs)
            return make(self.array, dims, ())  # type: ignore[return-value]
        return None

    def coerce_like(self, template: Any) -> Any:
        if not isinstance(template, NamedArray) or _nested(self, template):
            return NotImplemented
        wanted, have = template._stated.names, self.dims
        if (
            None not in wanted
            and wanted != have
            and sorted(map(str, wanted)) == sorted(map(str, have))
        ):
            array = _transpose(self.array, [have.index(name) for name in wanted])
            return make(array, wanted, template._stated.gone)
        if all(p is None or q in (None, p) for p, q in zip(have, wanted, strict=True)):
            return make(self.array, wanted, template._stated.gone)
        return NotImplemented

    def drop_leading(self) -> Any:
        (name, *names), (size, *sizes) = self.dims, self.array.shape
        array = self.array.drop_leading() if isinstance(self.array, Value) else self.array
        gone = ((name, size), *self._stated.gone)
        return None if array is None else _stated(array, tuple(names), tuple(sizes), gone)

    def add_leading(self, n: int) -> Any:
        array = self.array.add_leading(n) if isinstance(self.array, Value) else self.array
        name, gone = None, self._stated.gone
        if array is None:
            return None
        if gone and gone[0][1] == n:
            (name, _), *rest = gone
            gone = tuple(rest)
        return _stated(array, (name, *self.dims), (n, *self.array.shape), gone)

    def resize_leading(self) -> Self:
        names, sizes, gone = self._stated
        shape = tuple(self.array.shape)
        fits = len(shape) == len(sizes) and shape[1:] == sizes[1:]
        return _stated(self.array, names, shape, gone) if fits else self  # type: ignore[return-value]

    def __repr__(self) -> str:
        try:
            inner = self._inner_aval()
        except (AttributeError, TypeError):  # while JAX rebuilds a tree with something else in it
            return f"NamedArray({self.array!r}, {_written(self._stated.names)})"
        text = inner.str_short(short_dtypes=True)
        try:
            return f"NamedArray({text}, {_written(self.dims)})"
        except AxisNameError:
            return f"NamedArray({text}, of other axes than {show(self._stated.names)})"


def _written(dims: Dims) -> str:
    """The names as they may be given: in one text if every axis has one."""
    return repr(dims) if None in dims else repr(" ".join(map(str, dims)))


def require_named(x: Any, asked: str) -> None:
    """Raises if `x` has no names, of which the user speaks in a call of `asked`."""
    if not isinstance(x, NamedArray):
        shape = f" of shape {tuple(x.shape)}" if hasattr(x, "shape") else ""
        raise TypeError(_NOT_NAMED.format(asked=asked, what=f"a `{type(x).__name__}`{shape}"))


def require_arrays(asked: str, **operands: Any) -> None:
    """Raises if one of them is no array and no number, such as None."""
    for name, x in operands.items():
        if not isinstance(value_of(x), Value | ArrayLike):
            text = _NO_OPERAND.format(asked=asked, type=type(x).__name__, name=name)
            raise TypeError(text)


def _nested(*values: NamedArray) -> bool:
    return any(isinstance(x.array, Value) for x in values)


def make(array: Any, dims: Dims, gone: Gone = ()) -> NamedArray:
    """A `NamedArray` of names known to fit."""
    return _stated(array, dims, tuple(array.shape), gone)


def _stated(array: Any, dims: Dims, sizes: tuple[int, ...], gone: Any) -> NamedArray:
    out: NamedArray = object.__new__(NamedArray)
    _set(out, "array", array)
    _set(out, "_stated", stated(dims, sizes, gone))
    return out


def common_gone(values: list[NamedArray]) -> Gone:
    """What was taken off all of them alike: else a name might come back that is another's."""
    gone = values[0]._state[1]
    return gone if all(x._state[1] == gone for x in values) else ()


def _transpose(array: Any, order: list[int]) -> Any:
    return bind(lax.transpose_p, array, permutation=tuple(order))


def dims(x: Any) -> Dims:
    """The names of the axes of an array, inside `quaxify` too; None for each axis without one.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.named import NamedArray, dims
        >>> quaxify(lambda x: dims(x.T))(NamedArray(jnp.ones((2, 3)), "a b"))
        ('b', 'a')
    """
    value = value_of(x)
    return value.dims if isinstance(value, NamedArray) else (None,) * len(jax.numpy.shape(x))


def wrap(x: Any, dims: DimsLike) -> Any:
    """The array with these names for its axes; also inside `quaxify`, where it stays a tracer.

    Args:
        x: an array, or a `NamedArray` whose names are given up for these.
        dims: one name for each axis.

    Raises:
        AxisNameError, TypeError: as `NamedArray` does.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import wrap
        >>> wrap(jnp.ones((2, 3)), "batch d").dims
        ('batch', 'd')
    """
    return NamedArray(x, dims)
