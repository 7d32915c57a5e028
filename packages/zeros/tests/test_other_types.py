"""Zeros next to values of types that know nothing of them."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import ArrayValue, field, materialize, quaxify, register
from duckarray.zeros import Zeros, is_zero


class Opaque(ArrayValue):
    """Claims every product and never becomes dense, as a large operator might."""

    array: jax.Array

    def materialize(self):
        raise TypeError("it is too large")

    def aval(self):
        return jax.typeof(self.array)


class Metres(ArrayValue):
    """Claims every product and stays on the outside."""

    array: jax.Array
    power: int = field(static=True)
    array_priority: ClassVar[int] = 100

    def materialize(self):
        return self.array


@register("dot_general")
def _dot_general_opaque_any(x: Opaque, y: object, **params):
    raise AssertionError("not asked when the other operand is zero")


@register("dot_general")
def _dot_general_any_opaque(x: object, y: Opaque, **params):
    raise AssertionError("not asked when the other operand is zero")


@register("mul", commutative=True)
def _mul_metres_any(x: Metres, y: object, **params):
    return Metres(materialize(lax.mul(x.array, materialize(y))), x.power)


def test_a_product_with_zeros_is_zeros_whatever_the_other_operand_is():
    x = Opaque(jnp.ones((3, 4)))
    assert is_zero(quaxify(jnp.matmul)(Zeros((2, 3)), x))
    assert is_zero(quaxify(jnp.matmul)(x, Zeros((4, 2))))
    assert is_zero(quaxify(jnp.multiply)(x, Zeros((3, 4))))


@pytest.mark.parametrize("program", [lambda z, x: z + x, lambda z, x: x + z, lambda z, x: x - z])
def test_a_sum_with_zeros_is_the_other_operand(program):
    x = Opaque(jnp.arange(3.0))
    out = quaxify(program)(Zeros(3), x)
    assert isinstance(out, Opaque)
    np.testing.assert_array_equal(out.array, x.array)


def test_types_that_stay_on_the_outside_go_first():
    for args in ((Zeros(3), Metres(jnp.ones(3), 2)), (Metres(jnp.ones(3), 2), Zeros(3))):
        out = quaxify(lax.mul)(*args)
        assert (type(out), out.power) == (Metres, 2)
        np.testing.assert_array_equal(out.array, np.zeros(3))
