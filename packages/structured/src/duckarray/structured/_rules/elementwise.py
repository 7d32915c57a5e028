"""Functions of entries: of those that are stored, if the function is zero where all others are."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import bind, families, known_constant, materialize
from duckarray.structured._band import CHAIN, Band
from duckarray.structured._bands import Identity
from duckarray.structured._base import Structured, make, on_batch, one_of, zeros_as
from duckarray.structured._closure import entrywise, multiply
from duckarray.structured._lowrank import DiagonalPlusLowRank, LowRank
from duckarray.structured._permutation import Permutation
from duckarray.structured._places import kind_of, scaled, zero_like
from duckarray.structured._product import BlockDiagonal, Kronecker
from duckarray.structured._rules._common import broadcast_batch, converted
from duckarray.structured._rules._register import register
from duckarray.structured._stored import Symmetric, Triangular, full
from duckarray.structured._toeplitz import Circulant, Toeplitz

_ZERO_AT_ZERO = {
    "neg",
    "abs",
    "sign",
    "real",
    "imag",
    "conj",
    "convert_element_type",
    "reduce_precision",
    "floor",
    "ceil",
    "round",
    "square",
    "sqrt",
    "cbrt",
    "sin",
    "tan",
    "asin",
    "atan",
    "sinh",
    "tanh",
    "asinh",
    "atanh",
    "expm1",
    "log1p",
    "erf",
    "erf_inv",
    "bessel_i1e",
}
_ONE_AT_ONE = {"abs", "sign", "real", "conj", "floor", "ceil", "round", "square", "sqrt", "cbrt"}
_MULTIPLICATIVE = {"abs", "sign", "square", "conj"}
# Of these every entry of the matrix is one that is stored, or a product of such.
_EVERY_ENTRY = (Toeplitz, Circulant, Symmetric, Kronecker)


@register(*families.elementwise_unary)
def _elementwise_structured(x: Structured, *, primitive: Primitive, **params: Any) -> Any:
    """F of each entry that is stored, where the others stay as they are."""
    if primitive is lax.convert_element_type_p:
        return converted(x, params)
    positive = primitive is lax.integer_pow_p and params["y"] > 0
    name = "square" if positive else primitive.name  # as which it behaves
    return unary(x, lambda leaf: bind(primitive, leaf, **params), name)


def unary(x: Any, change: Any, name: str) -> Any:
    """`change` applied to each entry; `name` says which of the sets above it is in."""
    if isinstance(x, Toeplitz):
        row = jnp.concatenate([x.c[..., :1], x.r[..., 1:]], axis=-1) if x.c.shape[-1] else x.r
        return make(Toeplitz, change(x.c), change(row) if x.r.shape[-1] else change(x.r))
    if isinstance(x, Circulant):
        return make(Circulant, change(x.c))
    if isinstance(x, Symmetric):
        return make(Symmetric, change(full(x)), lower=x.lower)
    if isinstance(x, Identity | Permutation) and name in _ONE_AT_ONE:
        dtype = jax.eval_shape(change, jax.ShapeDtypeStruct((), x.dtype)).dtype
        if isinstance(x, Permutation):
            return make(Permutation, x.permutation, of_dtype=dtype)
        return make(Identity, x.empty.astype(dtype))
    if isinstance(x, Kronecker):
        if name == "neg":
            return make(Kronecker, (change(x.factors[0]), *x.factors[1:]))
        return on_batch(x, lambda f, own: change(f)) if name in _MULTIPLICATIVE else NotImplemented
    if isinstance(x, LowRank | DiagonalPlusLowRank):
        return _unary_low_rank(x, change, name)
    if name not in _ZERO_AT_ZERO or isinstance(x, Permutation):
        return NotImplemented
    if isinstance(x, CHAIN):
        return Band.of(x).map(change).value(type(x))
    if isinstance(x, Triangular):
        n = x.matrix.shape[-1]
        read = jnp.tri(n, dtype=bool) if x.lower else ~jnp.tri(n, k=-1, dtype=bool)
        matrix = change(jnp.where(read, full(x), one_of(x.matrix)))
        return make(Triangular, matrix, lower=x.lower, unit_diagonal=False)
    return on_batch(x, lambda leaf, own: change(leaf))


def _unary_low_rank(x: Any, change: Any, name: str) -> Any:
    if name == "conj":
        return on_batch(x, lambda leaf, own: change(leaf))
    if name == "neg" and isinstance(x, LowRank):
        return make(LowRank, change(x.u), x.v)
    if name == "neg":
        return make(DiagonalPlusLowRank, change(x.diagonal), change(x.u), x.v)
    return NotImplemented


@register("pow")
def _pow_structured_dense(x: Structured, y: ArrayLike, **params: Any) -> Any:
    """A power that is known and positive keeps zeros."""
    power = known_constant(y)
    if power is None or isinstance(power, complex) or not power > 0 or jnp.ndim(y) > 0:
        return NotImplemented
    return unary(x, lambda leaf: bind(lax.pow_p, leaf, y, **params), "sqrt")


@register("mul", commutative=True)
def _mul_structured_dense(x: Structured, y: ArrayLike, **params: Any) -> Any:
    """The stored entries times those of `y` at their places; a known zero gives zero."""
    return _scale(lax.mul_p, x, y, params)


@register("div")
def _div_structured_dense(x: Structured, y: ArrayLike, **params: Any) -> Any:
    """The stored entries by those of `y` at their places; the zeros stay, whatever `y` is there."""
    return _scale(lax.div_p, x, y, params)


@register("and", commutative=True)
def _and_structured_dense(x: Structured, y: ArrayLike, **params: Any) -> Any:
    """The stored entries and those of `y` at their places."""
    if not isinstance(x, (*CHAIN, BlockDiagonal, Triangular)):
        return NotImplemented
    return _scale(lax.and_p, x, y, params)


def _scale(primitive: Primitive, x: Any, y: Any, params: Any) -> Any:
    x = _like(x, y)
    if x is None:
        return NotImplemented
    constant = known_constant(y)
    if constant is not None and _spoils_zeros(primitive, constant):
        if not isinstance(x, _EVERY_ENTRY):
            return NotImplemented
    elif constant == 0 and primitive is not lax.div_p:
        return zero_like(x)
    if constant == 1 and isinstance(x, Permutation):
        return x
    y = jnp.asarray(y)
    if y.dtype != x.dtype:
        y = y.astype(x.dtype)
    out_dtype = params.get("out_dtype")
    if out_dtype is not None and out_dtype != x.dtype:
        return NotImplemented
    return scaled(x, y, lambda a, b: primitive_call(primitive, a, b))


def _spoils_zeros(primitive: Primitive, constant: Any) -> bool:
    """Whether zero times, or over, a number that is known is not zero."""
    if primitive is lax.div_p:
        return bool(constant == 0 or constant != constant)  # zero, or not a number
    return primitive is lax.mul_p and not np.isfinite(constant)


def primitive_call(primitive: Primitive, a: Any, b: Any) -> Any:
    """The operation of `primitive`, which broadcasts."""
    return _OPERATIONS[primitive.name](a, b)


_OPERATIONS: dict[str, Any] = {
    "mul": jnp.multiply,
    "div": lambda a, b: lax.div(*jnp.broadcast_arrays(a, b)),
    "and": jnp.bitwise_and,
    "add": jnp.add,
    "add_any": jnp.add,
    "sub": jnp.subtract,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "or": jnp.bitwise_or,
    "xor": jnp.bitwise_xor,
    "ne": jnp.not_equal,
    "lt": jnp.less,
    "gt": jnp.greater,
}
# Zero, or false, where both operands are.
_ZERO_AT_ZEROS = ("max", "min", "and", "or", "xor", "ne", "lt", "gt")


@register("add", "add_any", commutative=True)
def _add_structured_dense(
    x: Structured, y: ArrayLike, *, primitive: Primitive, **params: Any
) -> Any:
    """`x + 0` is `x`; next to a dense matrix the sum is one."""
    return _add(primitive, x, y)


@register("sub")
def _sub_structured_dense(x: Structured, y: ArrayLike, **params: Any) -> Any:
    """`x - y`, as `x + y`."""
    return _add(lax.sub_p, x, y)


@register("sub")
def _sub_dense_structured(x: ArrayLike, y: Structured, **params: Any) -> Any:
    """`x - y = -y + x`."""
    negative = bind(lax.neg_p, y)
    return _add(lax.add_p, negative, x) if isinstance(negative, Structured) else NotImplemented


def _add(primitive: Primitive, x: Any, y: Any) -> Any:
    m, n = x.shape[-2:]
    change = _OPERATIONS[primitive.name]
    wide = _like(x, y)
    if wide is None:
        return NotImplemented
    if known_constant(y) == 0 and jnp.result_type(y) == x.dtype:
        return wide
    kind = kind_of(y, m, n)
    if kind == "scalar" and isinstance(x, Toeplitz | Circulant | Symmetric):
        each = y if jnp.ndim(y) == 0 else jnp.asarray(y)[..., 0]
        if isinstance(x, Symmetric):
            return make(Symmetric, change(full(wide), y), lower=x.lower)
        return on_batch(wide, lambda leaf, own: change(leaf, each))
    if kind == "full" and jnp.shape(y):
        return change(materialize(x), y)  # as dense as the other operand is already
    return NotImplemented


def _like(x: Any, y: Any) -> Any:
    """`x` with its batch axes broadcast to those of `y`; None if its own two axes would be."""
    shape = jnp.shape(y)
    if not shape:
        return x
    if len(shape) != x.ndim or any(
        a == 1 != b for a, b in zip(x.shape[-2:], shape[-2:], strict=True)
    ):
        return None
    return broadcast_batch(x, jnp.broadcast_shapes(x.batch_shape, shape[:-2]))


@register("add", "add_any", "sub", "mul", *_ZERO_AT_ZEROS)
def _binary_structured_structured(
    x: Structured, y: Structured, *, primitive: Primitive, **params: Any
) -> Any:
    """The result has the type that the closure table says."""
    if x.shape[-2:] != y.shape[-2:] or x.ndim != y.ndim:
        return NotImplemented
    batch = jnp.broadcast_shapes(x.batch_shape, y.batch_shape)
    x, y = broadcast_batch(x, batch), broadcast_batch(y, batch)
    name = primitive.name
    if name == "mul":
        out = multiply(x, y)
    else:
        linear = name in ("add", "add_any", "sub")
        out = entrywise(x, y, _OPERATIONS[name], linear)
        if out is None and linear:
            out = _same_factors(x, y, name)
    return NotImplemented if out is None else out


def _same_factors(x: Any, y: Any, name: str) -> Any:
    """`x + x` of a Kronecker product, as where a symmetric one is made symmetric."""
    if name == "sub" or not (isinstance(x, Kronecker) and isinstance(y, Kronecker)):
        return None
    if len(x.factors) != len(y.factors):
        return None
    if all(a is b for a, b in zip(x.factors, y.factors, strict=True)):
        return make(Kronecker, (x.factors[0] + y.factors[0], *x.factors[1:]))
    return None


@register("max", "min", "ne", commutative=True)
def _max_structured_dense(
    x: Structured, y: ArrayLike, *, primitive: Primitive, **params: Any
) -> Any:
    """With a known zero, as of `relu`, the zeros stay."""
    return _with_zero(x, y, _OPERATIONS[primitive.name])


@register("gt", "lt")
def _gt_structured_dense(
    x: Structured, y: ArrayLike, *, primitive: Primitive, **params: Any
) -> Any:
    """Whether an entry is above, or below, a known zero."""
    return _with_zero(x, y, _OPERATIONS[primitive.name])


@register("gt", "lt")
def _gt_dense_structured(
    x: ArrayLike, y: Structured, *, primitive: Primitive, **params: Any
) -> Any:
    """The same with the operands exchanged."""
    change = _OPERATIONS[primitive.name]
    return _with_zero(y, x, lambda a, b: change(b, a))


def _with_zero(x: Any, y: Any, change: Any) -> Any:
    m, n = x.shape[-2:]
    wide = _like(x, y)
    if wide is None or known_constant(y) != 0 or kind_of(y, m, n) is None:
        return NotImplemented
    zero = zeros_as(jnp.asarray(y), ())
    return unary(wide, lambda leaf: change(leaf, zero), "tanh")
