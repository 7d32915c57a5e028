import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same
from _core_types import Box, Doubled, Opaque, matrix
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import checkify
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from duckarray.core import materialization, quaxify

X = jnp.arange(3.0)


def test_checkpoint_names_and_barriers_act_on_the_leaves():
    with materialization("error"):
        got = quaxify(lambda x: checkpoint_name(lax.optimization_barrier(x), "n"))(Opaque(X))
    assert isinstance(got, Opaque)
    np.testing.assert_array_equal(got.array, X)


def test_a_barrier_over_several_operands_keeps_each():
    box, out, n = quaxify(lambda *xs: lax.optimization_barrier(xs))(Box(X), X + 1.0, Doubled(X))
    assert isinstance(box, Box)
    assert isinstance(n, Doubled)
    np.testing.assert_array_equal(out, X + 1.0)


def test_a_copy_is_of_the_leaves():
    got = quaxify(jnp.copy)(Opaque(X))
    assert isinstance(got, Opaque)
    assert got.array is not X


@pytest.mark.parametrize("jitted", [False, True])
def test_device_put_moves_the_leaves(jitted):
    device = jax.devices()[0]
    program = quaxify(lambda x: jax.device_put(x, device))
    got = (jax.jit(program) if jitted else program)(Opaque(X))
    assert isinstance(got, Opaque)
    np.testing.assert_array_equal(got.array, X)


def test_a_sharding_constraint_keeps_the_numbers():
    mesh = Mesh(np.array(jax.devices()[:2]), ("i",))
    sharding = NamedSharding(mesh, PartitionSpec("i"))
    x = Doubled(jnp.ones((4, 2)))
    got = jax.jit(quaxify(lambda x: lax.with_sharding_constraint(x, sharding) + 1.0))(x)
    np.testing.assert_allclose(got, 3 * np.ones((4, 2)))


def test_stop_gradient_keeps_a_value():
    with materialization("error"):
        got = quaxify(lax.stop_gradient)(Opaque(X))
    assert isinstance(got, Opaque)


def test_named_scopes_and_calls_pass():
    def program(x):
        with jax.named_scope("here"):
            return jax.named_call(lambda x: jnp.sin(x) + 1.0, name="sine")(x)

    agrees(program, Doubled(matrix()))


def test_checks_inside_are_reported():
    def program(x):
        checkify.check(x.sum() > 0, "not positive")
        return x * 2.0

    run = checkify.checkify(quaxify(program))
    error, out = run(Doubled(X))
    error.throw()
    assert_same(out, 4 * X)
    error, _ = run(Doubled(-X))
    with pytest.raises(checkify.JaxRuntimeError, match="not positive"):
        error.throw()


def test_an_array_made_of_values_is_dense():
    agrees(lambda x: jnp.stack([x, x + 1.0]), Doubled(X))
    agrees(lambda x: jnp.array([x[0], x[1]]), Doubled(X))
