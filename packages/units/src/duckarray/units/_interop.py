"""To and from the quantities of astropy, pint and unyt, none of which is needed otherwise."""

import importlib
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import jax.numpy as jnp
import numpy as np

from duckarray.core import materialize

from ._errors import UnitError, UnitParseError
from ._unit import BASE_SYMBOLS, Terms, Unit, reference
from ._value import Quantity

_MISSING = """`{function}` needs {package}, which is not installed.
Install it: `pip install "duckarray-units[{package}]"`."""

_NO_COUNTERPART = """`{function}`: {package} has no unit for {unit} ({dimension}).
Convert first: `x.to("{base}")`."""

_AFFINE = {"degC": "deg_C", "degF": "deg_F"}
_TEMPERATURES = (*_AFFINE, "delta_degC", "delta_degF")
_NUMBER = "dimensionless"


def from_astropy(x: Any) -> Quantity:
    """A quantity of astropy's as one of ours, in the same unit.

    Args:
        x: an `astropy.units.Quantity`.

    Raises:
        ImportError: if astropy is not installed.

    Example:
        >>> import astropy.units  # doctest: +SKIP
        >>> u.from_astropy([1.0, 2.0] * astropy.units.km)  # doctest: +SKIP
        Quantity(f32[2], 'km')
    """
    units = _package("astropy.units", "from_astropy")
    for ours, theirs in _AFFINE.items():
        if x.unit.to_string() == theirs:
            return Quantity(jnp.asarray(x.value), ours)
    bases = [getattr(units, symbol) for symbol in BASE_SYMBOLS]
    whole = x.unit.decompose(bases=bases)
    base = " ".join(f"{b}^({p})" for b, p in zip(whole.bases, whole.powers, strict=True))
    return Quantity(jnp.asarray(x.value), _unit(x.unit.to_string(), whole.scale, base))


def to_astropy(x: Quantity) -> Any:
    """A quantity as one of astropy's, in the same unit if astropy has it, else in SI units.

    Args:
        x: the quantity.

    Raises:
        ImportError: if astropy is not installed.
        UnitError: of a difference of temperatures in degrees, or a level.

    Example:
        >>> u.to_astropy(u.Quantity([1.0, 2.0], "km"))  # doctest: +SKIP
        <Quantity [1., 2.] km>
    """
    units = _package("astropy.units", "to_astropy")
    if str(x.unit) in _AFFINE:
        importlib.import_module("astropy.units.imperial").enable()
        return units.Quantity(_numbers(x), _AFFINE[str(x.unit)])
    _require_linear(x.unit, "astropy")

    def factor(text: str) -> float:
        base = _spelled(_bases(x.unit))
        return float(units.Unit(text).to(units.Unit("" if base == _NUMBER else base)))

    def make(numbers: Any, text: str) -> Any:
        return units.Quantity(numbers, units.Unit("" if text == _NUMBER else text))

    return _theirs(x, factor, make)


def from_pint(x: Any) -> Quantity:
    """A quantity of pint's as one of ours, in the same unit.

    Args:
        x: a `pint.Quantity`.

    Raises:
        ImportError: if pint is not installed.

    Example:
        >>> u.from_pint(pint.UnitRegistry().Quantity(2.0, "km"))  # doctest: +SKIP
        Quantity(f32[], 'km')
    """
    _package("pint", "from_pint")
    text = _degrees(f"{x.units:~}")
    if text in _TEMPERATURES:
        return Quantity(jnp.asarray(x.magnitude), text)
    whole = (1.0 * x.units).to_base_units()
    return Quantity(
        jnp.asarray(x.magnitude), _unit(text, float(whole.magnitude), f"{whole.units:~}")
    )


def to_pint(x: Quantity, registry: Any = None) -> Any:
    """A quantity as one of pint's, in the same unit if pint has it, else in SI units.

    Args:
        x: the quantity.
        registry: a `pint.UnitRegistry`; that of the application if left out.

    Raises:
        ImportError: if pint is not installed.
        UnitError: of a level.

    Example:
        >>> u.to_pint(u.Quantity(2.0, "km"))  # doctest: +SKIP
        Quantity(array(2., dtype=float32), "kilometer")
    """
    pint = _package("pint", "to_pint")
    registry = registry or pint.get_application_registry()
    if str(x.unit) in _TEMPERATURES:
        return registry.Quantity(_numbers(x), str(x.unit))
    _require_linear(x.unit, "pint")

    def factor(text: str) -> float:
        return float(registry.Quantity(1.0, text).to(_spelled(_bases(x.unit))).magnitude)

    return _theirs(x, factor, registry.Quantity)


def from_unyt(x: Any) -> Quantity:
    """A quantity of unyt's as one of ours, in the same unit.

    Args:
        x: a `unyt.unyt_array` or `unyt_quantity`.

    Raises:
        ImportError: if unyt is not installed.

    Example:
        >>> u.from_unyt(2.0 * unyt.km)  # doctest: +SKIP
        Quantity(f32[], 'km')
    """
    _package("unyt", "from_unyt")
    text = _degrees(_without_roots(str(x.units)))
    if text in _TEMPERATURES or re.search(r"\bmol\b", text):  # for unyt a mole is a number
        return Quantity(jnp.asarray(x.value), text)
    whole = (1.0 * x.units).in_mks()
    base = _without_roots(str(whole.units))
    return Quantity(jnp.asarray(x.value), _unit(text, float(whole.value), base))


def to_unyt(x: Quantity) -> Any:
    """A quantity as one of unyt's, in the same unit if unyt has it, else in SI units.

    Args:
        x: the quantity.

    Raises:
        ImportError: if unyt is not installed.
        UnitError: of a level.

    Example:
        >>> print(u.to_unyt(u.Quantity([1.0, 2.0], "km")))  # doctest: +SKIP
        [1. 2.] km
    """
    unyt = _package("unyt", "to_unyt")
    if str(x.unit) in _TEMPERATURES:
        return unyt.unyt_array(_numbers(x), str(x.unit))
    _require_linear(x.unit, "unyt")

    def factor(text: str) -> float:
        return float(unyt.unyt_quantity(1.0, text).to(_spelled(_bases(x.unit))).value)

    return _theirs(x, factor, unyt.unyt_array)


def _package(name: str, function: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        text = _MISSING.format(function=function, package=package)
        raise ImportError(text) from error


def _unit(text: str, factor: float, base: str) -> Unit:
    """The unit of that name if it is as large with us, else so many SI units."""
    si = Unit(base.replace("**", "^"))
    try:
        unit = Unit(text)
    except UnitParseError:
        unit = None
    if unit is not None and unit.dimension is si.dimension:
        size = float(unit.scale) / float(si.scale)
        if math.isclose(size, factor, rel_tol=1e-12):
            return unit
    return Unit(f"{Fraction(repr(factor))} {si}")


def _theirs(x: Quantity, factor: Callable[[str], float], make: Callable[[Any, str], Any]) -> Any:
    """In the same unit if it is as large there, else in SI units."""
    text = _spelled(x.unit.terms)
    try:
        size = factor(text)
    except Exception:  # each package has exceptions of its own for names it does not know
        size = math.nan
    if math.isclose(size, float(x.unit.scale), rel_tol=1e-9):
        return make(_numbers(x), text)
    return make(_numbers(x.to(reference(x.unit))), _spelled(_bases(x.unit)))


def _bases(unit: Unit) -> Terms:
    return reference(unit).terms


def _spelled(terms: Terms) -> str:
    factors = [s if e == 1 else f"{s}**({e})" for s, e in terms]
    return " * ".join(factors) or _NUMBER


def _degrees(text: str) -> str:
    return text.replace("Δ°", "delta_deg").replace("°", "deg")


def _without_roots(text: str) -> str:
    return re.sub(r"sqrt\(([^()]*)\)", r"(\1)**(1/2)", text)


def _numbers(x: Quantity) -> Any:
    return np.asarray(materialize(x.value))


def _require_linear(unit: Unit, package: str) -> None:
    if unit.kind != "linear":
        text = _NO_COUNTERPART.format(
            function=f"to_{package}",
            package=package,
            unit=unit,
            dimension=unit.dimension,
            base=reference(unit),
        )
        raise UnitError(text)
