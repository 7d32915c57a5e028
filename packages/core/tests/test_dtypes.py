import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from _core_types import Box

from duckarray.core import extend, quaxify

DTYPES = ("bool", "int8", "uint4", "float8_e4m3fn", "bfloat16", "float32", "complex64")


@pytest.mark.parametrize("weak", [False, True], ids=["strong", "weak"])
@pytest.mark.parametrize(("old", "new"), list(itertools.product(DTYPES, DTYPES)))
def test_an_array_is_converted_as_numpy_converts_it(old, new, weak):
    x = np.array([0, 1, 1], bool).astype(old)
    got = extend.with_dtype(jnp.asarray(x), new, weak)
    assert got.dtype == new
    assert got.weak_type is weak
    np.testing.assert_array_equal(np.asarray(got).astype(complex), [0, 1, 1])


@pytest.mark.parametrize("weak", [False, True], ids=["strong", "weak"])
def test_what_has_the_dtype_is_returned_as_it_is(weak):
    x = extend.with_dtype(jnp.arange(3.0), "float32", weak)
    assert extend.with_dtype(x, jnp.float32, weak) is x
    array = np.arange(3.0, dtype="float32")
    assert extend.with_dtype(array, "float32") is array


def test_a_numpy_array_wider_than_jax_has_it_is_converted():
    got = extend.with_dtype(np.arange(3.0), "float32")
    assert isinstance(got, jax.Array)
    np.testing.assert_array_equal(got, [0, 1, 2])


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2), np.int8(2)], ids=repr)
def test_a_number_becomes_an_array(number):
    got = extend.with_dtype(number, "float16", True)
    assert (got.dtype, got.shape, got.weak_type) == ("float16", (), True)
    assert got == 2


def test_a_value_is_converted_by_its_rules():
    x = Box(jnp.arange(3.0))
    assert extend.with_dtype(x, "float32") is x
    assert type(extend.with_dtype(x, "float16")) is Box
    np.testing.assert_array_equal(np.asarray(extend.with_dtype(x, "float16")), [0, 1, 2])


@pytest.mark.parametrize("weak", [False, True], ids=["strong", "weak"])
def test_it_converts_while_tracing(weak):
    run = jax.jit(quaxify(lambda x: extend.with_dtype(x, jnp.float16, weak)))
    got = run(jnp.arange(3))
    assert (got.dtype, got.weak_type) == ("float16", weak)
    np.testing.assert_array_equal(got, [0, 1, 2])


def test_it_has_a_derivative():
    got = jax.grad(lambda x: extend.with_dtype(x, "float16", True).sum())(jnp.ones(3))
    np.testing.assert_array_equal(got, np.ones(3, "float32"))


def test_a_key_stays_one():
    key = jax.random.key(0)
    assert extend.with_dtype(key, key.dtype) is key


INTEGERS = ("int2", "int4", "int8", "int32", "int64", "uint2", "uint4", "uint8", "uint64")
KNOWN_LATER = ("float6_e2m3fn", "float6_e3m2fn") if jax.__version_info__ >= (0, 12) else ()
SMALL = (
    *KNOWN_LATER,
    *("float4_e2m1fn", "float8_e3m4", "float8_e4m3"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2"),
    *("float8_e5m2fnuz", "float8_e8m0fnu", "float16", "bfloat16"),
)
"""Floating-point types of which every number can be looked at."""


def every_number(name):
    """The numbers that all bits of a dtype stand for, NaN among them."""
    dtype = jnp.dtype(name)
    if name.startswith(("float4", "float6")):
        bits = np.arange(2 ** int(name[5]), dtype="uint8")
    else:
        bits = np.arange(2 ** (8 * dtype.itemsize)).astype(f"uint{8 * dtype.itemsize}")
    with np.errstate(invalid="ignore"):  # NaN
        return bits.view(dtype).astype("float64")


@pytest.mark.parametrize("name", SMALL)
def test_the_extremes_of_a_small_type_are_those_of_all_its_numbers(name):
    numbers = every_number(name)
    least, greatest = extend.extremes(name if hasattr(np, name) else getattr(ml_dtypes, name))
    assert least.dtype == greatest.dtype == jnp.dtype(name)
    assert float(least) == np.nanmin(numbers)
    assert float(greatest) == np.nanmax(numbers)


@pytest.mark.parametrize("name", INTEGERS)
def test_the_extremes_of_integers_are_powers_of_two(name):
    signed, bits = name[0] == "i", int(name.partition("int")[2])
    want = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    got = extend.extremes(jnp.dtype(name))
    assert tuple(map(int, got)) == want
    assert {x.dtype for x in got} == {jnp.dtype(name)}


def test_the_extremes_of_booleans_are_both():
    assert extend.extremes(bool) == (False, True)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_the_extremes_of_floats_are_infinite(name):
    assert extend.extremes(name) == (-np.inf, np.inf)
    assert extend.extremes(name)[1].dtype == name


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_no_complex_number_is_beyond_the_extremes(name):
    least, greatest = extend.extremes(name)
    parts = (-np.inf, -1.0, np.inf)
    for x in (np.asarray(complex(a, b), name) for a in parts for b in parts):
        assert np.sort(np.stack([least, x]))[1] == x
        assert np.sort(np.stack([greatest, x]))[0] == x


def test_jax_finds_the_extremes_neutral():
    for name in ("bool", "int8", "uint4", "float8_e4m3fn", "bfloat16", "float32", "complex64"):
        least, greatest = map(jnp.asarray, extend.extremes(jnp.dtype(name)))
        for x in (least, jnp.ones((), name), greatest):
            assert jax.lax.max(x, least) == x
            assert jax.lax.min(x, greatest) == x


@pytest.mark.parametrize(
    "dtype", ["str", "datetime64[s]", object, jax.dtypes.float0, "no dtype"], ids=str
)
def test_what_holds_no_numbers_has_no_extremes(dtype):
    with pytest.raises(TypeError, match=r"extremes\(.*holds no real or complex numbers"):
        extend.extremes(dtype)


def test_keys_have_no_extremes():
    with pytest.raises(TypeError, match=r"Pass a dtype of those, such as `jnp\.float32`"):
        extend.extremes(jax.random.key(0).dtype)
