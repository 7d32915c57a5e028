"""Primitives by what they do, so that a type gets a hundred of them from a few lines.

Each name is a tuple of the primitives this JAX has (by name, where it does not export them), as in
`@register(*families.elementwise_unary)`. A primitive may be in several. The test suite enumerates
JAX's primitives and fails on one that is in none, nor in the table of those that carry programs.

Example:
    >>> import jax
    >>> from duckarray.core import families
    >>> jax.lax.tanh_p in families.elementwise_unary
    True
"""

from jax.extend.core import Primitive

from ._primitives import existing_primitives as _existing

Family = tuple[Primitive | str, ...]

elementwise_unary: Family = _existing(
    "abs acos acosh asin asinh atan atanh bessel_i0e bessel_i1e cbrt ceil clz conj cos cosh"
    " digamma erf erf_inv erfc exp exp2 expm1 floor imag integer_pow is_finite lgamma log log1p"
    " log2 logistic neg not one_minus_square population_count real reciprocal round rsqrt sign"
    " sin sinh sqrt square tan tanh convert_element_type reduce_precision polynomial"
)
"""One operand; each entry of the result comes from the one entry at its place."""

comparisons: Family = _existing("eq ne lt le gt ge eq_to le_to lt_to")
"""Two operands of one shape, a boolean result."""

elementwise_binary: Family = (
    _existing(
        "add add_any atan2 complex div igamma igamma_grad_a igammac max min mul nextafter polygamma"
        " pow rem shift_left shift_right_arithmetic shift_right_logical sub and or xor zeta mulhi"
    )
    + comparisons
)
"""Two operands of one shape."""

elementwise_ternary: Family = _existing("clamp regularized_incomplete_beta select_n")
"""Three operands or more; those of `clamp` and the first of `select_n` may be scalars."""

commutative: Family = _existing("add add_any mul max min and or xor eq ne")
"""Binary and the same with its operands exchanged."""

linear: Family = _existing(
    "neg real imag conj convert_element_type reduce_sum cumsum transpose reshape broadcast_in_dim"
    " squeeze rev slice copy reduce_window_sum psum pbroadcast ppermute all_gather all_to_all"
    " reduce_scatter fft"
)
"""One operand, of which the result is a linear function (over the reals; conversions to floats)."""

reductions: Family = _existing(
    "reduce_sum reduce_prod reduce_max reduce_min reduce_and reduce_or reduce_xor argmax argmin"
)
"""One operand; the axes in `axes` disappear."""

cumulative: Family = _existing("cumsum cumprod cummax cummin cumlogsumexp")
"""One operand; running results along `axis`."""

windows: Family = _existing(
    "reduce_window_sum reduce_window_max reduce_window_min select_and_gather_add"
    " select_and_scatter_add reduce_window select_and_scatter"
)
"""Reductions over sliding windows, and what differentiation makes of them."""

shape: Family = _existing(
    "broadcast_in_dim reshape squeeze transpose rev slice pad concatenate split tile stack unstack"
    " roll broadcast_to"
)
"""Move, repeat or drop entries at places known while tracing."""

indexing: Family = _existing(
    "gather scatter scatter-add scatter_add scatter-mul scatter_mul scatter-min scatter_min"
    " scatter-max scatter_max scatter-sub scatter_sub dynamic_slice dynamic_update_slice"
)
"""Move entries at places that are operands themselves."""

sorting: Family = _existing("sort top_k approx_top_k")
"""Order entries along an axis."""

contractions: Family = _existing(
    "dot_general conv_general_dilated ragged_dot_general scaled_dot scaled_matmul"
)
"""Sums of products over shared axes."""

linalg: Family = _existing(
    "cholesky cholesky_update eig eigh geqrf geqp3 hessenberg householder_product lu"
    " lu_pivots_to_permutation ormqr qr svd schur symmetric_product triangular_solve tridiagonal"
    " tridiagonal_solve"
)
"""Factorisations and solves of the last two axes."""

transforms: Family = _existing("fft")
"""Fourier transforms."""

collectives: Family = _existing(
    "psum pmax pmin ppermute pbroadcast all_gather all_to_all reduce_scatter axis_index"
    " ragged_all_to_all psum_invariant all_gather_invariant all_gather_reduced pvary preduced"
    " unreduced_psum unreduced_reduce_scatter unreduced_pmax unreduced_pmin"
)
"""Combine arrays over a named axis."""

random: Family = _existing(
    "random_bits random_clone random_fold_in random_gamma random_seed random_split random_unwrap"
    " random_wrap rng_bit_generator rng_uniform threefry2x32 iota_2x32_shape"
)
"""Draw from a key."""

creation: Family = _existing("iota empty empty2 create_token")
"""No operand: what they make is always dense."""

bits: Family = _existing("bitcast_convert_type")
"""Read the bits of entries as another type."""

leafwise: Family = _existing(
    "name copy optimization_barrier stop_gradient device_put sharding_constraint pvary"
)
"""Do nothing to the array: core applies them to each leaf of a value."""
