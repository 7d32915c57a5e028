import dataclasses
import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box
from jax import tree_util as jtu
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from duckarray.core import ArrayValue, field, materialize


class Scaled(ArrayValue):
    array: jax.Array
    factor: float = field(static=True, default=2.0)

    materialization = "allow"

    def materialize(self):
        return self.array * self.factor


class HandMade(ArrayValue):
    x: jax.Array
    n: int = field(static=True)

    def __init__(self, start, stop):
        self.x = jnp.arange(start, stop)
        self.n = int(stop - start)

    def materialize(self):
        return self.x


def test_fields_are_arguments_in_order_with_their_defaults():
    assert list(inspect.signature(Scaled).parameters) == ["array", "factor"]
    assert Scaled(jnp.ones(2)).factor == 2.0
    assert Scaled(factor=3.0, array=jnp.ones(2)).factor == 3.0


def test_a_subclass_adds_fields_and_is_a_pytree_of_its_own():
    class Shifted(Scaled):
        by: jax.Array = field(default_factory=lambda: jnp.zeros(2))

    x = Shifted(jnp.ones(2), 3.0)
    assert len(jax.tree.leaves(x)) == 2
    assert isinstance(jax.tree.map(lambda a: a, x), Shifted)


def test_a_value_is_frozen():
    x = Scaled(jnp.ones(2))
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Scaled\.array"):
        x.array = jnp.zeros(2)
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Scaled\.other"):
        x.other = 1
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"cannot delete `Scaled\.array`"):
        del x.array


def test_a_constructor_written_by_hand_sets_each_field_once():
    x = HandMade(2, 5)
    np.testing.assert_array_equal(x.materialize(), [2, 3, 4])
    assert x.n == 3
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"HandMade\.n"):
        x.n = 4


def test_a_constructor_that_sets_a_field_twice_is_refused():
    class Twice(ArrayValue):
        x: jax.Array

        def __init__(self):
            self.x = jnp.ones(1)
            self.x = jnp.ones(2)

        def materialize(self):
            return self.x

    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Twice\.x"):
        Twice()


def test_a_subclass_inherits_a_constructor_written_by_hand():
    class Child(HandMade):
        pass

    assert Child(0, 2).n == 2


def test_replace_makes_a_changed_copy():
    x = Scaled(jnp.ones(2), 3.0)
    y = dataclasses.replace(x, factor=4.0)
    assert (x.factor, y.factor) == (3.0, 4.0)


def test_a_converter_is_applied_to_what_the_constructor_gets():
    class Converted(ArrayValue):
        x: jax.Array = field(converter=jnp.asarray)

        def materialize(self):
            return self.x

    np.testing.assert_array_equal(Converted([1, 2]).x, [1, 2])


def test_post_init_runs_before_the_checks():
    order = []

    class Ordered(ArrayValue):
        x: jax.Array

        def __post_init__(self):
            order.append("post")

        def __check_init__(self):
            order.append("check")

        def materialize(self):
            return self.x

    Ordered(jnp.ones(1))
    assert order == ["post", "check"]


def test_checks_of_bases_run_once_each_the_base_first():
    order = []

    class Base(ArrayValue):
        x: jax.Array

        def __check_init__(self):
            order.append("base")

        def materialize(self):
            return self.x

    class Child(Base):
        def __check_init__(self):
            order.append("child")

    Child(jnp.ones(1))
    assert order == ["base", "child"]


def test_a_check_refuses_a_construction():
    class Vector(ArrayValue):
        x: jax.Array

        def __check_init__(self):
            if self.x.ndim != 1:
                raise ValueError(f"not a vector: {self.x.shape}")

        def materialize(self):
            return self.x

    with pytest.raises(ValueError, match=r"not a vector: \(2, 2\)"):
        Vector(jnp.ones((2, 2)))
    batched = jax.vmap(Vector)(jnp.ones((2, 2)))
    assert batched.x.shape == (2, 2)


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_constructor_called_wrongly_says_what_is_wrong_each_time(time):
    class Pair(ArrayValue):
        x: jax.Array
        y: jax.Array

        def materialize(self):
            return self.x

    x = jnp.ones(2)
    if time == "second":  # by then the constructor has been written out
        Pair(x, x)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        Pair(x)
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        Pair(x, x, x)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        Pair(x, x=x)


class Twofold:
    """Keeps twice what it is given."""

    def __get__(self, instance, owner=None):
        return 0 if instance is None else instance.__dict__["_kept"]

    def __set__(self, instance, value):
        instance.__dict__["_kept"] = 2 * value


def test_a_descriptor_is_given_the_field_each_time():
    class Kept(ArrayValue):
        x: jax.Array
        n: int = field(static=True)

        def materialize(self):
            return self.x

    Kept.n = Twofold()
    assert [Kept(jnp.ones(2), n).n for n in (3, 4)] == [6, 8]


def test_unflattening_runs_no_constructor():
    calls = []

    class Counted(ArrayValue):
        x: jax.Array

        def __check_init__(self):
            calls.append(1)

        def materialize(self):
            return self.x

    x = Counted(jnp.ones(2))
    jax.tree.map(lambda leaf: "placeholder", x)
    jax.jit(lambda x: x)(x)
    assert calls == [1]


class OneLetter(ArrayValue):
    w: jax.Array
    n: int = field(static=True, default=0)

    def __post_init__(self):
        raise AssertionError("constructed")

    def materialize(self):
        return self.w


class NoFields(ArrayValue):
    def __post_init__(self):
        raise AssertionError("constructed")

    def materialize(self):
        return jnp.zeros(())


class OnlyStatic(ArrayValue):
    size: int = field(static=True)

    def __check_init__(self):
        raise AssertionError("constructed")

    def materialize(self):
        return jnp.zeros(self.size)


class ByHand(ArrayValue):
    x: jax.Array
    y: jax.Array

    def __init__(self, both):
        raise AssertionError("constructed")

    def materialize(self):
        return self.x + self.y


class Child(Scaled):
    more: jax.Array = field(kw_only=True)

    def __check_init__(self):
        raise AssertionError("constructed")


@pytest.mark.parametrize(
    ("cls", "fields"),
    [
        (OneLetter, {"w": "leaf", "n": 3}),
        (NoFields, {}),
        (OnlyStatic, {"size": 4}),
        (ByHand, {"x": "left", "y": None}),
        (Child, {"array": "leaf", "more": 1.5, "factor": 2.0}),
    ],
)
def test_unflattening_runs_no_constructor_of_any_class(cls, fields):
    x = object.__new__(cls)
    for name, datum in fields.items():
        object.__setattr__(x, name, datum)
    leaves, structure = jtu.tree_flatten(x, is_leaf=lambda leaf: leaf is None)
    y = structure.unflatten(leaves)
    assert type(y) is cls
    assert {name: getattr(y, name) for name in fields} == fields
    assert jtu.tree_structure(y, is_leaf=lambda leaf: leaf is None) == structure


@pytest.mark.parametrize("again", [1, 2])  # the second call runs what the first one wrote out
def test_fields_given_by_name_are_checked_too(again):
    for _ in range(again - 1):
        Scaled(jnp.ones(2))
    with pytest.raises(TypeError, match=r"Scaled\(array=\.\.\.\)` takes an array"):
        Scaled(array=[1.0], factor=2.0)
    with pytest.raises(TypeError, match=r"Scaled\(array=\.\.\.\)` takes an array"):
        Scaled([1.0], 2.0)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'array'"):
        Scaled(factor=2.0)
    with pytest.raises(TypeError, match="unexpected keyword"):
        Scaled(jnp.ones(1), other=2.0)
    with pytest.raises(TypeError, match="positional arguments"):
        Scaled(jnp.ones(1), 2.0, 3.0)
    assert list(inspect.signature(Scaled).parameters) == ["array", "factor"]


class Hiding(ArrayValue):
    type: jax.Array
    cls: jax.Array
    fields: list[int] = field(static=False, default_factory=lambda: [1])

    def materialize(self):
        return self.type - self.cls


def test_fields_may_have_any_name_and_a_default_of_their_own():
    x = jnp.ones(2)
    first, second = Hiding(3 * x, cls=x), Hiding(cls=x, type=3 * x)
    for v in (first, second, jax.jit(lambda v: v)(second)):
        np.testing.assert_array_equal(v.materialize(), [2.0, 2.0])
        assert v.fields == [1]
    assert first.fields is not second.fields
    with pytest.raises(TypeError, match=r"Hiding\(cls=\.\.\.\)` takes an array"):
        Hiding(x, [1.0])


def test_leaves_have_the_names_of_their_fields():
    (path, leaf), *_ = jtu.tree_leaves_with_path({"a": Scaled(jnp.ones(2))})
    assert jtu.keystr(path) == "['a'].array"
    np.testing.assert_array_equal(leaf, [1.0, 1.0])


def test_a_field_may_hide_a_property_of_the_base():
    class Shaped(ArrayValue):
        shape: tuple[int, ...] = field(static=True)
        dtype: np.dtype = field(static=True, default=np.dtype("float32"))

        def materialize(self):
            return jnp.ones(self.shape, self.dtype)

    x = Shaped((2, 3))
    assert x.shape == (2, 3)
    assert x.dtype == np.float32
    assert (x.ndim, x.size) == (2, 6)
    assert jax.tree.map(lambda a: a, x).shape == (2, 3)
    with pytest.raises(AttributeError, match="the field `shape` is not set"):
        Shaped.shape  # noqa: B018


def test_a_field_that_init_did_not_set_is_an_error_that_names_it():
    class Forgetful(ArrayValue):
        shape: tuple[int, ...] = field(static=True)

        def __init__(self):
            pass

        def materialize(self):
            return jnp.ones(self.shape)

    with pytest.raises(TypeError, match=r"`shape` was not set by `Forgetful[^$]*Set it in an"):
        Forgetful()


def test_a_field_can_be_left_out_of_repr():
    class Quiet(ArrayValue):
        x: jax.Array
        note: str = field(static=True, default="long", repr=False)

        def materialize(self):
            return self.x

    assert repr(Quiet(jnp.ones(1))) == "Quiet(x=f32[1])"


@pytest.mark.parametrize(
    "annotation", [jax.Array, Array, Float[Array, "..."], jax.Array | None, np.ndarray]
)
def test_an_array_field_refuses_a_list(annotation):
    Checked = type(
        "Checked",
        (ArrayValue,),
        {
            "__annotations__": {"x": annotation},
            "materialize": lambda self: self.x,
            "__module__": __name__,
        },
    )
    with pytest.raises(TypeError, match=r"`Checked\(x=...\)` takes an array[^$]*jnp.asarray"):
        Checked([1.0, 2.0])
    assert Checked(np.ones(2)).x.shape == (2,)
    assert Checked(jnp.ones(2)).x.shape == (2,)


def test_an_array_field_takes_tracers_structs_and_what_its_union_names():
    class Loose(ArrayValue):
        x: jax.Array | float | ArrayValue | None

        def materialize(self):
            return self.x

    for ok in (1.0, None, Box(jnp.ones(1)), jax.ShapeDtypeStruct((2,), jnp.float32)):
        assert Loose(ok).x is ok
    assert jax.eval_shape(Loose, jnp.ones(2)).x.shape == (2,)
    with pytest.raises(TypeError, match="takes an array"):
        Loose("two")


def test_a_field_annotated_as_array_like_is_not_checked_against_python_numbers():
    class Liberal(ArrayValue):
        x: ArrayLike

        def materialize(self):
            return jnp.asarray(self.x)

    assert Liberal(2.0).shape == ()


def test_a_mixin_may_bring_methods_and_materialize():
    class Mixin:
        def materialize(self):
            return self.x * 3

    class Mixed(Mixin, ArrayValue):
        x: jax.Array

    np.testing.assert_array_equal(materialize(Mixed(jnp.ones(2))), [3.0, 3.0])


def test_a_class_without_fields_is_constructed_every_time():
    class Nothing(ArrayValue):
        def materialize(self):
            return jnp.ones(3)

    for _ in range(3):
        np.testing.assert_array_equal(materialize(Nothing()), [1.0, 1.0, 1.0])


def test_a_field_with_the_name_of_what_the_class_is_asked_for_is_refused():
    with pytest.raises(TypeError, match=r"`Bad` has a field `default`[^$]*something else"):

        class Bad(ArrayValue):
            default: jax.Array

            def materialize(self):
                return self.default
