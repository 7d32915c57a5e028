import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_probe import make_probe
from _core_types import Box
from jax import lax

from duckarray.core import known_constant, quaxify

pytestmark = pytest.mark.usefixtures("own_rules")
X = jnp.array([-1.0, 0.5, 2.0])
INF = float("inf")


@pytest.fixture
def seen(own_rules):
    """A function that gives what the rules of a new type are told of their dense operands."""
    return make_probe()


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
    "squeeze": (lambda x: x * lax.squeeze(jnp.ones((3, 1)), (1,)), [1.0]),
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
        lambda x: lax.scan(lambda c, _: (c * jnp.ones(3), None), x, None, length=2)[0],
        [1.0],
    ),
    "a constant of while": (
        lambda x: lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] * 2.0), (0, x)),
        [2.0],
    ),
    "in the predicate of while": (
        lambda x: lax.while_loop(
            lambda c: jnp.sum(c[1] * 3.0) + c[0] < 1, lambda c: (c[0] + 1.0, c[1]), (0.0, x)
        ),
        [3.0],
    ),
    "in a vmap": (lambda x: jax.vmap(lambda s: lax.max(s, 0.0))(x), [0.0]),
    "in a derivative": (lambda x: jax.jvp(lambda x: x * jnp.zeros(3), (x,), (x,)), [0.0]),
    "in a remat": (lambda x: jax.checkpoint(lambda x: jnp.maximum(x, 0.0))(x), [0.0]),
    "passed to a remat": (lambda x: jax.checkpoint(lambda x, y: x * y)(x, jnp.ones(3)), [1.0]),
}


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", KNOWN)
def test_a_rule_is_told_the_constant(name, jitted, seen):
    program, want = KNOWN[name]
    assert sorted(seen(program, jitted=jitted)) == sorted(map(repr, want))


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


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_a_constant_closed_over_by_the_predicate_of_while_is_known_inside(jitted, seen):
    def program(x):
        zeros = jnp.zeros(3)
        return lax.while_loop(
            lambda c: jnp.sum(c[1] * zeros) + c[0] < 1, lambda c: (c[0] + 1.0, c[1]), (0.0, x)
        )

    assert seen(program, jitted=jitted) == ["0.0"]


def test_the_carry_of_a_loop_is_not_known(seen):
    def program(x):
        return lax.fori_loop(0, 3, lambda i, c: (c[0] * c[1], c[1] + 1.0), (x, jnp.zeros(3)))

    # Zeros may be of any type until a turn has said which: that turn is staged again.
    assert seen(program)[-1] == "None"


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (2.7, "int32"),
        (-2.7, "int32"),
        (2.0, "int8"),
        (1 / 3, "float16"),
        (1 / 3, "bfloat16"),
        (0, "bool"),
        (3, "bool"),
    ],
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
    ("number", "dtype"),
    [(300.0, "int8"), (-1.0, "uint8"), (1e10, "int32"), (INF, "int32"), (1e10, "float16")],
)
def test_what_is_known_after_a_conversion_is_what_the_array_holds(number, dtype):
    """Out of range, NumPy and XLA convert differently."""

    def program():
        array = jnp.full((2,), number).astype(dtype)
        return array, known_constant(array)

    array, known = quaxify(program)()
    assert known is None or known == array[0]


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
