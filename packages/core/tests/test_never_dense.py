"""A type that is never made dense passes through loops and their derivatives.

Zeros that a loop begins with are zeros of any type: gradients are summed up from such.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_powers import Power, rules_of_powers  # noqa: F401
from _core_types import Box, LowRank, dense, make_lowrank
from jax import lax

from duckarray.core import CarryTypeError, materialization, quaxify

pytestmark = pytest.mark.usefixtures("rules_of_powers")

X = np.array([1.0, 2.0], np.float32)


def summed(x):
    """The sum of the squares of `x (1 + i / 2)` for `i` from 0 to 3: `(1 + 2.25 + 4 + 6.25) x²`."""

    def turn(c, _):
        return c + x * 0.5, c * c

    last, squares = lax.scan(turn, x, None, length=3)
    return jnp.sum(squares) + jnp.sum(last * last)


def repeated(x):
    return jnp.sum(lax.fori_loop(0, 3, lambda i, c: c * 1.5 + x, x))


def two_carries(x):
    def turn(c, _):
        a, b = c
        return (a + b, b), a * b

    (a, _), products = lax.scan(turn, (x, x * 2.0), jnp.arange(3.0))
    return jnp.sum(a * a) + jnp.sum(products)


@pytest.mark.parametrize(
    ("program", "jit"), [(summed, False), (summed, True), (repeated, True), (two_carries, True)]
)
def test_a_gradient_through_a_loop_has_the_type_of_what_is_added_up(program, jit):
    # What a derivative is multiplied by in the end is not known to be a power: it is plain.
    def gradient(x):
        out, back = jax.vjp(program, x)
        return back(jnp.ones_like(jnp.zeros(out.shape)))

    wrap = jax.jit if jit else lambda f: f
    (got,) = wrap(quaxify(gradient))(Power(X))
    assert_same(got.array if isinstance(got, Power) else got, jax.grad(program)(X))


def test_the_first_turn_says_of_what_zeros_are():
    got, _ = quaxify(lambda x: lax.scan(lambda c, _: (c + x, None), jnp.zeros(2), None, length=3))(
        Power(X, 2)
    )
    assert got.power == 2
    np.testing.assert_array_equal(got.array, 3 * X)
    program = lambda x: lax.scan(lambda c, x: (c + x, c), jnp.zeros(()), x)
    assert_same(quaxify(program)(Box(X)), program(X))


def test_zeros_that_stay_zero_are_known_to_be():
    def program(x):
        zeros, c = lax.fori_loop(0, 3, lambda i, c: (c[0], c[1] * 2.0), (jnp.zeros(2), x))
        return c + zeros

    got = quaxify(program)(Power(X))
    np.testing.assert_array_equal(got.array, 8 * X)


def test_zero_times_infinity_in_a_loop_is_not_zero():
    def program(x, y):
        return lax.fori_loop(0, 2, lambda i, c: (c[0] * y, c[1] + c[0]), (jnp.zeros(2), x))

    got = quaxify(program)(Box(X), jnp.array([jnp.inf, 1.0]))
    assert_same(got, program(jnp.array(X), jnp.array([jnp.inf, 1.0])))
    with pytest.raises(TypeError, match="a plain number"):
        quaxify(program)(Power(X), jnp.array([jnp.inf, 1.0]))


def test_a_gradient_of_a_damped_motion_has_its_unit():
    # p = x (1 + 0.1 (1 + 0.9 + 0.81 + 0.729)), whose square is differentiated
    def loss(x):
        def turn(c, _):
            v, p = c
            return (v * 0.9, p + v * 0.1), None

        (_, p), _ = lax.scan(turn, (x, x), None, length=4)
        return jnp.sum(p * p / Power(jnp.ones(2), 2))

    got = jax.jit(quaxify(jax.grad(loss)))(Power(X))
    assert got.power == -1
    np.testing.assert_allclose(got.array, 2 * 1.3439**2 * X, rtol=1e-5)


def test_a_part_that_becomes_another_that_was_zero_at_first_is_not():
    program = lambda x: lax.fori_loop(0, 3, lambda i, c: (c[0] + x, c[0]), (jnp.zeros(2), x))
    got, before = quaxify(program)(Power(X))
    np.testing.assert_array_equal(got.array, 3 * X)
    np.testing.assert_array_equal(before.array, 2 * X)


def test_zeros_become_a_value_of_many_leaves():
    w = make_lowrank()

    def program(w):
        return lax.fori_loop(
            0, 2, lambda i, c: lax.cond(i < 2, lambda: w, lambda: c), jnp.zeros((3, 3))
        )

    with materialization("error"):
        got = jax.jit(quaxify(program))(w)
    assert isinstance(got, LowRank)
    assert_same(got, dense(w))


@pytest.mark.parametrize("start", [np.ones(2, np.float32), np.zeros(2, np.float32)])
def test_arrays_that_are_not_known_to_be_zero_are_refused_as_before(start):
    program = lambda x, c: lax.scan(lambda c, _: (c + x, None), c, None, length=3)
    with pytest.raises(TypeError, match="a plain number"):
        jax.jit(quaxify(program))(Power(X), start)


def test_zeros_of_a_type_that_no_turn_agrees_on_are_refused():
    def program(x):
        return lax.fori_loop(0, 3, lambda i, c: (c * 2.0 + x) * x, jnp.zeros(2))

    with pytest.raises((TypeError, CarryTypeError), match=r"is not|a plain number|enters as"):
        quaxify(program)(Power(X))
