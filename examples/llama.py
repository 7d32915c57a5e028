"""A language model of the Llama family in plain JAX, which knows nothing of duckarray.

Parameters are a dictionary. Those of the layers are stacked along a leading axis and scanned.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class Config(NamedTuple):
    """The sizes that the parameters do not show."""

    heads: int
    kv_heads: int
    eps: float
    theta: float


def forward(
    params: Any, tokens: jax.Array, cache: tuple[jax.Array, jax.Array], start: Any, config: Config
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    """The logits of the token after each of `tokens`, and the keys and values with theirs added.

    Args:
        params: the weights; matrices are `[out, in]`.
        tokens: what comes next, `[t]`.
        cache: keys and values of what came before, each `[layers, length, kv_heads, d]`.
        start: how much came before.
        config: the sizes.
    """
    x = params["embedding"][tokens]
    angles = _angles(start + jnp.arange(len(tokens)), cache[0].shape[-1], config.theta)
    length = cache[0].shape[1]
    seen = jnp.arange(length)[None, :] <= start + jnp.arange(len(tokens))[:, None]

    def layer(x: jax.Array, given: Any) -> Any:
        p, keys, values = given
        h = _normalize(x, p["attention_norm"], config.eps)
        q = _rotate((h @ p["q"].T).reshape(len(tokens), config.heads, -1), angles)
        k = _rotate((h @ p["k"].T).reshape(len(tokens), config.kv_heads, -1), angles)
        v = (h @ p["v"].T).reshape(len(tokens), config.kv_heads, -1)
        keys = jax.lax.dynamic_update_slice(keys, k, (start, 0, 0))
        values = jax.lax.dynamic_update_slice(values, v, (start, 0, 0))
        # Several heads share one of the keys and values: [t, kv_heads, sharing, d].
        q = q.reshape(len(tokens), config.kv_heads, -1, q.shape[-1])
        scores = jnp.einsum("tksd,lkd->kstl", q, keys) / q.shape[-1] ** 0.5
        scores = jnp.where(seen[None, None], scores, -1e30)
        h = jnp.einsum("kstl,lkd->tksd", jax.nn.softmax(scores), values)
        x = x + h.reshape(len(tokens), -1) @ p["o"].T
        h = _normalize(x, p["mlp_norm"], config.eps)
        x = x + (jax.nn.silu(h @ p["gate"].T) * (h @ p["up"].T)) @ p["down"].T
        return x, (keys, values)

    x, cache = jax.lax.scan(layer, x, (params["layers"], *cache))
    return _normalize(x, params["norm"], config.eps) @ params["embedding"].T, cache


def empty_cache(config: Config, layers: int, length: int, d: int) -> tuple[jax.Array, jax.Array]:
    """Room for the keys and values of `length` tokens."""
    zeros = jnp.zeros((layers, length, config.kv_heads, d))
    return zeros, zeros


def _normalize(x: jax.Array, weight: jax.Array, eps: float) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + eps) * weight


def _angles(positions: jax.Array, d: int, theta: float) -> jax.Array:
    frequencies = theta ** (-jnp.arange(0, d, 2) / d)
    return positions[:, None] * frequencies[None, :]


def _rotate(x: jax.Array, angles: jax.Array) -> jax.Array:
    """Turns neighbouring pairs of entries of `x [t, heads, d]`, as files of GGUF have them."""
    x1, x2 = x[..., 0::2], x[..., 1::2]
    cos, sin = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
    return jnp.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], -1).reshape(x.shape)
