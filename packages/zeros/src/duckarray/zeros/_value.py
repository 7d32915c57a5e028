"""`Full`, an array of one number, and its special cases `Zeros` and `Ones`."""

import operator
from collections.abc import Iterable, Mapping, MappingView
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike, DTypeLike

from duckarray.core import ArrayValue, Value, bind, field, value_of
from duckarray.core.extend import densify, with_dtype

from ._number import Number, number_of
from ._semantics import current_semantics

_BAD_SHAPE = """`{name}({shape!r})` takes a shape, but this is none.
Pass a tuple of non-negative integers that are known while tracing, such as `x.shape`."""

_BAD_DTYPE = """`{name}({shape!r}, {dtype!r})` takes a dtype, but {dtype!r} is none.
Pass one such as `jnp.float32`, or `x.dtype`."""

_NO_NUMBERS = """`{name}(...)` of the shape {shape!r}: an array of {dtype} holds no numbers.
Pass a dtype of numbers, such as `jnp.float32`; for a key in many places, \
`jnp.broadcast_to(key, shape)`."""

_NOT_ONE_NUMBER = """`Full(value, ...)` takes one number, but got an array of shape {shape}.
Pass a number or an array without axes; an array whose entries differ is no constant."""

_set = object.__setattr__


class Full(ArrayValue):
    """An array of which every entry is one number, stored as that number.

    The number is known while tracing, then it is part of the tree structure, or it is an array
    without axes, then it is a leaf. The shape is that of a leaf without entries, `[*shape, 0]`,
    so that `vmap` and `scan` change it as they do that of an array.

    Args:
        value: a Python or NumPy scalar, which is known while tracing, or a JAX array without axes.
        shape: the sizes of the axes, or one size.
        dtype: by default that of `value`.
        weak_type: whether it adapts its dtype to the other operand, as a Python scalar does.

    Raises:
        ValueError: if `value` has axes or is no number of `dtype`, or a size is negative.
        TypeError: if `value` is no number, a size is not an integer or `dtype` is not a dtype.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.zeros import Full
        >>> quaxify(lambda a: jnp.exp(a - 2).sum(axis=0))(Full(2.0, (3, 4)))
        Full(3.0, (4,), float32)
    """

    # A static shape would be wrong under `vmap` and `scan`; that of a leaf changes with them.
    empty: jax.Array
    scalar: jax.Array | None = field(repr=False)
    """The number, where it is not known while tracing. Stacked ones have leading axes."""
    number: Number | None = field(static=True, repr=False)
    """The number, where it is known while tracing."""

    # Above other representations: `Zeros @ w` is zeros whatever `w` is. Below units and names.
    array_priority: ClassVar[int] = 10
    materialization: ClassVar[Any] = "allow"

    def __init__(
        self,
        value: ArrayLike,
        shape: int | Iterable[int],
        dtype: DTypeLike | None = None,
        weak_type: bool = False,
    ) -> None:
        known = value_of(value)
        if isinstance(known, Full) and known.number is not None:
            value, dtype = known.number.scalar, known.dtype if dtype is None else dtype
        if isinstance(value, Value):
            raise TypeError(
                f"`Full(value, ...)` takes one number, but got a `{type(value).__name__}`.\n"
                "Pass a number, or the array that it stands for: `materialize(value)`."
            )
        if isinstance(value, jax.Array):
            if value.ndim:
                raise ValueError(_NOT_ONE_NUMBER.format(shape=value.shape))
            empty = _empty("Full", shape, value.dtype if dtype is None else dtype, weak_type)
            scalar = with_dtype(value, empty.dtype, weak_type)
            _set_fields(self, empty, scalar, None)
            return
        if dtype is None:
            number_of(value, complex)  # raises if it is none
            dtype = jnp.result_type(value)
        empty = _empty("Full", shape, dtype, weak_type)
        _set_fields(self, empty, None, number_of(value, empty.dtype))

    @property
    def value(self) -> Any:
        """The number: a Python scalar if it is known while tracing, else an array without axes."""
        return self.scalar if self.number is None else self.number.item

    @property
    def leaf_linear(self) -> bool:  # type: ignore[override]
        """A number that is a leaf is that leaf; one that is not is no linear function but zero."""
        return self.number is None or self.number.item == 0

    def known_constant(self) -> Any:
        return None if self.number is None else self.number.item

    def materialize(self) -> jax.Array:
        """Built from the leaf without entries, whose placement it takes."""
        axis = self.empty.ndim - 1
        # The sum of no terms, which is the same for integers and floats.
        sum_ = lax.reduce_or if self.empty.dtype == bool else lax.reduce_sum
        zeros = sum_(self.empty, (axis,))
        # A logical sum of weak type has none.
        zeros = with_dtype(zeros, self.empty.dtype, jax.typeof(self.empty).weak_type)
        if self.number is not None:
            return (
                zeros if self.number.is_positive_zero else lax.full_like(zeros, self.number.scalar)
            )
        assert self.scalar is not None
        axes = tuple(range(self.scalar.ndim))
        return lax.broadcast_in_dim(self.scalar, zeros.shape, axes)

    @staticmethod
    def default(primitive: Primitive, values: list[Any], params: dict[str, Any]) -> Any:
        """Next to values of other types they alone become dense; the others' rules are asked."""
        if all(isinstance(x, Full) for x in values if isinstance(x, Value)):
            return NotImplemented
        dense = [densify(x, primitive, values) if isinstance(x, Full) else x for x in values]
        return bind(primitive, *dense, **params)

    def join(self, other: Any) -> "Full | None":
        """Of zeros of either sign, zeros; of two other numbers, a number that is a leaf."""
        if not isinstance(other, Full) or _shape_of(self.empty) != _shape_of(other.empty):
            return None
        if self.number is not None and other.number is not None:
            zeros = self.number.item == 0 == other.number.item and current_semantics() != "ieee"
            if zeros or self.number == other.number:
                number = Number(abs(self.number.scalar)) if zeros else self.number
                return make(self.empty, number)
        if any(x.scalar is not None and x.scalar.shape for x in (self, other)):
            return None
        weak_type = jax.typeof(self.empty).weak_type and jax.typeof(other.empty).weak_type
        scalar = jax.ShapeDtypeStruct((), self.empty.dtype, weak_type=weak_type)
        return make(self.empty, scalar)

    def coerce_like(self, template: Any) -> Any:
        if not isinstance(template, Full):
            return NotImplemented
        if template.number is None:
            return make(self.empty, as_scalar(self))
        both = self.number is not None and self.number.item == template.number.item
        return make_like(template, self.empty) if both else NotImplemented

    def to_cotangent(self, cotangent: Any) -> Any:
        """That of the number is the sum of those of the entries; the other leaf has no entries."""
        empty = jnp.zeros_like(self.empty)
        if self.number is not None:
            return make_like(self, empty)
        if isinstance(cotangent, Value):
            return NotImplemented
        assert self.scalar is not None
        axes = tuple(range(self.scalar.ndim, cotangent.ndim))
        out = object.__new__(type(self))
        _set_fields(out, empty, lax.reduce_sum(cotangent, axes), None)
        return out

    def drop_leading(self) -> "Full":
        return self

    def add_leading(self, n: int) -> "Full":
        return self

    def __repr__(self) -> str:
        if not hasattr(self.empty, "dtype"):  # a tree structure with something else for leaves
            return super().__repr__()
        shape, dtype = self.empty.shape[:-1], self.empty.dtype
        if type(self) is not Full:
            negative = self.number is not None and _is_negative_zero(self.number)
            return f"{'-' * negative}{type(self).__name__}({shape}, {dtype})"
        value = "traced" if self.number is None else repr(self.number)
        return f"Full({value}, {shape}, {dtype})"


class Zeros(Full):
    """An array of zeros, stored as an array without entries, `[*shape, 0]`.

    It is a *strong* zero, as in JAX's own automatic differentiation: `0 * nan` is zero, unless
    `semantics` says otherwise. An operation without a rule sees the dense zeros.

    Args:
        shape: the sizes of the axes, or one size.
        dtype: by default the floating-point type that `jnp.zeros` takes.
        weak_type: whether it adapts its dtype to the other operand, as a Python scalar does.

    Raises:
        ValueError: if a size is negative.
        TypeError: if a size is not an integer or `dtype` is not a dtype.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.zeros import Zeros
        >>> quaxify(lambda a, b: 2 * a @ b)(Zeros((4, 3)), jnp.ones((3, 2)))
        Zeros((4, 2), float32)
    """

    def __init__(
        self, shape: int | Iterable[int], dtype: DTypeLike = float, *, weak_type: bool = False
    ) -> None:
        empty = _empty("Zeros", shape, dtype, weak_type)
        _set_fields(self, empty, None, number_of(0, empty.dtype))


class Ones(Full):
    """An array of ones, stored as an array without entries, `[*shape, 0]`.

    Args:
        shape: the sizes of the axes, or one size.
        dtype: by default the floating-point type that `jnp.ones` takes.
        weak_type: whether it adapts its dtype to the other operand, as a Python scalar does.

    Raises:
        ValueError: if a size is negative.
        TypeError: if a size is not an integer or `dtype` is not a dtype.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.zeros import Ones
        >>> x = jnp.arange(3.0)
        >>> quaxify(lambda a, x: (a * x, a + a))(Ones(3), x)
        (Array([0., 1., 2.], dtype=float32), Full(2.0, (3,), float32))
    """

    def __init__(
        self, shape: int | Iterable[int], dtype: DTypeLike = float, *, weak_type: bool = False
    ) -> None:
        empty = _empty("Ones", shape, dtype, weak_type)
        _set_fields(self, empty, None, number_of(1, empty.dtype))


def make(empty: jax.Array, value: Any) -> Full:
    """The value of the shape and dtype of `empty`: of a `Number`, or of an array without axes."""
    cls: type[Full]
    if not isinstance(value, Number):
        cls, scalar, number = Full, value, None
    else:
        item = value.item
        cls = Zeros if item == 0 else Ones if item == 1 else Full
        scalar, number = None, value
    out = object.__new__(cls)
    _set_fields(out, empty, scalar, number)
    return out


def make_like(template: Full, empty: jax.Array) -> Full:
    """A value of the class and number of `template`, which is known while tracing."""
    out = object.__new__(type(template))
    _set_fields(out, empty, None, template.number)
    return out


def as_scalar(x: Full) -> jax.Array:
    """The number as an array without axes, or with the leading axes of stacked ones."""
    if x.number is None:
        assert x.scalar is not None
        return x.scalar
    out: jax.Array = with_dtype(
        jnp.asarray(x.number.scalar), x.empty.dtype, jax.typeof(x.empty).weak_type
    )
    return out


def empty_of(shape: tuple[int, ...], dtype: Any, weak_type: bool) -> jax.Array:
    """The leaf that says the shape: an array with one more axis, of no entries."""
    out: jax.Array = with_dtype(jnp.zeros((*shape, 0), dtype), dtype, weak_type)
    return out


def _set_fields(x: Full, empty: Any, scalar: Any, number: Number | None) -> None:
    _set(x, "empty", empty)  # the class is frozen
    _set(x, "scalar", scalar)
    _set(x, "number", number)


def _shape_of(x: Any) -> tuple[Any, ...]:
    return tuple(x.shape), x.dtype


def _is_negative_zero(number: Number) -> bool:
    return bool(number.item == 0) and not number.is_positive_zero


def _empty(name: str, shape: Any, dtype: Any, weak_type: bool) -> jax.Array:
    # Bytes have integers for entries, and of sets and mappings the order says nothing.
    none = isinstance(shape, bytes | bytearray | AbstractSet | Mapping | MappingView)
    several = not none and isinstance(shape, Iterable) and getattr(shape, "ndim", 1) > 0
    try:
        sizes = tuple(map(operator.index, shape if several else (shape,)))
    except TypeError as error:
        raise TypeError(_BAD_SHAPE.format(name=name, shape=shape)) from error
    if min(sizes, default=0) < 0:
        raise ValueError(_BAD_SHAPE.format(name=name, shape=shape))
    try:
        empty = jnp.zeros((*sizes, 0), dtype)
    except TypeError as error:
        raise TypeError(_BAD_DTYPE.format(name=name, shape=shape, dtype=dtype)) from error
    if not isinstance(empty.dtype, np.dtype):  # that of keys
        raise TypeError(_NO_NUMBERS.format(name=name, shape=shape, dtype=empty.dtype))
    out: jax.Array = with_dtype(empty, empty.dtype, weak_type)
    return out
