"""`Trainable`: an array that is trained as a whole, next to the adapters."""

from typing import Any, ClassVar, Literal, Self

import jax
from jax.core import ShapedArray

from duckarray.core import ArrayValue

_SHAPES = """`Trainable(array, before)` with an array of shape {array}, but before it was of shape \
{before}.
Pass both of one shape, `before` in any dtype; to begin with, `Trainable(array, array)`."""


class Trainable(ArrayValue):
    """Stands for `array`, and says that it is trained: a bias, or a new head.

    `loraify` makes them where `LoraConfig(bias=..., modules_to_save=...)` says so.

    Args:
        array: what is trained.
        before: what it was, for `unload`; of the same shape, perhaps of another dtype.

    Raises:
        ValueError: if the shapes differ.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import LoraConfig, loraify, partition
        >>> config = LoraConfig(r=2, bias="all")
        >>> layer = {"weight": jnp.ones((4, 4)), "bias": jnp.zeros(4)}
        >>> trainable, frozen = partition(loraify(layer, config, key=jax.random.key(0)))
        >>> trainable["bias"].array.shape
        (4,)
    """

    materialization: ClassVar[Literal["allow", "warn", "error"]] = "allow"

    array: jax.Array | ArrayValue
    before: jax.Array | ArrayValue

    def __check_init__(self) -> None:
        array, before = self.array.shape, self.before.shape
        if array != before:
            raise ValueError(_SHAPES.format(array=tuple(array), before=tuple(before)))

    def aval(self) -> ShapedArray:
        array = self.array
        if isinstance(array, ArrayValue):
            return array.aval()
        if isinstance(array, jax.ShapeDtypeStruct):
            return ShapedArray(array.shape, array.dtype)
        aval: ShapedArray = jax.typeof(array)
        return aval

    def materialize(self) -> Any:
        return self.array

    def drop_leading(self) -> Self | None:
        return self

    def add_leading(self, n: int) -> Self | None:
        return self
