"""Quantized arrays: weights of 2 to 8 bits that any JAX program can use."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._cache import KVCache as KVCache
from ._cache import zeros as zeros
from ._errors import FileFormatError as FileFormatError
from ._fake import fake_quant as fake_quant
from ._gguf import load_gguf as load_gguf
from ._imports import load_awq as load_awq
from ._imports import load_bnb as load_bnb
from ._imports import load_gptq as load_gptq
from ._quantize import dequantize as dequantize
from ._quantize import quantize as quantize
from ._reordered import Reordered as Reordered
from ._report import QuantReport as QuantReport
from ._report import WeightReport as WeightReport
from ._report import report as report
from ._rewrite import hadamard as hadamard
from ._rewrite import smooth as smooth
from ._safetensors import load_safetensors as load_safetensors
from ._safetensors import save_safetensors as save_safetensors
from ._scheme import Scheme as Scheme
from ._tree import Rule as Rule
from ._tree import UnusedRuleError as UnusedRuleError
from ._tree import quantize_tree as quantize_tree
from ._value import QuantArray as QuantArray

__version__ = _version("duckarray-quant")
