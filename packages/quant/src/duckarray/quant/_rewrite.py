"""Exact rewrites that make arrays easier to quantize: SmoothQuant and Hadamard rotations."""

import math
from typing import Any

import jax
import jax.numpy as jnp

_HADAMARD = """`hadamard(x, axis={axis})`: the axis has {n} entries, and only powers of two have \
such a rotation.
Pad it with zeros to {padded}."""

_SMOOTH = """`smooth(w, activations, ...)`: w of shape {w} has {n} entries along its axis {axis}, \
but there are {given} activations.
Pass the greatest magnitude of each entry along the axis: `jnp.max(jnp.abs(x), 0)`."""


def smooth(
    w: jax.Array, activations: jax.Array, *, alpha: float = 0.5, axis: int = -2
) -> tuple[jax.Array, jax.Array]:
    """Moves outliers from activations into the weight that they are multiplied with.

    `x @ w` is `(x / factors) @ w2`; fold `1 / factors` into what makes `x`, a normalisation say.

    Args:
        w: the weight.
        activations: the greatest magnitudes of `x`, `[n]`, as found on some examples.
        alpha: how far: with 0 nothing is moved out of the weight, with 1 `x` becomes even.
        axis: the axis of `w`, of size `n`, that is summed over.

    Returns:
        `w2` and the factors, `[n]`.

    Raises:
        ValueError: if the sizes differ.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import smooth
        >>> x, w = jnp.array([[100.0, 1.0]]), jnp.array([[1.0], [2.0]])
        >>> w2, factors = smooth(w, jnp.max(jnp.abs(x), 0))
        >>> x @ w, (x / factors[None]) @ w2
        (Array([[102.]], dtype=float32), Array([[102.]], dtype=float32))

    References:
        Xiao et al., "SmoothQuant", 2023, equation 4.
    """
    axis %= w.ndim
    n = w.shape[axis]
    if activations.shape != (n,):
        text = {"w": w.shape, "n": n, "axis": axis, "given": activations.shape}
        raise ValueError(_SMOOTH.format(**text))
    others = tuple(i for i in range(w.ndim) if i != axis)
    weights = jnp.max(jnp.abs(w), others)
    tiny = float(jnp.finfo(w.dtype).tiny)  # type: ignore[no-untyped-call]
    factors = jnp.maximum(activations, tiny) ** alpha / jnp.maximum(weights, tiny) ** (1 - alpha)
    factors = jnp.where((activations > 0) & (weights > 0), factors, 1).astype(w.dtype)
    return w * factors.reshape([-1 if i == axis else 1 for i in range(w.ndim)]), factors


def hadamard(x: Any, *, axis: int = -1) -> jax.Array:
    """Rotates an axis by the Hadamard matrix, which spreads outliers over all entries.

    It is orthogonal and its own inverse: `hadamard(x) @ hadamard(w, axis=-2)` is `x @ w`. It takes
    `n log2(n)` additions.

    Args:
        x: an array.
        axis: the axis, whose size is a power of two.

    Raises:
        ValueError: if it is not.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import hadamard
        >>> hadamard(jnp.array([4.0, 0.0, 0.0, 0.0]))
        Array([2., 2., 2., 2.], dtype=float32)
    """
    n = x.shape[axis]
    if n < 1 or n & (n - 1):
        text = {"axis": axis, "n": n, "padded": 1 << max(n, 1).bit_length()}
        raise ValueError(_HADAMARD.format(**text))
    out = jnp.moveaxis(x, axis, -1)
    shape, size = out.shape, 1
    while size < n:
        pairs = out.reshape(*shape[:-1], n // (2 * size), 2, size)
        first, second = pairs[..., 0, :], pairs[..., 1, :]
        out = jnp.stack([first + second, first - second], -2)
        size *= 2
    out = out.reshape(shape) * (1 / math.sqrt(n))
    return jnp.moveaxis(out, -1, axis)
