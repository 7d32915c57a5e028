"""`x.at[index]` of sparse arrays, outside of `quaxify`, where the index is known."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core import ArrayValue, quaxify

from ._dynamic import DynamicPattern
from ._pattern import from_linear, linearize
from ._plans import planned
from ._structure import Unstructured, absorb
from ._value import Sparse, raw_fill, unchecked, values_at


def update(x: Sparse, index: Any, name: str, *args: Any, **options: Any) -> Any:
    """`x.at[index].name(*args, **options)`; a change at a known index widens the pattern."""
    if name not in ("get", "apply") and len(args) == 1 and not options:
        known = _known_index(index)
        try:
            if known is not None:
                return _changed(x, known, name, args[0])
        except Unstructured:
            pass
    return quaxify(lambda x, args: getattr(x.at[index], name)(*args, **options))(x, args)


def _known_index(index: Any) -> Any:
    """The index with NumPy arrays for those of JAX, or None if a part of it is traced."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(p, jax.core.Tracer | ArrayValue) for p in parts):
        return None
    return tuple(np.asarray(p) if isinstance(p, jax.Array | list) else p for p in parts)


def _changed(x: Sparse, index: Any, name: str, value: Any) -> Sparse:
    if isinstance(x.pattern, DynamicPattern) or isinstance(value, ArrayValue) or not x.ndim:
        raise Unstructured
    x = absorb(x)
    shape = x.pattern.shape
    # Views of the shape of `x` without its memory: indexing them reads no more than is changed.
    places = [
        np.broadcast_to(
            np.arange(n).reshape([-1 if a == d else 1 for a in range(len(shape))]), shape
        )[index]
        for d, n in enumerate(shape)
    ]
    linear = linearize([np.asarray(p).reshape(-1) for p in places], shape)
    target = planned(
        ("at", x.pattern, linear.tobytes()),
        lambda: from_linear(np.union1d(x.pattern.linear, linear), shape),
    )
    value = jnp.broadcast_to(jnp.asarray(value), np.shape(places[0])).reshape(-1)
    if name != "divide":
        value = value.astype(x.dtype)
    data = values_at(x, target)
    entries = np.searchsorted(target.linear, linear).astype(np.int32)
    return unchecked(getattr(data.at[entries], name)(value), target, raw_fill(x))
