import copy
import inspect
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, LowRank, Opaque, Pair, Zero, make_lowrank
from jax.sharding import AxisType, PartitionSpec

from duckarray.core import ArrayValue, Value, field, known_constant, materialize, quaxify


class Scaled(ArrayValue):
    array: jax.Array
    factor: float = field(static=True, default=2.0)

    materialization = "allow"

    def materialize(self):
        return self.array * self.factor


class Holder(Value):
    held: object = field(static=False)


class HandMade(ArrayValue):
    x: jax.Array
    n: int = field(static=True)

    def __init__(self, start, stop):
        self.x = jnp.arange(start, stop)
        self.n = int(stop - start)

    def materialize(self):
        return self.x


def test_static_fields_are_part_of_a_hashable_structure():
    one, two = (jax.tree.structure(Scaled(jnp.ones(2), f)) for f in (2.0, 3.0))
    assert one != two
    assert one == jax.tree.structure(Scaled(jnp.zeros(5), 2.0))
    assert len({one, two, jax.tree.structure(Scaled(jnp.zeros(5), 2.0))}) == 2


def test_a_value_without_children_is_a_pytree():
    class Nothing(ArrayValue):
        n: int = field(static=True)

        def materialize(self):
            return jnp.zeros(self.n)

    x = Nothing(3)
    assert jax.tree.leaves(x) == []
    assert x.shape == (3,)
    assert quaxify(jnp.shape)(x) == (3,)


@pytest.mark.parametrize("make", [pickle.dumps, None], ids=["pickle", "deepcopy"])
def test_a_value_survives_pickle_and_copy(make):
    x = Scaled(jnp.arange(3.0), 5.0)
    y = copy.deepcopy(x) if make is None else pickle.loads(make(x))
    assert type(y) is Scaled
    assert y.factor == 5.0
    np.testing.assert_array_equal(y.array, [0.0, 1.0, 2.0])
    assert copy.copy(x).array is x.array


def test_a_value_made_by_hand_survives_pickle():
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(HandMade(1, 3))).x, [1, 2])


def test_repr_shows_the_shapes_of_arrays_in_containers():
    held = Holder(((jnp.ones(2),), [jnp.ones(3), "x"], {"k": (Scaled(jnp.ones(1)), None)}))
    assert repr(held) == (
        "Holder(held=((f32[2],), [f32[3], 'x'], {'k': (Scaled(array=f32[1], factor=2.0), None)}))"
    )


def test_repr_shows_shapes_and_does_not_make_dense():
    assert repr(Opaque(jnp.ones((2, 3)))) == "Opaque(array=f32[2,3], tag='x')"
    assert "Pair" in repr(Box(Pair(jnp.ones(2), jnp.ones(2))))
    assert (
        repr(jax.tree.map(lambda x: None, Scaled(jnp.ones(1)))) == "Scaled(array=None, factor=2.0)"
    )
    inside = jax.tree.structure(Scaled(Scaled(jnp.ones(1)))).unflatten([object()])
    assert "array=Scaled(array=<object" in repr(inside)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3)])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.int8, jnp.bfloat16, jnp.bool_])
def test_shape_and_dtype_are_those_of_the_dense_array(shape, dtype):
    x = Box(jnp.zeros(shape, dtype))
    assert (x.shape, x.dtype, x.ndim) == (shape, np.dtype(dtype), len(shape))
    assert x.size == int(np.prod(shape))


def test_the_aval_is_derived_from_materialize_without_running_it():
    calls = []

    class Outer(ArrayValue):
        x: jax.Array
        y: jax.Array

        def materialize(self):
            calls.append(isinstance(self.x, jax.core.Tracer))
            return self.x[:, None] * self.y.astype(self.x.dtype)[None]

    x = Outer(jnp.ones(3), jnp.ones(2, jnp.int32))
    assert x.shape == (3, 2)
    assert x.dtype == jnp.float32
    assert Outer(jnp.zeros(3), jnp.zeros(2, jnp.int32)).shape == (3, 2)
    assert calls == [True]


def test_the_aval_is_asked_for_only_when_needed():
    class Shy(ArrayValue):
        x: jax.Array

        def aval(self):
            raise AssertionError("asked")

        def materialize(self):
            return self.x

    x = Shy(jnp.ones(2))
    assert quaxify(lambda x: x)(x) is x


@pytest.mark.parametrize("weak", [False, True])
def test_weak_types_are_kept(weak):
    leaf = jnp.asarray(2.0) if weak else jnp.float32(2.0)
    assert jax.typeof(leaf).weak_type is weak
    assert Box(leaf).aval().weak_type is weak
    assert Scaled(leaf).aval().weak_type is weak
    got = quaxify(jnp.multiply)(Scaled(leaf), jnp.ones(2, jnp.bfloat16)) if weak else None
    assert got is None or got.dtype == jnp.bfloat16


@pytest.mark.parametrize("make", [Box, Doubled])
def test_an_explicit_sharding_is_kept(make):
    mesh = jax.make_mesh((2,), ("i",), axis_types=(AxisType.Explicit,))
    seen = []
    with jax.set_mesh(mesh):
        x = make(jax.device_put(jnp.ones(4), PartitionSpec("i")))
        quaxify(lambda x: seen.append(jax.typeof(x).sharding.spec))(x)
        assert x.aval().sharding.spec == PartitionSpec("i")
    assert seen == [PartitionSpec("i")]


def test_the_aval_follows_the_leaves_under_vmap():
    shapes = []
    jax.vmap(lambda z: shapes.append(z.shape) or 0)(Zero(jnp.zeros((4, 3, 0))))
    jax.vmap(lambda x: shapes.append(x.shape) or 0)(Pair(jnp.ones((4, 2)), jnp.ones((4, 2))))
    assert shapes == [(3,), (2,)]


def test_materialize_writes_out_a_tree_and_what_is_nested():
    tree = {"x": Box(Doubled(jnp.ones(2))), "y": [jnp.zeros(1), 3.0, None, "name"]}
    got = materialize(tree)
    np.testing.assert_array_equal(got["x"], [2.0, 2.0])
    assert got["y"][1:] == [3.0, None, "name"]


def test_a_value_that_is_not_an_array_says_what_it_is():
    class Key(Value):
        key: jax.Array

        def aval(self):
            return jax.typeof(self.key)

    key = Key(jax.random.key(0))
    assert jax.dtypes.issubdtype(key.aval().dtype, jax.dtypes.prng_key)
    assert quaxify(lambda k: k)(key) is key


def test_numpy_reads_a_value_under_the_policy():
    np.testing.assert_array_equal(np.asarray(Doubled(jnp.arange(3.0))), [0.0, 2.0, 4.0])
    assert np.asarray(Doubled(jnp.arange(3.0)), dtype=np.float64).dtype == np.float64


def test_a_class_without_materialize_cannot_be_made():
    class Half(ArrayValue):
        x: jax.Array

    with pytest.raises(TypeError, match=r"`Half\(...\)`: [^$]*def materialize"):
        Half(jnp.ones(2))


def test_lowrank_keeps_its_fields_through_jit():
    x = make_lowrank()
    got = jax.jit(lambda x: x)(x)
    assert isinstance(got, LowRank)
    np.testing.assert_array_equal(got.a, x.a)


def test_a_value_may_say_that_it_is_one_number():
    class Sevens(ArrayValue):
        leaf: jax.Array

        def known_constant(self):
            return 7

        def materialize(self):
            return jnp.full(self.leaf.shape[:-1], 7.0)

    assert known_constant(Sevens(jnp.zeros((3, 0)))) == 7


def test_classes_with_as_many_fields_have_different_structures():
    """JAX compares those of dataclasses by their metadata, and may take one for the other."""
    x = jnp.ones(2)
    for i in range(64):
        body = {"__annotations__": {"array": jax.Array}}
        once = type(f"Once{i}", (ArrayValue,), {**body, "materialize": lambda v: v.array})
        twice = type(f"Twice{i}", (ArrayValue,), {**body, "materialize": lambda v: 2 * v.array})
        assert jax.tree.structure(once(x)) != jax.tree.structure(twice(x))
        assert jax.tree.structure(once(x)) == jax.tree.structure(once(2 * x))
        run = jax.jit(lambda v: v.materialize())
        assert (float(run(once(x))[0]), float(run(twice(x))[0])) == (1.0, 2.0)


def test_a_class_may_have_a_new_of_its_own():
    class Counting(ArrayValue):
        array: jax.Array
        times: int = field(static=True, default=2)

        def __new__(cls, array, times=2):
            assert times > 0
            return object.__new__(cls)

        def materialize(self):
            return self.times * self.array

    class More(Counting):
        pass

    for cls in (Counting, More):
        got = jax.jit(lambda v: jax.tree.map(lambda x: x + 1, v))(cls(jnp.ones(2), times=3))
        assert type(got) is cls
        np.testing.assert_array_equal(got.materialize(), [6.0, 6.0])
        assert list(inspect.signature(cls.__new__).parameters) == ["cls", "array", "times"]
        with pytest.raises(TypeError, match="unknown"):
            cls(jnp.ones(2), unknown=1)
