"""A type that is never made dense passes through loops, branches and their derivatives.

Zeros that a loop begins with are zeros of any type: gradients are summed up from such. What
branches keep for the backward pass need not be of one type.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_types import Box, LowRank, dense, make_lowrank
from jax import lax

from duckarray.core import (
    ArrayValue,
    BranchTypeError,
    CarryTypeError,
    NoRuleError,
    field,
    known_constant,
    materialization,
    quaxify,
    register,
)

pytestmark = pytest.mark.usefixtures("rules_of_powers")

told_of_derivatives = pytest.mark.skipif(
    jax.__version_info__ < (0, 10, 2), reason="JAX 0.10.0 does not tell branches of derivatives"
)


class Power(ArrayValue):
    """A number of some power of a unit, which is not added to a plain number, except to zero."""

    array: jax.Array
    power: int = field(static=True, default=1)

    leaf_linear = True

    def aval(self):
        return jax.typeof(self.array)

    def materialize(self):
        raise TypeError("the unit would be lost")

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


def of_power(array, power):
    return Power(array, power) if power else array


@pytest.fixture
def rules_of_powers(own_rules):
    @register("add", "add_any")
    def _add_power_power(x: Power, y: Power, *, primitive, **params):
        if x.power != y.power:
            raise TypeError(f"{x.power} is not {y.power}")
        return Power(primitive.bind(x.array, y.array, **params), x.power)

    @register("add", "add_any", commutative=True)
    def _add_power_dense(x: Power, y: jax.Array, *, primitive, **params):
        if known_constant(y) != 0:
            raise TypeError("a plain number")
        return x

    @register("mul")
    def _mul_power_power(x: Power, y: Power, **params):
        return of_power(x.array * y.array, x.power + y.power)

    @register("div")
    def _div_power_power(x: Power, y: Power, **params):
        return of_power(x.array / y.array, x.power - y.power)

    @register("div")
    def _div_dense_power(x: jax.Array, y: Power, **params):
        return Power(x / y.array, -y.power)

    @register("mul", commutative=True)
    def _mul_power_dense(x: Power, y: jax.Array, **params):
        return Power(x.array * y, x.power)

    @register("div")
    def _div_power_dense(x: Power, y: jax.Array, **params):
        return Power(x.array / y, x.power)

    @register("reduce_sum", "broadcast_in_dim", "dynamic_slice", "squeeze", "neg")
    def _each_power(x: Power, *rest: jax.Array, primitive, **params):
        return Power(primitive.bind(x.array, *rest, **params), x.power)


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


def chosen(i, x, unit):
    """For its derivative the branches keep `x`, `x²`, and the cosine of a plain array."""
    branches = [
        lambda x: x * x * x / (unit * unit * unit),
        lambda x: x * x / (unit * unit),
        lambda x: jnp.sin(x / unit),
        lambda x: jnp.zeros(2),
    ]
    return lax.switch(i, branches, x)


def chosen_in_a_loop(i, x, unit):
    def turn(c, i):
        return c * 0.5 + x, chosen(i, c, unit)

    return lax.scan(turn, x, i + jnp.arange(3) % 4)[1]


@told_of_derivatives
@pytest.mark.parametrize(
    ("program", "jit"),
    [(chosen, "no jit"), (chosen, "inside"), (chosen_in_a_loop, "outside")],
)
def test_each_branch_of_a_derivative_gets_what_it_kept(program, jit):
    unit = jnp.ones(2)
    inner = jax.jit(program) if jit == "inside" else program
    gradient = quaxify(jax.grad(lambda x, i, unit: jnp.sum(inner(i, x, unit))))
    if jit == "outside":
        gradient = jax.jit(gradient)
    for i in range(4):
        got = gradient(Power(X), i, Power(unit))
        want = jax.grad(lambda x, i=i: jnp.sum(program(i, x, unit)))(X)
        if isinstance(got, Power):
            assert got.power == -1
            got = got.array
        assert_same(got, want)


@told_of_derivatives
def test_what_branches_kept_is_not_made_dense_where_a_value_and_an_array_meet():
    w, m = make_lowrank(), jnp.arange(9.0).reshape(3, 3)

    def loss(x, i, w):
        outer = lambda x: jnp.outer(x, x)
        branches = [lambda x: w @ jnp.sin(x), lambda x: jnp.sin(outer(x) * m).sum(0)]
        return jnp.sum(lax.switch(i, branches, x))

    x = jnp.array([1.0, -2.0, 0.5])
    with materialization("error"):
        gradient = jax.jit(quaxify(jax.grad(loss)))
        for i in range(2):
            assert_same(gradient(x, i, w), jax.grad(loss)(x, i, dense(w)))


def test_branches_as_they_were_written_agree_on_a_type():
    def program(i, x):
        return lax.switch(i, [lambda x: x, lambda x: x * x], x)

    with pytest.raises(
        BranchTypeError, match=r"in branch 0 and Power.* in branch 1: .*unit would be lost[^$]*same"
    ) as caught:
        quaxify(program)(0, Power(X))
    assert (caught.value.primitive, len(caught.value.branches)) == ("cond", 2)


def test_a_result_of_a_derivative_that_is_of_no_one_type_is_refused_where_it_is_used():
    def program(i, x):
        _, back, kept = jax.vjp(lambda x: two_results(i, x), x, has_aux=True)
        return back, jnp.sin(kept)

    def two_results(i, x):
        unit = Power(jnp.ones(2))
        branches = [lambda x: (x / unit, x), lambda x: (jnp.sin(x / unit), x * x)]
        return lax.switch(i, branches, x)

    with pytest.raises(NoRuleError, match=r"unit would be lost"):
        quaxify(program)(0, Power(X))
