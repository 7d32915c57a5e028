"""`QuantArray` for the conformance kit, `duckarray.core.testing`, found by its entry point."""

from typing import Any

import numpy as np

from duckarray.core.testing import Case, Subject

from ._quantize import quantize
from ._scales import ScaleCodes
from ._value import QuantArray

_VARIANTS: dict[str, dict[str, Any]] = {
    "": {"scheme": "int4", "group_size": 2},
    "transposed": {"scheme": "int4", "group_size": 2, "symmetric": False, "axis": -1},
    "int8": {"scheme": "int8"},
    "double": {"scheme": "nf4", "group_size": 2, "double_quant": True},
}


def _make(case: Case) -> QuantArray:
    (array,) = case.arrays(case.shape)
    return quantize(array, **_VARIANTS[case.variant])


def _dense(x: Any) -> Any:
    """The numbers, by NumPy, in double precision."""
    scheme, layout = x.scheme, x.layout
    codes = np.asarray(x.codes)
    k = codes.ndim - 1 - layout.trail
    if scheme.bits == 4:
        codes = np.moveaxis(codes, k, -1)
        pairs = codes.reshape(*codes.shape[:-1], -1, layout.unit // 2)
        both = np.concatenate([pairs % 16, pairs // 16], -1)
        codes = np.moveaxis(both.reshape(*codes.shape[:-1], -1), -1, k)
    numbers = codes.astype("float64")
    if scheme.name == "nf4":
        numbers = np.asarray(scheme.format.table)[codes]
    elif scheme.bits == 4 and scheme.symmetric:
        numbers -= 8
    scale = _wide(x.scale)
    if numbers.size:
        scale, zero = (
            np.repeat(a, numbers.shape[k] // a.shape[k], k)
            for a in (scale, 0 * scale if x.zero_point is None else _wide(x.zero_point))
        )
        numbers = (numbers - zero) * scale
    permutation = layout.permutation(numbers.ndim)
    return numbers.transpose(permutation)


def _wide(scale: Any) -> Any:
    if not isinstance(scale, ScaleCodes):
        return np.asarray(scale).astype("float64")
    codes = np.asarray(scale.codes).astype("float64")
    lead = codes.shape[: codes.ndim - 1 - scale.trail]
    flat = codes.reshape(*lead, -1)
    blocks = np.arange(flat.shape[-1]) // scale.block
    flat = flat * np.asarray(scale.scale, "float64")[..., blocks]
    return (flat + np.asarray(scale.offset, "float64")).reshape(codes.shape)


SUBJECT = Subject(
    name="quant",
    make=_make,
    dense=_dense,
    cases=(
        Case((4, 4)),
        Case((2, 4, 4)),
        Case((4, 4), variant="transposed"),
        Case((0, 4), variant="int8"),
        Case((4, 4), "bfloat16", variant="int8"),
    ),
    keeps=(
        "neg",
        "transpose",
        "mul_scalar",
        "rmul_scalar",
        "div_scalar",
        "expand_dims",
        "broadcast_to",
        "concatenate_same",
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
    ),
    expected_failures={
        "agreement/dynamic_update/f32-2x4x4": "what is written is quantized",
        "economy/concatenate_same/f32-0x4-int8": "of no entries there is nothing to keep",
        "transforms/around_grad/bf16-4x4-int8": "that of the scales is summed in single precision",
    },
)
