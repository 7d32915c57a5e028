"""Loops and branches: zeros that stay zeros, and zeros that become something else."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import materialize, quaxify
from duckarray.zeros import Zeros, is_zero

X = np.array([1.0, 2.0, 3.0], "float32")
both = pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])


@both
def test_a_scan_carry_that_becomes_dense_keeps_its_shape(transform):
    def program(z, x):
        return lax.scan(lambda c, _: (c + x, c), z, None, length=4)

    last, all_ = transform(quaxify(program))(Zeros(3), X)
    np.testing.assert_array_equal(last, 4 * X)
    np.testing.assert_array_equal(all_, np.outer([0, 1, 2, 3], X))


@both
@pytest.mark.parametrize("traced_count", [False, True])
def test_a_fori_loop_from_zeros_counts_every_turn(transform, traced_count):
    def program(z, x, n):
        return lax.fori_loop(0, n if traced_count else 5, lambda i, c: c + x, z)

    np.testing.assert_array_equal(transform(quaxify(program))(Zeros(3), X, 5), 5 * X)


@both
def test_a_while_loop_from_zeros_stops_when_the_dense_one_does(transform):
    def program(z, x):
        return lax.while_loop(lambda c: c[0] < 3, lambda c: 2 * c + x, z)

    np.testing.assert_array_equal(transform(quaxify(program))(Zeros(3), X), 3 * X)


@both
@pytest.mark.parametrize("traced_count", [False, True])
def test_a_carry_that_stays_zeros_is_zeros(transform, traced_count):
    def program(z, x, n):
        return lax.fori_loop(0, n if traced_count else 5, lambda i, c: jnp.tanh(c) * x, z)

    out = transform(quaxify(program))(Zeros(3), X, 5)
    assert is_zero(out)
    assert out.shape == (3,)


@both
def test_two_carries_that_feed_each_other_both_become_dense(transform):
    def program(a, b, x):
        return lax.fori_loop(0, 4, lambda i, c: (c[1], c[0] + c[1] + x), (a, b))

    a, b = np.zeros(3), np.zeros(3)
    for _ in range(4):
        a, b = b, a + b + X
    got = transform(quaxify(program))(Zeros(3), Zeros(3), X)
    np.testing.assert_array_equal(got[0], a)
    np.testing.assert_array_equal(got[1], b)


@both
def test_carries_that_swap_zeros_and_dense(transform):
    def program(z, x):
        return lax.fori_loop(0, 3, lambda i, c: (c[1], c[0]), (z, x))

    first, second = transform(quaxify(program))(Zeros(3), X)
    np.testing.assert_array_equal(materialize(first), X)
    np.testing.assert_array_equal(materialize(second), np.zeros(3))


@both
def test_a_dense_carry_may_meet_zeros_on_the_way(transform):
    def program(z, x):
        return lax.fori_loop(0, 3, lambda i, c: c * z + z, x)

    np.testing.assert_array_equal(materialize(transform(quaxify(program))(Zeros(3), X)), 0 * X)


@both
def test_a_carry_of_zeros_of_weak_type(transform):
    def program(z, x):
        return lax.fori_loop(0, 3, lambda i, c: c + x, z)

    got = transform(quaxify(program))(Zeros(3, weak_type=True), X)
    np.testing.assert_array_equal(got, 3 * X)


@both
@pytest.mark.parametrize("length", [0, 1, 4])
@pytest.mark.parametrize("reverse", [False, True])
def test_stacked_results_of_zeros_have_a_leading_axis(transform, length, reverse):
    def program(z, xs):
        return lax.scan(lambda c, x: (c + x, z * x), jnp.ones(3), xs, reverse=reverse)

    _, ys = transform(quaxify(program))(Zeros(3), np.ones((length, 3), "float32"))
    assert is_zero(ys)
    np.testing.assert_array_equal(materialize(ys), np.zeros((length, 3)))


@both
@pytest.mark.parametrize("length", [0, 1, 4])
def test_scanning_over_zeros_gives_each_turn_one_row(transform, length):
    def program(zs, x):
        def body(c, z):
            assert z.shape == (3,)
            return c + z + x, z

        return lax.scan(body, x, zs)

    last, ys = transform(quaxify(program))(Zeros((length, 3)), X)
    np.testing.assert_array_equal(last, (length + 1) * X)
    assert ys.shape == (length, 3)
    assert is_zero(ys)


def test_map_over_zeros(agrees):
    agrees(lambda z: lax.map(jnp.sin, z), np.sin, Zeros((4, 3)), zero=True)


def test_cumulative_programs_from_zeros_agree_with_the_dense_ones():
    def program(z, x):
        return lax.associative_scan(jnp.add, z) + x

    np.testing.assert_array_equal(quaxify(program)(Zeros(3), X), X)


@both
@pytest.mark.parametrize("chosen", [True, False])
def test_branches_may_give_zeros_on_one_side(transform, chosen):
    def program(p, z, x):
        return lax.cond(p, lambda z, x: (z, z), lambda z, x: (x, z), z, x)

    first, second = transform(quaxify(program))(chosen, Zeros(3), X)
    np.testing.assert_array_equal(first, 0 * X if chosen else X)
    assert is_zero(second)


@both
@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_switch_between_kinds_of_zeros_and_dense(transform, index):
    def program(i, z, x):
        return lax.switch(i, [lambda z, x: z * x, lambda z, x: x, lambda z, x: z + z], z, x)

    got = transform(quaxify(program))(index, Zeros(3), X)
    np.testing.assert_array_equal(materialize(got), X if index == 1 else 0 * X)


def _branching(p, z, x):
    return jnp.sum(lax.cond(p, lambda z, x: z + x**2, lambda z, x: z * x, z, x))


@both
@pytest.mark.parametrize("p", [True, False])
def test_gradients_through_a_branch_inside(transform, p):
    by_z, by_x = transform(quaxify(jax.grad(_branching, argnums=(1, 2))))(p, Zeros(3), X)
    np.testing.assert_array_equal(materialize(by_x), 2 * X if p else 0 * X)
    np.testing.assert_array_equal(materialize(by_z), np.ones(3) if p else X)


@both
@pytest.mark.parametrize("p", [True, False])
def test_gradients_through_a_branch_outside(transform, p):
    program = quaxify(_branching)
    grad = transform(jax.grad(lambda x: materialize(program(p, Zeros(3), x))))
    np.testing.assert_array_equal(grad(X), 2 * X if p else 0 * X)


@both
def test_gradients_through_a_loop_from_zeros(transform):
    def program(z, x):
        return jnp.sum(lax.scan(lambda c, _: (c * c + x, None), z, None, length=2)[0])

    inside = transform(quaxify(jax.grad(program, argnums=1)))(Zeros(3), X)
    outside = transform(jax.grad(quaxify(program), argnums=1))(Zeros(3), X)
    np.testing.assert_allclose(inside, 2 * X + 1)  # of x² + x
    np.testing.assert_allclose(outside, 2 * X + 1)
