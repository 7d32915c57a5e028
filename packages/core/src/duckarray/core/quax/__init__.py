"""Quax's names: a program written for Quax runs with `import duckarray.core.quax as quax`.

Values are Equinox modules, made dense by `materialise`; everything else is `duckarray.core`.
"""

from . import _plum as _plum
from ._quaxify import quaxify as quaxify
from ._register import register as register
from ._value import ArrayValue as ArrayValue
from ._value import Value as Value

# Of the Quax whose names these are, for libraries that ask.
__version__ = "0.4.6"
