"""What primitives do with `Reordered`: what they do with the array, and its order is kept."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import bind, known_constant, register
from duckarray.quant._reordered import Reordered, as_stored, in_place, with_array


@register("dot_general")
def _dot_general_reordered_dense(
    x: Reordered, y: ArrayLike, *, dimension_numbers: Any, **params: Any
) -> Any:
    """Puts `y` into the order of `x`; or, if that axis is not summed over, the result."""
    return _product(x, y, dimension_numbers, 0, params)


@register("dot_general")
def _dot_general_dense_reordered(
    x: ArrayLike, y: Reordered, *, dimension_numbers: Any, **params: Any
) -> Any:
    """Puts `x` into the order of `y`; or, if that axis is not summed over, the result."""
    return _product(y, x, dimension_numbers, 1, params)


@register("transpose")
def _transpose_reordered(x: Reordered, *, permutation: Any, **params: Any) -> Any:
    """The order goes with its axis."""
    axis = permutation.index(x.axis + x.ndim) - x.ndim
    return with_array(x, bind(lax.transpose_p, x.array, permutation=permutation, **params), axis)


@register("neg", "copy", "copy_p", "convert_element_type")
def _elementwise_reordered(x: Reordered, *, primitive: Primitive, **params: Any) -> Any:
    """Each entry for itself."""
    return with_array(x, bind(primitive, x.array, **params))


@register("mul", commutative=True)
def _mul_reordered_dense(x: Reordered, y: ArrayLike, **params: Any) -> Any:
    """Times a number."""
    if known_constant(y) is None and jnp.size(y) != 1:
        return NotImplemented
    return with_array(x, bind(lax.mul_p, x.array, y, **params))


def _product(w: Reordered, x: Any, numbers: Any, side: int, params: Any) -> Any:
    (summed, batch), axis = numbers, w.axis + w.ndim
    x = jnp.asarray(x)
    if w.places.ndim != 1:
        return NotImplemented

    def product(x: Any) -> Any:
        operands = (w.array, x) if side == 0 else (x, w.array)
        return bind(lax.dot_general_p, *operands, dimension_numbers=numbers, **params)

    for mine, its in ((summed[side], summed[1 - side]), (batch[side], batch[1 - side])):
        if axis in mine:
            out = product(as_stored(x, w.places, its[mine.index(axis)]))
            if mine is not batch[side]:
                return out
            return in_place(out, w.places, mine.index(axis))
    free = [i for i in range(w.ndim) if i not in (*summed[side], *batch[side])]
    others = x.ndim - len(summed[0]) - len(batch[0])
    at = len(batch[0]) + free.index(axis) + (others if side == 1 else 0)
    return in_place(product(x), w.places, at)
