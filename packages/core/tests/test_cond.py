import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import (
    Box,
    Doubled,
    Length,
    Opaque,
    Pair,
    Zero,
    dense,
    make_lowrank,
    make_quantized,
    matrix,
)
from jax import lax

from duckarray.core import ArrayValue, materialization, quaxify

PROGRAMS = {
    "equal types": lambda p, x: lax.cond(p, lambda x: x, lambda x: x, x),
    "one branch dense": lambda p, x: lax.cond(p, lambda x: x, lambda x: jnp.sin(x), x),
    "both dense": lambda p, x: lax.cond(p, jnp.cos, jnp.sin, x),
    "closed over": lambda p, x: lax.cond(p, lambda: x * 2.0, lambda: x @ x),
    "unused operand": lambda p, x: lax.cond(p, lambda x: jnp.ones((3, 3)), lambda x: jnp.sin(x), x),
    "a tree": lambda p, x: lax.cond(
        p, lambda x: {"a": x, "b": (x * 2.0,)}, lambda x: {"a": x + 1.0, "b": (x,)}, x
    ),
    "in a jit": lambda p, x: jax.jit(lambda p, x: lax.cond(p, lambda x: x, jnp.sin, x))(p, x),
    "nested": lambda p, x: lax.cond(
        p, lambda x: lax.cond(x[0, 0] > 0, lambda x: x, jnp.sin, x), jnp.cos, x
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_cond_gives_the_chosen_branch(name, value):
    compiled = jax.jit(quaxify(PROGRAMS[name]))
    for p in (True, False):
        assert_same(compiled(p, value), PROGRAMS[name](p, dense(value)))


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize("name", ["one branch dense", "closed over", "nested"])
def test_cond_gives_the_chosen_branch_eagerly(name, p):
    x = Doubled(matrix())
    assert_same(quaxify(PROGRAMS[name])(p, x), PROGRAMS[name](p, dense(x)))


@pytest.mark.parametrize("name", ["one branch dense", "closed over", "a tree"])
def test_cond_is_differentiated_as_its_dense_program(name, value):
    gradients_agree(lambda x: PROGRAMS[name](x.sum() > 0, x), value)


def test_switch_clamps_its_index(value):
    branches = [lambda x: x, jnp.sin, lambda x: x + 1.0]
    program = jax.jit(quaxify(lambda i, x: lax.switch(i, branches, x)))
    for index in (-1, 0, 1, 2, 5):
        want = branches[min(max(index, 0), 2)](dense(value))
        assert_same(program(index, value), want)


def test_switch_takes_an_index_that_is_a_value():
    index = Box(jnp.int32(1))
    got = quaxify(lambda i: lax.switch(i, [lambda: 1.0, lambda: 5.0]))(index)
    np.testing.assert_allclose(got, 5.0)


def test_a_traced_predicate_may_be_a_value():
    def program(p, x):
        return lax.cond(p > 0, lambda x: x + 1.0, lambda x: x - 1.0, x)

    agrees(program, Box(jnp.float32(2.0)), jnp.ones(2))


def test_branches_of_equal_type_keep_it():
    x = Box(jnp.arange(3.0), "s")
    got = quaxify(lambda p, x: lax.cond(p, lambda x: -x, lambda x: x * 2.0, x))(True, x)
    assert isinstance(got, Box)
    assert got.tag == "s"
    np.testing.assert_allclose(got.array, [0.0, -1.0, -2.0])


@pytest.mark.parametrize("p", [True, False])
def test_branches_that_differ_only_in_metadata_are_made_dense(p):
    x = Box(jnp.arange(3.0), "s")
    got = quaxify(lambda p, x: lax.cond(p, lambda x: x, lambda x: x * x, x))(p, x)
    assert isinstance(got, jax.Array)
    np.testing.assert_allclose(got, [0.0, 1.0, 2.0] if p else [0.0, 1.0, 4.0])


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("p", [True, False])
def test_branches_are_joined_where_the_type_says_how(p, jitted):
    far, near = Length(jnp.array([1.0, 2.0]), 1000.0), Length(jnp.array([3.0, 4.0]), 1.0)
    program = quaxify(lambda p, x, y: lax.cond(p, lambda: x, lambda: y))
    got = (jax.jit(program) if jitted else program)(p, far, near)
    assert isinstance(got, Length)
    assert got.scale == 1.0
    np.testing.assert_allclose(got.array, [1000.0, 2000.0] if p else [3.0, 4.0])


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (lambda: Zero(jnp.zeros((3, 3, 0))), matrix),
        (matrix, lambda: Pair(matrix(), matrix(2))),
        (lambda: Zero(jnp.zeros((3, 3, 0))), lambda: Pair(matrix(), matrix(2))),
        (lambda: Doubled(matrix()), lambda: Box(matrix())),
    ],
    ids=["zero and dense", "dense and pair", "zero and pair", "doubled and box"],
)
def test_branches_of_unlike_types_are_made_dense(x, y, p):
    agrees(lambda p, x, y: lax.cond(p, lambda: x, lambda: y), p, x(), y())


def test_only_the_slot_that_differs_is_made_dense():
    box, zero = Box(jnp.ones(2)), Zero(jnp.zeros((2, 0)))
    program = quaxify(lambda p, b, z: lax.cond(p, lambda: (b, z), lambda: (b, jnp.ones(2))))
    kept, lost = program(True, box, zero)
    assert isinstance(kept, Box)
    np.testing.assert_array_equal(lost, [0.0, 0.0])


def test_branches_that_would_have_to_be_dense_respect_the_policy():
    from duckarray.core import MaterializeError

    program = quaxify(lambda p, x: lax.cond(p, lambda: x, lambda: jnp.ones(2)))
    with materialization("error"), pytest.raises(MaterializeError, match=r"`cond`.*Box f32\[2\]"):
        program(True, Box(jnp.ones(2)))


def test_a_type_that_refuses_to_be_dense_is_named_with_the_branch_it_left():
    program = quaxify(lambda p, x: lax.cond(p, lambda: x, lambda: jnp.ones(2)))
    with (
        pytest.raises(TypeError, match=r"(?s)`cond`.*Opaque.*no dense form"),
        materialization("allow"),
    ):
        program(True, Opaque(jnp.ones(2)))


def test_an_opaque_value_passes_through_cond():
    x = Opaque(jnp.ones(2))
    got = quaxify(lambda p, x: lax.cond(p, lambda x: -x, lambda x: x, x))(True, x)
    assert isinstance(got, Opaque)
    np.testing.assert_allclose(got.array, [-1.0, -1.0])


def test_a_container_with_a_value_meets_one_with_an_array():
    def program(p, x):
        return lax.cond(p, lambda: (x,), lambda: (jnp.zeros((3, 3)),))

    agrees(program, False, Doubled(matrix()))


def test_platform_dependent_runs_the_branch_of_this_platform(value):
    def program(x):
        return lax.platform_dependent(x, cpu=lambda x: x + 1.0, default=lambda x: x * 0.0)

    agrees(program, value)


def test_platform_dependent_takes_the_default_elsewhere():
    program = lambda x: lax.platform_dependent(x, tpu=lambda x: x + 1.0, default=lambda x: x * 3.0)
    agrees(program, Doubled(matrix()))


def test_cond_under_vmap_selects_row_by_row(value):
    p = jnp.array([True, False, True])
    agrees(lambda p, x: jax.vmap(lambda p, row: lax.cond(p, jnp.sin, jnp.cos, row))(p, x), p, value)


def test_a_branch_that_raises_leaves_the_next_call_alone():
    def bad(x):
        raise RuntimeError("in the branch")

    with pytest.raises(RuntimeError, match="in the branch"):
        quaxify(lambda x: lax.cond(x.sum() > 0, bad, lambda x: x, x))(Box(jnp.ones(2)))
    agrees(lambda x: lax.cond(x.sum() > 0, jnp.sin, lambda x: x, x), Box(jnp.ones(2)))


def test_select_and_where_agree_with_numpy(value):
    mask = np.eye(3, dtype=bool)
    got = quaxify(lambda x: jnp.where(mask, x, 0.0))(value)
    np.testing.assert_allclose(dense(got), np.where(mask, dense(value), 0.0), rtol=1e-5, atol=1e-6)


def test_a_value_type_defined_in_a_test_joins_as_it_says():
    class Upper(ArrayValue):
        array: jax.Array
        materialization = "error"

        def materialize(self):
            return self.array

        def join(self, other):
            return self

        def coerce_like(self, template):
            return self

    got = quaxify(lambda p, x, y: lax.cond(p, lambda: x, lambda: y))(
        False, Upper(jnp.zeros(2)), Upper(jnp.ones(2))
    )
    np.testing.assert_allclose(got.array, [1.0, 1.0])


def test_a_gradient_inside_keeps_what_branches_close_over():
    w = make_lowrank()
    x = jnp.array([1.0, -2.0, 0.5])

    def loss(x, i, w):
        branches = [lambda x: w @ (w @ x), lambda x: jnp.sin(x), lambda x: w.T @ x]
        return jnp.sum(jnp.cos(lax.switch(i, branches, x)))

    with materialization("error"):
        gradient = jax.jit(quaxify(jax.grad(loss)))
        for i in range(3):
            assert_same(gradient(x, i, w), jax.grad(loss)(x, i, dense(w)))


class Shifted(ArrayValue):
    """Its array plus one: zeros are not what zero leaves stand for."""

    array: jax.Array

    materialization = "allow"

    def materialize(self):
        return self.array + 1.0


@pytest.mark.parametrize(
    ("make", "written_out", "kept"),
    [
        (make_lowrank, dense, True),
        (lambda: Length(matrix(), 0.5), dense, True),
        (make_quantized, dense, True),
        (lambda: Shifted(matrix()), lambda x: matrix() + 1, False),
    ],
)
def test_zeros_become_a_value_if_its_leaves_being_zero_means_so(make, written_out, kept):
    program = lambda p, x: lax.cond(p, lambda x: x, jnp.zeros_like, x)
    compiled = jax.jit(quaxify(program))
    for p in (True, False):
        got = compiled(p, make())
        assert isinstance(got, ArrayValue) is kept
        assert_same(got, program(p, written_out(make())))


def test_ones_and_a_value_are_joined_as_arrays():
    program = lambda p, x: lax.cond(p, lambda x: x, jnp.ones_like, x)
    for p in (True, False):
        got = jax.jit(quaxify(program))(p, make_lowrank())
        assert not isinstance(got, ArrayValue)
        assert_same(got, program(p, dense(make_lowrank())))
