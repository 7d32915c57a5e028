"""`Quantity`: an array of numbers and the unit they are in."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
from jax import tree_util as jtu
from jax.core import ShapedArray, Tracer
from jax.extend.core import find_top_trace

from duckarray.core import ArrayValue, Value, field, materialize, tree, value_of

from ._convert import can_convert, convert
from ._dimension import NUMBER, Dimension
from ._display import number_text, split_spec, unit_text
from ._errors import DimensionError
from ._unit import ONE, Unit, difference, inverse, product

# Of values that are stored otherwise: larger ones are not made dense to be printed.
_MOST_SHOWN = 1000

_NOT_AN_ARRAY = """`Quantity({value!r}, ...)` takes an array or a number, but got a `{type}`.
Pass one, or a list of numbers."""

_ARRAYS = (Value, jax.Array, jax.ShapeDtypeStruct)

# One line: core quotes it where it says which operation, or part of a carry, is to be made dense.
_NOT_DENSE = (
    """its unit would be lost, {unit} ({dimension}); `u.strip(x, "{unit}")` takes it away"""
)

_HAS_UNIT = """`{operation}` of {quantity}: as a plain number or array it would lose its unit, \
{unit} ({dimension}).
Say which unit the numbers are to be in: `u.strip(x, "{unit}")`."""


class Quantity(ArrayValue):
    """An array of numbers and the unit they are in; the unit is part of the tree structure.

    Programs called through `quaxify` take it for an array. Sums convert to the unit of their first
    operand, products multiply units, and whatever has no meaning raises while it is traced. Zero,
    infinity and nan that are known while tracing have any unit.

    Args:
        value: the numbers: an array, a number, a list, another value; or a quantity, which is
            converted. Names of axes stay outermost: of a `NamedArray` it makes one of quantities.
        unit: a `Unit` or its text.

    Attributes:
        value: the numbers.
        unit: the `Unit`.

    Raises:
        UnitParseError: if `unit` is no unit.
        DimensionError: if `value` is a quantity of another dimension.
        TypeError: if `value` is no array.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> import duckarray.units as u
        >>> x = u.Quantity([1.0, 2.0], "km/h")
        >>> quaxify(jnp.sum)(x * (30.0 * u.min)).to("km")
        Quantity(f32[], 'km')
    """

    value: Any
    unit: Unit = field(static=True)

    array_priority: ClassVar[int] = 100
    leaf_linear: ClassVar[bool] = True
    materialization: ClassVar[Any] = "allow"

    def __new__(cls, value: Any = None, unit: Unit | str = "1", **_: Any) -> Any:
        if isinstance(value, Value) and stands_outside(value):
            return inside(value, lambda array: cls(array, unit))
        return object.__new__(cls)

    def __init__(self, value: Any, unit: Unit | str = "1") -> None:
        if type(unit) is not Unit:
            unit = Unit(unit)
        value = value_of(value)
        if isinstance(value, Quantity):
            value = convert(value.value, value.unit, unit, "Quantity", explicit=True)
        elif not isinstance(value, _ARRAYS):
            value = _as_array(value)
        set_field = object.__setattr__
        set_field(self, "value", value)
        set_field(self, "unit", unit)

    def aval(self) -> ShapedArray:
        value = self.value
        if isinstance(value, Value):
            return value.aval()  # type: ignore[no-any-return]
        try:
            return value.aval  # type: ignore[no-any-return]
        except AttributeError:
            return jax.typeof(value)  # type: ignore[no-any-return]

    def materialize(self) -> Any:
        """The numbers, of one without a dimension.

        Raises:
            UnitError: for any other, whose unit would be lost.
        """
        if self.unit.physical is not NUMBER:
            text = _NOT_DENSE.format(unit=self.unit, dimension=self.unit.dimension)
            raise DimensionError(text, "materialize", (self.unit,))
        return self._number("materialize")

    @property
    def dimension(self) -> Dimension:
        """What kind of quantity it is: a `Dimension`, such as `"velocity"`."""
        return self.unit.dimension

    def to(self, unit: Unit | str) -> "Quantity":
        """The same quantity in another unit. Integers become floats if they have to.

        Raises:
            DimensionError: if the dimension is another, or cycles and radians would be mixed up.
            AffineUnitError: between an absolute temperature and a difference.
            UnitRangeError: if the dtype cannot hold the factor.

        Example:
            >>> import duckarray.units as u
            >>> (36.0 * u.km / u.h).to("m/s").value
            Array(10., dtype=float32, weak_type=True)
        """
        if type(unit) is not Unit:
            unit = Unit(unit)
        if unit is self.unit:
            return self
        operation = f"to {unit}"
        return make(convert(self.value, self.unit, unit, operation, explicit=True), unit)

    def join(self, other: Any) -> Self | None:
        if not isinstance(other, Quantity):
            return None
        if not can_convert(other.unit, self.unit):
            return None
        inner, outer = self.value, other.value
        if isinstance(inner, Value) or isinstance(outer, Value):
            if bool(jtu.tree_structure(inner) == jtu.tree_structure(outer)):  # type: ignore[operator]
                return self
            joined: Any = inner.join(outer) if isinstance(inner, Value) else None
            if joined is None:
                aval = self.aval()
                joined = jax.ShapeDtypeStruct(aval.shape, aval.dtype)
            return make(joined, self.unit)  # type: ignore[return-value]
        return self

    def coerce_like(self, template: Any) -> Any:
        if not isinstance(template, Quantity):
            return NotImplemented
        out = make(convert(self.value, self.unit, template.unit, "join"), template.unit)
        inner = out.value
        if isinstance(inner, Value):
            if not isinstance(template.value, Value):
                return make(materialize(inner), out.unit)
            if jtu.tree_structure(inner) != jtu.tree_structure(template.value):  # type: ignore[operator]
                inner = inner.coerce_like(template.value)
                return inner if inner is NotImplemented else make(inner, out.unit)
        return out

    def to_cotangent(self, cotangent: Any) -> Any:
        """With respect to the numbers in `unit`: the cotangent as so much per `unit`."""
        if isinstance(cotangent, Quantity):
            per_unit = inverse(difference(self.unit))
            cotangent = convert(cotangent.value, cotangent.unit, per_unit, "cotangent")
        if isinstance(self.value, Value):
            cotangent = _of_leaves(self.value, cotangent)
        return make(cotangent, self.unit)

    def from_cotangent(self) -> "Quantity":
        """So much per `unit`, if the loss is a number."""
        return make(self.value, inverse(difference(self.unit)))

    def drop_leading(self) -> Self | None:
        if isinstance(self.value, Value):
            inner = self.value.drop_leading()
            return None if inner is None else make(inner, self.unit)  # type: ignore[return-value]
        return self

    def add_leading(self, n: int) -> Self | None:
        if isinstance(self.value, Value):
            inner = self.value.add_leading(n)
            return None if inner is None else make(inner, self.unit)  # type: ignore[return-value]
        return self

    @staticmethod
    def default(primitive: Any, values: list[Any], params: dict[str, Any]) -> Any:
        from ._rules import without_rule

        return without_rule(primitive, values, params)

    def _jax_array(self) -> Any:
        out = super()._jax_array()
        # Outside `quaxify` JAX's functions refuse it, unless it is a number anyway.
        if self.unit.physical is NUMBER and not isinstance(out, jax.Array):
            return materialize(self)
        return out

    def _dense(self) -> Any:
        return materialize(self._number("float() or numpy.asarray()"))

    def _number(self, operation: str) -> Any:
        if self.unit.physical is not NUMBER:
            text = _HAS_UNIT.format(
                operation=operation,
                quantity=repr(self),
                unit=self.unit,
                dimension=self.unit.dimension,
            )
            raise DimensionError(text, operation, (self.unit,))
        return convert(self.value, self.unit, ONE, operation, explicit=False)

    def __mul__(self, other: Any) -> Any:
        return times_unit(self, other) if type(other) is Unit else super().__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        if type(other) is Unit:
            return times_unit(self, inverse(other))
        return super().__truediv__(other)

    def __repr__(self) -> str:
        value = self.value
        if isinstance(value, Value):
            return f"Quantity({value!r}, {str(self.unit)!r})"
        if not (hasattr(value, "shape") and hasattr(value, "dtype")):  # a placeholder of JAX's
            return f"Quantity({value!r}, {str(self.unit)!r})"
        aval = jax.core.ShapedArray(value.shape, value.dtype)
        return f"Quantity({aval.str_short(short_dtypes=True)}, {str(self.unit)!r})"

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        leaves = jtu.tree_leaves(self.value)
        traced = any(isinstance(x, Tracer) or not hasattr(x, "dtype") for x in leaves)
        if traced or (isinstance(self.value, Value) and self.size > _MOST_SHOWN):
            return repr(self)
        numbers, style = split_spec(spec)
        text = number_text(materialize(self.value), numbers)
        unit = unit_text(self.unit.terms, style)
        if style == "L":
            return rf"{text} \, {unit}" if unit else text
        return f"{text} {unit}" if self.unit.terms else text

    def _repr_latex_(self) -> str:
        return f"${format(self, 'L')}$"


def _of_leaves(value: Value, cotangent: Any) -> Any:
    """The cotangents of the leaves of what is inside a quantity, given that of its numbers."""
    if jtu.tree_structure(cotangent) == jtu.tree_structure(value):  # type: ignore[operator]
        return cotangent
    told = value.to_cotangent(cotangent)
    if told is NotImplemented:
        _, pull_back = jax.vjp(materialize, value)
        (told,) = pull_back(materialize(cotangent))
    return told


def make(value: Any, unit: Unit) -> Quantity:
    """A quantity, without the checks of the constructor."""
    out = object.__new__(Quantity)
    fields = out.__dict__
    fields["value"], fields["unit"] = value, unit
    return out


def times_unit(value: Any, unit: Unit) -> Any:
    """`value * unit` for a number, an array, a quantity, or an array inside `quaxify`."""
    value = value_of(value)
    if isinstance(value, Quantity):
        return make(value.value, product(value.unit, unit))
    if isinstance(value, Value) and stands_outside(value):
        return inside(value, lambda array: times_unit(array, unit))
    if isinstance(value, Tracer) and (one := lifted(unit)) is not None and not _is_seen(one):
        # Inside `jax.grad` or the like, whose tracers hide values: it may have a unit already, and
        # if not, its derivatives are to have one.
        return value * one
    if isinstance(value, jax.Array | Value):
        return make(value, unit)
    return Quantity(value, unit)


def lifted(unit: Unit) -> Any:
    """One `unit` as an array of the current trace, or None outside `quaxify`.

    As an operand it brings what it is bound with to the interpreter, whatever else is around.
    """
    one = Quantity(1.0, unit)._jax_array()
    return one if isinstance(one, Tracer) else None


def _is_seen(x: Any) -> bool:
    """Whether the current trace is that of `x`, a value within `quaxify`: nothing is between."""
    return value_of(x) is not x and find_top_trace(()) is x._trace


def stands_outside(value: Value) -> bool:
    """Whether a value is of a type that stays around quantities, such as names of axes."""
    return getattr(value, "array_priority", 0) > Quantity.array_priority


def inside(value: Value, change: Callable[[Any], Any]) -> Any:
    """The same value around what its array becomes."""
    (array,), around = tree.flatten_one_level(value)
    return around.unflatten([change(array)])


def _as_array(value: Any) -> Any:
    if isinstance(value, str | bytes | dict | set) or value is None:
        raise TypeError(_NOT_AN_ARRAY.format(value=value, type=type(value).__name__))
    return jnp.asarray(value)
