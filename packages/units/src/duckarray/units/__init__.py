"""Arrays with physical units."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._value import Quantity as Quantity

__version__ = _version("duckarray-units")
