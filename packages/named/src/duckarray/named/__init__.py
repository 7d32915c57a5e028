"""Arrays whose axes have names, for unmodified JAX programs."""

from importlib.metadata import version as _version

from . import _rules as _rules
from ._along import argmax as argmax
from ._along import argmin as argmin
from ._along import argsort as argsort
from ._along import cumprod as cumprod
from ._along import cumsum as cumsum
from ._along import flip as flip
from ._along import log_softmax as log_softmax
from ._along import softmax as softmax
from ._along import sort as sort
from ._axes import concat as concat
from ._axes import flatten as flatten
from ._axes import rename as rename
from ._axes import split as split
from ._axes import stack as stack
from ._axes import unflatten as unflatten
from ._check import check as check
from ._contract import dot as dot
from ._contract import einsum as einsum
from ._contract import outer as outer
from ._contract import sizes as sizes
from ._indexing import take as take
from ._indexing import take_along as take_along
from ._names import Axis as Axis
from ._names import AxisNameError as AxisNameError
from ._reductions import all as all  # noqa: A004
from ._reductions import any as any  # noqa: A004
from ._reductions import logsumexp as logsumexp
from ._reductions import max as max  # noqa: A004
from ._reductions import mean as mean
from ._reductions import min as min  # noqa: A004
from ._reductions import prod as prod
from ._reductions import std as std
from ._reductions import sum as sum  # noqa: A004
from ._reductions import var as var
from ._sharding import pspec as pspec
from ._sharding import shard as shard
from ._transforms import grad as grad
from ._transforms import map as map  # noqa: A004
from ._transforms import scan as scan
from ._transforms import value_and_grad as value_and_grad
from ._transforms import vmap as vmap
from ._value import NamedArray as NamedArray
from ._value import dims as dims
from ._value import wrap as wrap
from ._where import where as where
from ._xarray import from_xarray as from_xarray
from ._xarray import to_xarray as to_xarray

__version__ = _version("duckarray-named")
