"""Matrices with structure: banded, Toeplitz, Kronecker, low-rank and more, as arrays."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._value import Tridiagonal as Tridiagonal

__version__ = _version("duckarray-structured")
