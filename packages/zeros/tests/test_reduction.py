"""Reductions and cumulative operations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import checking_rules, materialize, quaxify
from duckarray.zeros import Zeros


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "argmax", "argmin"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_keep_zeros(agrees, name, axis):
    def program(x):
        return getattr(jnp, name)(x, axis=axis)

    agrees(program, lambda x: getattr(np, name)(x, axis=axis), Zeros((3, 4)), zero=True)


@pytest.mark.parametrize("name", ["any", "all"])
def test_logical_reductions_keep_zeros(agrees, name):
    agrees(getattr(jnp, name), getattr(np, name), Zeros((3, 4), bool), zero=True)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_cumulative_operations_keep_zeros(agrees, name):
    def program(x):
        return getattr(jnp, name)(x, axis=1)

    agrees(program, lambda x: getattr(np, name)(x, axis=1), Zeros((3, 4)), zero=True)


def test_the_sum_of_no_zeros_is_zero(agrees):
    agrees(lambda x: jnp.sum(x, axis=0), lambda x: np.sum(x, axis=0), Zeros((0, 4)), zero=True)


def test_the_product_of_no_zeros_is_one(agrees):
    agrees(lambda x: jnp.prod(x, axis=0), lambda x: np.prod(x, axis=0), Zeros((0, 4)), zero=False)


def test_small_integers_are_summed_as_by_plain_jax():
    assert quaxify(jnp.sum)(Zeros(3, jnp.int8)).dtype == jnp.sum(jnp.zeros(3, jnp.int8)).dtype


def test_norms_and_inner_products_are_zero(agrees):
    agrees(lambda x: jnp.sqrt(jnp.sum(x**2)), lambda x: np.sqrt(np.sum(x**2)), Zeros(3), zero=True)


def test_the_mean_of_no_entries_is_not_a_number():
    got = quaxify(lambda x: jnp.mean(x, axis=0))(Zeros((0, 2)))
    np.testing.assert_array_equal(np.asarray(got), [np.nan, np.nan])


def test_weak_types_stay_weak():
    with checking_rules():
        total = quaxify(lambda x: lax.cumlogsumexp(x))(Zeros((3,), weak_type=True))
        places = quaxify(lambda x: lax.top_k(x, 2))(Zeros((3,), weak_type=True))[1]
    np.testing.assert_allclose(materialize(total), np.log([1.0, 2.0, 3.0]), rtol=1e-6)
    np.testing.assert_array_equal(materialize(places), [0, 1])
    assert jax.typeof(materialize(total)).weak_type
