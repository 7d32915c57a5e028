"""Where an array is, asked inside `quaxify` of what stands for a value."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, LowRank, Opaque
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from duckarray.core import quaxify
from duckarray.core._placement import NOT_OF_VALUES

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
    with pytest.raises(AttributeError, match=r"LowRank .* no sharding(.|\n)*`materialize\(x\)"):
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


def test_outside_quaxify_a_value_answers_the_same():
    split = NamedSharding(Mesh(np.array([FIRST, SECOND]), ("i",)), PartitionSpec("i"))
    x = Doubled(jax.device_put(jnp.ones((4, 2)), split))
    assert where(x) == ({FIRST, SECOND}, split, True, False)
    assert how(x) == (split, True, False, None)
    assert x.is_ready() in (True, False)
    x.delete()
    assert x.is_deleted()


@pytest.mark.parametrize("ask", [lambda f: f, quaxify])
def test_what_a_device_holds_is_a_value(ask):
    numbers = np.arange(8, dtype=np.float32).reshape(4, 2)
    split = NamedSharding(Mesh(np.array([FIRST, SECOND]), ("i",)), PartitionSpec("i"))
    shards = ask(lambda x: x.addressable_shards)(Box(jax.device_put(numbers, split), "m"))
    assert [s.device for s in shards] == [FIRST, SECOND]
    assert [s.index for s in shards] == [(slice(0, 2), slice(None)), (slice(2, 4), slice(None))]
    for shard, rows in zip(shards, (numbers[:2], numbers[2:]), strict=True):
        assert (shard.data.tag, shard.data.shape) == ("m", (2, 2))
        np.testing.assert_array_equal(shard.data.array, rows)
    everywhere = NamedSharding(split.mesh, PartitionSpec())
    w = LowRank(*(jax.device_put(np.ones(n), everywhere) for n in ((4, 2), (4, 1), (1, 2))))
    assert ask(lambda w: w.addressable_data(1))(w).shape == (4, 2)
    shards = ask(lambda w: w.global_shards)(w)
    assert [(s.data.shape, s.data.devices()) for s in shards] == [
        ((4, 2), {FIRST}),
        ((4, 2), {SECOND}),
    ]


@pytest.mark.parametrize("ask", [lambda f: f, quaxify])
def test_what_a_value_cannot_be_asked_says_why(ask):
    class Turned(Box):
        """Its rows are columns of what is stored, so a part of that is no part of it."""

        leaf_linear = False

        def materialize(self):
            return self.array.T

    split = NamedSharding(Mesh(np.array([FIRST, SECOND]), ("i",)), PartitionSpec("i"))
    x = Turned(jax.device_put(jnp.ones((2, 2)), split))
    with pytest.raises(AttributeError, match=r"of Turned stands for no part[^$]*`jax\.tree\."):
        ask(lambda x: x.addressable_data(0))(x)
    for name in NOT_OF_VALUES:
        text = rf"`{name}` is not there for Box: [^$]*\n(Take|Ask its leaves)"
        with pytest.raises(AttributeError, match=text):
            ask(lambda x, n=name: getattr(x, n))(Box(jnp.ones(2)))
        assert not hasattr(Box(jnp.ones(2)), name)
    with pytest.raises(AttributeError, match="nonsense"):
        ask(lambda x: x.nonsense)(Box(jnp.ones(2)))
