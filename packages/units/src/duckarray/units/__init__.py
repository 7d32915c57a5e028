"""Arrays with physical units, for unmodified JAX programs. Each unit is an attribute: `u.km`."""

from importlib.metadata import version as _version
from typing import Any as _Any

from . import _rules as _rules
from ._access import is_quantity as is_quantity
from ._access import strip as strip
from ._access import to as to
from ._access import unit_of as unit_of
from ._check import check as check
from ._check import dimension as dimension
from ._check import infer as infer
from ._constant import constant as constant
from ._derivatives import grad as grad
from ._derivatives import hessian as hessian
from ._derivatives import jacfwd as jacfwd
from ._derivatives import jacrev as jacrev
from ._derivatives import jvp as jvp
from ._derivatives import value_and_grad as value_and_grad
from ._derivatives import vjp as vjp
from ._diffrax import diffeqsolve as diffeqsolve
from ._dimension import Dimension as Dimension
from ._errors import AffineUnitError as AffineUnitError
from ._errors import DimensionError as DimensionError
from ._errors import UnitError as UnitError
from ._errors import UnitParseError as UnitParseError
from ._errors import UnitRangeError as UnitRangeError
from ._errors import UnknownExponentError as UnknownExponentError
from ._interop import from_astropy as from_astropy
from ._interop import from_pint as from_pint
from ._interop import from_unyt as from_unyt
from ._interop import to_astropy as to_astropy
from ._interop import to_pint as to_pint
from ._interop import to_unyt as to_unyt
from ._nondimensional import attach as attach
from ._nondimensional import nondimensional as nondimensional
from ._optim import optim as optim
from ._plotting import when_matplotlib_is_there as _when_matplotlib_is_there
from ._registry import define as define
from ._registry import find_unit as _find_unit
from ._registry import suggest as _suggest
from ._registry import unit_names as _unit_names
from ._unit import Unit as Unit
from ._value import Quantity as Quantity

__version__ = _version("duckarray-units")
_when_matplotlib_is_there()


def __getattr__(name: str) -> _Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    unit = _find_unit(name)
    if unit is None:
        close = _suggest(name)
        hint = f". Did you mean {' or '.join(map(repr, close))}?" if close else ""
        raise AttributeError(f"module {__name__!r} has no attribute, and no unit, {name!r}{hint}")
    return unit


def __dir__() -> list[str]:
    return sorted({*globals(), *(n for n in _unit_names() if n.isidentifier() and n != "in")})
