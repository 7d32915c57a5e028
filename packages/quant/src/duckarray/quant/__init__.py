"""Quantized arrays: weights of 2 to 8 bits that any JAX program can use."""

from importlib.metadata import version as _version

from ._quantize import dequantize as dequantize
from ._quantize import quantize as quantize
from ._scheme import Scheme as Scheme
from ._value import QuantArray as QuantArray

__version__ = _version("duckarray-quant")
