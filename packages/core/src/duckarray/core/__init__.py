"""`quaxify`: any JAX program, run on objects that stand for arrays."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import Any as _Any

from . import _operators as _operators
from . import _rules as _rules
from . import extend as extend
from . import families as families
from . import tree as tree
from ._annotations import except_for as except_for
from ._bind import bind as bind
from ._checking import checking_rules as checking_rules
from ._constants import known_constant as known_constant
from ._errors import AmbiguousRuleError as AmbiguousRuleError
from ._errors import BranchTypeError as BranchTypeError
from ._errors import CarryTypeError as CarryTypeError
from ._errors import MaterializeError as MaterializeError
from ._errors import MaterializeWarning as MaterializeWarning
from ._errors import NoRuleError as NoRuleError
from ._errors import RuleOutputError as RuleOutputError
from ._explain import explain as explain
from ._fields import field as field
from ._functions import register_function as register_function
from ._materialize import materialization as materialization
from ._materialize import materialize as materialize
from ._quaxify import quaxify as quaxify
from ._registry import register as register
from ._report import Operation as Operation
from ._report import Report as Report
from ._trace import value_of as value_of
from ._value import ArrayValue as ArrayValue
from ._value import Value as Value

__version__ = _version("duckarray-core")

_NAMESPACES = ("fft", "lax", "linalg", "nn", "numpy", "random", "scipy")


def __getattr__(name: str) -> _Any:
    if name in _NAMESPACES:  # only then, since all of `jax.scipy` takes long to import
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMESPACES})
