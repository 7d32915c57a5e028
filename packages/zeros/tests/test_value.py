"""Making zeros, recognising them, and what they are made of."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize, quaxify
from duckarray.zeros import Zeros, is_zero, zeros_like

DTYPES = [bool, jnp.int8, jnp.uint32, jnp.float16, jnp.bfloat16, jnp.float32, jnp.complex64]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_stand_for_an_array_of_zeros(shape, dtype):
    z = Zeros(shape, dtype)
    assert (z.shape, z.dtype, z.ndim) == (shape, jnp.dtype(dtype), len(shape))
    dense = materialize(z)
    assert dense.dtype == dtype
    np.testing.assert_array_equal(dense, np.zeros(shape, dtype))


@pytest.mark.parametrize("shape", [3, [3], np.array([3]), (np.int64(3),)])
def test_a_shape_is_given_as_to_jax(shape):
    assert Zeros(shape).shape == (3,)


def test_the_default_dtype_is_that_of_jax():
    assert Zeros(2).dtype == jnp.zeros(2).dtype


def test_zeros_hold_no_entries():
    (leaf,) = jax.tree.leaves(Zeros((1000, 1000)))
    assert leaf.size == 0


def test_weak_type_is_that_of_the_dense_array():
    assert Zeros(3, weak_type=True).aval().weak_type
    assert not Zeros(3).aval().weak_type
    assert materialize(Zeros(3, jnp.int32, weak_type=True)).weak_type


def test_zeros_like_an_array_a_scalar_and_a_value():
    for x in (jnp.ones((2, 3), jnp.int8), np.ones(2, "float16"), 1.5, Zeros((2, 3), bool)):
        aval = jax.typeof(materialize(x))
        assert zeros_like(x).aval().str_short() == aval.str_short()
        assert zeros_like(x).aval().weak_type == aval.weak_type


def test_is_zero_looks_at_the_type_and_not_at_entries():
    assert is_zero(Zeros(3))
    assert not is_zero(jnp.zeros(3))
    assert not is_zero(0.0)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_programs_can_decide_by_is_zero(transform):
    def program(x):
        return (jnp.ones(3) if is_zero(x) else x), zeros_like(x)

    one, zero = transform(quaxify(program))(Zeros(3))
    np.testing.assert_array_equal(one, np.ones(3))
    assert is_zero(zero)
    dense, zero = transform(quaxify(program))(jnp.full(3, 2.0))
    np.testing.assert_array_equal(dense, np.full(3, 2.0))
    assert is_zero(zero)


def test_repr_says_shape_and_dtype():
    assert repr(Zeros((2, 3), jnp.int8)) == "Zeros((2, 3), int8)"
    assert repr(jax.tree.map(lambda _: None, Zeros(3))) == "Zeros(empty=None)"


def test_zeros_can_be_copied_and_pickled():
    z = Zeros((2, 3), jnp.int8)
    for again in (copy.deepcopy(z), pickle.loads(pickle.dumps(z))):
        assert (again.shape, again.dtype) == ((2, 3), jnp.int8)


def test_zeros_made_inside_take_part():
    out = quaxify(lambda x: jnp.multiply(Zeros(3), x))(jnp.ones(3))
    assert is_zero(out)
