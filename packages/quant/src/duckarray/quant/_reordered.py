"""`Reordered`: a quantized array whose groups are not of neighbours, as GPTQ makes them."""

from typing import Any, ClassVar, Literal, Self

import jax
import jax.numpy as jnp
from jax.core import ShapedArray

from duckarray.core import ArrayValue, field, materialize

_PLACES = """`Reordered(array, places, axis)`: for an array of shape {shape} and the axis {axis}, \
places are {dtype}{given}, and not one whole number for each entry along the axis.
Pass `places [n]`, where entry `j` of the array belongs, and the axis counted from the end."""

_NO_ARRAY = """`Reordered(array, places, axis)` takes an array, but got a `{type}`.
Pass what is stored in another order, such as `quantize(w, "int4")`, a `QuantArray`."""


class Reordered(ArrayValue):
    """Stands for an array of which entries along one axis are stored in another order.

    GPTQ quantizes the most important inputs first (`desc_act=True`), so that a group holds inputs
    from everywhere. Stored by groups, the weight can be walked through as any other; a product puts
    the entries of its other operand, which is small, into that order.

    Args:
        array: the array as it is stored, a `QuantArray`.
        places: `[n]`, for each entry along the axis where it belongs.
        axis: the axis, counted from the end.

    Raises:
        TypeError: if `array` is none.
        ValueError: if `places` or `axis` does not belong to the array.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import materialize, quaxify
        >>> from duckarray.quant import Reordered, quantize
        >>> w = Reordered(quantize(jnp.array([[1.27, -1.27, 0.0]]), axis=-1), jnp.array([2, 0, 1]))
        >>> materialize(w)
        Array([[-1.27,  0.  ,  1.27]], dtype=float32)
        >>> quaxify(jnp.matmul)(w, jnp.array([1.0, 5.0, 0.0]))
        Array([-1.27], dtype=float32)

    References:
        Frantar et al., "GPTQ: Accurate Post-Training Quantization", 2023, section 3.3.
    """

    materialization: ClassVar[Literal["allow", "warn", "error"]] = "warn"

    array: Any
    places: jax.Array
    axis: int = field(static=True, default=-1)

    def __check_init__(self) -> None:
        if not hasattr(self.array, "shape"):
            raise TypeError(_NO_ARRAY.format(type=type(self.array).__name__))
        shape, places = self.array.shape, self.places
        axis: Any = self.axis
        fits = isinstance(axis, int) and -len(shape) <= axis < 0
        if (
            not fits
            or places.shape != (shape[axis],)
            or not jnp.issubdtype(places.dtype, jnp.integer)
        ):
            given = {"dtype": places.dtype, "given": list(places.shape)}
            raise ValueError(_PLACES.format(shape=tuple(shape), axis=axis, **given))

    def aval(self) -> ShapedArray:
        array = self.array
        if isinstance(array, jax.ShapeDtypeStruct):
            return ShapedArray(array.shape, array.dtype)
        aval: ShapedArray = array.aval() if isinstance(array, ArrayValue) else jax.typeof(array)
        return aval

    def materialize(self) -> jax.Array:
        dense: jax.Array = in_place(
            materialize(self.array), self.places, self.axis + self.array.ndim
        )
        return dense

    def drop_leading(self) -> Self | None:
        if self.places.ndim < 2:
            return None
        array = self.array
        inner = array.drop_leading() if isinstance(array, ArrayValue) else array
        return None if inner is None else with_array(self, inner)

    def add_leading(self, n: int) -> Self | None:
        array = self.array
        inner = array.add_leading(n) if isinstance(array, ArrayValue) else array
        return None if inner is None else with_array(self, inner)


def with_array(x: Any, array: Any, axis: int | None = None) -> Any:
    """A `Reordered` like `x` of another array."""
    out = object.__new__(Reordered)
    axis = x.axis if axis is None else axis
    out.__dict__.update(array=array, places=x.places, axis=axis)
    return out


def in_place(array: Any, places: Any, axis: int) -> Any:
    """A dense array with entry `j` along `axis` put where it belongs; `places` are `[*lead, n]`."""
    order = jnp.argsort(places, -1)
    if places.ndim == 1:
        return jnp.take(array, order, axis=axis)
    lead = order.shape[:-1]
    shape = [order.shape[-1] if i == axis else 1 for i in range(len(lead), array.ndim)]
    return jnp.take_along_axis(array, order.reshape(*lead, *shape), axis)


def as_stored(array: Any, places: Any, axis: int) -> Any:
    """The inverse of `in_place`."""
    return jnp.take(array, places, axis=axis)
