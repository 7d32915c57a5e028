"""Functions of numbers: what they are given has no dimension, what they give has no unit."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind

from ._common import for_several, number

_NUMBERS = (
    "exp exp2 expm1 log log1p log2 logistic one_minus_square sin cos tan asin acos atan sinh"
    " cosh tanh asinh acosh atanh erf erfc erf_inv digamma lgamma bessel_i0e bessel_i1e igamma"
    " igammac igamma_grad_a polygamma zeta regularized_incomplete_beta cumlogsumexp polynomial"
    " population_count clz not and or xor shift_left shift_right_logical shift_right_arithmetic"
    " reduce_and reduce_or reduce_xor random_gamma rng_uniform unvmap_all unvmap_any"
)


# Trigonometry is here too: an angle is converted to radians, of which it is so many.
@for_several(*_NUMBERS.split())
def _of_numbers(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Of plain numbers, angles being in radians."""
    return bind(primitive, *[number(x, primitive) for x in values], **params)
