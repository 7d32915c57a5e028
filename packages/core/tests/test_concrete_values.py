"""What Python and `jnp` ask of concrete numbers is answered for a value, under the policy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled

from duckarray.core import MaterializeError, materialization, materialize, quaxify

pytestmark = pytest.mark.any_jax

X = np.array([2.0, 0.0, 2.0, 4.0], np.float32)

# What each is in NumPy or Python.
PROGRAMS = {
    "unique": (jnp.unique, np.unique),
    "nonzero": (jnp.nonzero, np.nonzero),
    "flatnonzero": (jnp.flatnonzero, np.flatnonzero),
    "argwhere": (jnp.argwhere, np.argwhere),
    "compress": (lambda x: jnp.compress(x > 0, x), lambda x: np.compress(x > 0, x)),
    "extract": (lambda x: jnp.extract(x > 2, x), lambda x: np.extract(x > 2, x)),
    "mask": (lambda x: x[x > 0], lambda x: x[x > 0]),
    "setdiff1d": (
        lambda x: jnp.setdiff1d(x, np.array([0.0])),
        lambda x: np.setdiff1d(x, np.array([0.0])),
    ),
    "repeat": (
        lambda x: jnp.repeat(np.arange(4), x.astype(int)),
        lambda x: np.repeat(np.arange(4), x.astype(int)),
    ),
    "bincount": (lambda x: jnp.bincount(x.astype(int)), lambda x: np.bincount(x.astype(int))),
    "if": (lambda x: x * 3 if x[0] > 1 else x, lambda x: x * 3),
    "a shape": (lambda x: jnp.zeros(int(x.sum())), lambda x: np.zeros(8)),
    "range": (lambda x: list(range(int(x[3]))), lambda x: [0, 1, 2, 3]),
    "round": (lambda x: round(float(x[3])), lambda x: 4),
    "item": (lambda x: x[3].item(), lambda x: 4.0),
    "tolist": (lambda x: x.tolist(), lambda x: [2.0, 0.0, 2.0, 4.0]),
    "numpy": (np.cumsum, np.cumsum),
    "format": (lambda x: float(f"{x[3] / 3:.2f}"), lambda x: 1.33),
    "dlpack": (np.from_dlpack, lambda x: x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_needs_the_numbers_gets_them(name):
    program, in_numpy = PROGRAMS[name]
    got = quaxify(program)(Doubled(jnp.asarray(X / 2)))
    jax.tree.map(np.testing.assert_allclose, got, jax.tree.map(np.asarray, in_numpy(X)))


@pytest.mark.parametrize(
    "name", ["unique", "nonzero", "mask", "if", "item", "tolist", "numpy", "dlpack"]
)
def test_what_needs_the_numbers_asks_the_policy(name):
    with materialization("error"), pytest.raises(MaterializeError, match="Doubled"):
        quaxify(PROGRAMS[name][0])(Doubled(jnp.asarray(X / 2)))


@pytest.mark.parametrize("name", ["nonzero", "if", "item"])
def test_under_jit_there_are_no_numbers_as_for_any_array(name):
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(quaxify(PROGRAMS[name][0]))(Doubled(jnp.asarray(X / 2)))


def test_what_is_printed_of_an_array_that_is_traced_is_what_jax_prints():
    x = Doubled(jnp.float32(1.25))
    assert quaxify(lambda x: f"{x:.1f} {x:5.2f}")(x) == f"{2.5:.1f} {2.5:5.2f}"
    assert "Doubled" in quaxify(lambda x: f"{x}")(x)
    for program in (lambda x: f"{x:.1f}", lambda x: x.__dlpack__(), np.from_dlpack):
        with pytest.raises((TypeError, AttributeError)) as of_array:
            jax.jit(program)(jnp.float32(2.5))
        with pytest.raises(type(of_array.value)):
            jax.jit(quaxify(program))(x)


MASK = np.array([True, False, True, False])
MASKED = {
    "index": (lambda x, m: x[m], X[MASK]),
    "nonzero": (lambda x, m: jnp.nonzero(m)[0], [0, 2]),
    "where": (lambda x, m: jnp.where(m)[0], [0, 2]),
    "compress": (lambda x, m: jnp.compress(m, x), X[MASK]),
    "extract": (lambda x, m: jnp.extract(m, x), X[MASK]),
    "delete": (lambda x, m: jnp.delete(x, m), X[~MASK]),
    "set": (lambda x, m: x.at[m].set(1.0), np.where(MASK, 1, X)),
}


@pytest.mark.parametrize("value", [True, False], ids=["of a value", "of an array"])
@pytest.mark.parametrize("name", MASKED)
def test_a_mask_may_be_a_value(name, value):
    program, want = MASKED[name]
    got = quaxify(program)(Box(jnp.asarray(X)) if value else jnp.asarray(X), Box(jnp.asarray(MASK)))
    np.testing.assert_array_equal(materialize(got), want)


def test_a_gradient_with_a_mask_that_is_a_value():
    loss = lambda x, m: jnp.sum(jnp.compress(m, x) ** 2)
    got = quaxify(jax.grad(loss))(jnp.asarray(X), Box(jnp.asarray(MASK)))
    np.testing.assert_array_equal(materialize(got), 2 * X * MASK)


@pytest.mark.parametrize("entries", [np.float32(1.0), np.array([1, 2], np.int32), np.bool_(True)])
@pytest.mark.parametrize("inside", [True, False])
def test_what_is_no_index_is_refused_before_it_is_made_dense(entries, inside):
    choose = lambda i: ["a", "b"][i]
    value = Box(jnp.asarray(entries))
    with materialization("error"), pytest.raises(TypeError, match=r"which Box .* is not\.\nChoose"):
        (quaxify(choose) if inside else choose)(value)
    assert choose(Box(jnp.asarray(1))) == "b"
