"""`Tridiagonal` for the conformance kit, which finds it by its entry point."""

import jax.numpy as jnp
import numpy as np

from duckarray.core.testing import Case, Subject

from ._value import Tridiagonal


def _make(case: Case) -> Tridiagonal:
    (array,) = case.arrays(case.shape)
    # A power of two: whether it is multiplied first or last, the same is lost to rounding.
    return Tridiagonal(array, jnp.asarray(-4, case.dtype))


SUBJECT = Subject(
    name="structured",
    make=_make,
    # By NumPy, not by `materialize`, which is under test too.
    dense=lambda x: np.asarray(x.factor) * np.asarray(x.array),
    cases=(
        Case((4, 4)),
        Case((2, 3, 4)),
        Case((4, 4), "int32"),
    ),
    # The names of calls in the kit's table: these give a value of this type and never multiply.
    keeps=(
        "neg",
        "mul_scalar",
        "rmul_scalar",
        "multiply",
        "rmultiply",
        "multiply_same",
        "matmul",
        "rmatmul",
        "reshape",
        "transpose",
        "flip",
        "sum",
        "sum_last",
    ),
)
