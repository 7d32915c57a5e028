import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
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
    told = []

    class Probe(ArrayValue):
        array: jax.Array
        materialization = "error"

        def materialize(self):
            return self.array

    def note(y):
        told.append(known_constant(y))

    @register("max", "mul", "add", commutative=True)
    def _max_probe_dense(x: Probe, y: jax.Array, *, primitive, **params):
        note(y)
        return Probe(primitive.bind(x.array, y, **params))

    @register("select_n")
    def _select_n_probe(which: jax.Array, x: jax.Array, y: Probe, **params):
        note(x)
        return Probe(lax.select_n(which, x, y.array))

    @register("reduce_sum")
    def _reduce_sum_probe(x: Probe, **params):
        return lax.reduce_sum_p.bind(x.array, **params)

    def run(program, *args, jitted=False):
        told.clear()
        function = quaxify(program)
        (jax.jit(function) if jitted else function)(Probe(X), *args)
        return list(dict.fromkeys(map(repr, told)))

    return run


def jitted_inside(x):
    return jax.jit(lambda x: jnp.maximum(x, 0.0) * 2.0)(x)


KNOWN = {
    "a number": (lambda x: x * 2.0, [2.0]),
    "a number on the left": (lambda x: 3.0 * x, [3.0]),
    "a NumPy scalar": (lambda x: x * np.float32(0.5), [0.5]),
    "a NumPy array without axes": (lambda x: x * np.asarray(0.5, np.float32), [0.5]),
    "maximum": (lambda x: jnp.maximum(x, 0.0), [0.0]),
    "lax.max": (lambda x: lax.max(x, 0.0), [0.0]),
    "where": (lambda x: jnp.where(jnp.array([True, False, True]), x, 0.0), [0.0]),
    "zeros": (lambda x: x * jnp.zeros(3), [0.0]),
    "ones": (lambda x: x * jnp.ones(3), [1.0]),
    "full": (lambda x: x * jnp.full((3,), 2.5), [2.5]),
    "full_like": (lambda x: x * jnp.full_like(jnp.arange(3.0), 4.0), [4.0]),
    "zeros_like of the value": (lambda x: lax.max(x, jnp.zeros_like(x)), [0.0]),
    "lax.full_like of the value": (lambda x: lax.max(x, lax.full_like(x, 1.5)), [1.5]),
    "broadcast": (lambda x: x * lax.broadcast(1.5, (3,)), [1.5]),
    "broadcast_to": (lambda x: x * jnp.broadcast_to(jnp.zeros((1,)), (3,)), [0.0]),
    "reshape": (lambda x: x * jnp.ones((3, 1)).reshape(3), [1.0]),
    "squeeze": (lambda x: x * jnp.ones((3, 1)).squeeze(1), [1.0]),
    "converted": (lambda x: x * jnp.zeros(3, jnp.int32).astype(jnp.float32), [0.0]),
    "infinite": (lambda x: lax.max(x, -INF), [-INF]),
    "not a number": (lambda x: x * jnp.full((3,), jnp.nan), [float("nan")]),
    "negative zero": (lambda x: x * jnp.full((3,), -0.0), [-0.0]),
    "in a jit": (jitted_inside, [0.0, 2.0]),
    "passed to a jit": (lambda x: jax.jit(lambda x, y: x * y)(x, jnp.ones(3)), [1.0]),
    "a number passed to a jit": (lambda x: jax.jit(lambda x, y: x * y)(x, 2.0), [2.0]),
    "closed over by a jit": (lambda x: jax.jit(lambda x, y=2.0: x * y)(x), [2.0]),
    "in a cond": (
        lambda x: lax.cond(x.sum() > 0, lambda x: jnp.maximum(x, 0.0), lambda x: x * 2.0, x),
        [0.0, 2.0],
    ),
    "passed to a cond": (
        lambda x: lax.cond(x.sum() > 0, lambda y: x * y, lambda y: x * y, jnp.zeros(3)),
        [0.0],
    ),
    "a constant of scan": (
        lambda x, z=None: lax.scan(lambda c, _: (c * jnp.ones(3), None), x, None, length=2)[0],
        [1.0],
    ),
    "a constant of while": (
        lambda x: lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] * 2.0), (0, x)),
        [2.0],
    ),
    "in a remat": (lambda x: jax.checkpoint(lambda x: jnp.maximum(x, 0.0))(x), [0.0]),
    "passed to a remat": (lambda x: jax.checkpoint(lambda x, y: x * y)(x, jnp.ones(3)), [1.0]),
}


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", KNOWN)
def test_a_rule_is_told_the_constant(name, jitted, seen):
    program, want = KNOWN[name]
    assert seen(program, jitted=jitted) == list(map(repr, want))


def test_a_constant_closed_over_by_a_loop_is_known_inside(seen):
    def program(x):
        ones = jnp.ones(3)
        x, _ = lax.scan(lambda c, _: (c * ones, None), x, None, length=2)
        return x

    assert seen(program) == ["1.0"]
    assert seen(program, jitted=True) == ["1.0"]


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_a_constant_is_known_in_the_function_of_which_a_gradient_is_taken(jitted, seen):
    def program(x):
        return jax.grad(lambda w: jnp.sum(x * jnp.zeros(3)) + jnp.sum(w))(jnp.ones(2))

    assert seen(program, jitted=jitted) == ["0.0"]


UNKNOWN = {
    "a concrete array": lambda x, y: x * X,
    "an array full of zeros that came from outside": lambda x, y: x * ZEROS,
    "an argument": lambda x, y: x * y,
    "an argument, broadcast": lambda x, y: x * jnp.broadcast_to(y[:1], (3,)),
    "an argument, in a jit": lambda x, y: jax.jit(lambda x, y: x * y)(x, y),
    "a sum": lambda x, y: x * (jnp.ones(3) + y),
    "a slice of an argument": lambda x, y: x * y[0],
    "a NumPy array": lambda x, y: x * np.ones(3, np.float32),
}
ZEROS = jnp.zeros(3)


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_what_an_array_holds_is_not_looked_at(name, jitted, seen):
    assert seen(UNKNOWN[name], jnp.zeros(3), jitted=jitted) == ["None"]


def test_the_carry_of_a_loop_is_not_known(seen):
    def program(x):
        return lax.fori_loop(0, 3, lambda i, c: (c[0] * c[1], c[1] + 1.0), (x, jnp.zeros(3)))

    assert seen(program) == ["None"]


@pytest.mark.parametrize(
    ("number", "dtype"),
    [(2.7, "int32"), (-2.7, "int32"), (2.0, "int8"), (1 / 3, "float16"), (0, "bool"), (3, "bool")],
)
def test_a_conversion_gives_what_numpy_gives(number, dtype):
    told = []

    def program():
        told.append(known_constant(jnp.full((2,), number).astype(dtype)))
        told.append(known_constant(lax.convert_element_type(jnp.full((2,), number), dtype)))

    quaxify(program)()
    jax.jit(quaxify(program))()
    want = np.asarray(np.asarray(number, np.float32 if isinstance(number, float) else int))
    assert told == [want.astype(dtype).item()] * 4


@pytest.mark.parametrize(
    ("x", "want"),
    [
        (2, 2),
        (2.5, 2.5),
        (True, True),
        (1j, 1j),
        (np.float64(2.5), 2.5),
        (np.int8(3), 3),
        (np.zeros(()), 0.0),
        (np.zeros(3), None),
        ([1.0], None),
        ("a", None),
        (None, None),
        (jnp.ones(()), None),
        (Box(jnp.ones(())), None),
    ],
)
def test_outside_a_program_only_scalars_are_known(x, want):
    got = known_constant(x)
    assert got == want
    assert type(got) is type(want)


def test_nothing_stays_noted_after_the_program(seen):
    for name in ("zeros", "in a jit", "a constant of while", "passed to a remat"):
        for jitted in (False, True):
            seen(KNOWN[name][0], jitted=jitted)
            assert not _known.entries


def test_nothing_stays_noted_after_an_error(seen):
    def program(x):
        y = x * jnp.zeros(3)
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


@pytest.mark.parametrize("outer", [False, True], ids=["eager", "scan"])
def test_a_step_counter_does_not_trace_a_long_program_anew(outer, seen):
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
