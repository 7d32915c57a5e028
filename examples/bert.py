"""An encoder of the BERT family in plain JAX, which knows nothing of duckarray.

Parameters are a flat dictionary with the names and the layout of PyTorch: matrices are `[out, in]`.
"""

from typing import Any

import jax
import jax.numpy as jnp


def embed(params: dict[str, Any], tokens: jax.Array, mask: jax.Array, heads: int = 12) -> jax.Array:
    """One vector of length one for each sentence: the mean of what the encoder gives.

    Args:
        params: the weights, by name.
        tokens: the sentences, `[batch, t]`, filled up at the end.
        mask: 1.0 for a token and 0.0 for what fills up, `[batch, t]`.
        heads: the number of heads.
    """

    def linear(name: str, x: jax.Array) -> jax.Array:
        return x @ params[f"{name}.weight"].T + params[f"{name}.bias"]

    def normalize(name: str, x: jax.Array) -> jax.Array:
        x = x - x.mean(-1, keepdims=True)
        x = x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-12)
        return x * params[f"{name}.weight"] + params[f"{name}.bias"]

    e = "embeddings"
    x = params[f"{e}.word_embeddings.weight"][tokens]
    x = x + params[f"{e}.position_embeddings.weight"][: tokens.shape[1]]
    x = normalize(f"{e}.LayerNorm", x + params[f"{e}.token_type_embeddings.weight"][0])
    layers = sum(name.endswith("attention.self.query.weight") for name in params)
    for i in range(layers):
        at = f"encoder.layer.{i}"
        q, k, v = (
            linear(f"{at}.attention.self.{name}", x).reshape(*x.shape[:2], heads, -1)
            for name in ("query", "key", "value")
        )
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        scores = jnp.where(mask[:, None, None, :] > 0, scores, -1e30)
        h = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape)
        x = normalize(
            f"{at}.attention.output.LayerNorm", x + linear(f"{at}.attention.output.dense", h)
        )
        h = jax.nn.gelu(linear(f"{at}.intermediate.dense", x), approximate=False)
        x = normalize(f"{at}.output.LayerNorm", x + linear(f"{at}.output.dense", h))
    mean = jnp.sum(x * mask[..., None], 1) / jnp.sum(mask, 1, keepdims=True)
    return mean / jnp.linalg.norm(mean, axis=-1, keepdims=True)
