"""Sparse arrays that keep their sparsity in unmodified JAX programs."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._construct import block_array as block_array
from ._construct import diags as diags
from ._construct import eye as eye
from ._construct import from_dense as from_dense
from ._construct import hstack as hstack
from ._construct import kron as kron
from ._construct import random as random
from ._construct import vstack as vstack
from ._dynamic import DynamicPattern as DynamicPattern
from ._exchange import from_bcoo as from_bcoo
from ._exchange import from_scipy as from_scipy
from ._exchange import load_npz as load_npz
from ._exchange import mmread as mmread
from ._exchange import mmwrite as mmwrite
from ._exchange import save_npz as save_npz
from ._pattern import Pattern as Pattern
from ._plans import PlanStatistics as PlanStatistics
from ._plans import plan_memory as plan_memory
from ._plans import plan_statistics as plan_statistics
from ._solve import Factor as Factor
from ._solve import as_linear_operator as as_linear_operator
from ._solve import factor as factor
from ._solve import solve as solve
from ._value import Sparse as Sparse

__version__ = _version("duckarray-sparse")
