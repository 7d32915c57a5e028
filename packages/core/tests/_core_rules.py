"""The rules of the value types in `_core_types`; importing it registers them."""

import jax.numpy as jnp
from _core_types import Box, Length, LowRank, Opaque, Quantized, Zero
from jax.typing import ArrayLike

from duckarray.core import bind, register

MATRIX_PRODUCT = (((1,), (0,)), ((), ()))


@register("neg", "reduce_sum", "broadcast_in_dim", "transpose", "squeeze", "reshape", "slice")
def _structural_box(x: Box, *, primitive, **params):
    """These act on the leaf."""
    return Box(bind(primitive, x.array, **params), x.tag)


@register("convert_element_type")
def _convert_element_type_box(x: Box, **params):
    """Converts the leaf."""
    return Box(bind("convert_element_type", x.array, **params), x.tag)


@register("mul", "max", commutative=True)
def _mul_box_dense(x: Box, y: ArrayLike, *, primitive, **params):
    """A bare number has no tag."""
    return Box(bind(primitive, x.array, y, **params), x.tag)


@register("mul")
def _mul_box_box(x: Box, y: Box, **params):
    """Tags multiply."""
    return Box(bind("mul", x.array, y.array, **params), "".join(sorted(x.tag + y.tag)))


@register("add", "sub")
def _add_box_box(x: Box, y: Box, *, primitive, **params):
    """Only equal tags add."""
    if x.tag != y.tag:
        raise ValueError(f"the tags {x.tag} and {y.tag} differ")
    return Box(bind(primitive, x.array, y.array, **params), x.tag)


@register("select_n")
def _select_n_box(which: ArrayLike, *cases: Box | ArrayLike, **params):
    """Selects among the leaves; a bare array takes the tag of the others."""
    tag = next(c.tag for c in cases if isinstance(c, Box))
    arrays = [c.array if isinstance(c, Box) else c for c in cases]
    return Box(bind("select_n", which, *arrays, **params), tag)


@register("add")
def _add_length_length(x: Length, y: Length, **params):
    """Adds in the scale of the first."""
    return Length(x.array + y.array * (y.scale / x.scale), x.scale)


@register("mul", commutative=True)
def _mul_length_dense(x: Length, y: ArrayLike, **params):
    """Scales the number, not the scale."""
    return Length(bind("mul", x.array, y, **params), x.scale)


@register("add", commutative=True)
def _add_zero_dense(x: Zero, y: ArrayLike, **params):
    """`0 + y = y`; JAX leaves a scalar operand as it is."""
    return jnp.broadcast_to(y, x.shape)


@register("add", "sub")
def _add_zero_zero(x: Zero, y: Zero, **params):
    """`0 + 0 = 0`."""
    return x


@register("mul", commutative=True)
def _mul_zero_dense(x: Zero, y: ArrayLike, **params):
    """`0 y = 0`."""
    return x


@register("neg")
def _neg_zero(x: Zero, **params):
    """`-0 = 0`."""
    return x


@register("neg")
def _neg_opaque(x: Opaque, **params):
    """Negates the leaf."""
    return Opaque(-x.array, x.tag)


@register("transpose")
def _transpose_lowrank(x: LowRank, *, permutation, **params):
    """`(w + a b)ᵀ = wᵀ + bᵀ aᵀ`."""
    if tuple(permutation) != (1, 0):
        return NotImplemented
    return LowRank(jnp.transpose(x.w), jnp.transpose(x.b), jnp.transpose(x.a))


@register("dot_general")
def _dot_general_lowrank_dense(x: LowRank, y: ArrayLike, *, dimension_numbers, **params):
    """`(w + a b) y = w y + a (b y)`."""
    if dimension_numbers != MATRIX_PRODUCT or x.ndim != 2:
        return NotImplemented
    whole = bind("dot_general", x.w, y, dimension_numbers=dimension_numbers, **params)
    return jnp.add(whole, jnp.matmul(x.a, jnp.matmul(x.b, y)))


@register("dot_general")
def _dot_general_dense_lowrank(x: ArrayLike, y: LowRank, *, dimension_numbers, **params):
    """`x (w + a b) = x w + (x a) b`."""
    if dimension_numbers != (((x.ndim - 1,), (0,)), ((), ())) or y.ndim != 2:
        return NotImplemented
    whole = bind("dot_general", x, y.w, dimension_numbers=dimension_numbers, **params)
    return jnp.add(whole, jnp.matmul(jnp.matmul(x, y.a), y.b))


@register("dot_general")
def _dot_general_quantized_dense(x: Quantized, y: ArrayLike, **params):
    """`(s q) y = s (q y)`."""
    return x.scale * bind("dot_general", x.codes.astype(y.dtype), y, **params)
