"""`LoraArray` for the conformance kit, `duckarray.core.testing`, found by its entry point."""

from typing import Any

import numpy as np

from duckarray.core.testing import Case, Subject

from ._value import LoraArray

_LAYOUTS = {
    "": ((-2,), (-1,)),
    "swapped": ((-1,), (-2,)),
    "heads": ((-3,), (-2, -1)),
}
_RANK = 2

_TWO_AXES = "the other operand has an axis of either factor, so it scales neither"


def _make(case: Case) -> LoraArray:
    rows, columns = _LAYOUTS[case.variant]
    shape, ndim = case.shape, len(case.shape)
    batch = tuple(n for i, n in enumerate(shape) if i - ndim not in (*rows, *columns))
    of_a = tuple(n for i, n in enumerate(shape) if i - ndim in rows)
    of_b = tuple(n for i, n in enumerate(shape) if i - ndim in columns)
    w, a, b, scale = case.arrays(shape, (*batch, *of_a, _RANK), (*batch, _RANK, *of_b), batch)
    return LoraArray(w, a, b, scale, rows=rows, columns=columns)


def _dense(x: Any) -> Any:
    """`w + scale * a @ b`, by NumPy's `einsum`, in double precision."""
    w, a, b, scale = (_wide(part) for part in (x.w, x.a, x.b, x.scale))
    letters = "ABCDEFGH"[: w.ndim]
    rows = "".join(c for i, c in enumerate(letters) if i - w.ndim in x.rows)
    columns = "".join(c for i, c in enumerate(letters) if i - w.ndim in x.columns)
    batch = "".join(c for c in letters if c not in rows + columns)
    return w + np.einsum(f"{batch},{batch}{rows}r,{batch}r{columns}->{letters}", scale, a, b)


def _wide(x: Any) -> Any:
    x = np.asarray(x)
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


SUBJECT = Subject(
    name="lora",
    make=_make,
    dense=_dense,
    cases=(
        Case((4, 4)),
        Case((3, 4)),
        Case((2, 4, 4)),
        Case((0, 4)),
        Case((4, 3), variant="swapped"),
        Case((2, 3, 4), variant="heads"),
        Case((4, 4), "bfloat16"),
        Case((4, 4), "complex64"),
    ),
    keeps=(
        "neg",
        "transpose",
        "mul_scalar",
        "rmul_scalar",
        "div_scalar",
        "add",
        "radd",
        "subtract",
        "rsubtract",
        "mul_row",
        "rmul_row",
        "mul_col",
        "div_col",
        "lax_add",
        "add_same",
        "subtract_same",
        "expand_dims",
        "broadcast_to",
        "flip",
        "concatenate",
        "concatenate_same",
        "stack",
        "stop_gradient",
        "astype_half",
    ),
    without_dense=(
        "matmul",
        "rmatmul",
        "matvec",
        "rmatvec",
        "dot",
        "rdot",
        "einsum",
        "matmul_same",
    ),
    expected_failures={
        "economy/mul_col/f32-2x3x4-heads": _TWO_AXES,
        "economy/div_col/f32-2x3x4-heads": _TWO_AXES,
        "economy/astype_half/c64-4x4": "the real part of a product is not that of its factors",
    },
)
