"""Matrices with structure, as arrays: banded, Toeplitz, Kronecker, low-rank and more."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._bands import Banded as Banded
from ._bands import Diagonal as Diagonal
from ._bands import Identity as Identity
from ._bands import Tridiagonal as Tridiagonal
from ._base import Structured as Structured
from ._check import check as check
from ._detect import detect as detect
from ._jacobian import jacobian as jacobian
from ._lineax import from_lineax as from_lineax
from ._lineax import structured_solver as structured_solver
from ._lineax import to_lineax as to_lineax
from ._lowrank import DiagonalPlusLowRank as DiagonalPlusLowRank
from ._lowrank import LowRank as LowRank
from ._permutation import Permutation as Permutation
from ._product import BlockDiagonal as BlockDiagonal
from ._product import Kronecker as Kronecker
from ._stored import Symmetric as Symmetric
from ._stored import Triangular as Triangular
from ._toeplitz import Circulant as Circulant
from ._toeplitz import Toeplitz as Toeplitz
from ._toeplitz_solve import toeplitz_solve as toeplitz_solve

__version__ = _version("duckarray-structured")
