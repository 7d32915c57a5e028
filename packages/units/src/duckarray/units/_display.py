"""Units as text: plain, with superscripts (`P`), and as LaTeX (`L`)."""

from fractions import Fraction
from typing import Any

_SUPERSCRIPTS = str.maketrans("-0123456789/", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᐟ")
_BAD_SPEC = """`format(unit, {spec!r})`: there is no such format of a unit.
Use `""` for text that can be read back, `"P"` for superscripts, or `"L"` for LaTeX."""

_LATEX = {"°": r"{}^{\circ}", "%": r"\%", "µ": r"\mu ", "Ω": r"\Omega ", "Å": r"\AA", "_": r"\_"}


def unit_text(terms: tuple[tuple[str, Fraction], ...], spec: str) -> str:
    """The text of a unit that has these terms."""
    if spec not in ("", "P", "L"):
        raise ValueError(_BAD_SPEC.format(spec=spec))
    if not terms:
        return "1" if spec == "" else ""
    top = [_factor(s, e, spec) for s, e in terms if e > 0]
    bottom = [_factor(s, -e, spec) for s, e in terms if e < 0]
    if spec == "L":
        above = r" \, ".join(top) or "1"
        under = r" \, ".join(bottom)
        return rf"\frac{{{above}}}{{{under}}}" if bottom else above
    space = " " if spec == "" else "·"
    above, below = space.join(top) or "1", space.join(bottom)
    if len(bottom) > 1:
        below = f"({below})"
    slash = " / " if spec == "" else "/"
    return above + (slash + below if bottom else "")


def _factor(symbol: str, exponent: Fraction, spec: str) -> str:
    if spec == "L":
        name = "".join(_LATEX.get(c, c) for c in symbol)
        return rf"\mathrm{{{name}}}" + ("" if exponent == 1 else f"^{{{exponent}}}")
    if exponent == 1:
        return symbol
    if spec == "P":
        return symbol + str(exponent).translate(_SUPERSCRIPTS)
    if exponent.denominator == 1:
        glue = "^" if symbol[-1].isdigit() else ""
        return f"{symbol}{glue}{exponent}"
    short = float(exponent)
    return f"{symbol}^{short}" if Fraction(str(short)) == exponent else f"{symbol}^({exponent})"


def split_spec(spec: str) -> tuple[str, str]:
    """A format of a quantity as that of its numbers and that of its unit."""
    if spec[-1:] in ("P", "L"):
        return spec[:-1], spec[-1]
    return spec, ""


def number_text(value: Any, spec: str) -> str:
    """The numbers of a quantity as text."""
    import numpy as np

    array = np.asarray(value)
    if not spec:
        return str(array)
    if array.ndim == 0:
        return format(array.item(), spec)
    return str(np.array2string(array, formatter={"all": lambda x: format(x, spec)}))
