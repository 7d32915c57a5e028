import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import Box, Doubled, Length, LowRank, Opaque, Pair, Zero, dense, matrix
from jax import lax

from duckarray.core import CarryTypeError, quaxify

X = jnp.array([1.0, 2.0, 3.0])


def count(body, start, turns=3):
    """`body` done `turns` times by a `while_loop`."""
    return lax.while_loop(
        lambda s: s[0] < turns, lambda s: (s[0] + 1, body(s[1])), (jnp.int32(0), start)
    )[1]


PROGRAMS = {
    "constant of the body": lambda x: count(lambda c: c + x, jnp.ones((3, 3))),
    "constant of the condition": lambda x: lax.while_loop(
        lambda c: c.sum() < jnp.abs(x).sum() + 20.0, lambda c: c + 1.0, jnp.zeros((3, 3))
    ),
    "carry": lambda x: lax.while_loop(lambda c: c.sum() < 30.0, lambda c: c + 2.0, x),
    "carry kept": lambda x: count(lambda c: c, x),
    "not once": lambda x: count(lambda c: c + 1.0, x, turns=0),
    "swapped": lambda x: count(lambda c: (c[1], c[0]), (x, jnp.ones((3, 3)))),
    "grown": lambda x: count(lambda c: (c[0] + x, c[0]), (jnp.zeros((3, 3)), x)),
    "in a jit": lambda x: jax.jit(lambda x: count(lambda c: jnp.cos(c) + x, x))(x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_while_gives_what_the_dense_loop_gives(name, value):
    assert_same(jax.jit(quaxify(PROGRAMS[name]))(value), PROGRAMS[name](dense(value)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_while_gives_the_same_eagerly(name):
    agrees(PROGRAMS[name], Doubled(matrix()))


@pytest.mark.parametrize("jitted", [False, True])
def test_a_carry_that_becomes_dense_starts_from_what_it_stands_for(jitted):
    program = quaxify(lambda c: count(lambda c: c + 1.0, c))
    got = (jax.jit(program) if jitted else program)(Doubled(X))
    np.testing.assert_allclose(got, [5.0, 7.0, 9.0])


@pytest.mark.parametrize("jitted", [False, True])
def test_a_zero_carry_becomes_dense(jitted):
    program = quaxify(lambda z, x: count(lambda c: c + x, z))
    got = (jax.jit(program) if jitted else program)(Zero(jnp.zeros((3, 0))), X)
    np.testing.assert_allclose(got, [3.0, 6.0, 9.0])


def test_a_dense_carry_that_becomes_a_value_settles():
    agrees(lambda c, v: count(lambda c: v, c), X, Doubled(X))
    agrees(lambda c, v: count(lambda c: v, c), X, Pair(X, X))
    agrees(lambda c, v: count(lambda c: v, c, turns=0), X, Pair(X, X))


def test_a_carry_keeps_its_type_where_the_body_does():
    got = quaxify(lambda c: count(lambda c: -c, c))(Box(X, "s"))
    assert isinstance(got, Box)
    assert got.tag == "s"
    np.testing.assert_allclose(got.array, -X)


def test_an_opaque_carry_passes_through():
    got = quaxify(lambda c: count(lambda c: -c, c))(Opaque(X))
    np.testing.assert_allclose(got.array, -X)


def test_a_carry_that_refuses_to_be_dense_is_an_error_with_its_path():
    program = quaxify(lambda a, x: count(lambda c: x, a))
    with pytest.raises(CarryTypeError, match=r"`while` carry\[1\].*Opaque[^$]*`join`"):
        program(Opaque(X), X)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_carries_in_two_units_settle_on_the_common_one(turns):
    def program(a, b):
        return count(lambda c: (c[1], c[0]), (a, b), turns=turns)

    far, near = Length(X, 1000.0), Length(X + 1.0, 1.0)
    agrees(program, far, near)
    assert {x.scale for x in quaxify(program)(far, near)} == {1.0}


@pytest.mark.parametrize("n", [0, 1, 3])
def test_fori_with_a_traced_count_agrees(n, value):
    def program(n, x):
        return lax.fori_loop(0, n, lambda i, c: c * 0.5 + x, x)

    got = jax.jit(quaxify(program))(n, value)
    want = dense(value)
    for _ in range(n):
        want = want * 0.5 + dense(value)
    assert_same(got, jnp.asarray(want))


def test_the_index_of_fori_reaches_the_body():
    def program(x):
        return lax.fori_loop(0, 3, lambda i, c: c + x[i], jnp.zeros(3))

    agrees(program, Doubled(matrix()))


def test_a_while_loop_is_differentiated_forward(value):
    def program(x):
        return jax.jvp(lambda t: count(lambda c: jnp.sin(c) * t, x), (2.0,), (1.0,))

    agrees(program, value)


def test_jvp_outside_of_a_while_loop_agrees():
    def program(x):
        return count(lambda c: c * c * 0.5 + x, x)

    x, t = Doubled(matrix()), Doubled(matrix(2))
    got = jax.jvp(lambda v: dense(quaxify(program)(v)), (x,), (t,))
    assert_same(got, jax.jvp(program, (dense(x),), (dense(t),)))


def test_vmap_of_a_loop_with_a_predicate_for_each_row(value):
    def program(x):
        return jax.vmap(
            lambda row: lax.while_loop(lambda c: c.sum() < 5.0, lambda c: c + 1.0, row)
        )(x)

    agrees(program, value)


def test_vmap_of_a_loop_over_a_box_keeps_rows_that_are_done():
    limits = jnp.array([0.0, 2.0, 5.0])

    def program(x):
        return jax.vmap(
            lambda row, n: lax.while_loop(
                lambda s: s[0] < n, lambda s: (s[0] + 1.0, -s[1]), (0.0, row)
            )[1]
        )(x, limits)

    agrees(program, Box(matrix()))


def test_a_loop_beside_a_product_agrees():
    layers = LowRank(matrix(), jnp.ones((3, 1)), jnp.ones((1, 3)))
    agrees(lambda w: count(lambda c: jnp.tanh(w @ c), X), layers)


def test_a_gradient_taken_in_the_body_agrees(value):
    def program(x):
        return count(
            lambda c: c - 0.1 * jax.grad(lambda c: jnp.sum((c @ x) ** 2))(c), jnp.ones((3, 3))
        )

    agrees(program, value)


def test_the_loop_state_may_be_a_tree():
    def program(x):
        state = {"i": jnp.int32(0), "x": (x, None)}
        body = lambda s: {"i": s["i"] + 1, "x": (s["x"][0] + 1.0, None)}
        return lax.while_loop(lambda s: s["i"] < 2, body, state)

    agrees(program, Doubled(X))


def test_gradients_through_a_checked_fori_agree(value):
    gradients_agree(lambda x: lax.fori_loop(0, 2, lambda i, c: jnp.tanh(c @ x), jnp.eye(3)), value)
