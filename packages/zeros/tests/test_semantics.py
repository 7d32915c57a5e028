"""What a symbolic zero gives next to infinities, NaN and zero, in each mode."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import ArrayValue, materialize, quaxify
from duckarray.zeros import Full, Zeros, is_zero, semantics

BAD = jnp.array([1.0, jnp.inf, jnp.nan])
SQUARE = jnp.outer(BAD, BAD)
# Each takes zeros and numbers that are not finite.
PROGRAMS = {
    "mul": lambda z: z * BAD,
    "rmul": lambda z: BAD * z,
    "div": lambda z: z / BAD,
    "matmul": lambda z: z @ SQUARE,
    "rmatmul": lambda z: SQUARE @ z,
    "convolve": lambda z: jnp.convolve(z, BAD),
    "scatter_mul": lambda z: z.at[jnp.array([0, 1, 2])].mul(BAD),
}
NAMES = pytest.mark.parametrize("name", PROGRAMS)


@NAMES
def test_a_strong_zero_absorbs_them(name):
    assert is_zero(quaxify(PROGRAMS[name])(Zeros(3)))


@NAMES
def test_ieee_gives_what_the_dense_program_does(name):
    with semantics("ieee"):
        got = materialize(quaxify(PROGRAMS[name])(Zeros(3)))
    np.testing.assert_array_equal(got, PROGRAMS[name](jnp.zeros(3)))


KNOWN = {
    "times_infinity": lambda z: z * jnp.inf,
    "infinity_times": lambda z: -jnp.inf * z,
    "times_nan": lambda z: z * np.float32(np.nan),
    "over_zero": lambda z: z / 0.0,
    "remainder_by_zero": lambda z: z % 0.0,
    "times_full": lambda z: z * jnp.full(3, jnp.inf),
    "matmul_full": lambda z: z @ jnp.full((3, 3), jnp.inf),
    "rmatmul_full": lambda z: jnp.full((3, 3), jnp.inf) @ z,
}


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("mode", ["strong", "ieee", "check"])
@pytest.mark.parametrize("name", KNOWN)
def test_next_to_a_known_number_zeros_are_those_of_jax(name, mode, transform):
    with semantics(mode):
        got = materialize(quaxify(transform(KNOWN[name]))(Zeros(3)))
    np.testing.assert_array_equal(got, KNOWN[name](jnp.zeros(3)))


@pytest.mark.parametrize("mode", ["strong", "ieee", "check"])
def test_convolved_with_a_constant_that_is_not_finite(mode):
    with semantics(mode):
        got = materialize(quaxify(jnp.convolve)(Zeros(3), Full(np.inf, 3)))
    np.testing.assert_array_equal(got, jnp.convolve(jnp.zeros(3), jnp.full(3, np.inf)))


def test_zero_divided_by_zero():
    zeros = jnp.zeros(2)
    assert is_zero(quaxify(jnp.divide)(Zeros(2), zeros))
    with semantics("ieee"):
        np.testing.assert_array_equal(quaxify(jnp.divide)(Zeros(2), zeros), [np.nan, np.nan])
        np.testing.assert_array_equal(quaxify(lax.rem)(Zeros(2), zeros), [np.nan, np.nan])
    with semantics("check"), pytest.raises(Exception, match="divided zero by zero"):
        jax.block_until_ready(quaxify(lambda z, y: z / y + y)(Zeros(2), zeros))


@pytest.mark.parametrize("mode", ["strong", "ieee", "check"])
def test_zeros_stay_symbolic_next_to_what_is_known_or_exact(mode):
    with semantics(mode):
        assert is_zero(quaxify(lambda z: 2 * z)(Zeros(2)))
        assert is_zero(quaxify(jnp.multiply)(Zeros(2), Full(3.0, 2)))
        assert is_zero(quaxify(jnp.multiply)(Zeros(2, jnp.int32), jnp.array([1, 2])))
        assert is_zero(quaxify(jnp.logical_and)(Zeros(2, bool), jnp.array([True, False])))
        assert np.isnan(quaxify(jnp.multiply)(Zeros(2), Full(np.nan, 2)).value)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_check_raises_where_something_not_finite_was_dropped(transform):
    run = transform(quaxify(lambda z, y: z * y + y))
    with semantics("check"):
        np.testing.assert_array_equal(run(Zeros(3), jnp.ones(3)), np.ones(3))
        with pytest.raises(Exception, match=r"absorbed a number[^$]*semantics\(.ieee.\)"):
            jax.block_until_ready(run(Zeros(3), BAD))


def test_check_works_where_the_program_is_differentiated_or_mapped():
    def loss(z, y):
        return jnp.sum(z * y + y**2)

    with semantics("check"):
        got = jax.jit(jax.grad(quaxify(loss), argnums=1))(Zeros(3), jnp.ones(3))
        np.testing.assert_array_equal(got, np.full(3, 2.0))
        got = jax.vmap(quaxify(lambda z, y: z * y + y))(Zeros((2, 3)), jnp.ones((2, 3)))
        np.testing.assert_array_equal(got, np.ones((2, 3)))


def test_programs_that_are_kept_are_kept_apart():
    inner = jax.jit(lambda z, y: z * y)
    run = quaxify(lambda z, y: inner(z, y))
    for _ in range(2):
        assert is_zero(run(Zeros(3), BAD))
        assert is_zero(Zeros(3) * BAD)
        with semantics("ieee"):
            np.testing.assert_array_equal(run(Zeros(3), BAD), [0, np.nan, np.nan])
            np.testing.assert_array_equal(Zeros(3) * BAD, [0, np.nan, np.nan])


def test_the_mode_before_is_in_force_afterwards():
    with semantics("ieee"):
        with semantics("strong"):
            assert is_zero(quaxify(jnp.multiply)(Zeros(3), BAD))
        assert not is_zero(quaxify(jnp.multiply)(Zeros(3), BAD))
    with pytest.raises(RuntimeError), semantics("ieee"):
        raise RuntimeError
    assert is_zero(quaxify(jnp.multiply)(Zeros(3), BAD))


def test_values_of_other_types_are_computed_with_under_ieee():
    class Wrapped(ArrayValue):
        array: jax.Array
        materialization = "allow"

        def materialize(self):
            return self.array

    x = Wrapped(BAD)
    assert is_zero(quaxify(jnp.multiply)(Zeros(3), x))
    with semantics("ieee"):
        got = materialize(quaxify(jnp.multiply)(Zeros(3), x))
    np.testing.assert_array_equal(got, [0, np.nan, np.nan])


def test_solves_with_nothing_on_the_right():
    singular = jnp.zeros((2, 2))
    z = Zeros((2, 1))
    assert is_zero(quaxify(lambda b: jnp.linalg.solve(jnp.eye(2), b))(z))
    assert is_zero(quaxify(lambda b: lax.linalg.triangular_solve(singular, b, left_side=True))(z))
    with semantics("ieee"):
        got = quaxify(lambda b: lax.linalg.triangular_solve(singular, b, left_side=True))(z)
    np.testing.assert_array_equal(got, np.full((2, 1), np.nan))
