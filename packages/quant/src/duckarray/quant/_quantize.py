"""`quantize`: from an array of numbers to codes."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.core import ArrayValue, materialize

from ._calibrate import (
    CALIBRATIONS,
    codes_of,
    from_range,
    half_quadratic,
    range_of,
    search,
    squared_error,
)
from ._layout import Layout, layout_for, unit_for
from ._scales import double_quantize, float8_scales, plain, power_scales
from ._scheme import Scheme, as_scheme
from ._value import QuantArray, compute_dtype, packed, unchecked

_NOT_FLOATING = """`quantize(x, {name!r})`: x {what}, and only arrays of real floating-point \
numbers, of one axis or more, are quantized.
{advice}"""

_NOT_FINITE = """`quantize(x, {name!r})`: {count} of the {size} entries of x, of shape {shape}, \
are NaN or infinite, the first at {first}.
Replace them: `jnp.nan_to_num(x)`."""

_SCALES = """`quantize(x, {name!r}, scale_dtype={dtype!r})`: the scales are up to {largest:.3g}, \
which as {dtype} is {rounded:.3g}.
Pass `scale_dtype="bfloat16"` or "float32", which reach further, or bring x into range."""

_AXIS = """`quantize(x, {name!r}, axis={axis!r})`: x of shape {shape} has no such axis.
Count it from the front or from the end, as in `axis=-2`."""

_GROUPS = """`quantize(x, {name!r}, group_size={group})`: the axis {axis} of x, of shape {shape}, \
has {length} entries, which do not divide into groups of {group}.
Pass a `group_size` that divides {length}, another `axis`, or None for one scale along all of it."""

_CHANNELS = """`quantize(x, {name!r}, channel_axes={channels!r})` {problem}.
Name axes that have scales of their own, as in `channel_axes=(0,)`; `()` is one scale for all."""

_CALIBRATION = """`quantize(..., calibration={given!r})` is no way to choose scales.
Pass one of {known}."""

_HQQ = """`quantize(x, {name!r}, calibration="hqq")` finds zero points, which the scheme has not.
Quantize to asymmetric integers, `quantize(x, "int4", symmetric=False, calibration="hqq")`, or use \
`calibration="mse"`."""

_PERCENTILE = """`quantize(..., percentile={given!r})` is no percentile of the magnitude.
Pass a number above 0 and at most 100, such as `percentile=99.9`."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that is known of a quantization before the numbers."""

    scheme: Scheme
    layout: Layout
    shape: tuple[int, ...]
    reduced: tuple[int, ...]
    calibration: str
    percentile: float | None


def quantize(
    x: Any,
    scheme: str | Scheme = "int8",
    *,
    group_size: int | None = None,
    axis: int | None = None,
    channel_axes: Sequence[int] | None = None,
    symmetric: bool | None = None,
    calibration: str = "absmax",
    percentile: float = 99.9,
    scale_dtype: Any = None,
    double_quant: bool | None = None,
    activations: Any = None,
    outliers: int | None = None,
    stochastic: jax.Array | None = None,
) -> QuantArray:
    """Quantizes an array: codes of few bits for its entries, and scales.

    Args:
        x: an array of real floating-point numbers, or a value, which is made dense.
        scheme: its name, or a `Scheme`; see there for the names.
        group_size: how many entries along `axis` share a scale. None: all of them, one scale per
            channel; but 64 for nf4 and fp4, and what mxfp4, mxfp8 and nvfp4 prescribe.
        axis: the axis along which scales are shared. Choose the one that products sum over: by
            default the second from the end, as in `activations @ x`; -1 suits `x @ activations`
            and embeddings.
        channel_axes: the axes along which scales are not shared, instead of all but `axis`; `()`
            for one scale for the whole array.
        symmetric: whether there are no zero points. True by default, except for `"hqq"`.
        calibration: how scales are chosen. `"absmax"` and `"minmax"`: nothing is cut off.
            `"percentile"`: what is beyond a percentile is. `"mse"`: by a search for the least
            squared error. `"hqq"`: zero points by half-quadratic splitting.
        percentile: of the magnitudes, for `"percentile"`.
        scale_dtype: the dtype of scales, single precision by default.
        double_quant: whether scales are quantized too, to eight bits in blocks of 256.
        activations: see `Scheme`.
        outliers: see `Scheme`.
        stochastic: a random key, to round up or down by chance, so that the mean is right.

    Raises:
        TypeError: if `x` is not an array of real floating-point numbers.
        ValueError: if `x` has no axis; if it holds NaN or infinity, or scales overflow their dtype
            (both seen outside `jit` alone); if the group size does not divide the axis; if the
            options do not belong together.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.quant import quantize
        >>> w = jax.random.normal(jax.random.key(0), (256, 256))
        >>> qw = quantize(w, "int4", group_size=64)
        >>> qw, qw.nbytes, qw.bits_per_parameter
        (QuantArray(float32[256,256], int4, group_size=64), 36864, 4.5)
    """
    options: dict[str, Any] = {
        "group_size": group_size,
        "symmetric": symmetric,
        "scale_dtype": None if scale_dtype is None else jnp.dtype(scale_dtype).name,
        "double_quant": double_quant,
        "activations": activations,
        "outliers": outliers,
    }
    if calibration == "hqq" and symmetric is None and isinstance(scheme, str):
        options["symmetric"] = False if scheme.startswith("int") else None
    scheme = as_scheme(scheme, **options)
    if scheme.name in ("nf4", "fp4") and scheme.group_size is None and channel_axes is None:
        scheme = dataclasses.replace(scheme, group_size=64)
    x = _checked(x, scheme)
    plan = make_plan(
        tuple(x.shape), x.dtype.name, scheme, axis, channel_axes, calibration, percentile
    )
    codes, scale, zero = run(x, stochastic, plan=plan)
    if scheme.scale_dtype != "float32" and scheme.scale_code is None and not scheme.double_quant:
        _check_scales(x, plan)
    return unchecked(codes, scale, zero, plan.scheme, plan.layout)  # type: ignore[no-any-return]


def dequantize(x: Any) -> jax.Array:
    """The array that a `QuantArray` stands for; arrays are returned as they are.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import dequantize, quantize
        >>> dequantize(quantize(jnp.array([1.27, -0.64]), "int8"))
        Array([ 1.27, -0.64], dtype=float32)
    """
    return materialize(x)  # type: ignore[no-any-return]


def make_plan(
    shape: tuple[int, ...],
    dtype: str,
    scheme: Scheme,
    axis: int | None,
    channel_axes: Sequence[int] | None,
    calibration: str,
    percentile: float,
    trail: int | None = None,
) -> Plan:
    """Checks what can be known of a quantization before the numbers, and says how to do it."""
    ndim = len(shape)
    given: Any = max(-2, -ndim) if axis is None else axis
    if isinstance(given, bool) or not isinstance(given, int) or not -ndim <= given < ndim:
        raise ValueError(_AXIS.format(name=scheme.name, axis=axis, shape=shape))
    k = given % ndim
    group, length = scheme.group_size, shape[k]
    if group is not None and length % group:
        raise ValueError(
            _GROUPS.format(name=scheme.name, group=group, axis=given, shape=shape, length=length)
        )
    if calibration not in CALIBRATIONS:
        known = ", ".join(f'"{x}"' for x in CALIBRATIONS)
        raise ValueError(_CALIBRATION.format(given=calibration, known=known))
    if calibration == "hqq" and scheme.symmetric:
        raise ValueError(_HQQ.format(name=scheme.name))
    if calibration == "percentile" and not 0 < percentile <= 100:
        raise ValueError(_PERCENTILE.format(given=percentile))
    layout = layout_for(ndim, k, max(unit_for(length, group, scheme.bits), 1), dtype, trail)
    return Plan(
        scheme,
        layout,
        shape,
        _reduced(scheme, ndim, k, channel_axes, layout),
        calibration,
        percentile if calibration == "percentile" else None,
    )


def _reduced(scheme: Scheme, ndim: int, k: int, channels: Any, layout: Layout) -> tuple[int, ...]:
    """The canonical axes, from the end, along which scales are shared besides that of groups."""
    if channels is None:
        return ()
    try:
        named = {axis % ndim for axis in channels if -ndim <= axis < ndim}
        problem = "" if len(named) == len(tuple(channels)) else "names an axis that x has not"
    except TypeError:
        named, problem = set(), "is no sequence of axes"
    if not problem and k in named:
        problem = f"names the axis {k}, along which scales are shared (pass another `axis`)"
    if not problem and scheme.group_size is not None:
        problem = f"is for one scale per channel, but the scheme has groups of {scheme.group_size}"
    if problem:
        raise ValueError(_CHANNELS.format(name=scheme.name, channels=channels, problem=problem))
    permutation = layout.permutation(ndim)
    return tuple(permutation[i] - ndim for i in range(ndim) if i != k and i not in named)


def _checked(x: Any, scheme: Scheme) -> jax.Array:
    if isinstance(x, ArrayValue):
        x = materialize(x)
    if not hasattr(x, "dtype") or not hasattr(x, "shape"):
        what, advice = f"is a `{type(x).__name__}`", "Make it one: `jnp.asarray(x, jnp.float32)`."
        raise TypeError(_NOT_FLOATING.format(name=scheme.name, what=what, advice=advice))
    if not jnp.issubdtype(x.dtype, jnp.floating):
        what, advice = f"has dtype {x.dtype}", "Convert it: `x.astype(jnp.float32)`."
        raise TypeError(_NOT_FLOATING.format(name=scheme.name, what=what, advice=advice))
    if not x.shape:
        what, advice = "has no axis", "Leave it as it is: it is four bytes."
        raise ValueError(_NOT_FLOATING.format(name=scheme.name, what=what, advice=advice))
    if not isinstance(x, jax.core.Tracer):
        finite = np.asarray(jnp.isfinite(x))
        if not finite.all():
            first = tuple(int(i) for i in np.argwhere(~finite)[0])
            text = _NOT_FINITE.format(
                name=scheme.name,
                count=int((~finite).sum()),
                size=x.size,
                shape=tuple(x.shape),
                first=first,
            )
            raise ValueError(text)
    return jnp.asarray(x)


def _check_scales(x: Any, plan: Plan) -> None:
    """Refuses scales that overflow, or are nearly nothing, in the dtype that was asked for."""
    if isinstance(x, jax.core.Tracer) or not x.size:
        return
    scheme = dataclasses.replace(plan.scheme, scale_dtype="float32")
    wide = dataclasses.replace(plan, scheme=scheme, calibration="absmax", percentile=None)
    largest = float(jnp.max(jnp.abs(run(x, None, plan=wide)[1])))
    rounded = float(jnp.asarray(largest).astype(plan.scheme.scale_dtype))
    if not abs(rounded - largest) <= largest / 16:
        text = {"dtype": plan.scheme.scale_dtype, "largest": largest, "rounded": rounded}
        raise ValueError(_SCALES.format(name=plan.scheme.name, **text))


@functools.partial(jax.jit, static_argnames="plan")
def run(x: Any, key: Any, plan: Plan) -> tuple[Any, Any, Any]:
    """`quantized_parts`, compiled."""
    return quantized_parts(x, key, plan)


def quantized_parts(x: Any, key: Any, plan: Plan) -> tuple[Any, Any, Any]:
    """Codes, scale and zero point of an array."""
    scheme, layout = plan.scheme, plan.layout
    compute = compute_dtype(layout.dtype)
    ndim, k = x.ndim, layout.k
    order = np.argsort(layout.permutation(ndim))
    w = lax.transpose(x, [int(i) for i in order]).astype(compute)
    axis = ndim + k
    groups = 1 if scheme.group_size is None else w.shape[axis] // scheme.group_size
    size = w.shape[axis] if scheme.group_size is None else scheme.group_size
    shape = w.shape
    w = w.reshape(*shape[:axis], groups, size, *shape[axis + 1 :])
    # Axes from the end, those before the groups one further for the axis of the groups.
    axes = (k, *(i if i > k else i - 1 for i in plan.reduced))
    scale, zero = _choose(w, plan, axes)
    stored_scale = _stored(scale, plan)
    scale = lax.expand_dims(plain(stored_scale, compute), [axis + 1])
    if zero is not None:
        zero = zero.astype(scheme.scale_dtype).astype(compute)
    codes = codes_of(w, scale, zero, scheme.format, key).reshape(shape)
    if zero is not None:
        zero = lax.squeeze(zero, [axis + 1]).astype(scheme.scale_dtype)
    return packed(codes, layout, scheme.bits), stored_scale, zero


def _choose(w: Any, plan: Plan, axes: tuple[int, ...]) -> tuple[Any, Any]:
    scheme = plan.scheme
    fmt, symmetric = scheme.format, scheme.symmetric
    r = range_of(w, axes, plan.percentile)

    def rounded(scale: Any) -> Any:
        if scheme.double_quant or scheme.scale_code is not None:
            return scale  # is not stored in `scale_dtype`
        return scale.astype(scheme.scale_dtype).astype(w.dtype)

    if plan.calibration == "hqq":
        return half_quadratic(w, r, fmt, axes, rounded)
    if plan.calibration == "mse" and scheme.scale_code != "e8m0" and w.size:
        return search(w, r, fmt, symmetric, axes, rounded)
    if scheme.scale_code == "e8m0":
        scale = _power(r.largest, fmt)
        if plan.calibration == "mse" and w.size:
            scale = _better_power(w, scale, fmt, axes)
        return scale, None
    scale, zero = from_range(r, fmt, symmetric)
    return rounded(scale), zero


def _power(largest: Any, fmt: Any) -> Any:
    """The power of two that the standard for microscaling prescribes, 1 for groups of zeros."""
    _, exponent = jnp.frexp(largest)
    power = jnp.ldexp(jnp.ones_like(largest), exponent - 1 - int(np.log2(fmt.largest)))
    return jnp.where(largest == 0, 1.0, jnp.maximum(power, 2.0**-126)).astype(largest.dtype)


def _better_power(w: Any, scale: Any, fmt: Any, axes: tuple[int, ...]) -> Any:
    best, error = scale, squared_error(w, scale, None, fmt, axes)
    for factor in (0.5, 2.0):
        other = squared_error(w, scale * factor, None, fmt, axes)
        best = jnp.where(other < error, scale * factor, best)
        error = jnp.minimum(other, error)
    return best


def _stored(scale: Any, plan: Plan) -> Any:
    """Scales `[*lead, groups, 1, *trail]` as they are stored, `[*lead, groups, *trail]`."""
    scheme, trail = plan.scheme, plan.layout.trail
    scale = lax.squeeze(scale, [scale.ndim + plan.layout.k])
    if scheme.scale_code == "e8m0":
        _, exponent = jnp.frexp(scale)
        return power_scales(exponent - 1, trail)
    if scheme.scale_code == "e4m3":
        axes = tuple(range(-trail - 1, 0))
        whole = jnp.max(scale, axes, keepdims=True, initial=0) / 448
        return float8_scales(scale, whole.astype(jnp.float32), trail)
    if scheme.double_quant:
        return double_quantize(scale, trail)
    return scale.astype(scheme.scale_dtype)
