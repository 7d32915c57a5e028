"""Texts as units: a small recursive descent over products, quotients and powers."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn

from ._dimension import NUMBER
from ._errors import UnitParseError
from ._scale import ONE_SCALE, scale
from ._unit import ONE, Unit, as_exponent, make_unit, power, product, quotient

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<name>[^\W\d]\w*|[°%‰ΔÅ][^\W\d]*\w*)"
    r"|(?P<op>\*\*|[-+*/^()·×⋅]))"
)
_SPACE = re.compile(r"\s*")
_SUPERSCRIPT = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_PLAIN = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_ALIKE = str.maketrans({"\u03bc": "µ", "\u2126": "Ω", "\u212b": "Å", "\u00b7": "·", "\u2212": "-"})

_NOT_A_UNIT = """{text!r} is not a unit: {why}.
Write it like "m", "km/h", "kg m^2 / s^2" or "J/(mol K)"."""

_AMBIGUOUS = """{text!r} is ambiguous: what follows a quotient by a space could belong above or \
below.
Write "a / (b c)" or "a / b * c"."""

_UNKNOWN = """{text!r} is not a unit: there is none called {name!r}.
{advice}"""

Lookup = Callable[[str], Unit | None]


def parse(text: str, lookup: Lookup, suggest: Callable[[str], tuple[str, ...]]) -> Unit:
    """The unit a text says, its names being looked up by `lookup`.

    Raises:
        UnitParseError: if it is none, or ambiguous.
    """
    return _Parser(text, lookup, suggest).whole()


class _Parser:
    def __init__(
        self, text: str, lookup: Lookup, suggest: Callable[[str], tuple[str, ...]]
    ) -> None:
        self.original, self.lookup, self.suggest = text, lookup, suggest
        plain = text.translate(_ALIKE)
        self.text = _SUPERSCRIPT.sub(lambda m: f"^({m[0].translate(_PLAIN)})", plain).strip()
        self.tokens: list[tuple[str, str, bool]] = []  # kind, text, whether a space is before it
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                self.fail(f"it has {self.text[at:].strip()[:1]!r} in it")
            kind = str(match.lastgroup)
            space = bool(_SPACE.match(self.text, at)[0])  # type: ignore[index]
            self.tokens.append((kind, match[kind], space))
            at = match.end()
        self.at = 0

    def fail(self, why: str) -> NoReturn:
        raise UnitParseError(
            self.original, _NOT_A_UNIT.format(text=self.original, why=why)
        ) from None

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def whole(self) -> Unit:
        if not self.tokens:
            return ONE
        unit = self.product()
        if self.at < len(self.tokens):
            self.fail(f"{self.peek()!r} is not expected there")
        return unit

    def product(self) -> Unit:
        unit = self.power()
        divided = False
        while self.at < len(self.tokens):
            token = self.peek()
            if token in ("*", "·", "×", "⋅"):
                self.take()
                unit, divided = product(unit, self.power()), False
            elif token == "/":
                self.take()
                divided = self.kind() != "number"  # "1/16 lb" is a sixteenth of a pound
                unit = quotient(unit, self.power())
            elif token == ")" or (self.kind() == "op" and token != "("):
                break
            elif divided:
                text = _AMBIGUOUS.format(text=self.original)
                raise UnitParseError(self.original, text)
            else:
                unit = product(unit, self.power())
        return unit

    def power(self) -> Unit:
        named = self.kind() == "name"
        unit = self.atom()
        if named and self.peek() in ("-", "+") and not self.tokens[self.at][2]:  # `s-1`
            return power(unit, self.exponent())
        while self.peek() in ("^", "**"):
            self.take()
            unit = power(unit, self.exponent())
        return unit

    def exponent(self) -> Fraction:
        sign = -1 if self.peek() == "-" else 1
        if self.peek() in ("-", "+"):
            self.take()
        if self.peek() == "(":
            self.take()
            number = self.exponent()
            if self.peek() == "/":
                self.take()
                number /= self.exponent()
            if self.take() != ")":
                self.fail("an exponent lacks its closing bracket")
        elif self.kind() == "number":
            number = self.number(self.take())
        else:
            self.fail("an exponent is not a number")
        return sign * number

    def number(self, token: str) -> Fraction:
        exact = Fraction(token)
        return exact if exact.denominator <= 1000 else as_exponent(float(exact))

    def atom(self) -> Unit:
        kind, token, _ = self.tokens[self.at] if self.at < len(self.tokens) else ("", "", False)
        if kind == "number":
            self.take()
            return _number(token)
        if kind == "name":
            self.take()
            return self.named(token)
        if token == "(":
            self.take()
            unit = self.product()
            if self.take() != ")":
                self.fail("a bracket is not closed")
            return unit
        return self.fail(f"{token!r} stands where a unit should" if token else "it ends too early")

    def named(self, token: str) -> Unit:
        unit = self.lookup(token)
        if unit is not None:
            return unit
        match = re.fullmatch(r"(.*?[^\d])(\d+)", token)  # `s2`
        if match is not None and (unit := self.lookup(match[1])) is not None:
            return power(unit, Fraction(match[2]))
        suggestions = self.suggest(token)
        advice = (
            f"Did you mean {' or '.join(map(repr, suggestions))}?"
            if suggestions
            else 'Define it: `with u.define("furlong = 220 yd"): ...`.'
        )
        text = _UNKNOWN.format(text=self.original, name=token, advice=advice)
        raise UnitParseError(self.original, text, suggestions)


def _number(token: str) -> Unit:
    value = Fraction(token)
    if value <= 0:
        raise UnitParseError(token, _NOT_A_UNIT.format(text=token, why="its scale is not positive"))
    if value == 1:
        return ONE
    return make_unit(NUMBER, scale(value), ((token, Fraction(1)),))


PI = make_unit(NUMBER, ONE_SCALE._replace(pi=Fraction(1)), (("pi", Fraction(1)),))
"""The number pi, which texts may name."""
