import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_types import Box, Doubled, dense, make_lowrank
from jax import lax
from jax import tree_util as jtu

from duckarray.core import materialization, quaxify

X = jnp.arange(3.0)


CLOSED = Doubled(jnp.ones(3))


def test_a_bound_method_of_a_module_with_values_is_looked_through():
    import equinox as eqx

    class Model(eqx.Module):
        w: object

        def apply(self, x):
            return self.w @ x

    model = Model(make_lowrank())
    with materialization("error"):
        got = quaxify(model.apply)(X)
    assert_same(got, dense(model.w) @ X)


def test_a_plain_object_that_holds_a_value_takes_part():
    class Model:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return jnp.add(self.w, x)

    np.testing.assert_allclose(quaxify(Model(CLOSED))(X), 2 + X)


@pytest.mark.parametrize("partial", [functools.partial, jtu.Partial])
def test_partial_arguments_take_part(partial):
    w = make_lowrank()
    with materialization("error"):
        got = quaxify(partial(jnp.matmul, w))(X)
        nested = quaxify(partial(partial(lambda a, b, c: a @ b + c, w), X))(c=X)
    assert_same(got, dense(w) @ X)
    assert_same(nested, dense(w) @ X + X)


def test_default_arguments_take_part():
    def program(x, w=CLOSED, *, v=CLOSED):
        return jnp.add(w, x) + v

    np.testing.assert_allclose(quaxify(program)(X), 4 + X)
    np.testing.assert_allclose(quaxify(program)(X, jnp.zeros(3)), 2 + X)
    np.testing.assert_allclose(quaxify(program)(X, v=jnp.zeros(3)), 2 + X)


def test_a_callable_pytree_is_run_with_the_values_in_it():
    import equinox as eqx

    class Module(eqx.Module):
        layers: list

        def __call__(self, x):
            for w in self.layers:
                x = jnp.tanh(w @ x)
            return x

    layers = [make_lowrank(seed=i) for i in range(2)]
    want = Module([dense(w) for w in layers])(X)
    assert_same(quaxify(Module(layers))(X), want)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: jnp.add(x, CLOSED),
        lambda x: x + CLOSED,
        lambda x: jax.jit(lambda y: jnp.add(y, CLOSED))(x),
        lambda x: jax.jit(jax.jit(lambda y: jnp.multiply(y, CLOSED)))(x),
        lambda x: lax.scan(lambda c, _: (jnp.add(c, CLOSED), None), x, None, length=2)[0],
        lambda x: lax.fori_loop(0, 2, lambda i, c: jnp.add(c, CLOSED), x),
        lambda x: lax.cond(True, lambda y: jnp.add(y, CLOSED), lambda y: y, x),
        lambda x: jax.vmap(lambda s: jnp.add(CLOSED, s))(x),
        lambda x: jax.checkpoint(lambda y: jnp.multiply(y, CLOSED))(x),
        lambda x: jax.grad(lambda y: jnp.sum(jnp.multiply(y, CLOSED)))(x),
        lambda x: jax.jvp(lambda y: jnp.multiply(y, CLOSED), (x,), (x,)),
        lambda x: jnp.add(x, Doubled(jnp.ones(3))),
    ],
    ids=[
        "jnp",
        "operator",
        "jit",
        "jit jit",
        "scan",
        "fori",
        "cond",
        "vmap",
        "remat",
        "grad",
        "jvp",
        "made inside",
    ],
)
@pytest.mark.parametrize(
    ("operand", "jitted"),
    [(X, False), (X, True), (Doubled(X), False)],
    ids=["dense", "dense, jitted", "value"],
)
def test_values_that_are_closed_over_take_part(program, operand, jitted, monkeypatch):
    run = quaxify(program)
    got = (jax.jit(run) if jitted else run)(operand)
    monkeypatch.setitem(program.__globals__, "CLOSED", jnp.full(3, 2.0))
    monkeypatch.setitem(program.__globals__, "Doubled", lambda x: 2 * x)
    assert_same(got, program(dense(operand)))


def test_a_value_closed_over_keeps_its_structure_inside_jit():
    w = make_lowrank()
    with materialization("error"):
        got = quaxify(lambda x: jax.jit(lambda x: jnp.matmul(w, x))(x))(X)
    assert_same(got, dense(w) @ X)


def test_a_value_made_inside_of_what_came_in_is_returned():
    got = quaxify(lambda x: Box(jnp.add(x, 1.0), "made"))(Doubled(X))
    assert (type(got), got.tag) == (Box, "made")
    np.testing.assert_allclose(got.array, 2 * X + 1)
