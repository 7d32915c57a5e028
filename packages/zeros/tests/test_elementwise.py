"""Functions that are zero at zero, products, sums."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import quaxify
from duckarray.zeros import Zeros, is_zero

# fmt: off
ZERO_AT_ZERO = [
    "negative", "abs", "sign", "real", "conj", "floor", "ceil", "square", "sqrt", "cbrt",
    "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "expm1", "log1p",
    "positive",
]
# fmt: on
Y = np.arange(-5.0, 7.0, dtype="float32").reshape(3, 4)


@pytest.mark.parametrize("name", ZERO_AT_ZERO)
def test_functions_that_are_zero_at_zero_keep_zeros(agrees, name):
    agrees(getattr(jnp, name), getattr(np, name), Zeros((3, 4)), zero=True)


@pytest.mark.parametrize("name", ["cos", "exp", "log", "reciprocal"])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_functions_that_are_not_see_the_dense_zeros(agrees, name):
    agrees(getattr(jnp, name), getattr(np, name), Zeros((3, 4)), zero=False)


@pytest.mark.parametrize("name", ["abs", "real", "imag", "conj", "negative"])
def test_complex_zeros_get_the_dtype_of_the_result(agrees, name):
    agrees(getattr(jnp, name), getattr(np, name), Zeros(3, jnp.complex64), zero=True)


@pytest.mark.parametrize("power", [1, 2, 3])
def test_positive_powers_keep_zeros(agrees, power):
    agrees(lambda x: lax.integer_pow(x, power), lambda x: x**power, Zeros(3), zero=True)


@pytest.mark.parametrize(("power", "value"), [(0, 1.0), (-1, np.inf)])
def test_other_powers_do_not(agrees, power, value):
    agrees(
        lambda x: lax.integer_pow(x, power), lambda x: np.full_like(x, value), Zeros(3), zero=False
    )


@pytest.mark.parametrize("dtype", [jnp.int32, jnp.float16, jnp.bfloat16, bool])
def test_conversion_keeps_zeros(agrees, dtype):
    agrees(lambda x: x.astype(dtype), lambda x: x.astype(dtype), Zeros((3, 4)), zero=True)


@pytest.mark.parametrize("other", [Y, Zeros((3, 4)), 2.0], ids=["dense", "zeros", "scalar"])
def test_products_are_zeros_from_either_side(agrees, other):
    agrees(jnp.multiply, np.multiply, Zeros((3, 4)), other, zero=True)
    agrees(jnp.multiply, np.multiply, other, Zeros((3, 4)), zero=True)


@pytest.mark.parametrize("shape", [(), (4,), (1, 4), (3, 1), (2, 3, 4)])
def test_operands_are_broadcast(agrees, shape):
    with jax.numpy_rank_promotion("allow"):
        agrees(jnp.multiply, np.multiply, Zeros(shape), Y, zero=True)
        agrees(jnp.add, np.add, Zeros(shape), Y, zero=False)
        agrees(jnp.add, np.add, Y, Zeros(shape), zero=False)
        agrees(jnp.subtract, np.subtract, Zeros(shape), Y, zero=False)
        agrees(jnp.subtract, np.subtract, Y, Zeros(shape), zero=False)


def test_a_strong_zero_absorbs_what_is_not_finite():
    bad = jnp.array([jnp.inf, jnp.nan])
    assert is_zero(quaxify(jnp.multiply)(Zeros(2), bad))
    assert is_zero(quaxify(jnp.divide)(Zeros(2), jnp.zeros(2)))


def test_zeros_divided_by_zeros_are_not_a_number(agrees):
    with np.errstate(invalid="ignore"):
        agrees(jnp.divide, np.divide, Zeros(3), Zeros(3), zero=False)


def test_zeros_divided_by_something_are_zeros(agrees):
    agrees(lambda x: x / 2, lambda x: x / np.float32(2), Zeros(3), zero=True)


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum"])
def test_zeros_and_zeros_are_zeros(agrees, name):
    agrees(getattr(jnp, name), getattr(np, name), Zeros((3, 4)), Zeros((3, 4)), zero=True)


@pytest.mark.parametrize("name", ["bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", [bool, np.int32, np.uint8])
def test_bitwise_sums_return_the_other_operand(agrees, name, dtype):
    other = np.array([0, 1, 3]).astype(dtype)
    agrees(getattr(jnp, name), getattr(np, name), Zeros(3, dtype), other, zero=False)
    agrees(jnp.bitwise_and, np.bitwise_and, Zeros(3, dtype), other, zero=True)


def test_unsigned_integers_wrap_when_subtracted(agrees):
    other = np.array([0, 1, 255], "uint8")
    agrees(jnp.subtract, np.subtract, Zeros(3, jnp.uint8), other, zero=False)


def test_sums_return_the_other_operand_itself():
    y = jnp.asarray(Y)
    assert quaxify(lax.add)(Zeros((3, 4)), y) is y
    assert quaxify(lax.add)(y, Zeros((3, 4))) is y
    assert quaxify(lax.sub)(y, Zeros((3, 4))) is y


@pytest.mark.parametrize("program", [lambda x: 1 + x, lambda x: x - 1, lambda x: 1.5 - x])
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16, jnp.float32])
def test_python_scalars_take_the_dtype_of_zeros(agrees, program, dtype):
    agrees(program, program, Zeros(3, dtype), zero=False)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.float32])
def test_weak_zeros_take_the_dtype_of_the_other_operand(agrees, dtype):
    weak = Zeros(3, weak_type=True)
    agrees(jnp.add, lambda x, y: y, weak, jnp.array([1, 2, 3], dtype), zero=False)
    agrees(jnp.multiply, lambda x, y: 0 * y, weak, jnp.array([1, 2, 3], dtype), zero=True)


def test_a_strong_zero_makes_a_weak_operand_strong():
    weak = lax.full((3,), 2.0)
    assert weak.weak_type
    out = quaxify(lax.add)(Zeros(3), weak)
    assert not out.weak_type
    np.testing.assert_array_equal(out, np.full(3, 2.0))


def test_complex_from_two_zeros(agrees):
    agrees(lax.complex, lambda x, y: x + 1j * y, Zeros(3), Zeros(3), zero=True)
