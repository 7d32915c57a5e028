"""`Structured`: what the matrices of this package have in common, and how their input is checked.

Every leaf has the batch axes in front and a fixed number of axes of its own behind them. So what
happens along batch axes is done leaf by leaf, for all types alike.
"""

import reprlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax import tree_util as jtu

from duckarray.core import ArrayValue, Value, quaxify

from ._operator import OperatorMethods

_BROADCAST = quaxify(jnp.broadcast_to)  # of values too, as the factors of a `Kronecker` may be

_NO_BATCH = """`{name}(...)`: the batch axes of {shapes} do not broadcast.
Give all parts the same leading axes, or none."""

_NO_NUMBERS = """a structured matrix is made of arrays of numbers, but got {value} of type \
`{type}`.
Pass what `jnp.asarray` makes an array of numbers of."""

_TOO_FEW = """`{name}({field}=...)` takes {what}, but got an array of shape {shape}.
{advice}"""


class Structured(OperatorMethods, ArrayValue):
    """A matrix, or a batch of them `[*batch, m, n]`, stored as less than its entries.

    It is the common base of the types of this package: `isinstance(a, Structured)`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Diagonal, Structured
        >>> isinstance(Diagonal(jnp.ones(2)) @ Diagonal(jnp.ones(2)), Structured)
        True
    """

    _own: ClassVar[tuple[int, ...]] = ()  # for each leaf, how many axes are not batch axes

    def drop_leading(self) -> Self | None:
        return self if len(self.batch_shape) > 0 else None

    def add_leading(self, n: int) -> Self:
        return self

    def join(self, other: Any) -> Any:
        from ._closure import common

        return common(self, other) if isinstance(other, Structured) else None

    def coerce_like(self, template: Any) -> Any:
        from ._convert import convert_like

        return convert_like(self, template)

    def to_cotangent(self, cotangent: Any) -> Any:
        from ._cotangent import pull_back

        structures: list[Any] = [jtu.tree_structure(x) for x in (self, cotangent)]
        alike = bool(structures[0] == structures[1])
        return pull_back(self, cotangent) if alike and self.leaf_linear else NotImplemented

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The sizes of the leading axes, over which there is one matrix each."""
        leaf, own = parts_of(self)[0]
        return tuple(leaf.shape[: leaf.ndim - own])

    def own_axes(self) -> tuple[int, ...]:
        """For each leaf, how many axes are not batch axes."""
        return self._own


def leaves_of(x: Any) -> tuple[list[Any], Any]:
    """The leaves of a value, values among them whole, and its structure."""
    return jtu.tree_flatten(x, is_leaf=lambda leaf: leaf is not x and isinstance(leaf, Value))


def parts_of(x: Structured) -> list[tuple[Any, int]]:
    """Each leaf, and how many of its axes are not batch axes."""
    return list(zip(leaves_of(x)[0], x.own_axes(), strict=True))


def on_batch(x: Any, change: Callable[[Any, int], Any]) -> Any:
    """`x` with `change(leaf, own)` in the place of each leaf."""
    leaves, structure = leaves_of(x)
    return structure.unflatten([change(*pair) for pair in zip(leaves, x.own_axes(), strict=True)])


def make(cls: type, *fields: Any, **static: Any) -> Any:
    """A value of class `cls` with these fields, which are known to fit: they are not checked."""
    out: Any = object.__new__(cls)
    for name, field in [*zip(cls.__annotations__, fields, strict=False), *static.items()]:
        object.__setattr__(out, name, field)
    return out


def as_arrays(*arrays: Any) -> list[Any]:
    """Arrays of one dtype, from arrays, numbers, NumPy arrays or values."""
    found = [x if isinstance(x, ArrayValue) else _as_numbers(x) for x in arrays]
    if len({x.dtype for x in found}) > 1:
        dtype = jnp.result_type(*[x.dtype for x in found])
        found = [x.astype(dtype) for x in found]
    return found


def _as_numbers(x: Any) -> Any:
    try:
        array = x if isinstance(x, jax.Array) else jnp.asarray(x)
        if jnp.issubdtype(array.dtype, jnp.number) or array.dtype == bool:
            return array
    except (TypeError, ValueError, OverflowError) as error:
        problem: Exception | None = error
    else:
        problem = None
    text = _NO_NUMBERS.format(value=reprlib.repr(x), type=type(x).__name__)
    raise TypeError(text) from problem


def with_batch(name: str, arrays: Sequence[Any], own: Sequence[int]) -> list[Any]:
    """The arrays with their batch axes broadcast.

    Raises:
        ValueError: if these do not broadcast.
    """
    batches = [tuple(x.shape[: x.ndim - k]) for x, k in zip(arrays, own, strict=True)]
    if len(set(batches)) == 1:
        return list(arrays)
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError as error:
        shapes = ", ".join(str(tuple(x.shape)) for x in arrays)
        raise ValueError(_NO_BATCH.format(name=name, shapes=shapes)) from error
    return [
        _BROADCAST(x, (*batch, *x.shape[x.ndim - k :])) for x, k in zip(arrays, own, strict=True)
    ]


def require_axes(name: str, field: str, x: Any, own: int, what: str, advice: str) -> None:
    """Raises a `ValueError` if `x` has fewer than `own` axes."""
    if x.ndim < own:
        text = _TOO_FEW.format(
            name=name, field=field, what=what, shape=tuple(x.shape), advice=advice
        )
        raise ValueError(text)


def zero_of(x: Any) -> Any:
    """Zero, or false, next to which `x` keeps its dtype and its weak type."""
    return False if jnp.issubdtype(x.dtype, jnp.bool_) else 0


def one_of(x: Any) -> Any:
    """One, or true, likewise."""
    return True if jnp.issubdtype(x.dtype, jnp.bool_) else 1


def zeros_as(x: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of this shape, of the dtype of `x` and weakly typed if that is."""
    if isinstance(x, jax.Array):
        return lax.full_like(x, 0, shape=shape)
    return jnp.zeros(shape, x.dtype)


def cast(x: Any, dtype: Any) -> Any:
    """`x` as an array of the dtype; itself if it is one already."""
    return x if x.dtype == dtype else lax.convert_element_type(x, dtype)
