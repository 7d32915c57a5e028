"""`Sparse` for the conformance kit, `duckarray.core.testing`, which finds it by its entry point."""

import zlib

import numpy as np
from jax.errors import JaxRuntimeError

from duckarray.core import MaterializeError
from duckarray.core.testing import Case, Subject

from ._pattern import from_linear
from ._value import Sparse


def _make(case: Case) -> Sparse:
    batch = 1 if case.variant == "batch" else 0
    shape = case.shape[batch:]
    size = int(np.prod(shape))
    rng = np.random.default_rng(zlib.crc32(repr(case.shape).encode()))
    stored = np.sort(rng.choice(size, (size + 1) // 2, replace=False))
    (data,) = case.arrays((*case.shape[:batch], len(stored)))
    fill = 2 if case.variant == "fill" else 0
    return Sparse(data, from_linear(stored, shape), fill)


def _dense(x: Sparse) -> np.ndarray:
    data = np.asarray(x.data)
    batch = data.shape[:-1]
    fill = np.asarray(x.fill, data.dtype).reshape(*np.shape(x.fill), 1)
    out = np.broadcast_to(fill, (*batch, x.pattern.size)).copy()
    out[..., np.ravel_multi_index(x.pattern.indices, x.pattern.shape)] = data
    return out.reshape(*batch, *x.pattern.shape)


SUBJECT = Subject(
    name="sparse",
    make=_make,
    dense=_dense,
    cases=(Case((4, 4)), Case((4, 4), "int32"), Case((2, 3, 4), variant="batch")),
    refuses=(JaxRuntimeError, MaterializeError),
)
