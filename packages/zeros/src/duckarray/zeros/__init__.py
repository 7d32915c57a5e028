"""Arrays of zeros that hold no memory."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._value import Zeros as Zeros
from ._value import is_zero as is_zero
from ._value import zeros_like as zeros_like

__version__ = _version("duckarray-zeros")
