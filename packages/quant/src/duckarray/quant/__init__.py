"""Quantized arrays: weights of 2 to 8 bits that any JAX program can use."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._errors import FileFormatError as FileFormatError
from ._gguf import load_gguf as load_gguf
from ._quantize import dequantize as dequantize
from ._quantize import quantize as quantize
from ._scheme import Scheme as Scheme
from ._tree import Rule as Rule
from ._tree import UnusedRuleError as UnusedRuleError
from ._tree import quantize_tree as quantize_tree
from ._value import QuantArray as QuantArray

__version__ = _version("duckarray-quant")
