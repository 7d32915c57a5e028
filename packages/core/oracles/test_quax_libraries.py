"""Libraries that are published for Quax, unedited: `duckarray.core.quax` takes its place."""

import operator
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.core.quax

sys.modules["quax"] = duckarray.core.quax  # before their import

WANTED = "it needs Python 3.12"
quax_blocks = pytest.importorskip("quax_blocks", reason=WANTED)
qnp = pytest.importorskip("quaxed.numpy", reason=WANTED)
unxt = pytest.importorskip("unxt", reason=WANTED)

KILOMETRES = np.array([3.0, 4.0], "float32")


@pytest.fixture
def length():
    return unxt.Quantity(jnp.asarray(KILOMETRES), "km")


def test_they_got_the_other_module():
    assert unxt.Quantity.__mro__.index(duckarray.core.quax.ArrayValue) > 0


@pytest.mark.parametrize(
    ("program", "unit", "want"),
    [
        (lambda x: x + unxt.Quantity(1.0, "m"), "km", KILOMETRES + 1e-3),
        (lambda x: x / unxt.Quantity(2.0, "h"), "m / s", KILOMETRES / 7.2),
        (lambda x: x**2, "km2", KILOMETRES**2),
        (lambda x: qnp.sum(x * x), "km2", 25.0),
        (lambda x: qnp.linalg.norm(x), "km", 5.0),
        (lambda x: qnp.sqrt(x), "km(1/2)", KILOMETRES**0.5),
        (lambda x: jax.vmap(lambda x: x * x)(x), "km2", KILOMETRES**2),
        (lambda x: qnp.where(x > unxt.Quantity(3500.0, "m"), x, 2 * x), "km", [6.0, 4.0]),
    ],
)
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_quantities_of_unxt(length, program, unit, want, wrap):
    got = wrap(program)(length).uconvert(unit)
    np.testing.assert_allclose(got.value, want, rtol=1e-6)


def test_a_length_is_no_time(length):
    with pytest.raises(ValueError, match="not convertible"):
        length + unxt.Quantity(1.0, "s")


def test_a_gradient_of_unxt():
    slope = jax.grad(lambda x: (unxt.Quantity(x, "m") ** 2).value)(3.0)
    assert slope == 6.0


class Boxed(duckarray.core.quax.ArrayValue, quax_blocks.NumpyMathMixin):
    """Has the operators of `quax_blocks`, which are functions of `quaxed`."""

    array: jax.Array

    def aval(self):
        return jax.core.ShapedArray(self.array.shape, self.array.dtype)

    def materialise(self):
        return self.array


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_operators_of_quax_blocks(name):
    function, x = getattr(operator, name), Boxed(jnp.asarray(KILOMETRES))
    np.testing.assert_allclose(function(x, 2.0), function(KILOMETRES, 2.0), rtol=1e-6)
    np.testing.assert_allclose(function(2.0, x), function(2.0, KILOMETRES), rtol=1e-6)
