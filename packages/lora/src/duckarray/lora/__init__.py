"""Low-rank adaptation of any JAX model: a weight and its trainable update as one array type."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._config import LoraConfig as LoraConfig
from ._count import ParameterCount as ParameterCount
from ._count import print_trainable_parameters as print_trainable_parameters
from ._count import trainable_parameters as trainable_parameters
from ._select import TargetError as TargetError
from ._transform import loraify as loraify
from ._transform import merge as merge
from ._transform import partition as partition
from ._value import LoraArray as LoraArray

__version__ = _version("duckarray-lora")
