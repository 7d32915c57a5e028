"""Every exception of `duckarray.units`; all keep what they report as attributes.

```
TypeError
└── UnitError
    ├── DimensionError      quantities of different dimensions meet, or a number was expected
    ├── AffineUnitError     an operation that absolute temperatures or levels do not have
    └── UnknownExponentError  a power, or the length of a product, that is not known while tracing
ValueError
├── UnitParseError          a text that is no unit
└── UnitRangeError          a conversion factor that the dtype cannot hold
```
"""

from typing import Any


class UnitError(TypeError):
    """The base of what is wrong with an operation on quantities."""


class DimensionError(UnitError):
    """Quantities whose dimensions do not agree, or one where a plain number was expected.

    Attributes:
        operation: what was asked for.
        units: the units that met; that of a plain number is `u.Unit("1")`.
    """

    def __init__(self, text: str, operation: str = "", units: tuple[Any, ...] = ()) -> None:
        self.operation, self.units = operation, units
        super().__init__(text)


class AffineUnitError(UnitError):
    """An operation that has no meaning for a unit with an origin of its own, such as `degC`."""


class UnknownExponentError(UnitError):
    """A unit that depends on a number which is not known while tracing."""


class UnitParseError(ValueError):
    """A text that is not a unit, or could be read as two.

    Attributes:
        text: what was given.
        suggestions: names of units that look alike.
    """

    def __init__(self, text: str, message: str, suggestions: tuple[str, ...] = ()) -> None:
        self.text, self.suggestions = text, suggestions
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.args[0], self.suggestions)


class UnitRangeError(ValueError):
    """A conversion whose factor the dtype cannot hold, or that integers cannot hold exactly."""
