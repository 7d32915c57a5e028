"""`constant`: measured and defined constants of nature."""

import difflib

from ._errors import UnitParseError
from ._value import Quantity

_UNKNOWN = """`constant({name!r})`: CODATA has no constant of that name.
{advice}"""

_NO_NAME = """`constant({name!r})` takes the name of a constant, but got a `{type}`.
Pass one as in CODATA: `constant("speed of light in vacuum")`."""


def constant(name: str) -> Quantity:
    """A constant of nature, by CODATA, as SciPy has it: of 2022 in the releases from 1.15 on.

    Args:
        name: the name in CODATA, a key of `scipy.constants.physical_constants`.

    Raises:
        TypeError: if `name` is no string.
        UnitParseError: if there is none of that name.

    Example:
        >>> import duckarray.units as u
        >>> print(u.constant("speed of light in vacuum").to("km/s"))
        299792.47 km / s
    """
    from scipy.constants import physical_constants  # type: ignore[import-untyped, unused-ignore]

    if not isinstance(name, str):
        raise TypeError(_NO_NAME.format(name=name, type=type(name).__name__))
    if name not in physical_constants:
        close = tuple(difflib.get_close_matches(name, physical_constants, n=3))
        advice = (
            f"Did you mean {' or '.join(map(repr, close))}?"
            if close
            else "Search for it: `scipy.constants.find(...)`."
        )
        raise UnitParseError(name, _UNKNOWN.format(name=name, advice=advice), close)
    value, text, _ = physical_constants[name]
    return Quantity(value, text.replace("_90", ""))
