import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import (
    Box,
    Doubled,
    Length,
    LowRank,
    Opaque,
    Pair,
    Quantized,
    Zero,
    dense,
    make_lowrank,
    matrix,
    numbers,
)
from jax import lax

from duckarray.core import CarryTypeError, quaxify

X = jnp.array([1.0, 2.0, 3.0])
STACKED = jnp.asarray(numbers(5, (4, 3, 3))[0])

PROGRAMS = {
    "constant": lambda x: lax.scan(lambda c, _: (c @ x * 0.5, c.sum()), jnp.eye(3), None, length=3),
    "carry kept": lambda x: lax.scan(lambda c, _: (c, c), x, None, length=2),
    "carry becomes dense": lambda x: lax.scan(lambda c, _: (jnp.sin(c), c), x, None, length=3),
    "dense xs": lambda x: lax.scan(lambda c, y: (c + y, c * 2.0), x, STACKED),
    "rows": lambda x: lax.scan(lambda c, row: (c + row.sum(), row * 2.0), 0.0, x),
    "reverse": lambda x: lax.scan(lambda c, row: (c + row, c), jnp.zeros(3), x, reverse=True),
    "unroll": lambda x: lax.scan(lambda c, _: (c + 1.0, c), x, None, length=5, unroll=2),
    "two carries": lambda x: lax.scan(
        lambda c, _: ((c[1], c[0]), None), (x, jnp.ones((3, 3))), None, length=3
    )[0],
    "in a jit": lambda x: jax.jit(lambda x: lax.scan(lambda c, r: (c + r, r), jnp.zeros(3), x))(x),
    "nested": lambda x: lax.scan(
        lambda c, _: lax.scan(lambda d, _: (d + 1.0, d), c, None, length=2), x, None, length=2
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_scan_gives_what_the_dense_scan_gives(name, value):
    want = PROGRAMS[name](dense(value))
    assert_same(jax.jit(quaxify(PROGRAMS[name]))(value), want)


@pytest.mark.parametrize("name", PROGRAMS)
def test_scan_gives_the_same_eagerly(name):
    agrees(PROGRAMS[name], Doubled(matrix()))


@pytest.mark.parametrize("name", ["constant", "carry becomes dense", "rows"])
def test_scan_is_differentiated_as_its_dense_program(name, value):
    gradients_agree(PROGRAMS[name], value)


@pytest.mark.parametrize("jitted", [False, True])
def test_a_carry_that_becomes_dense_is_read_as_what_it_stands_for(jitted):
    program = quaxify(lambda c: lax.scan(lambda c, _: (c + 1.0, None), c, None, length=3)[0])
    got = (jax.jit(program) if jitted else program)(Doubled(X / 2))
    np.testing.assert_allclose(got, [4.0, 5.0, 6.0])


def test_a_carry_whose_leaf_is_not_its_value_is_converted_before_the_first_turn():
    got = quaxify(lambda c: lax.scan(lambda c, _: (c + 1.0, None), c, None, length=3)[0])(
        Doubled(X)
    )
    np.testing.assert_allclose(got, [5.0, 7.0, 9.0])


def test_a_dense_carry_that_becomes_a_value_settles():
    def program(c, v):
        return lax.scan(lambda c, _: (v, c * 2.0), c, None, length=3)

    agrees(program, X, Doubled(-X))


def test_a_dense_carry_that_is_used_and_negated_keeps_its_sign():
    def program(c, v):
        return lax.scan(lambda c, _: (v - c, c), c, None, length=3)

    agrees(program, X, Doubled(X))


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("n", [1, 4])
def test_a_zero_carry_that_becomes_dense_keeps_its_shape(n, jitted):
    program = quaxify(lambda c, x: lax.scan(lambda c, _: (c + x, None), c, None, length=n)[0])
    got = (jax.jit(program) if jitted else program)(Zero(jnp.zeros((3, 0))), X)
    assert got.shape == (3,)
    np.testing.assert_allclose(got, n * np.array([1.0, 2.0, 3.0]))


def test_a_dense_carry_that_becomes_a_value_of_two_leaves_keeps_its_shape():
    def program(c, v):
        return lax.scan(lambda c, _: (v, None), c, None, length=2)[0]

    agrees(program, X, Pair(X, X))


def test_zeros_as_ys_get_the_leading_axis():
    got = quaxify(lambda z: lax.scan(lambda c, _: (c, z), 0.0, None, length=4)[1])(
        Zero(jnp.zeros((3, 0)))
    )
    assert isinstance(got, Zero)
    assert got.shape == (4, 3)


def test_zeros_as_xs_lose_the_leading_axis():
    shapes = []

    def body(c, row):
        shapes.append(row.shape)
        return c + row, None

    got = quaxify(lambda z: lax.scan(body, X, z)[0])(Zero(jnp.zeros((4, 3, 0))))
    assert set(shapes) == {(3,)}
    np.testing.assert_allclose(got, X)


def test_scan_outside_over_zeros_maps_their_shape():
    def body(c, z):
        assert z.shape == (3,)
        return quaxify(jnp.add)(z, c), z

    total, zeros = lax.scan(body, X, Zero(jnp.zeros((4, 3, 0))))
    np.testing.assert_allclose(total, X)
    assert zeros.shape == (4, 3)


def test_boxes_as_xs_and_ys_stay_boxes():
    xs = Box(STACKED, "s")
    carry, ys = quaxify(lambda xs: lax.scan(lambda c, x: (c + x.sum(), -x), jnp.float32(0), xs))(xs)
    assert isinstance(ys, Box)
    assert ys.tag == "s"
    np.testing.assert_allclose(ys.array, -STACKED)
    np.testing.assert_allclose(dense(carry), np.sum(STACKED), rtol=1e-4)


def test_xs_of_an_opaque_type_are_sliced_leaf_by_leaf():
    _, ys = quaxify(lambda xs: lax.scan(lambda c, x: (c, -x), 0.0, xs))(Opaque(STACKED))
    assert isinstance(ys, Opaque)
    np.testing.assert_allclose(ys.array, -STACKED)


def test_xs_of_a_type_without_the_hook_are_made_dense():
    def program(xs):
        return lax.scan(lambda c, x: (c + x.sum(), x * 2.0), 0.0, xs)

    agrees(program, LowRank(STACKED, jnp.ones((4, 3, 1)), jnp.ones((4, 1, 3))))
    agrees(program, Quantized(jnp.ones((4, 3), jnp.int8), jnp.float32(0.5)))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("unroll", [1, 3, True])
def test_reverse_and_unroll_are_kept(reverse, unroll):
    def program(xs):
        return lax.scan(
            lambda c, x: (c * 0.5 + x, c), jnp.zeros((3, 3)), xs, reverse=reverse, unroll=unroll
        )

    assert_same(quaxify(program)(Doubled(STACKED)), program(dense(Doubled(STACKED))))


@pytest.mark.parametrize("make", [Box, Doubled, lambda x: Zero(x[..., :0])])
def test_a_scan_of_length_zero_returns_its_carry(make):
    xs = make(jnp.ones((0, 3)))
    agrees(lambda c, xs: lax.scan(lambda c, x: (c + x, x * 2.0), c, xs), make(jnp.ones(3)), xs)


def test_a_carry_that_is_not_used_comes_back():
    got = quaxify(lambda z: lax.scan(lambda c, _: (c, None), z, None, length=3)[0])(Opaque(X))
    assert isinstance(got, Opaque)
    np.testing.assert_allclose(got.array, X)


def test_two_carries_of_different_types_may_change_places():
    def program(a, b):
        return lax.scan(lambda c, _: ((c[1], c[0]), c[0]), (a, b), None, length=3)

    agrees(program, Doubled(X), Box(-X))
    agrees(program, Zero(jnp.zeros((3, 0))), Doubled(X))


def test_carries_that_feed_each_other_are_widened_together():
    def program(a, b, c):
        return lax.scan(lambda s, _: ((s[1], s[2], s[2] + 1.0), None), (a, b, c), None, length=4)[0]

    agrees(program, Zero(jnp.zeros((3, 0))), Doubled(X), Pair(X, X))


def test_a_carry_in_another_unit_is_converted():
    def program(c, step):
        return lax.scan(lambda c, _: (step, c), c, None, length=2)

    got, _ = quaxify(program)(Length(X, 1000.0), Length(X, 1.0))
    assert isinstance(got, Length)
    assert got.scale == 1.0
    agrees(program, Length(X, 1000.0), Length(X, 1.0))


def test_a_carry_whose_tag_grows_is_made_dense():
    def program(c):
        return lax.scan(lambda c, _: (c * c, None), c, None, length=2)[0]

    agrees(program, Box(X))


def test_a_carry_that_refuses_to_be_dense_is_an_error_with_its_path():
    program = quaxify(
        lambda a, x: lax.scan(lambda c, _: ((c[0] + 1.0, x), None), (x, a), None, length=2)
    )
    with pytest.raises(CarryTypeError, match=r"`scan` carry\[1\].*Opaque[^$]*`join`") as caught:
        program(Opaque(X), X)
    assert caught.value.primitive == "scan"
    assert caught.value.path == "carry[1]"


def test_stacked_layers_are_scanned_over():
    w, a, b = (jnp.asarray(x) for x in numbers(7, (4, 3, 3), (4, 3, 2), (4, 2, 3)))

    def program(x, layers):
        return lax.scan(lambda x, layer: (jnp.tanh(layer @ x), None), x, layers)[0]

    agrees(program, X, LowRank(w, a, b))
    gradients_agree(lambda layers, x: program(x, layers), LowRank(w, a, b), X)


def test_stacked_layers_scanned_outside_keep_their_structure():
    w, a, b = (jnp.asarray(x) for x in numbers(7, (4, 3, 3), (4, 3, 2), (4, 2, 3)))
    layers = LowRank(w, a, b)

    def program(x, layers, run):
        return lax.scan(lambda x, layer: (jnp.tanh(run(layer, x)), None), x, layers)[0]

    got = program(X, layers, quaxify(jnp.matmul))
    assert_same(got, program(X, dense(layers), jnp.matmul))


def test_map_runs_over_rows(value):
    agrees(lambda x: lax.map(lambda row: jnp.sin(row) + row.sum(), x), value)


def test_map_in_batches_runs_over_rows():
    agrees(lambda x: lax.map(lambda row: jnp.sin(row), x, batch_size=2), Doubled(matrix()))


def test_associative_scan_and_cumsum_agree(value):
    agrees(lambda x: jnp.cumsum(x, axis=0), value)
    agrees(lambda x: lax.associative_scan(jnp.add, x), value)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_fori_with_a_static_count_agrees(n, value):
    program = lambda x: lax.fori_loop(0, n, lambda i, c: c + x, jnp.zeros((3, 3)))
    assert_same(quaxify(program)(value), n * dense(value))


def test_fori_converts_a_value_carry_and_can_be_differentiated():
    def program(x):
        return lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * 2.0, x)

    agrees(program, Doubled(matrix()))
    gradients_agree(program, Doubled(matrix()))


def test_integer_carries_beside_a_value_stay_integers():
    def program(x):
        return lax.scan(lambda c, _: ((c[0] + 1, c[1] + 1.0), c[0]), (0, x), None, length=3)

    agrees(program, Doubled(X))


def test_the_body_is_traced_once_where_the_carry_keeps_its_type():
    turns = []

    def body(c, _):
        turns.append(1)
        return -c, None

    quaxify(lambda c: lax.scan(body, c, None, length=5)[0])(Box(X))
    assert len(turns) == 1


def test_a_scan_under_vmap_agrees():
    def program(x):
        return jax.vmap(lambda row: lax.scan(lambda c, y: (c + y, c), 0.0, row))(x)

    agrees(program, make_lowrank())
    agrees(program, Doubled(matrix()))
