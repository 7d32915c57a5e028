"""`Unit`: interned and immutable, so that comparing units costs what comparing objects costs."""

from fractions import Fraction
from typing import Any, ClassVar

from ._dimension import BASE_NAMES, NUMBER, Dimension, Exponents, dimension_of
from ._display import unit_text
from ._errors import AffineUnitError
from ._scale import ONE_SCALE, Scale

Terms = tuple[tuple[str, Fraction], ...]

_AFFINE = """`{operation}`: {unit} has an origin of its own ({what}), so it is not part of \
products or powers.
{advice}"""

_ADVICE_TEMPERATURE = 'Convert first, `x.to("K")`, or use `delta_{unit}` for a difference.'
_ADVICE_LEVEL = 'Convert the level to what it is a level of first: `x.to("{reference}")`.'


class Unit:
    """A unit of measurement: a dimension, and an exact scale relative to the SI unit.

    Units are made from text, and by arithmetic on units. Two of the same text are one object. Two
    are equal, and have one hash, if they have the same dimension, scale, offset and kind: `J` and
    `N m` are equal. Text is as in `kg m^2 / s^2`, `kg*m**2/s**2`, `J/(mol K)`, `m^0.5`, `µs`.

    Args:
        text: a text, or a unit, which is returned.

    Attributes:
        dimension: its `Dimension`.
        scale: how many of the SI unit it is, exactly; `float(unit.scale)` is a number.
        offset: where its zero is, in the SI unit (273.15 for `degC`); of a level, the exponent of
            ten that one unit adds.
        kind: `"linear"`; `"affine"` for absolute temperatures; `"delta"` for their differences;
            `"log"` for levels.
        terms: the symbols it is displayed by, with their exponents.

    Raises:
        UnitParseError: if the text is no unit, or is ambiguous.

    Example:
        >>> from duckarray.units import Unit
        >>> Unit("J") == Unit("N m"), Unit("km") * Unit("h") ** -1
        (True, Unit('km / h'))
    """

    __slots__ = (
        "__weakref__",
        "_hash",
        "_id",
        "_text",
        "dimension",
        "is_linear",
        "kind",
        "offset",
        "physical",
        "scale",
        "terms",
    )

    dimension: Dimension
    scale: Scale
    offset: Fraction
    kind: str
    terms: Terms
    is_linear: bool
    physical: Dimension

    _all: ClassVar[dict[Any, "Unit"]] = {}
    __array_ufunc__ = None  # NumPy leaves `array * unit` to the unit

    def __new__(cls, text: "str | Unit") -> "Unit":  # noqa: PYI034
        from ._registry import as_unit

        return as_unit(text)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"cannot assign to `Unit.{name}`: units do not change")

    def __reduce__(self) -> tuple[Any, ...]:
        from ._registry import rebuild

        return rebuild, (str(self), self.in_base_units(), self.kind, str(self.offset))

    def __copy__(self) -> "Unit":
        return self

    def __deepcopy__(self, memo: Any) -> "Unit":
        return self

    def __hash__(self) -> int:
        return self._hash  # type: ignore[no-any-return, attr-defined]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, str):
            from ._errors import UnitParseError
            from ._registry import as_unit

            try:
                other = as_unit(other)
            except UnitParseError:
                return False
        if type(other) is not Unit:
            return NotImplemented
        return (
            self._hash == other._hash  # type: ignore[attr-defined]
            and self.dimension is other.dimension
            and self.scale == other.scale
            and self.kind == other.kind
            and self.offset == other.offset
        )

    def __mul__(self, other: Any) -> Any:
        if type(other) is Unit:
            return product(self, other)
        return _quantity(other, self)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is Unit:
            return quotient(self, other)
        return _quantity(1, self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return _quantity(other, power(self, _MINUS_ONE))

    def __pow__(self, exponent: float | Fraction) -> "Unit":
        return power(self, as_exponent(exponent))

    def is_compatible_with(self, other: "str | Unit") -> bool:
        """Whether the dimensions are the same, up to angles."""
        return self.physical is Unit(other).physical

    def in_base_units(self) -> str:
        """The same unit as text in SI base units, such as `"1/3600 m/s"`."""
        ratio, root, pi = self.scale
        number = str(ratio) if root == 1 else f"({ratio})^(1/{root})"
        circle = f" pi^({pi})" if pi else ""
        bases = [
            f"{symbol}^({exponent})"
            for symbol, exponent in zip(BASE_SYMBOLS, self.dimension.exponents, strict=True)
            if exponent
        ]
        return " ".join([number + circle, *bases])

    def __str__(self) -> str:
        return self._text  # type: ignore[no-any-return, attr-defined]

    def __repr__(self) -> str:
        return f"Unit({self._text!r})"  # type: ignore[attr-defined]

    def __format__(self, spec: str) -> str:
        return unit_text(self.terms, spec)

    def _repr_latex_(self) -> str:
        return f"${unit_text(self.terms, 'L')}$"


BASE_SYMBOLS = ("m", "kg", "s", "A", "K", "mol", "cd", "rad")
_ZERO, _MINUS_ONE, _HALF = Fraction(0), Fraction(-1), Fraction(1, 2)


def make_unit(
    dimension: Dimension,
    scale: Scale,
    terms: Terms,
    kind: str = "linear",
    offset: Fraction = _ZERO,
) -> Unit:
    """The one unit object of these properties."""
    key = (dimension, scale, terms, kind, offset)
    found = Unit._all.get(key)
    if found is None:
        found = object.__new__(Unit)
        text = unit_text(terms, "")
        values = {
            "dimension": dimension,
            "scale": scale,
            "terms": terms,
            "kind": kind,
            "offset": offset,
            "physical": dimension.physical,
            "is_linear": kind in ("linear", "delta"),
            "_text": text,
            "_hash": hash((dimension, scale, kind, offset)),
        }
        for name, value in values.items():
            object.__setattr__(found, name, value)
        found = Unit._all.setdefault(key, found)
    return found


ONE = make_unit(NUMBER, ONE_SCALE, ())
"""The unit of numbers."""


def base_unit(position: int) -> Unit:
    """The SI unit of a base dimension."""
    exponents: Exponents = tuple(Fraction(int(i == position)) for i in range(len(BASE_NAMES)))
    return make_unit(dimension_of(exponents), ONE_SCALE, ((BASE_SYMBOLS[position], Fraction(1)),))


# By the identities of units, which live for ever: two equal units with other labels differ here.
_products: dict[tuple[int, int], Unit] = {}
_quotients: dict[tuple[int, int], Unit] = {}
_powers: dict[tuple[int, Fraction], Unit] = {}


def product(a: Unit, b: Unit) -> Unit:
    """The unit of a product."""
    key = (id(a), id(b))
    found = _products.get(key)
    if found is None:
        found = _products[key] = _product(a, b)
    return found


def quotient(a: Unit, b: Unit) -> Unit:
    """The unit of a quotient."""
    key = (id(a), id(b))
    found = _quotients.get(key)
    if found is None:
        found = _quotients[key] = _product(a, power(b, _MINUS_ONE)) if b is not ONE else a
    return found


def power(a: Unit, exponent: Fraction) -> Unit:
    """The unit of a power."""
    key = (id(a), exponent)
    found = _powers.get(key)
    if found is None:
        found = _powers[key] = _power(a, exponent)
    return found


def inverse(a: Unit) -> Unit:
    """The unit of a reciprocal."""
    return power(a, _MINUS_ONE)


def square_root(a: Unit) -> Unit:
    """The unit of a square root."""
    return power(a, _HALF)


def as_exponent(exponent: Any) -> Fraction:
    """A number as an exponent; floats are taken for the simple fraction they are closest to."""
    if isinstance(exponent, int | Fraction):
        return Fraction(exponent)
    return Fraction(float(exponent)).limit_denominator(1000)


def require_linear(unit: Unit, operation: str) -> None:
    """Raises for units of which there are no multiples."""
    if unit.is_linear:
        return
    if unit.kind == "log":
        advice, what = _ADVICE_LEVEL.format(reference=reference(unit)), "a logarithmic level"
    else:
        advice, what = _ADVICE_TEMPERATURE.format(unit=unit), "an absolute temperature"
    raise AffineUnitError(_AFFINE.format(operation=operation, unit=unit, what=what, advice=advice))


def reference(unit: Unit) -> Unit:
    """The unit that a level is converted to: the SI unit of its dimension."""
    terms = zip(BASE_SYMBOLS, unit.dimension.exponents, strict=True)
    return make_unit(unit.dimension, ONE_SCALE, tuple((s, e) for s, e in terms if e))


def difference(unit: Unit) -> Unit:
    """The unit of differences between quantities of a unit: `delta_degC` of `degC`."""
    if unit.kind != "affine":
        return unit
    from ._registry import as_unit

    return as_unit(f"delta_{unit}")


def _product(a: Unit, b: Unit) -> Unit:
    if a is ONE:
        return b
    if b is ONE:
        return a
    for unit in (a, b):
        require_linear(unit, f"({a}) * ({b})")
    exponents = tuple(
        x + y for x, y in zip(a.dimension.exponents, b.dimension.exponents, strict=True)
    )
    merged = dict(a.terms)
    for symbol, exponent in b.terms:
        merged[symbol] = merged.get(symbol, _ZERO) + exponent
    terms = tuple((s, e) for s, e in merged.items() if e)
    return make_unit(dimension_of(exponents), a.scale.times(b.scale), terms)


def _power(a: Unit, exponent: Fraction) -> Unit:
    if exponent == 1:
        return a
    if exponent == 0 or a is ONE:
        return ONE
    require_linear(a, f"({a}) ** {exponent}")
    exponents = tuple(e * exponent for e in a.dimension.exponents)
    terms = tuple((s, e * exponent) for s, e in a.terms)
    return make_unit(dimension_of(exponents), a.scale.power(exponent), terms)


def _quantity(value: Any, unit: Unit) -> Any:
    from ._value import times_unit

    return times_unit(value, unit)
