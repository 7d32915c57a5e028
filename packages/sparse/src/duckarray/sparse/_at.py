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


class At:
    """`x.at`: to be indexed."""

    __slots__ = ("array",)

    def __init__(self, array: Sparse) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> "AtIndex":
        return AtIndex(self.array, index)

    def __repr__(self) -> str:
        return f"{self.array!r}.at"


def _method(name: str) -> Any:
    def apply(self: "AtIndex", value: Any, **options: Any) -> Any:
        return self._update(name, value, options)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"As `x.at[index].{name}` of an array of JAX."
    return apply


class AtIndex:
    """`x.at[index]`: what is made of `x` by changing, or getting, the entries there."""

    __slots__ = ("array", "index")

    def __init__(self, array: Sparse, index: Any) -> None:
        self.array, self.index = array, index

    def get(self, **options: Any) -> Any:
        """As `x.at[index].get` of an array of JAX."""
        return quaxify(lambda x: x.at[self.index].get(**options))(self.array)

    def apply(self, function: Any, **options: Any) -> Any:
        """As `x.at[index].apply` of an array of JAX."""
        return quaxify(lambda x: x.at[self.index].apply(function, **options))(self.array)

    set = _method("set")
    add = _method("add")
    subtract = _method("subtract")
    multiply = mul = _method("multiply")
    divide = _method("divide")
    power = _method("power")
    min = _method("min")
    max = _method("max")

    def _update(self, name: str, value: Any, options: dict[str, Any]) -> Any:
        known = _known_index(self.index)
        try:
            if known is not None and not options:
                return _changed(self.array, known, name, value)
        except Unstructured:
            pass
        index = self.index
        return quaxify(lambda x, v: getattr(x.at[index], name)(v, **options))(self.array, value)


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
