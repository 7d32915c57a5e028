"""${summary}"""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._value import ${cls} as ${cls}

__version__ = _version("${distribution}")
