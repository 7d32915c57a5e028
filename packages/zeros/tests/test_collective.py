"""Combinations over a named axis."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, PartitionSpec

from duckarray.core import materialize, quaxify
from duckarray.zeros import Ones, Zeros, is_zero

AXIS = "i"


def _outside(f):
    return jax.vmap(quaxify(f), axis_name=AXIS)


def _inside(f):
    return quaxify(jax.vmap(f, axis_name=AXIS))


@pytest.mark.parametrize("mapped", [_outside, _inside], ids=["outside", "inside"])
def test_combinations_of_zeros_are_zeros(mapped):
    def program(z):
        return lax.psum(z, AXIS), lax.pmean(z, AXIS), lax.all_gather(z, AXIS), lax.pmax(z, AXIS)

    outs = mapped(program)(Zeros((4, 3)))
    assert all(map(is_zero, outs))
    assert [out.shape for out in outs] == [(4, 3), (4, 3), (4, 4, 3), (4, 3)]


@pytest.mark.parametrize("mapped", [_outside, _inside], ids=["outside", "inside"])
def test_combinations_of_ones(mapped):
    def program(x):
        return lax.psum(x, AXIS), lax.all_gather(x, AXIS), lax.pmax(x, AXIS)

    outs = mapped(program)(Ones((4, 3)))
    assert isinstance(outs[1], Ones)
    assert isinstance(outs[2], Ones)
    np.testing.assert_array_equal(materialize(outs[0]), np.full((4, 3), 4.0))


def test_zeros_inside_shard_map_vary_as_arrays_do():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    spec = jax.sharding.PartitionSpec("d")

    def program(z, x):
        return z * x + x, jnp.cos(z) * x

    run = quaxify(jax.shard_map(program, mesh=mesh, in_specs=(spec, spec), out_specs=(spec, spec)))
    x = jnp.arange(8.0).reshape(2, 4)
    for got in run(Zeros((2, 4)), x):
        np.testing.assert_array_equal(got, x)


@pytest.mark.parametrize("name", ["psum", "pmean", "pmax", "pmin"])
def test_zeros_combined_over_devices_are_the_same_on_each(name):
    mesh = jax.make_mesh((2,), ("i",), (AxisType.Auto,), devices=jax.devices()[:2])
    combine = getattr(jax.lax, name)
    # JAX refuses such a result if it may differ from device to device.
    run = jax.shard_map(
        lambda x: combine(2 * x, "i"),
        mesh=mesh,
        in_specs=PartitionSpec("i"),
        out_specs=PartitionSpec(),
    )
    for x in (Zeros((4, 2)), Ones((4, 2))):
        got = materialize(quaxify(run)(x))
        total = 2.0 if name == "psum" else 1.0
        np.testing.assert_array_equal(got, np.full((2, 2), 2 * total * float(materialize(x)[0, 0])))
