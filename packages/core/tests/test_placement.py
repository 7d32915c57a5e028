"""Where an array is, asked inside `quaxify` of what stands for a value."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, LowRank, Opaque
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from duckarray.core import quaxify

FIRST, SECOND = jax.devices()[:2]


def where(x):
    return x.devices(), x.sharding, x.committed, x.is_deleted()


def how(x):
    return x.device, x.is_fully_addressable, x.is_fully_replicated, x.copy_to_host_async()


@pytest.mark.parametrize("make", [Box, Doubled, Opaque])
def test_a_value_is_where_its_leaf_is(make):
    for x in (jnp.ones(3), jax.device_put(jnp.ones(3), SECOND)):
        assert quaxify(where)(make(x)) == (x.devices(), x.sharding, x.committed, False)
        assert quaxify(how)(make(x)) == (x.device, True, True, None)


def test_a_value_is_split_as_leaves_of_its_shape_are():
    split = NamedSharding(Mesh(np.array([FIRST, SECOND]), ("i",)), PartitionSpec("i"))
    x = jax.device_put(jnp.ones((4, 2)), split)
    assert quaxify(where)(Doubled(x)) == ({FIRST, SECOND}, split, True, False)
    assert quaxify(how)(Doubled(x)) == (split, True, False, None)
    w = LowRank(x, jax.device_put(jnp.ones((4, 1)), split), jnp.ones((1, 2)))
    assert quaxify(lambda w: w.devices())(w) == {FIRST, SECOND}
    with pytest.raises(TypeError, match=r"LowRank .* no sharding(.|\n)*`materialize\(x\)"):
        quaxify(lambda w: w.sharding)(w)


def test_a_value_of_which_a_leaf_is_deleted_is_deleted():
    x = jnp.ones(3)
    x.delete()
    assert quaxify(lambda x: x.is_deleted())(Box(x))


def test_an_array_is_put_where_a_value_is():
    x = Box(jax.device_put(jnp.ones(3), SECOND))
    assert quaxify(lambda x: jnp.zeros(2, device=x.device))(x).devices() == {SECOND}


def test_under_jit_these_are_not_known_as_of_any_array():
    for question in (lambda x: x.devices(), lambda x: x.is_deleted(), lambda x: x.committed):
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.jit(quaxify(lambda x, ask=question: ask(x) and x))(Doubled(jnp.ones(3)))
    for question in (lambda x: x.device, lambda x: x.copy_to_host_async()):
        with pytest.raises(AttributeError, match=r"device|copy_to_host_async"):
            jax.jit(quaxify(lambda x, ask=question: ask(x) and x))(Doubled(jnp.ones(3)))
