"""`Quantity` for the conformance kit, which finds it by its entry point."""

import numpy as np

from duckarray.core import BranchTypeError
from duckarray.core.testing import Case, Subject

from ._errors import UnitError, UnitRangeError
from ._unit import Unit
from ._value import Quantity

# Core's own: where branches of `cond` would have to be made dense.
_REFUSED = (UnitError, UnitRangeError, BranchTypeError)


def _make(case: Case) -> Quantity:
    (array,) = case.arrays(case.shape)
    return Quantity(array, Unit("m"))


SUBJECT = Subject(
    name="units",
    make=_make,
    # The numbers: whatever the unit, they are those of the same program on plain arrays.
    dense=lambda x: np.asarray(x.value),
    cases=(Case((4, 4)),),
    refuses=_REFUSED,
    expected_failures={"contract/aval/*": "a length has no dense form to compare with"},
    keeps=(
        "neg",
        "abs",
        "sqrt",
        "mul_scalar",
        "rmul_scalar",
        "div_scalar",
        "multiply",
        "rmultiply",
        "div",
        "add_same",
        "multiply_same",
        "transpose",
        "reshape",
        "ravel",
        "flip",
        "broadcast_to",
        "slice",
        "first",
        "sum",
        "sum_last",
        "mean",
        "max",
        "cumsum",
        "concatenate_same",
        "where_same",
        "take_clip",
        "index_traced",
        "matmul",
        "rmatmul",
        "einsum",
    ),
)
"""A length: what a plain number has and a length has not is refused."""

NUMBERS = Subject(
    name="units-numbers",
    make=lambda case: Quantity(case.arrays(case.shape)[0], Unit("1")),
    dense=lambda x: np.asarray(x.value),
    cases=(Case((3, 4)),),
    keeps=("neg", "mul_scalar", "add", "matmul", "reshape", "sum"),
)
"""A quantity without a dimension, which does whatever an array does."""
