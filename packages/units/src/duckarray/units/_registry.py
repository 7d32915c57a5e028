"""Which names are units: the default table, prefixes, and what `define` adds for a while."""

import difflib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

from . import _table
from ._errors import UnitParseError
from ._parse import PI, parse
from ._scale import scale
from ._unit import BASE_SYMBOLS, ONE, Unit, base_unit, make_unit

_BAD_TYPE = """`Unit({text!r})` takes text such as "km/h", or a unit, but got a `{type}`."""

_BAD_DEFINITION = """`define({text!r})` is not a definition.
Write it as "furlong = 220 yd": a name, an equals sign, and a unit."""

_NO_TEXT = """`define({text!r})` takes a definition as text, but got a `{type}`.
Write it as "furlong = 220 yd": a name, an equals sign, and a unit."""

_TAKEN = """`define({text!r})`: {name!r} is a unit already, {unit}.
Choose another name."""

_defined: ContextVar[dict[str, Unit]] = ContextVar("duckarray_units_defined", default={})  # noqa: B039

_units: dict[str, Unit] = {}
_prefixable: dict[str, bool] = {}  # by name: whether long prefixes are for it, or short ones
_definitions: dict[str, tuple[str, str, str]] = {}  # by name: its first name, definition, kind
_short_prefixes: dict[str, int] = {}
_long_prefixes: dict[str, int] = {}
_parsed: dict[str, Unit] = {}


def as_unit(text: Any) -> Unit:
    """A text as a unit; a unit as it is."""
    unit = _parsed.get(text) if type(text) is str else None
    if unit is not None:
        return unit
    if isinstance(text, Unit):
        return text
    if not isinstance(text, str):
        raise TypeError(_BAD_TYPE.format(text=text, type=type(text).__name__))
    own = _defined.get()
    unit = parse(text, find_unit, suggest)
    if not own:
        _parsed[text] = unit
    return unit


def find_unit(name: str) -> Unit | None:
    """The unit of one name, with or without a prefix, or None."""
    own = _defined.get()
    if own and name in own:
        return own[name]
    unit = _units.get(name)
    if unit is None:
        unit = _from_table(name) or _with_prefix(name)
        if unit is not None:
            _units[name] = unit
    return unit


def suggest(name: str) -> tuple[str, ...]:
    """Names of units that look like one that is none."""
    known = [*_defined.get(), *_definitions]
    same = [n for n in known if n.lower() == name.lower()]
    prefixed = [
        p + n
        for p in _short_prefixes
        for n in _prefixable
        if (p + n).lower() == name.lower() and not _prefixable[n]
    ]
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.7)
    return tuple(dict.fromkeys([*same, *prefixed, *close]))[:3]


def unit_names() -> Iterator[str]:
    """All names without prefixes."""
    return iter(_definitions)


class define(AbstractContextManager[Unit]):  # noqa: N801
    """Adds a unit of one's own, for a `with` block, or for good if there is none.

    Args:
        text: the definition, `"name = unit"`; more names may stand before the equals sign.

    Raises:
        TypeError: if `text` is no string.
        UnitParseError: if it is not a definition, or the name is taken.

    Example:
        >>> import duckarray.units as u
        >>> with u.define("furlong = 220 yd"):
        ...     u.Quantity(8.0, "furlong").to("mi")
        Quantity(f32[], 'mi')
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(_NO_TEXT.format(text=text, type=type(text).__name__))
        left, equals, right = text.partition("=")
        names = left.replace(",", " ").split()
        if not equals or not names or not all(n.isidentifier() for n in names):
            raise UnitParseError(text, _BAD_DEFINITION.format(text=text))
        meant = as_unit(right.strip())
        for name in names:
            taken = find_unit(name)
            if taken is not None and taken != meant:
                raise UnitParseError(text, _TAKEN.format(text=text, name=name, unit=repr(taken)))
        self.unit = make_unit(
            meant.dimension, meant.scale, ((names[0], Fraction(1)),), meant.kind, meant.offset
        )
        self._names = names
        _defined.set({**_defined.get(), **dict.fromkeys(names, self.unit)})

    def __enter__(self) -> Unit:
        return self.unit

    def __exit__(self, *exception: object) -> None:
        _defined.set({n: x for n, x in _defined.get().items() if n not in self._names})


def rebuild(text: str, in_base_units: str, kind: str, offset: str) -> Unit:
    """The unit that was pickled as `text`, even where what it names is not defined."""
    try:
        unit = as_unit(text)
    except UnitParseError:
        unit = ONE
    exact = as_unit(in_base_units)
    if unit.scale == exact.scale and unit.dimension is exact.dimension and unit.kind == kind:
        return unit
    return make_unit(exact.dimension, exact.scale, ((text, Fraction(1)),), kind, Fraction(offset))


def _from_table(name: str) -> Unit | None:
    found = _definitions.get(name)
    if found is None:
        return None
    symbol, definition, kind = found
    if symbol == "pi":
        return PI
    terms = ((symbol, Fraction(1)),)
    if not definition:
        if symbol == "g":
            kilogram = base_unit(BASE_SYMBOLS.index("kg"))
            return make_unit(kilogram.dimension, scale(Fraction(1, 1000)), terms)
        return base_unit(BASE_SYMBOLS.index(symbol))
    text, _, origin = definition.partition("@")
    unit = parse(text, find_unit, suggest)
    offset = Fraction(origin.strip() or 0)
    return make_unit(unit.dimension, unit.scale, terms, kind, offset)


def _with_prefix(name: str) -> Unit | None:
    for prefixes, is_long in ((_short_prefixes, False), (_long_prefixes, True)):
        for prefix, ten_to in prefixes.items():
            rest = name[len(prefix) :]
            if name.startswith(prefix) and _prefixable.get(rest) is is_long:
                return _prefixed(prefix, ten_to, rest)
    return None


def _prefixed(prefix: str, ten_to: int, name: str) -> Unit:
    unit = find_unit(name)
    assert unit is not None
    symbol = _symbols[ten_to] + _definitions[name][0]
    if symbol == "kg":
        return base_unit(BASE_SYMBOLS.index("kg"))
    by = scale(Fraction(10) ** ten_to)
    return make_unit(unit.dimension, unit.scale.times(by), ((symbol, Fraction(1)),))


_symbols: dict[int, str] = {}
_NO_PLURAL = ("hertz", "lux", "siemens", "stokes", "gauss", "molar")


def _read(table: str, kind: str) -> None:
    for line in table.strip().splitlines():
        prefixable = line.startswith("*")
        names, _, definition = line.removeprefix("*").partition("=")
        short, _, long = names.partition("|")
        symbol = [*short.split(), *long.split()][0]
        for name in short.split():
            _definitions[name] = (symbol, definition.strip(), kind)
            if prefixable:
                _prefixable[name] = False
        for name in long.split():
            plural = name if name in _NO_PLURAL else f"{name}s"
            for spelling in (name, plural):
                _definitions[spelling] = (symbol, definition.strip(), kind)
                if prefixable:
                    _prefixable[spelling] = True


def _fill() -> None:
    for line in _table.PREFIXES.strip().splitlines():
        short, long, exponent = line.split()
        _short_prefixes[short] = _long_prefixes[long] = int(exponent)
        _symbols[int(exponent)] = short
    _short_prefixes["u"] = -6
    _read(_table.UNITS, "linear")
    _read(_table.AFFINE, "affine")
    _read(_table.DELTA, "delta")
    _read(_table.LOG, "log")
    _definitions["pi"] = ("pi", "", "linear")
    _definitions["dimensionless"] = ("dimensionless", "1", "linear")


_fill()
_units["dimensionless"] = ONE
_units["kg"] = base_unit(BASE_SYMBOLS.index("kg"))
