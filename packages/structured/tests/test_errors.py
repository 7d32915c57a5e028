"""What is refused, and what the message advises."""

import jax.numpy as jnp
import pytest

from duckarray.structured import Tridiagonal


def test_a_factor_with_axes_is_refused():
    with pytest.raises(ValueError, match=r"factor of shape \(2,\)[\s\S]*`jnp\.asarray\(2\.0"):
        Tridiagonal(jnp.ones(2), jnp.ones(2))


def test_a_factor_of_another_dtype_is_refused():
    with pytest.raises(ValueError, match=r"dtype int32[\s\S]*array\.dtype"):
        Tridiagonal(jnp.ones(2), jnp.int32(2))


def test_a_factor_that_is_no_array_is_refused():
    with pytest.raises(TypeError, match=r"factor=[\s\S]*takes an array[\s\S]*jnp\.asarray"):
        Tridiagonal(jnp.ones(2), 2.0)
