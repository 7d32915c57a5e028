"""`NamedArray` for the conformance kit, which finds it by its entry point."""

import numpy as np

from duckarray.core.testing import Case, Subject

from ._names import AxisNameError
from ._value import NamedArray

_NAMES = ("batch", "seq", "d")


def _make(case: Case) -> NamedArray:
    (array,) = case.arrays(case.shape)
    return NamedArray(array, _NAMES[: len(case.shape)])


SUBJECT = Subject(
    name="named",
    make=_make,
    dense=lambda x: np.asarray(x.array),
    cases=(Case((4, 4)), Case((2, 3, 4), "int32")),
    refuses=(AxisNameError,),  # names that clash, as in the sum of a matrix and its transpose
    keeps=(
        "neg",
        "sin",
        "mul_scalar",
        "add",
        "radd",
        "multiply_same",
        "matmul",
        "transpose",
        "flip",
        "softmax",
        "cumsum",
        "sort",
        "where",
        "concatenate_same",
        "stack_same",
    ),
)
