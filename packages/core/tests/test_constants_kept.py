import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_probe import make_probe
from _core_types import Box, Zero
from jax import lax

from duckarray.core import ArrayValue, known_constant, quaxify, register
from duckarray.core._constants import _known

pytestmark = pytest.mark.usefixtures("own_rules")
X = jnp.array([-1.0, 0.5, 2.0])
INF = float("inf")


@pytest.fixture
def seen(own_rules):
    """A function that gives what the rules of a new type are told of their dense operands."""
    return make_probe()


def test_nothing_stays_noted_after_the_program(seen):
    programs = (
        lambda x: x * jnp.zeros(3),
        lambda x: jax.jit(lambda x, y: x * y)(x, jnp.ones(3)),
        lambda x: lax.fori_loop(0, 2, lambda i, c: c * jnp.ones(3), x),
        lambda x: jax.checkpoint(lambda x, y: x * y)(x, jnp.ones(3)),
    )
    for program in programs:
        for jitted in (False, True):
            seen(program, jitted=jitted)
            assert not _known.entries


def test_nothing_stays_noted_after_an_error(seen):
    def program(x):
        x * jnp.zeros(3)
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError):
        seen(program)
    assert not _known.entries


def test_an_inner_quaxify_leaves_what_the_outer_one_knows(seen):
    def program(x):
        zeros = jnp.zeros(3)
        quaxify(lambda y: y * jnp.ones(3))(jnp.ones(3))
        return x * zeros

    assert seen(program) == ["0.0"]
    assert not _known.entries


def test_a_step_counter_does_not_trace_a_long_program_anew(seen):
    traces = []

    @jax.jit
    def step(x, count):
        traces.append(count)
        for _ in range(12):
            x = lax.max(x * 0.5, 0.0) + jnp.ones(3)
        return x * (count + 0.5)

    def program(x):
        for count in range(2, 22):
            x = step(x, count)
        return x

    told = seen(program)
    assert len(traces) == 1
    assert len(told) <= 4  # the rules ran for one program, or told would list each counter


def test_a_program_is_kept_for_few_of_the_constants_it_meets(own_rules):
    ran = []

    class Counted(ArrayValue):
        array: jax.Array

        def materialize(self):
            return self.array

    @register("mul")
    def _mul_counted_dense(x: Counted, y: jax.Array, **params):
        ran.append(known_constant(y))
        return Counted(x.array * y)

    scale = jax.jit(lambda x, y: x * y)
    run = quaxify(lambda x, y: scale(x, y))
    for i in range(200):
        got = run(Counted(X), float(i))
    np.testing.assert_allclose(got.array, 199 * X)
    assert len(ran) < 100


def test_zero_and_negative_zero_are_kept_apart(seen):
    scale = jax.jit(lambda x, y: x * y)
    assert seen(lambda x: (scale(x, 0.0), scale(x, -0.0), scale(x, 0.0))) == ["0.0", "-0.0"]


def test_infinity_and_nan_are_known_to_a_jit(seen):
    scale = jax.jit(lambda x, y: x * y)
    assert seen(lambda x: (scale(x, INF), scale(x, float("nan")))) == ["inf", "nan"]


def test_a_rule_may_return_what_it_likes_for_zero(own_rules):
    class Quantity(ArrayValue):
        array: jax.Array
        materialization = "error"
        leaf_linear = True

        def materialize(self):
            return self.array

    def comparable(y):
        if known_constant(y) != 0:
            raise TypeError("only zero has no unit")

    @register("max", commutative=True)
    def _max_quantity_dense(x: Quantity, y: jax.Array, **params):
        comparable(y)
        return Quantity(lax.max(x.array, jnp.zeros_like(x.array)))

    @register("select_n")
    def _select_n_quantity(w: jax.Array, x: Quantity | jax.Array, y: Quantity | jax.Array, **_):
        arrays = []
        for case in (x, y):
            if not isinstance(case, Quantity):
                comparable(case)
            arrays.append(case.array if isinstance(case, Quantity) else case)
        return Quantity(lax.select_n(w, *arrays))

    @register("gt")
    def _gt_quantity_dense(x: Quantity, y: jax.Array, **params):
        comparable(y)
        return x.array > 0.0

    want = np.maximum(np.asarray(X), 0.0)
    for run in (quaxify(jax.nn.relu), jax.jit(quaxify(jax.nn.relu))):
        got = run(Quantity(X))
        assert isinstance(got, Quantity)
        np.testing.assert_allclose(got.array, want)
    gradient = jax.grad(lambda x: jnp.sum(quaxify(jax.nn.relu)(x).array))(Quantity(X))
    np.testing.assert_allclose(gradient.array, [0.0, 1.0, 1.0])
    with pytest.raises(TypeError, match="only zero has no unit"):
        quaxify(lambda x: jnp.maximum(x, 1.0))(Quantity(X))
    got = quaxify(lambda x: jnp.where(X > 0, x, 0.0))(Quantity(X))
    np.testing.assert_allclose(got.array, want)


def test_relu_of_a_value_that_is_linear_in_its_leaf_keeps_type_and_gradient():
    x = Box(X, "s")
    got = quaxify(jax.nn.relu)(x)
    assert isinstance(got, Box)
    assert got.tag == "s"
    assert_same(got, np.maximum(np.asarray(X), 0.0))
    gradient = jax.jit(jax.grad(lambda x: jnp.sum(quaxify(jax.nn.relu)(x).array)))(x)
    np.testing.assert_allclose(gradient.array, [0.0, 1.0, 1.0])


def test_a_product_with_known_zero_keeps_zeros():
    z = Zero(jnp.zeros((3, 0)))
    got = quaxify(lambda z: z * 0.0)(z)
    assert isinstance(got, Zero)


def test_a_number_that_no_rule_asks_for_compiles_nothing_anew(own_rules):
    ran = []

    class Incurious(ArrayValue):
        array: jax.Array

        def materialize(self):
            return self.array

    @register("mul", commutative=True)
    def _mul_incurious_dense(x: Incurious, y: jax.Array, **params):
        ran.append(y)
        return Incurious(x.array * y)

    scale = quaxify(jax.jit(lambda x, y: x * y))
    for rate in range(40):
        np.testing.assert_allclose(scale(Incurious(X), float(rate)).array, rate * X)
    assert len(ran) == 2  # for the first number, and for any other


def test_an_ordinary_number_in_a_long_program_does_not_hide_a_special_one(own_rules):
    class Curious(ArrayValue):
        array: jax.Array

        def materialize(self):
            return self.array

    @register("mul", commutative=True)
    def _mul_curious_dense(x: Curious, y: jax.Array, **params):
        return Curious(x.array * y if known_constant(y) != 0 else jnp.full_like(x.array, 9.0))

    def long(x, y):
        dense = jnp.zeros(3)
        for _ in range(20):
            dense = jnp.sin(dense)
        return jnp.multiply(x, y)

    for program in (jax.jit(long), lambda x, y: long(x, y)):
        got = [quaxify(program)(Curious(X), number).array for number in (2.0, 0.0, 3.0)]
        np.testing.assert_array_equal(got, [2 * X, np.full(3, 9.0), 3 * X])
    eager = [(Curious(X) * number).array for number in (2.0, 0.0, 3.0)]
    np.testing.assert_array_equal(eager, [2 * X, np.full(3, 9.0), 3 * X])


def test_the_zeros_that_branches_give_are_part_of_what_is_kept(own_rules):
    """Where types are joined it matters whether a number is zero, though no rule has asked."""

    def program(p, x, y):
        return lax.cond(p, lambda x, y: x, lambda x, y: lax.broadcast(y, (3,)), x, y)

    kept = jax.jit(program)
    run = quaxify(lambda p, x, y: kept(p, x, y))
    one, zero = run(True, Zero(jnp.zeros((3, 0))), 1.0), run(True, Zero(jnp.zeros((3, 0))), 0.0)
    assert isinstance(one, jax.Array)
    assert isinstance(zero, Zero)
