"""Convolutions: the update is a convolution with `r` features and one of size one."""

from typing import Any

from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, register
from duckarray.lora._layout import RANK, Label, Labels, arrange, as_dtype
from duckarray.lora._multi import MultiLora
from duckarray.lora._parts import take_apart
from duckarray.lora._path import drop, gated
from duckarray.lora._value import LoraArray


@register("conv_general_dilated")
def _conv_general_dilated_dense_lora(
    x: ArrayLike, y: LoraArray, *, dimension_numbers: Any, **params: Any
) -> Any:
    """`x ∗ (w + s a b) = x ∗ w + (s x ∗ b) ∗ a`, where `a` has only the features."""
    parts = take_apart(y)
    if parts.of_scale or params["feature_group_count"] != 1 or params["batch_group_count"] != 1:
        return NotImplemented
    dtype = parts.w.dtype
    a, b, scale = (as_dtype(each, dtype) for each in (parts.a, parts.b, parts.scale))
    rows, columns = (tuple(i for i in labels if i != RANK) for labels in (parts.of_a, parts.of_b))
    features_out, features_in = dimension_numbers.rhs_spec[:2]
    # The factor with one of the two feature axes alone is the convolution of size one.
    if rows in ((features_out,), (features_in,)):
        point, of_point, wide, of_wide = a, parts.of_a, b, parts.of_b
    elif columns in ((features_out,), (features_in,)):
        point, of_point, wide, of_wide = b, parts.of_b, a, parts.of_a
    else:
        return NotImplemented
    out = bind(
        lax.conv_general_dilated_p, x, parts.w, dimension_numbers=dimension_numbers, **params
    )
    if y.seed is not None:
        x = drop(x, y)
    wide_first = features_out in of_point
    precision = params["precision"]
    if wide_first:
        kernel = _kernel(wide, of_wide, features_out, y.ndim)
        last = _kernel(point, of_point, features_in, y.ndim)
        params["preferred_element_type"] = dtype
        between = lax.conv_general_dilated_p.bind(
            x, kernel, dimension_numbers=dimension_numbers, **params
        )
        numbers = (
            dimension_numbers.out_spec,
            dimension_numbers.rhs_spec,
            dimension_numbers.out_spec,
        )
        between = _gate(y, lax.mul(between, scale), dimension_numbers.out_spec)
        update = _pointwise(between, last, numbers, precision, out.dtype)
    else:
        kernel = _kernel(point, of_point, features_out, y.ndim)
        last = _kernel(wide, of_wide, features_in, y.ndim)
        numbers = (
            dimension_numbers.lhs_spec,
            dimension_numbers.rhs_spec,
            dimension_numbers.lhs_spec,
        )
        between = lax.mul(_pointwise(x, kernel, numbers, precision, dtype), scale)
        between = _gate(y, between, dimension_numbers.lhs_spec)
        update = lax.conv_general_dilated_p.bind(
            between, last, dimension_numbers=dimension_numbers, **params
        )
    return lax.add(out, as_dtype(update, out.dtype))


def _gate(y: LoraArray, between: Any, spec: Any) -> Any:
    """`between`, whose axes are as `spec` says, times the gate of each example."""
    if not isinstance(y, MultiLora):
        return between
    labels: list[Any] = [("y", i) for i in range(between.ndim)]
    labels[spec[1]] = RANK
    rows = [("y", spec[0]), *(label for label in labels if label != ("y", spec[0]))]
    order = tuple(labels.index(label) for label in rows)
    back = tuple(order.index(i) for i in range(between.ndim))
    out = gated(y, lax.transpose(between, order), tuple(rows), between.shape)
    return lax.transpose(out, back)


def _kernel(factor: Any, labels: Labels, replaced: int, ndim: int) -> Any:
    """A factor as a kernel: the rank takes the place of the feature axis `replaced`."""
    own: tuple[Label, ...] = tuple(replaced if label == RANK else label for label in labels)
    wanted = sorted(own)
    factor = arrange(factor, own, wanted)
    return lax.expand_dims(factor, [i for i in range(ndim) if i not in wanted])


def _pointwise(x: Any, kernel: Any, numbers: Any, precision: Any, dtype: Any) -> Any:
    n = kernel.ndim - 2
    return lax.conv_general_dilated(
        x,
        kernel,
        window_strides=(1,) * n,
        padding=((0, 0),) * n,
        dimension_numbers=lax.ConvDimensionNumbers(*numbers),
        precision=precision,
        preferred_element_type=dtype,
    )
