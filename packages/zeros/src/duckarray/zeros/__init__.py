"""Arrays of one number that hold no memory: zeros, ones, any other."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._derivatives import grad as grad
from ._derivatives import jvp as jvp
from ._derivatives import vjp as vjp
from ._make import full_like as full_like
from ._make import is_zero as is_zero
from ._make import ones_like as ones_like
from ._make import zeros_like as zeros_like
from ._semantics import semantics as semantics
from ._value import Full as Full
from ._value import Ones as Ones
from ._value import Zeros as Zeros

__version__ = _version("duckarray-zeros")
