"""`Zeros` for the conformance kit, `duckarray.core.testing`, which finds it by its entry point."""

import numpy as np

from duckarray.core.testing import DEFAULT_CASES, Case, Subject

from ._value import Zeros

SUBJECT = Subject(
    name="zeros",
    make=lambda case: Zeros(case.shape, case.dtype, weak_type=case.weak_type),
    dense=lambda x: np.zeros(x.empty.shape[:-1], x.empty.dtype),
    cases=(
        *DEFAULT_CASES,
        Case((4, 4), "bool"),
        Case((4, 4), "complex64"),
        Case((4, 4), weak_type=True),
    ),
)
