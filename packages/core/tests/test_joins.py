"""What branches and turns of loops that give different types are joined to."""

import re
import traceback

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_types import Box, Doubled, Length, Opaque, Pair, Quantized, Zero, dense
from jax import lax

from duckarray.core import ArrayValue, CarryTypeError, field, materialization, quaxify, register

pytestmark = pytest.mark.usefixtures("own_rules")
X = jnp.array([1.0, 2.0, 3.0])
Q = Quantized(jnp.array([2, 4, 6], jnp.int8), jnp.float32(0.5))


@pytest.fixture(params=[False, True], ids=["eager", "jit"])
def run(request):
    """`quaxify`, jitted or not."""
    return (lambda f: jax.jit(quaxify(f))) if request.param else quaxify


def choose(p, x, y):
    return lax.cond(p, lambda: x, lambda: y)


@pytest.mark.parametrize("p", [True, False])
def test_an_outer_type_is_kept_around_an_inner_one_that_is_lost(p, run):
    x, y = Box(Q, "m"), Box(10 * X, "m")
    got = run(choose)(p, x, y)
    assert isinstance(got, Box)
    assert got.tag == "m"
    assert isinstance(got.array, jax.Array)
    np.testing.assert_allclose(got.array, np.asarray(X) if p else 10 * np.asarray(X))


@pytest.mark.parametrize("p", [True, False])
def test_an_outer_type_is_kept_around_two_inner_ones(p, run):
    got = run(choose)(p, Box(Q, "m"), Box(Doubled(X), "m"))
    assert isinstance(got, Box)
    assert isinstance(got.array, jax.Array)
    np.testing.assert_allclose(got.array, np.asarray(X) if p else 2 * np.asarray(X))


def test_two_outer_types_are_kept_around_what_differs(run):
    got = run(choose)(False, Box(Box(Q, "in"), "out"), Box(Box(X, "in"), "out"))
    assert (got.tag, got.array.tag) == ("out", "in")
    np.testing.assert_allclose(got.array.array, X)


def test_an_inner_value_that_both_have_is_kept(run):
    got = run(choose)(False, Box(Box(X, "in"), "out"), Box(Box(2 * X, "in"), "out"))
    assert isinstance(got.array, Box)
    np.testing.assert_allclose(got.array.array, 2 * X)


def test_outer_types_with_other_metadata_are_not_joined(run):
    got = run(choose)(True, Box(Q, "m"), Box(X, "s"))
    assert isinstance(got, jax.Array)
    np.testing.assert_allclose(got, X)


def test_the_leaf_beside_the_one_that_differs_is_kept(own_rules, run):
    class Two(ArrayValue):
        a: jax.Array | ArrayValue
        b: jax.Array | ArrayValue
        materialization = "allow"

        def materialize(self):
            return jnp.add(self.a, self.b)

    got = run(choose)(False, Two(Q, Doubled(X)), Two(X, Doubled(2 * X)))
    assert isinstance(got, Two)
    assert isinstance(got.a, jax.Array)
    assert isinstance(got.b, Doubled)
    np.testing.assert_allclose(got.a, X)
    np.testing.assert_allclose(got.b.half, 2 * X)


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_scan_keeps_the_outer_type_of_a_carry_whose_inner_one_is_lost(turns, run):
    program = lambda x: lax.scan(lambda c, _: (c * 2.0, None), x, None, length=turns)[0]
    got = run(program)(Box(Q, "m"))
    assert isinstance(got, Box)
    np.testing.assert_allclose(dense(got), 2.0**turns * np.asarray(X))


def test_a_while_keeps_the_outer_type_of_a_carry_whose_inner_one_is_lost(run):
    program = lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2.0), (0, x))
    _, got = run(program)(Box(Q, "m"))
    assert isinstance(got, Box)
    np.testing.assert_allclose(got.array, 8 * np.asarray(X))


@pytest.mark.parametrize("p", [True, False])
def test_lengths_are_joined_in_the_finer_unit(p, run):
    km, m = Length(X, 1000.0), Length(X, 1.0)
    for x, y, want in ((km, m, 1000.0 if p else 1.0), (m, km, 1.0 if p else 1000.0)):
        got = run(choose)(p, x, y)
        assert isinstance(got, Length)
        assert got.scale == 1.0
        np.testing.assert_allclose(got.array, want * np.asarray(X))


def test_three_branches_are_joined_to_what_suits_all(run):
    values = [Length(X, s) for s in (10.0, 0.5, 1000.0)]
    program = run(lambda i, *xs: lax.switch(i, [lambda x=x: x for x in xs]))
    for i, value in enumerate(values):
        got = program(i, *values)
        assert got.scale == 0.5
        np.testing.assert_allclose(got.array, dense(value) / 0.5)


def test_a_carry_is_converted_to_the_unit_it_leaves_in(run):
    """It enters in kilometres and is added up in metres."""
    km, m = Length(X, 1000.0), Length(X, 1.0)
    program = lambda x, y: lax.scan(lambda c, _: (y + c, None), x, None, length=2)[0]
    got = run(program)(km, m)
    assert isinstance(got, Length)
    assert got.scale == 1.0
    np.testing.assert_allclose(got.array, 1002 * np.asarray(X))


def test_lengths_inside_a_box_are_joined_too(run):
    got = run(choose)(True, Box(Length(X, 1000.0), "t"), Box(Length(X, 1.0), "t"))
    assert isinstance(got.array, Length)
    assert got.array.scale == 1.0
    np.testing.assert_allclose(got.array.array, 1000 * np.asarray(X))


@pytest.mark.parametrize("p", [True, False])
def test_leaves_of_unequal_shapes_are_made_dense(p, run):
    class Repeated(ArrayValue):
        array: jax.Array
        times: int = field(static=True, default=1)
        materialization = "allow"

        def materialize(self):
            return jnp.tile(self.array, self.times)

    class Padded(ArrayValue):
        array: jax.Array
        materialization = "allow"

        def aval(self):
            return jax.core.ShapedArray((4,), self.array.dtype)

        def materialize(self):
            return jnp.zeros(4).at[: self.array.shape[0]].set(self.array)

    x, y = Repeated(jnp.ones(2), 2), Repeated(2 * jnp.ones(1), 4)
    got = run(choose)(p, x, y)
    np.testing.assert_allclose(got, np.ones(4) if p else 2 * np.ones(4))
    x, y = Padded(jnp.ones(2)), Padded(2 * jnp.ones(3))
    got = run(choose)(p, x, y)
    assert isinstance(got, jax.Array)
    np.testing.assert_allclose(got, [1, 1, 0, 0] if p else [2, 2, 2, 0])


LOOPS = {
    "scan": lambda body, c: lax.scan(lambda c, _: (body(c), None), c, None, length=3)[0],
    "fori": lambda body, c: lax.fori_loop(0, 3, lambda i, c: body(c), c),
    "while": lambda body, c: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, body(c[1])), (0, c)
    )[1],
}


@pytest.mark.parametrize("loop", LOOPS)
def test_two_carries_that_change_places_are_joined(loop, run):
    program = lambda x, y: LOOPS[loop](lambda c: (c[1], c[0]), (x, y))
    first, second = run(program)(Doubled(X), Pair(X, X + 1.0))
    np.testing.assert_allclose(dense(first), 2 * np.asarray(X) + 1)
    np.testing.assert_allclose(dense(second), 2 * np.asarray(X))


@pytest.mark.parametrize("loop", LOOPS)
def test_three_carries_that_rotate_are_joined(loop, run):
    program = lambda *xs: LOOPS[loop](lambda c: (c[1], c[2], c[0]), xs)
    got = run(program)(Length(X, 1000.0), Length(X, 10.0), Length(X, 1.0))
    assert [x.scale for x in got] == [1.0, 1.0, 1.0]
    for x, scale in zip(got, (1000.0, 10.0, 1.0), strict=True):
        np.testing.assert_allclose(x.array, scale * np.asarray(X))


@pytest.mark.parametrize("loop", LOOPS)
def test_a_carry_without_data_becomes_dense_of_the_right_shape(loop, run):
    program = lambda z, x: LOOPS[loop](lambda c: c + x, z)
    assert_same(run(program)(Zero(jnp.zeros((3, 0))), X), 3 * X)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_dense_carry_that_becomes_a_value_stays_dense(loop, run):
    program = lambda x, y: LOOPS[loop](lambda c: y, x)
    got = run(program)(X, Box(2 * X, "s"))
    assert isinstance(got, jax.Array)
    np.testing.assert_allclose(got, 2 * X)


@pytest.mark.parametrize("p", [True, False])
def test_weak_and_strong_leaves_are_promoted(p, run):
    got = run(choose)(p, Box(jnp.asarray(1.0)), Box(jnp.float32(2.0)))
    assert isinstance(got, Box)
    assert not got.aval().weak_type
    np.testing.assert_allclose(got.array, 1.0 if p else 2.0)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_weak_carry_that_leaves_strong_is_promoted(loop, run):
    program = lambda x, y: LOOPS[loop](lambda c: c * y, x)
    got = run(program)(Box(jnp.asarray(1.0)), jnp.float32(2.0))
    assert isinstance(got, Box)
    np.testing.assert_allclose(got.array, 8.0)


@pytest.mark.parametrize("name", ["scan", "while"])
def test_the_part_of_the_carry_that_cannot_settle_is_named(name):
    def program(opaque, x):
        body = lambda c: {"pos": x, "vel": c["vel"]}
        return LOOPS[name](body, {"pos": opaque, "vel": x})

    path = {"scan": r"carry\['pos'\]", "while": r"carry\[1\]\['pos'\]"}[name]
    with (
        materialization("allow"),
        pytest.raises(CarryTypeError, match=rf"`{name}` {path} enters as Opaque"),
    ):
        quaxify(program)(Opaque(X), X)


def test_a_carry_that_is_one_array_is_named_plainly():
    with materialization("allow"), pytest.raises(CarryTypeError, match="`scan` carry enters as"):
        quaxify(lambda o, x: LOOPS["scan"](lambda c: x, o))(Opaque(X), X)


def test_what_a_rule_raises_says_the_operation_the_types_and_the_line():
    def program(x, y):
        return x + y

    x = jnp.ones(7)  # of no other test: JAX keeps the lines of the first `jnp.add` of a shape
    line = program.__code__.co_firstlineno + 1
    for function in (quaxify(program), jax.jit(quaxify(program)), quaxify(jax.jit(program))):
        with pytest.raises(ValueError, match="the tags m and s differ") as caught:
            function(Box(x, "m"), Box(x, "s"))
        text = "".join(traceback.format_exception_only(caught.value))
        assert "in `add` on (Box f32[7], Box f32[7])" in text
        assert re.search(rf"test_joins\.py:{line}\b", text)
        assert text.count("in `add` on") == 1


def test_a_rule_that_raises_in_a_nested_rule_is_described_once():
    @register("sin")
    def _sin_box(x: Box, **params):
        return Box(jnp.sin(x.array), x.tag)

    @register("sin")
    def _sin_doubled(x: Doubled, **params):
        raise ValueError("no sine of doubled")

    with pytest.raises(ValueError, match="no sine of doubled") as caught:
        quaxify(jnp.sin)(Box(Doubled(X)))
    notes = [n for n in caught.value.__notes__ if n.startswith("in `")]
    assert len(notes) == 1
    assert notes[0].startswith("in `sin` on (Doubled f32[3])")


class Once(ArrayValue):
    array: jax.Array

    materialization = "allow"

    def materialize(self):
        return self.array

    def join(self, other):
        return self

    def coerce_like(self, template):
        return Once(self.array)


class Twice(ArrayValue):
    array: jax.Array

    materialization = "allow"

    def materialize(self):
        return 2 * self.array

    def join(self, other):
        return other if isinstance(other, Once) else None

    def coerce_like(self, template):
        return Once(2 * self.array)


@pytest.mark.parametrize("p", [True, False])
def test_types_that_have_fields_alike_are_told_apart(p, run):
    # JAX finds the tree structures of two dataclasses equal that have as many fields.
    got = run(choose)(p, Once(X), Twice(X))
    np.testing.assert_allclose(dense(got), [1.0, 2.0, 3.0] if p else [2.0, 4.0, 6.0])
    turns = run(lambda x, y: lax.fori_loop(0, 2, lambda i, c: y, x))(Once(X), Twice(X))
    np.testing.assert_allclose(dense(turns), [2.0, 4.0, 6.0])


class Plain(ArrayValue):
    """Its hooks look at the type alone, not at what is inside."""

    array: jax.Array | ArrayValue

    materialization = "allow"

    def materialize(self):
        return self.array

    def join(self, other):
        return self if isinstance(other, Plain) else None

    def coerce_like(self, template):
        return self if isinstance(template, Plain) else NotImplemented


@register("mul")
def _mul_plain(x: Plain, y: jax.Array, **params):
    return Plain(lax.mul(x.array, y))


@pytest.mark.parametrize("p", [True, False])
def test_a_hook_that_does_not_look_inside_loses_no_value_that_is_there(p, run):
    got = run(choose)(p, Plain(Q), Plain(10 * X))
    assert isinstance(got, Plain)
    np.testing.assert_allclose(got.array, [1.0, 2.0, 3.0] if p else [10.0, 20.0, 30.0])
    turns = run(lambda x: lax.fori_loop(0, 2, lambda i, c: c * X, x))(Plain(Q))
    np.testing.assert_allclose(dense(turns), [1.0, 8.0, 27.0])


@jax.tree_util.register_pytree_node_class
class Places:
    """A tree with a shape, and no array: where the numbers are."""

    def __init__(self, rows, shape):
        self.rows, self.shape = rows, shape

    def tree_flatten(self):
        return (self.rows,), self.shape

    @classmethod
    def tree_unflatten(cls, shape, children):
        return cls(*children, shape)


class Rows(ArrayValue):
    """An array whose other rows are zero."""

    data: jax.Array | ArrayValue
    places: Places

    materialization = "allow"

    def materialize(self):
        return jnp.zeros(self.places.shape).at[self.places.rows].set(self.data)


@pytest.mark.parametrize("p", [True, False])
def test_a_child_that_is_a_tree_of_its_own_is_no_array(p, run):
    x = Rows(X, Places(jnp.array([0, 2, 3]), (4,)))
    y = Rows(10 * X, Places(jnp.array([0, 1, 2]), (4,)))
    np.testing.assert_allclose(dense(run(choose)(p, x, y)), [1, 0, 2, 3] if p else [10, 20, 30, 0])
    z = Rows(X[:2], Places(jnp.array([0, 2]), (4,)))
    np.testing.assert_allclose(dense(run(choose)(p, x, z)), [1, 0, 2, 3] if p else [1, 0, 2, 0])
