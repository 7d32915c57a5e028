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


_STRONG = "an unstored zero is a strong zero: 0 * nan, 0 * inf and 0 / 0 are 0"

_KEEPS = """
neg abs sin tanh exp cos expm1 sqrt relu clip astype_* isnan add_scalar mul_scalar div_scalar
rsub_scalar max_scalar gt_scalar rpow_scalar mul_array_scalar add_array_scalar mul_row mul_col
multiply rmultiply div add_same subtract_same multiply_same equal_same where_same where_zero
transpose reshape ravel expand_dims broadcast_to flip roll pad tile repeat triu tril slice
slice_step first concatenate concatenate_same stack_same split
"""
_WITHOUT_DENSE = """
add radd matmul rmatmul einsum sum sum_first max_last min prod any_last argmax mean norm take
index_traced index_pairs trace diagonal dynamic_slice
"""

SUBJECT = Subject(
    name="sparse",
    make=_make,
    dense=_dense,
    cases=(Case((4, 4)),),
    keeps=tuple(_KEEPS.split()),
    without_dense=tuple(_WITHOUT_DENSE.split()),
    # What changes a place that is not stored stops when it runs; the rest is too dense.
    refuses=(JaxRuntimeError, MaterializeError),
    expected_failures={
        "agreement/mul_special/*": _STRONG,
        "agreement/div_special/*": _STRONG,
        "agreement/outer_special/*": _STRONG,
    },
)
