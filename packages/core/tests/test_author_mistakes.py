"""The mistakes of somebody who writes a first type: each is told what was wrong and what to do."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import (
    ArrayValue,
    RuleOutputError,
    bind,
    checking_rules,
    field,
    quaxify,
    register,
    register_function,
)

pytestmark = pytest.mark.usefixtures("own_rules")
X = jnp.arange(3.0)


class Plain(ArrayValue):
    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


class Misspelled(ArrayValue):
    array: jax.Array

    def materialize(self):
        return self.arrray


class Forgetful(ArrayValue):
    array: jax.Array

    def materialize(self):
        self.array + 1.0


class SizeIsALeaf(ArrayValue):
    array: jax.Array
    size_of_it: int

    def materialize(self):
        return jnp.broadcast_to(self.array, (self.size_of_it, 3))


class SizeIsStatic(ArrayValue):
    array: jax.Array
    size_of_it: int = field(static=True)
    materialization = "allow"

    def materialize(self):
        return jnp.broadcast_to(self.array, (self.size_of_it, 3))


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (Misspelled(X), "no attribute 'arrray'"),
        (Forgetful(X), "`Forgetful.materialize` returned None"),
        (SizeIsALeaf(X, 2), "concrete values of integer type"),
    ],
)
def test_a_materialize_that_fails_is_named_with_its_reason(value, cause):
    name = type(value).__name__
    with pytest.raises(ValueError, match=rf"`{name}` is derived from its `materialize`") as info:
        quaxify(jnp.sum)(value)
    assert cause in str(info.value)
    assert "`field(static=True)`" in str(info.value)
    assert info.value.__cause__ is not None


def test_a_size_that_is_static_is_right():
    assert quaxify(jnp.sum)(SizeIsStatic(X, 2)) == 6.0


def test_a_rule_that_returns_nothing_is_refused():
    @register("cos")
    def _cos_plain(x: Plain, **params):
        bind("cos", x.array, **params)

    with pytest.raises(RuleOutputError, match="_cos_plain` for `cos` returned None"):
        quaxify(jnp.cos)(Plain(X))


def test_a_rule_for_one_result_that_returns_a_list_is_refused():
    @register("cos")
    def _cos_plain(x: Plain, **params):
        return [bind("cos", x.array, **params)]

    with pytest.raises(RuleOutputError, match=r"returned a list[^$]*one array or value"):
        quaxify(jnp.cos)(Plain(X))


def test_a_rule_for_several_results_that_returns_one_is_refused():
    @register("split")
    def _split_plain(x: Plain, **params):
        return x

    with pytest.raises(RuleOutputError, match=r"returned a Plain[^$]*a list of results"):
        quaxify(lambda x: jnp.split(x, 3))(Plain(X))


def test_a_wrong_rule_that_ran_unchecked_is_found_when_checking_is_turned_on():
    @register("cos")
    def _cos_plain(x: Plain, **params):
        return jnp.zeros((7,), jnp.int32)

    with checking_rules(False):
        quaxify(jnp.cos)(Plain(X))
    with checking_rules(), pytest.raises(RuleOutputError, match=r"i32\[7\]"):
        quaxify(jnp.cos)(Plain(X))


def test_an_annotation_that_is_not_a_type_is_refused_and_forgotten():
    with pytest.raises(TypeError, match=r"is not a type[^$]*x: MyArray"):

        @register("cos")
        def _cos_list(x: [Plain], **params):
            return x

    assert float(quaxify(jnp.cos)(Plain(X))[0]) == 1.0


def test_an_annotation_that_cannot_be_looked_up_is_refused_and_forgotten():
    with pytest.raises(TypeError, match=r"cannot be looked up: [^$]*Absent[^$]*before the rule"):

        @register("cos")
        def _cos_absent(x: "Absent", **params):  # noqa: F821
            return x

    assert float(quaxify(jnp.cos)(Plain(X))[0]) == 1.0


def test_a_traced_value_is_printed_with_its_type():
    assert quaxify(repr)(Plain(X)) == "DuckTracer<Plain f32[3]>"


def test_a_concrete_value_converts_to_numpy_inside_quaxify():
    run = quaxify(lambda x: (np.asarray(x).sum(), x.tolist()))
    total, listed = run(Plain(X))
    assert total == 3.0
    assert listed == [0.0, 1.0, 2.0]


class WrongAval(ArrayValue):
    array: jax.Array
    materialization = "allow"

    def aval(self):
        return jax.core.ShapedArray((*self.array.shape, 2), jnp.int32)

    def materialize(self):
        return self.array


def test_an_aval_that_is_not_that_of_the_dense_array_is_found_by_checking():
    text = (
        r"`WrongAval.aval` says i32\[3,2\], but `materialize` gives f32\[3\][^$]*leave `aval` out"
    )
    with pytest.raises(ValueError, match=text):
        quaxify(lambda x: -x)(WrongAval(X))
    with checking_rules(False):
        np.testing.assert_allclose(quaxify(lambda x: -x)(WrongAval(X)), -X)


def test_an_aval_that_fails_is_named_with_its_reason():
    class Broken(ArrayValue):
        array: jax.Array
        materialization = "allow"

        def aval(self):
            return jax.typeof(self.arrray)

        def materialize(self):
            return self.array

    with pytest.raises(ValueError, match=r"`Broken.aval` raised: [^$]*no attribute 'arrray'"):
        quaxify(lambda x: x.shape)(Broken(X))


def test_checking_is_turned_on_for_one_thread():
    @register("cos")
    def _cos_plain(x: Plain, **params):
        return jnp.zeros((7,), jnp.int32)

    shapes = []
    thread = threading.Thread(target=lambda: shapes.append(quaxify(jnp.cos)(Plain(X)).shape))
    with checking_rules():
        thread.start()
        thread.join()
    assert shapes == [(7,)]


@pytest.mark.parametrize("out", ["abc", {"x": 1.0}, jnp.sin])
def test_a_rule_that_returns_no_array_is_refused(out):
    @register("cos")
    def _cos_plain(x: Plain, **params):
        return out

    text = rf"returned a {type(out).__name__}, but `cos` gives one array or value[^$]*NotImpl"
    with checking_rules(False), pytest.raises(RuleOutputError, match=text):
        quaxify(jnp.cos)(Plain(X))


@pytest.mark.parametrize("function", [3, "solve"])
def test_what_is_no_function_has_no_function_rules(function):
    text = rf"`register_function\({function!r}\)` takes a function[^$]*jnp.linalg.solve"
    with pytest.raises(TypeError, match=text):
        register_function(function)


@pytest.mark.parametrize("spec", [(True, (True,)), {"a": True}])
def test_a_filter_spec_that_does_not_fit_the_call_is_refused(spec):
    run = quaxify(lambda x, y: x, filter_spec=spec)
    text = r"does not fit `\(fn, args, kwargs\)`, here \(function, \(Plain f32\[3\], float\), {}\)"
    with pytest.raises(ValueError, match=text) as caught:
        run(Plain(X), 1.0)
    assert "a tree like it" in str(caught.value)


class WithInit(ArrayValue):
    array: jax.Array

    def __init__(self, array):
        self.array = array

    def materialize(self):
        return self.array


class OneMore(WithInit):
    extra: int = field(static=True)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, r"field `extra` was not set by `WithInit.__init__`, which `OneMore` inherits"),
        ((3,), {}, r"too many positional arguments. `OneMore` has the `__init__` of `WithInit`"),
        ((), {"extra": 3}, r"unexpected keyword argument 'extra'[^$]*does not know its field"),
    ],
)
def test_a_field_that_an_inherited_init_does_not_know_is_told_of(args, kwargs, message):
    with pytest.raises(TypeError, match=rf"{message}[^$]*an `__init__` (of|for) `OneMore`"):
        OneMore(jnp.ones(2), *args, **kwargs)


def test_a_field_with_a_default_may_be_unknown_to_an_inherited_init():
    class Defaulted(WithInit):
        extra: int = field(static=True, default=7)

    twice = jax.tree.map(lambda x: 2 * x, Defaulted(jnp.ones(2)))
    assert (twice.extra, twice.array.tolist()) == (7, [2.0, 2.0])


class SaysByStruct(ArrayValue):
    array: jax.Array
    materialization = "allow"

    def aval(self):
        return jax.ShapeDtypeStruct(self.array.shape, self.array.dtype)

    def materialize(self):
        return 2 * self.array


@pytest.mark.parametrize(
    "program",
    [jnp.sin, jax.vmap(jnp.sin), jax.grad(lambda x: jnp.sum(jnp.sin(x))), lambda x: 1.0 + x],
    ids=["plain", "vmap", "grad", "operator"],
)
def test_an_aval_may_be_a_struct(program):
    want = program(2 * X)
    np.testing.assert_allclose(quaxify(program)(SaysByStruct(X)), want, rtol=1e-5)
    np.testing.assert_allclose(jax.jit(quaxify(program))(SaysByStruct(X)), want, rtol=1e-5)
    assert jax.eval_shape(quaxify(lambda x: jax.vmap(lambda r: r)(x)), SaysByStruct(X)).shape == (
        3,
    )
    assert isinstance(SaysByStruct(X).aval(), jax.core.ShapedArray)


@pytest.mark.parametrize("said", [(3,), None, "f32[3]"])
def test_an_aval_that_is_none_is_refused_where_it_is_first_asked_for(said):
    class Says(ArrayValue):
        array: jax.Array

        def aval(self):
            return said

        def materialize(self):
            return self.array

    text = rf"`Says.aval` returned a `{type(said).__name__}`[^$]*`jax.core.ShapedArray\(shape"
    with pytest.raises(ValueError, match=text):
        quaxify(jax.vmap(jnp.sin))(Says(X))
    with pytest.raises(ValueError, match=text):
        Says(X).shape  # noqa: B018
