import io

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from _core_checks import assert_same
from _core_types import Box, Doubled, LowRank, dense, make_lowrank

from duckarray.core import ArrayValue, materialization, quaxify, register


class ModuleValue(eqx.Module, ArrayValue):
    array: jax.Array
    name: str = eqx.field(static=True, default="e")

    def materialize(self):
        return self.array


def with_lowrank(model, seed=0):
    value = LowRank(model.weight, jnp.ones((3, 2)) * 0.1, jnp.ones((2, 3)) * 0.1)
    return eqx.tree_at(lambda m: m.weight, model, value)


@pytest.fixture
def linear():
    return eqx.nn.Linear(3, 3, key=jax.random.key(0))


def test_an_equinox_module_can_be_a_value(own_rules):
    @register("neg")
    def _neg_module(x: ModuleValue, **params):
        return ModuleValue(-x.array, x.name)

    x = ModuleValue(jnp.arange(3.0), "n")
    got = quaxify(jnp.negative)(x)
    assert isinstance(got, ModuleValue)
    assert (got.name, got.shape, got.dtype) == ("n", (3,), jnp.float32)
    np.testing.assert_allclose(got.array, [0.0, -1.0, -2.0])


def test_an_equinox_module_value_holds_a_value(own_rules):
    class Wrapping(eqx.Module, ArrayValue):
        inner: ArrayValue

        def materialize(self):
            return self.inner

    @register("dot_general")
    def _dot_general_wrapping(x: Wrapping, y: jax.Array, **params):
        return jnp.matmul(x.inner, y)

    w = make_lowrank()
    with materialization("error"):
        got = quaxify(jnp.matmul)(Wrapping(w), jnp.ones(3))
    assert_same(got, dense(w) @ jnp.ones(3))


def test_tree_at_puts_a_value_into_a_model_and_changes_one(linear):
    model = with_lowrank(linear)
    x = jnp.arange(3.0)
    got = quaxify(model)(x)
    np.testing.assert_allclose(got, dense(model.weight) @ x + model.bias, rtol=1e-5)
    changed = eqx.tree_at(lambda m: m.weight.a, model, jnp.zeros((3, 2)))
    np.testing.assert_allclose(quaxify(changed)(x), linear(x), rtol=1e-5)


def test_partition_and_combine_take_a_value_apart(linear):
    model = with_lowrank(linear)
    spec = jax.tree.map(lambda _: False, model)
    spec = eqx.tree_at(lambda m: (m.weight.a, m.weight.b), spec, (True, True))
    trained, frozen = eqx.partition(model, spec)
    assert len(jax.tree.leaves(trained)) == 2
    assert trained.weight.w is None
    np.testing.assert_array_equal(eqx.combine(trained, frozen).weight.w, model.weight.w)


def test_filter_finds_the_arrays_of_a_value():
    got = eqx.filter(Box(jnp.ones(2), "t"), eqx.is_array, inverse=True)
    assert got.array is None
    assert got.tag == "t"


def test_tree_pformat_shows_the_fields():
    assert "Box(array=f32[2]" in eqx.tree_pformat(Box(jnp.ones(2), "t"))


def test_serialisation_restores_the_leaves():
    file = io.BytesIO()
    eqx.tree_serialise_leaves(file, make_lowrank(seed=1))
    file.seek(0)
    got = eqx.tree_deserialise_leaves(file, make_lowrank(seed=2))
    np.testing.assert_array_equal(got.w, make_lowrank(seed=1).w)


def test_tree_equal_compares_leaves_and_metadata():
    assert bool(eqx.tree_equal(Box(jnp.ones(2)), Box(jnp.ones(2))))
    assert not eqx.tree_equal(Box(jnp.ones(2), "s"), Box(jnp.ones(2), "t"))


def test_filter_jit_and_filter_grad_take_values(linear):
    model, x = with_lowrank(linear), jnp.arange(3.0)

    @eqx.filter_jit
    @eqx.filter_grad
    def gradient(model):
        return jnp.sum(quaxify(model)(x) ** 2)

    @jax.grad
    def expected(weights):
        return jnp.sum(((weights[0] + weights[1] @ weights[2]) @ x + model.bias) ** 2)

    w = model.weight
    got = gradient(model).weight
    assert_same((got.w, got.a, got.b), expected((w.w, w.a, w.b)))


def test_filter_vmap_maps_the_leaves_of_a_value():
    w = Doubled(jnp.arange(6.0).reshape(2, 3))
    got = eqx.filter_vmap(quaxify(jnp.sum))(w)
    np.testing.assert_allclose(got, [6.0, 24.0])


def test_filter_checkpoint_and_filter_custom_vjp_meet_values():
    @eqx.filter_custom_vjp
    def scaled(x):
        return jnp.sin(x)

    scaled.def_fwd(lambda perturbed, x: (jnp.sin(x), x))
    scaled.def_bwd(lambda res, g, perturbed, x: g * 3.0)
    x = Doubled(jnp.arange(3.0))
    got = quaxify(jax.grad(lambda x: eqx.filter_checkpoint(scaled)(x).sum()))(x)
    np.testing.assert_allclose(got, [3.0, 3.0, 3.0])


def test_layers_of_equinox_agree_with_dense_weights():
    mlp = eqx.nn.MLP(3, 3, 3, 1, key=jax.random.key(1))
    where = lambda m: [layer.weight for layer in m.layers]
    values = [LowRank(w, jnp.ones((3, 1)), jnp.ones((1, 3))) for w in where(mlp)]
    x = jnp.arange(3.0)
    got = quaxify(eqx.tree_at(where, mlp, values))(x)
    np.testing.assert_allclose(got, eqx.tree_at(where, mlp, dense(values))(x), rtol=1e-5)


def test_optax_steps_in_the_leaves_of_a_value():
    x, y = jnp.arange(3.0), jnp.array([1.0, -1.0, 0.5])
    optimiser = optax.sgd(0.1)

    def loss(w, multiply):
        return jnp.mean((multiply(w, x) - y) ** 2)

    @jax.jit
    def step(w, state):
        gradient = jax.grad(loss)(w, quaxify(jnp.matmul))
        updates, state = optimiser.update(gradient, state, w)
        return optax.apply_updates(w, updates), state

    w = make_lowrank()
    state, first = optimiser.init(w), loss(w, quaxify(jnp.matmul))
    for _ in range(20):
        w, state = step(w, state)
    assert isinstance(w, LowRank)
    assert loss(dense(w), jnp.matmul) < 0.5 * first


def test_error_if_lets_a_value_through():
    x = Doubled(jnp.arange(3.0))
    got = quaxify(jax.jit(lambda x: eqx.error_if(x, x.sum() < 0, "negative")))(x)
    np.testing.assert_allclose(dense(got), [0.0, 2.0, 4.0])
