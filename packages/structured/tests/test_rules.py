"""What the rules give, against NumPy."""

import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, materialize, quaxify
from duckarray.structured import Tridiagonal

ARRAY = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], "float32")
FACTOR = np.float32(3.0)
OTHER = np.array([[2.0, 1.0], [-1.0, 0.5], [4.0, 3.0]], "float32")


@pytest.fixture
def x():
    return Tridiagonal(jnp.asarray(ARRAY), jnp.asarray(FACTOR))


@pytest.mark.parametrize(
    ("program", "want"),
    [
        (lambda x: -x, -FACTOR * ARRAY),
        (lambda x: 4 * x, 4 * FACTOR * ARRAY),
        (lambda x: x / 8, FACTOR * ARRAY / 8),
        (lambda x: x * OTHER.T, FACTOR * ARRAY * OTHER.T),
        (lambda x: x * x, (FACTOR * ARRAY) ** 2),
        (lambda x: x @ OTHER, FACTOR * ARRAY @ OTHER),
        (lambda x: OTHER @ x, OTHER @ (FACTOR * ARRAY)),
        (lambda x: x @ x.T, FACTOR**2 * ARRAY @ ARRAY.T),
        (lambda x: jnp.sum(x, axis=0), FACTOR * ARRAY.sum(0)),
    ],
)
def test_the_factor_stays_apart(x, program, want):
    with materialization("error"):
        out = quaxify(program)(x)
    assert isinstance(out, Tridiagonal)
    np.testing.assert_allclose(materialize(out), want, rtol=1e-6)


def test_scaling_does_not_touch_the_array(x):
    out = quaxify(lambda x: -(2 * x))(x)
    np.testing.assert_array_equal(out.array, ARRAY)
    assert out.factor == -6


def test_integers_are_divided_after_scaling():
    x = Tridiagonal(jnp.array([3, 5]), jnp.asarray(5))
    with materialization("allow"):
        out = quaxify(lambda x: x // 2)(x)
    np.testing.assert_array_equal(out, [7, 12])
