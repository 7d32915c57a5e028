"""What several families of rules need."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from duckarray.core import bind
from duckarray.structured._band import Band
from duckarray.structured._bands import Diagonal, Identity
from duckarray.structured._base import make, on_batch
from duckarray.structured._permutation import Permutation


def with_dtype(x: Any, dtype: Any) -> Any:
    """`x` with another dtype, or None if its structure is lost thereby."""
    if x.dtype == dtype:
        return x
    out = converted(x, {"new_dtype": jnp.dtype(dtype), "weak_type": False, "sharding": None})
    return None if out is NotImplemented else out


def converted(x: Any, params: dict[str, Any]) -> Any:
    """`convert_element_type`, leaf by leaf, where that is right."""
    from duckarray.structured._lowrank import DiagonalPlusLowRank, LowRank
    from duckarray.structured._product import Kronecker

    new = params["new_dtype"]
    if isinstance(x, Identity | Permutation) and params["weak_type"]:
        if isinstance(x, Permutation):
            return NotImplemented  # ones that no leaf holds cannot be weakly typed
        return make(Diagonal, bind(lax.convert_element_type_p, Band.of(x).get(0), **params))
    if isinstance(x, Permutation):
        return make(Permutation, x.permutation, of_dtype=jnp.dtype(new))
    exact = is_exact(x.dtype, new)
    if isinstance(x, LowRank | DiagonalPlusLowRank | Kronecker) and not exact:
        return NotImplemented  # what is rounded before it is multiplied is another number
    return on_batch(x, lambda leaf, own: bind(lax.convert_element_type_p, leaf, **params))


def is_exact(old: Any, new: Any) -> bool:
    """Whether a conversion of factors gives the factors of the conversion, up to rounding."""
    both = jnp.issubdtype(old, jnp.inexact) and jnp.issubdtype(new, jnp.inexact)
    drops = jnp.issubdtype(old, jnp.complexfloating) and not jnp.issubdtype(
        new, jnp.complexfloating
    )
    return (both and not drops) or (
        jnp.issubdtype(old, jnp.integer) and jnp.issubdtype(new, jnp.inexact)
    )


def broadcast_batch(x: Any, batch: tuple[int, ...]) -> Any:
    """`x` with these batch axes, as many as it has."""
    if tuple(x.batch_shape) == tuple(batch):
        return x
    return on_batch(
        x, lambda leaf, own: jnp.broadcast_to(leaf, (*batch, *leaf.shape[leaf.ndim - own :]))
    )
