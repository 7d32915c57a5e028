import itertools

import jax
import jax.numpy as jnp
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
