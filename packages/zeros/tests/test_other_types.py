"""Zeros next to values of types that know nothing of them."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, field, known_constant, materialize, quaxify, register
from duckarray.zeros import Full, Ones, Zeros, is_zero


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


class Rows(ArrayValue):
    """Rows times numbers, which asks what number it is multiplied with, and is told."""

    scales: jax.Array
    materialization: ClassVar[str] = "error"

    def materialize(self):
        return self.scales[:, None] * jnp.ones((1, 3))


@register("mul", commutative=True)
def _mul_rows_dense(x: Rows, y: ArrayLike, **params):
    number = known_constant(y)
    return NotImplemented if number is None else Rows(number * x.scales)


@register("div")
def _div_dense_rows(x: ArrayLike, y: Rows, **params):
    return lax.div(jnp.broadcast_to(x, (2, 3)), materialize(y))


@pytest.mark.parametrize("weak_type", [False, True])
def test_rules_of_other_types_know_the_number(weak_type):
    x = Rows(jnp.array([1.0, 2.0]))
    c = Full(2.5, (2, 3), weak_type=weak_type)
    for program in (lambda x, c: x * c, lambda x, c: c * x):
        for run in (quaxify(program), jax.jit(quaxify(program))):
            np.testing.assert_array_equal(run(x, c).scales, [2.5, 5.0])
    assert quaxify(lax.mul)(x, Ones((2, 3))) is x


def test_zeros_divided_by_another_type_are_what_it_says():
    got = quaxify(lambda z, x: z / x)(Zeros((2, 3)), Rows(jnp.array([0.0, 2.0])))
    np.testing.assert_array_equal(got, [[np.nan] * 3, [0.0] * 3])
