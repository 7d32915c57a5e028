"""`Zeros` for the conformance kit, `duckarray.core.testing`, which finds it by its entry point."""

import numpy as np

from duckarray.core.testing import Case, Subject

from ._value import Zeros

_STRONG = "a strong zero: 0 * nan and 0 / nan are 0"

SUBJECT = Subject(
    name="zeros",
    make=lambda case: Zeros(case.shape, case.dtype, weak_type=case.weak_type),
    dense=lambda x: np.zeros(x.empty.shape[:-1], x.empty.dtype),
    cases=(
        Case((4, 4)),
        Case((2, 3, 4)),
        Case(()),
        Case((0, 4)),
        Case((4, 4), "int32"),
        Case((4, 4), "bfloat16"),
        Case((4, 4), "bool"),
        Case((4, 4), "complex64"),
        Case((4, 4), weak_type=True),
    ),
    keeps=(
        "neg",
        "abs",
        "sqrt",
        "sin",
        "tanh",
        "astype_*",
        "mul_scalar",
        "div_scalar",
        "multiply",
        "rmultiply",
        "div",
        "add_same",
        "transpose",
        "reshape",
        "ravel",
        "expand_dims",
        "flip",
        "broadcast_to",
        "slice",
        "first",
        "sum",
        "sum_first",
        "mean",
        "cumsum",
        "concatenate_same",
        "where_same",
        "take_clip",
        "index_traced",
        "matmul",
        "rmatmul",
        "einsum",
        "outer",
    ),
    without_dense=("add", "radd", "subtract", "rsubtract"),
    expected_failures={
        # All but that of no entries; for most cases these calls are made only if `thorough`.
        **{
            f"agreement/{call}_special/{case}": _STRONG
            for call in ("mul", "div", "outer")
            for case in ("*[!0]x4", "*-scalar")
        },
        "agreement/average/f32-0x4": _STRONG,
        "agreement/argmax*/c64-4x4": "JAX refuses complex numbers only when it compiles",
        "agreement/argmin/c64-4x4": "JAX refuses complex numbers only when it compiles",
        "economy/mean/f32-0x4": "the mean of no entries is not zero",
        "economy/div/i32-4x4": "an integer 0 / 0 is -1, so the quotient is not known",
    },
)
