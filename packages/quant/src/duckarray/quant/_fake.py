"""`fake_quant`: rounding as quantization does, with gradients that pass through it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._format import Format
from ._quantize import make_plan, run
from ._scheme import Scheme, as_scheme
from ._value import unchecked

_STEP = """`fake_quant(x, {name!r}, step=...)` learns the steps of symmetric integers, and {name} \
are none.
Use `"int8"`, `"int4"`, `"int3"` or `"int2"`."""


def fake_quant(
    x: Any,
    scheme: str | Scheme = "int8",
    *,
    step: Any = None,
    group_size: int | None = None,
    axis: int | None = None,
    channel_axes: Any = None,
    symmetric: bool | None = None,
    calibration: str = "absmax",
    stochastic: jax.Array | None = None,
) -> Any:
    """What `x` is after quantization, for training with it: the gradient passes straight through.

    Args:
        x: an array of floating-point numbers.
        scheme: see `quantize`.
        step: the step between neighbouring integers, to be learned: a number or an array that
            broadcasts with `x`. The gradient with respect to it is that of LSQ, and with respect
            to `x` it is zero where `x` is out of range.
        group_size: see `quantize`.
        axis: see `quantize`.
        channel_axes: see `quantize`.
        symmetric: see `quantize`.
        calibration: see `quantize`.
        stochastic: a random key, to round up or down by chance.

    Raises:
        ValueError: as `quantize`; if `step` is given for other than symmetric integers.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.quant import fake_quant
        >>> x = jnp.array([0.1, 0.3, -1.0])
        >>> fake_quant(x, "int2")
        Array([ 0. ,  0.5, -1. ], dtype=float32)
        >>> jax.grad(lambda x: jnp.sum(fake_quant(x, "int2") ** 2))(x)
        Array([ 0.,  1., -2.], dtype=float32)

    References:
        Bengio, Leonard and Courville, "Estimating or Propagating Gradients Through Stochastic
        Neurons", 2013. Esser et al., "Learned Step Size Quantization", 2020, section 2.1.
    """
    options = {"group_size": group_size, "symmetric": symmetric}
    scheme = as_scheme(scheme, **options)
    x = jnp.asarray(x)
    if step is not None:
        if scheme.format.kind != "signed":
            raise ValueError(_STEP.format(name=scheme.name))
        return _learned(x, jnp.asarray(step, x.dtype), scheme.format)
    plan = make_plan(tuple(x.shape), x.dtype.name, scheme, axis, channel_axes, calibration, 99.9)
    codes, scale, zero_point = run(lax.stop_gradient(x), stochastic, plan=plan)
    rounded = unchecked(codes, scale, zero_point, plan.scheme, plan.layout).materialize()
    return x + lax.stop_gradient(rounded - x)


def _learned(x: Any, step: Any, fmt: Format) -> Any:
    low, high = (-127 if fmt.bits == 8 else -fmt.bias), fmt.bias - 1
    per_step = max(x.size // max(step.size, 1), 1)
    factor = 1 / np.sqrt(per_step * high)
    # Its gradient is scaled, the number is not.
    step = step * factor + lax.stop_gradient(step - step * factor)
    scaled = jnp.clip(x / step, low, high)
    rounded = scaled + lax.stop_gradient(jnp.round(scaled) - scaled)
    return rounded * step
