"""Operations that move, take, repeat or join entries."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import materialization, quaxify
from duckarray.zeros import Zeros

X = Zeros((3, 4))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("reshape", ((2, 6),)),
        ("reshape", ((-1,),)),
        ("transpose", ()),
        ("swapaxes", (0, 1)),
        ("expand_dims", (1,)),
        ("broadcast_to", ((2, 3, 4),)),
        ("flip", ()),
        ("roll", (1, 0)),
        ("ravel", ()),
        ("repeat", (2, 0)),
        ("tile", ((2, 1),)),
        ("copy", ()),
        ("diff", ()),
        ("atleast_3d", ()),
    ],
)
def test_zeros_stay_zeros_in_another_shape(agrees, name, args):
    agrees(
        lambda x: getattr(jnp, name)(x, *args), lambda x: getattr(np, name)(x, *args), X, zero=True
    )


@pytest.mark.parametrize(
    "index",
    [0, -1, slice(1, 3), slice(None, None, -2), (0, 1), (slice(None), None), (..., slice(1))],
    ids=str,
)
def test_indexing_keeps_zeros(agrees, index):
    agrees(lambda x: x[index], lambda x: x[index], X, zero=True)


def test_indexing_with_an_array_keeps_zeros(agrees):
    rows = np.array([2, 0, 1, 1])
    agrees(lambda x, i: x[i], lambda x, i: x[i], X, rows, zero=True)


@pytest.mark.parametrize("fill", [None, 0.0, 7.0])
def test_what_is_out_of_bounds_is_filled_as_asked(agrees, fill):
    def program(x, i):
        return x.at[i].get(mode="fill", fill_value=fill)

    filler = np.nan if fill is None else fill
    agrees(program, lambda x, i: [0.0, filler], Zeros(3), np.array([1, 5]), zero=fill == 0)


def test_a_filler_that_the_dtype_does_not_have_is_what_jax_makes_of_it():
    with materialization("allow"):
        got = quaxify(lambda x, i: x.at[i].get(mode="fill", fill_value=7))(
            Zeros(3, bool), jnp.array([1, 5])
        )
    np.testing.assert_array_equal(got, [False, True])


def test_squeezing_keeps_zeros(agrees):
    agrees(jnp.squeeze, np.squeeze, Zeros((1, 3, 1)), zero=True)


def test_a_slice_at_a_traced_position_is_zeros(agrees):
    def program(x, i):
        return lax.dynamic_slice(x, (i, 0), (2, 4))

    agrees(program, lambda x, i: x[i : i + 2], X, np.int32(1), zero=True)


def test_zeros_put_into_zeros_are_zeros(agrees):
    def program(x, y):
        return lax.dynamic_update_slice(x, y, (1, 1))

    agrees(program, lambda x, y: x, X, Zeros((2, 2)), zero=True)
    agrees(program, lambda x, y: np.pad(y, ((1, 0), (1, 1))), X, np.ones((2, 2), "f4"), zero=False)


@pytest.mark.parametrize("name", ["concatenate", "stack", "hstack", "vstack"])
def test_joined_zeros_are_zeros(agrees, name):
    def program(x, y):
        return getattr(jnp, name)([x, y])

    agrees(program, lambda x, y: getattr(np, name)([x, y]), X, X, zero=True)


def test_zeros_joined_with_something_are_dense(agrees):
    y = np.ones((2, 4), "float32")
    agrees(
        lambda x, y: jnp.concatenate([x, y]), lambda x, y: np.concatenate([x, y]), X, y, zero=False
    )


def test_parts_of_zeros_are_zeros():
    parts = quaxify(lambda x: jnp.split(x, [1, 3], axis=1))(X)
    assert [str(p) for p in parts] == [f"Zeros((3, {n}), float32)" for n in (1, 2, 1)]


def test_zeros_are_taken_apart_along_an_axis():
    rows = quaxify(jnp.unstack)(X)
    assert [str(row) for row in rows] == ["Zeros((4,), float32)"] * 3


def test_padding_with_zeros_keeps_zeros(agrees):
    def program(x, value):
        return lax.pad(x, value, [(1, 2, 0), (0, -1, 1)])

    agrees(program, lambda x, value: np.zeros((6, 6)), X, Zeros(()), zero=True)


def test_a_choice_between_zeros_is_zeros(agrees):
    which = np.arange(12).reshape(3, 4) % 2 == 0
    y = np.ones((3, 4), "float32")
    agrees(jnp.where, np.where, which, X, X, zero=True)
    agrees(jnp.where, np.where, which, X, y, zero=False)


def test_a_function_is_applied_to_zeros_at_some_places():
    with materialization("allow"):
        got = quaxify(lambda x: x.at[0].apply(jnp.cos))(X)
    np.testing.assert_array_equal(got, [[1.0] * 4, [0.0] * 4, [0.0] * 4])
