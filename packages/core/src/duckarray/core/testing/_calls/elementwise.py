"""Functions of each entry, and of pairs of entries with either operand being the value."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax, nn
from jax.scipy import special

Calls = dict[str, Callable[..., Any]]


def _of_x(module: Any, names: str) -> Calls:
    """Calls `name` of the functions of `module` on the value."""

    def call(name: str) -> Callable[..., Any]:
        return lambda x: getattr(module, name)(x)

    return {name: call(name) for name in names.split()}


def _both_orders(module: Any, names: str) -> Calls:
    """Calls `name` on the value and a dense array, `rname` on these exchanged."""

    def left(name: str) -> Callable[..., Any]:
        return lambda x, y: getattr(module, name)(x, y)

    def right(name: str) -> Callable[..., Any]:
        return lambda x, y: getattr(module, name)(y, x)

    calls: Calls = {}
    for name in names.split():
        calls[name], calls[f"r{name}"] = left(name), right(name)
    return calls


def _with_another(module: Any, names: str) -> Calls:
    """Calls `name_same` on the value and another of its kind."""

    def call(name: str) -> Callable[..., Any]:
        return lambda x, z: getattr(module, name)(x, z)

    return {f"{name}_same": call(name) for name in names.split()}


ROUNDING: Calls = _of_x(jnp, "floor ceil rint trunc sign isnan isinf isfinite signbit logical_not")

UNARY: Calls = {
    "neg": lambda x: -x,
    "abs": lambda x: abs(x),
    **_of_x(
        jnp,
        "positive exp expm1 exp2 log1p square sin cos tan sinh cosh tanh arctan arcsinh"
        " conj real imag sinc nan_to_num deg2rad",
    ),
    **_of_x(lax, "erf erfc logistic cbrt lgamma"),
    **_of_x(special, "i0e i1e"),
    "log": lambda x: jnp.log(abs(x)),
    "log2": lambda x: jnp.log2(abs(x)),
    "sqrt": lambda x: jnp.sqrt(x),
    "rsqrt": lambda x: lax.rsqrt(x),
    "reciprocal": lambda x: 1 / x,
    "arcsin": lambda x: jnp.arcsin(x / 8),
    "arccos": lambda x: jnp.arccos(x / 8),
    "arctanh": lambda x: jnp.arctanh(x / 8),
    "erf_inv": lambda x: lax.erf_inv(x / 8),
    "digamma": lambda x: lax.digamma(abs(x) + 1),
    "integer_pow_2": lambda x: x**2,
    "integer_pow_3": lambda x: x**3,
    "integer_pow_0": lambda x: x**0,
    "integer_pow_minus": lambda x: lax.integer_pow(x, -1),
    "power_half": lambda x: abs(x) ** 0.5,
    "round_2": lambda x: jnp.round(x, 2),
    "clip": lambda x: jnp.clip(x, -1, 1),
    "reduce_precision": lambda x: lax.reduce_precision(x, 8, 7),
}

INTEGER: Calls = {
    "invert": lambda x: ~x,
    "population_count": lambda x: lax.population_count(x),
    "clz": lambda x: lax.clz(x),
    **_both_orders(
        jnp, "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd logical_and logical_xor"
    ),
}

DTYPES: Calls = {
    "astype_float": lambda x: x.astype("float32"),
    "astype_half": lambda x: x.astype("float16"),
    "astype_int": lambda x: x.astype("int32"),
    "astype_bool": lambda x: x.astype(bool),
    "astype_complex": lambda x: x.astype("complex64"),
    "convert_element_type": lambda x: lax.convert_element_type(x, "float32"),
    "bits_and_back": lambda x: lax.bitcast_convert_type(
        lax.bitcast_convert_type(x, "uint8"), x.dtype
    ),
    "asarray": lambda x: jnp.asarray(x),
    "array": lambda x: jnp.array(x),
    "complex": lambda x, y: lax.complex(x, y),
    "rcomplex": lambda x, y: lax.complex(y, x),
    "zeros_like": lambda x: jnp.zeros_like(x),
    "ones_like": lambda x: jnp.ones_like(x),
    "full_like": lambda x: jnp.full_like(x, 3),
    "result_type": lambda x: jnp.zeros((), jnp.result_type(x, 1)),
}

SCALAR: Calls = {
    "add_scalar": lambda x: x + 2,
    "radd_scalar": lambda x: 2 + x,
    "sub_scalar": lambda x: x - 1,
    "rsub_scalar": lambda x: 1 - x,
    "mul_scalar": lambda x: x * 3,
    "rmul_scalar": lambda x: 3 * x,
    "mul_float": lambda x: x * 0.5,
    "div_scalar": lambda x: x / 4,
    "rdiv_scalar": lambda x: 4 / x,
    "rpow_scalar": lambda x: 2.0**x,
    "mod_scalar": lambda x: x % 2,
    "max_scalar": lambda x: jnp.maximum(x, 0),
    "gt_scalar": lambda x: x > 0,
    "eq_scalar": lambda x: x == 0,
    "mul_array_scalar": lambda x, scalar: x * scalar,
    "rmul_array_scalar": lambda x, scalar: scalar * x,
    "div_array_scalar": lambda x, scalar: x / scalar,
    "add_array_scalar": lambda x, scalar: x + scalar,
}

BINARY: Calls = {
    **_both_orders(
        jnp,
        "add subtract multiply maximum minimum equal not_equal less less_equal greater"
        " greater_equal arctan2 hypot logaddexp copysign",
    ),
    **_both_orders(lax, "div rem nextafter"),
    "power": lambda x, y: abs(x) ** y,
    "rpower": lambda x, positive: positive**x,
    "lax_add": lambda x, y: lax.add(x, y),
    "lax_sub": lambda x, y: lax.sub(x, y),
    "rlax_sub": lambda x, y: lax.sub(y, x),
    "lax_mul": lambda x, y: lax.mul(x, y),
    "floor_divide": lambda x, positive: x // positive,
    "mod": lambda x, positive: x % positive,
    "heaviside": lambda x, y: jnp.heaviside(x, y),
    "float_power": lambda x: jnp.float_power(x, 2),
    "ldexp": lambda x: jnp.ldexp(x, 2),
    "clamp": lambda x, y: lax.clamp(-1 * abs(y), x, abs(y)),
    "rclamp": lambda x, y: lax.clamp(-1 * abs(x), y, abs(x)),
}

SAME: Calls = {
    **_with_another(
        jnp, "add subtract multiply divide maximum minimum equal less arctan2 bitwise_or"
    ),
    "sub_itself": lambda x: x - x,
    "mul_itself": lambda x: x * x,
}

BROADCAST: Calls = {
    "add_row": lambda x, row: x + row,
    "radd_row": lambda x, row: row + x,
    "sub_row": lambda x, row: x - row,
    "rsub_row": lambda x, row: row - x,
    "mul_row": lambda x, row: x * row,
    "rmul_row": lambda x, row: row * x,
    "mul_col": lambda x, col: x * col,
    "rmul_col": lambda x, col: col * x,
    "div_col": lambda x, col: x / col,
    "add_col": lambda x, col: x + col,
    "outer_sum": lambda x, row: x[..., None] + row,
}

# What a type that is known to be zero somewhere may answer otherwise, and has to say so.
SPECIAL: Calls = {
    "add_special": lambda x, special: x + special,
    "sub_special": lambda x, special: special - x,
    "mul_special": lambda x, special: x * special,
    "div_special": lambda x, special: x / special,
    "rdiv_special": lambda x, special: special / x,
    "max_special": lambda x, special: jnp.maximum(x, special),
    "where_special": lambda x, mask, special: jnp.where(mask, x, special),
    "outer_special": lambda x, special: jnp.tensordot(x, special, x.ndim),
}

NN: Calls = {
    **_of_x(nn, "relu sigmoid softplus silu gelu elu leaky_relu softmax log_softmax"),
    "logsumexp": lambda x: special.logsumexp(x),
    "one_hot": lambda x: nn.one_hot(x, 3),
    "standardize": lambda x: nn.standardize(x),
}

RANDOM: Calls = {
    "normal_like": lambda x, key: x + jax.random.normal(key, x.shape, x.dtype),
    "categorical": lambda x, key: jax.random.categorical(key, x),
    "permutation": lambda x, key: jax.random.permutation(key, x),
    "fold_in": lambda key, x: jax.random.normal(key, (2,)) + x.sum(),
}
