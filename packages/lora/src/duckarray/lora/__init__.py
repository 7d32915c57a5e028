"""Low-rank adaptation of any JAX model: a weight and its trainable update as one array type."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._adapters import select as select
from ._adapters import stack as stack
from ._adapters import with_dropout as with_dropout
from ._config import LoraConfig as LoraConfig
from ._count import ParameterCount as ParameterCount
from ._count import print_trainable_parameters as print_trainable_parameters
from ._count import trainable_parameters as trainable_parameters
from ._files import AdapterError as AdapterError
from ._files import load_pretrained as load_pretrained
from ._files import save_pretrained as save_pretrained
from ._merge import merge as merge
from ._merge import merge_and_unload as merge_and_unload
from ._merge import unload as unload
from ._merge import unmerge as unmerge
from ._multi import MultiLora as MultiLora
from ._optimizer import loraplus as loraplus
from ._optimizer import trainable_labels as trainable_labels
from ._optimizer import trainable_mask as trainable_mask
from ._select import TargetError as TargetError
from ._trainable import Trainable as Trainable
from ._transform import loraify as loraify
from ._transform import partition as partition
from ._value import LoraArray as LoraArray

__version__ = _version("duckarray-lora")
