"""Programs as they are written for Quax, with nothing changed but the import."""

import functools
import operator
from dataclasses import replace
from typing import Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jaxtyping import Array, ArrayLike, Shaped

import duckarray.core as core
import duckarray.core.quax as quax
from duckarray.core import NoRuleError, materialization

pytestmark = pytest.mark.any_jax


class Unit(quax.ArrayValue):
    """Units: refuses to be made dense; shape and dtype from a hand-written `aval`."""

    array: ArrayLike = eqx.field(converter=jnp.asarray)
    powers: tuple = eqx.field(static=True, default=())

    leaf_linear = True

    def aval(self):
        return jax.core.ShapedArray(jnp.shape(self.array), jnp.result_type(self.array))

    def materialise(self):
        raise ValueError("Refusing to materialise a unit.")

    def __check_init__(self):
        if not isinstance(self.powers, tuple):
            raise TypeError("`powers` is a tuple")


class Named(quax.ArrayValue):
    array: Array
    names: tuple = eqx.field(static=True)

    def aval(self):
        return jax.core.ShapedArray(self.array.shape, self.array.dtype)

    def materialise(self):
        return self.array


class Lora(quax.ArrayValue):
    w: Array
    a: Array
    b: Array
    allow_materialise: bool = eqx.field(static=True, default=False)

    def aval(self):
        return jax.core.ShapedArray(self.w.shape, self.w.dtype)

    def materialise(self):
        if not self.allow_materialise:
            raise RuntimeError("Refusing to materialise `Lora`.")
        return self.w + self.a @ self.b


class Zero(quax.ArrayValue):
    _shape: tuple = eqx.field(static=True)
    _dtype: type = eqx.field(static=True, default=jnp.float32)

    def aval(self):
        return jax.core.ShapedArray(self._shape, np.dtype(self._dtype))

    def materialise(self):
        return jnp.zeros(self._shape, self._dtype)


@pytest.fixture(autouse=True)
def rules(own_rules):
    """Registered in a body, so that they are forgotten; `_` many times, as in Quax."""

    @quax.register(lax.add_p)
    def _(x: Unit, y: Unit, **kw):
        if x.powers != y.powers:
            raise ValueError(f"cannot add {x.powers} and {y.powers}")
        return Unit(quax.quaxify(lax.add)(x.array, y.array), x.powers)

    @quax.register(lax.mul_p)
    def _(x: Unit, y: Unit, **kw):
        return Unit(lax.mul_p.bind(x.array, y.array, **kw), tuple(sorted(x.powers + y.powers)))

    @quax.register(lax.mul_p)
    def _(x: Unit, y: ArrayLike, **kw):
        return replace(x, array=quax.quaxify(lax.mul_p.bind)(x.array, y, **kw))

    @quax.register(lax.mul_p)
    def _(x: ArrayLike, y: Unit, **kw):
        return Unit(lax.mul(x, y.array), y.powers)

    @quax.register(lax.reduce_sum_p)
    def _(x: Unit, *, axes, **params):
        return Unit(jnp.sum(x.array, axis=axes), x.powers)

    @quax.register(lax.broadcast_in_dim_p)
    def _(x: Unit | Named, **params):
        return x if params["shape"] == x.shape else NotImplemented

    @quax.register(lax.neg_p)
    def _(x: Named, **kw):
        return Named(-x.array, x.names)

    @quax.register(lax.dot_general_p)
    def _(x: Lora, y: ArrayLike | quax.ArrayValue, **params):
        dot = quax.quaxify(functools.partial(lax.dot_general_p.bind, **params))
        return dot(x.w, y) + dot(x.a, dot(x.b, y))

    @quax.register(lax.add_p)
    def _(x: Zero, y: quax.ArrayValue | ArrayLike, **kw):
        return y

    @quax.register(lax.add_p)
    def _(x: quax.ArrayValue | ArrayLike, y: Zero, **kw):
        return x

    @quax.register(lax.add_p, precedence=1)
    def _(x: Zero, y: Zero, **kw):
        return Zero(x._shape, x._dtype)


def numbers(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), jnp.float32)


X = np.array([1.0, 2.0, -3.0], np.float32)


@pytest.mark.parametrize("jit", [jax.jit, lambda f: f], ids=["jit", "eager"])
def test_units_pass_through_a_program(jit):
    got = jit(quax.quaxify(lambda x, y: jnp.sum(2.0 * x * y + x * y)))(
        Unit(X, ("m",)), Unit(X, ("s",))
    )
    assert got.powers == ("m", "s")
    np.testing.assert_allclose(got.array, 3 * np.sum(X * X), rtol=1e-6)


def test_an_error_of_a_rule_is_raised_as_it_is():
    with pytest.raises(ValueError, match="cannot add"):
        quax.quaxify(lax.add)(Unit(X, ("m",)), Unit(X, ("s",)))


def test_materialise_may_refuse():
    with pytest.raises(ValueError, match="Refusing to materialise a unit"):
        quax.quaxify(jnp.sin)(Unit(X))


def test_a_refusal_with_a_type_error_names_the_primitive():
    class Closed(quax.ArrayValue):
        def aval(self):
            return jax.core.ShapedArray((), jnp.float32)

        def materialise(self):
            raise TypeError("no")

    with pytest.raises(NoRuleError, match=r"`sin` on \(Closed"):
        quax.quaxify(jnp.sin)(Closed())


def test_gradients_in_and_out():
    x = Unit(X, ("m",))
    named = Named(jnp.asarray(X), ("a",))
    inside = quax.quaxify(jax.grad(lambda x: jnp.sum(3.0 * jnp.sin(x))))(named)
    np.testing.assert_allclose(inside, 3 * np.cos(X), rtol=1e-5)
    got = jax.grad(lambda x: quax.quaxify(lambda x: jnp.sum(x * x))(x).array)(x)
    assert isinstance(got, Unit)
    np.testing.assert_allclose(got.array, 2 * X)


def test_vmap_and_scan_keep_the_type():
    got = jax.vmap(quax.quaxify(lambda x: jnp.sum(2.0 * x)))(Unit(X[:, None], ("m",)))
    np.testing.assert_allclose(got.array, 2 * X)

    def body(c, x):
        return c + x, 2.0 * x

    carry, ys = quax.quaxify(lambda c, xs: lax.scan(body, c, xs))(
        Unit(np.float32(0), ("m",)), Unit(X, ("m",))
    )
    assert (carry.powers, ys.powers) == (("m",), ("m",))
    np.testing.assert_allclose(carry.array, X.sum())
    np.testing.assert_allclose(ys.array, 2 * X)


def test_a_condition_that_refuses_to_be_dense_is_read_from_its_leaf():
    @quax.register(lax.lt_p)
    def _(x: Unit, y: ArrayLike, **kw):
        return Unit(lax.lt(x.array, y))

    double = quax.quaxify(lambda x: lax.while_loop(lambda c: c < 10.0, lambda c: c + c, x))
    np.testing.assert_allclose(double(Unit(np.float32(3.0))).array, 12.0)


def test_a_carry_that_cannot_settle_is_a_type_error_that_names_it():
    loop = quax.quaxify(lambda x: lax.fori_loop(0, 3, lambda i, c: c * c, x))
    with pytest.raises(core.CarryTypeError, match="Refusing to materialise a unit"):
        loop(Unit(X, ("m",)))


def test_scan_over_a_type_with_a_static_shape_has_the_right_shapes():
    zero = Zero((4, 3))
    carry, ys = quax.quaxify(lambda xs: lax.scan(lambda c, x: (c + x, x), jnp.ones(3), xs))(zero)
    assert (carry.shape, ys.shape) == ((3,), (4, 3))
    np.testing.assert_array_equal(carry, np.ones(3))


def test_a_named_array_keeps_its_names_and_is_dense_where_no_rule_says_more():
    x = Named(numbers(2, 3), ("a", "b"))
    assert quax.quaxify(jnp.negative)(x).names == ("a", "b")
    with materialization("warn"), pytest.warns(core.MaterializeWarning):
        got = quax.quaxify(jnp.sin)(x)
    np.testing.assert_allclose(got, np.sin(np.asarray(x.array)), rtol=1e-6)


def test_no_warning_where_quax_gives_none():
    got = quax.quaxify(jnp.sin)(Zero((2,)))  # warnings are errors here
    np.testing.assert_array_equal(got, np.zeros(2))


def test_lora_in_a_layer_trains_its_factors():
    linear = eqx.nn.Linear(3, 3, key=jax.random.key(0))
    value = Lora(linear.weight, numbers(3, 2), numbers(2, 3, seed=1))
    model = eqx.tree_at(lambda m: m.weight, linear, value)
    x = numbers(3, seed=2)

    @eqx.filter_jit
    @eqx.filter_grad
    def gradient(model):
        return jnp.sum(quax.quaxify(model)(x) ** 2)

    def expected(a, b):
        return jnp.sum(((value.w + a @ b) @ x + linear.bias) ** 2)

    got = gradient(model).weight
    want = jax.grad(expected, argnums=(0, 1))(value.a, value.b)
    np.testing.assert_allclose(got.a, want[0], rtol=2e-5, atol=1e-5)
    np.testing.assert_allclose(got.b, want[1], rtol=2e-5, atol=1e-5)


def test_precedence_decides_between_rules_that_fit_equally():
    assert isinstance(quax.quaxify(lax.add)(Zero((2,)), Zero((2,))), Zero)
    x = Named(jnp.ones(2), ("a",))
    assert quax.quaxify(lax.add)(Zero((2,)), x) is x


def test_a_rule_sees_values_inside_its_operands_as_they_are():
    seen = []

    @quax.register(lax.mul_p)
    def _(x: Named, y: ArrayLike, **kw):
        seen.append(type(x.array))
        return Named(quax.quaxify(lax.mul)(x.array, y), x.names)

    got = quax.quaxify(lax.mul)(Named(Unit(X, ("m",)), ("a",)), jnp.asarray(X))
    assert seen == [Unit]
    assert got.array.powers == ("m",)
    np.testing.assert_allclose(got.array.array, X * X)


def test_parametric_types_and_jaxtyping_annotations_are_dispatched_on():
    T = TypeVar("T")

    class Typed(quax.ArrayValue, Generic[T]):
        array: Shaped[Array, "..."]

        def aval(self):
            return jax.typeof(self.array)

        def materialise(self):
            return self.array

    class Special(Typed[float]): ...

    @quax.register(lax.sub_p)
    def _(x: Typed, y: Shaped[ArrayLike, "..."], /):
        return Typed(x.array - 2 * y)

    @quax.register(lax.sub_p)
    def _(x: Special, y: Shaped[Array, "..."], /):
        return Special(x.array - 3 * y)

    y = jnp.asarray(X)
    np.testing.assert_allclose(quax.quaxify(lax.sub)(Typed(y), y).array, -X)
    np.testing.assert_allclose(quax.quaxify(lax.sub)(Special(y), y).array, -2 * X)


def test_parameters_with_defaults_and_any_number_of_operands():
    @quax.register(lax.exp_p)
    def _(x: Named, accuracy=None, **kw):
        return Named(jnp.exp(x.array), x.names)

    @quax.register(lax.concatenate_p)
    def _(*xs: Named, dimension: int):
        return Named(jnp.concatenate([x.array for x in xs], dimension), xs[0].names)

    x = Named(jnp.asarray(X), ("a",))
    np.testing.assert_allclose(quax.quaxify(jnp.exp)(x).array, np.exp(X), rtol=1e-6)
    got = quax.quaxify(lambda x: jnp.concatenate([x, x, x]))(x)
    np.testing.assert_allclose(got.array, np.tile(X, 3))


def test_a_rule_may_be_for_python_numbers():
    @quax.register(lax.pow_p)
    def _(x: Named, y: float):
        return Named(x.array ** float(y), x.names)

    x = Named(jnp.asarray(X), ("a",))
    np.testing.assert_allclose(quax.quaxify(lax.pow_p.bind)(x, 2.0).array, X * X)
    got = quax.quaxify(lax.pow_p.bind)(x, jnp.full(3, 2.0))
    np.testing.assert_allclose(got, X * X, rtol=1e-6)  # an array is none


def test_a_rule_on_a_loop_comes_before_ours_and_gets_jaxs_operands():
    @quax.register(lax.scan_p)
    def _(*args: Named | ArrayLike, **params):
        return lax.scan_p.bind(*(getattr(x, "array", x) for x in args), **params)

    got = quax.quaxify(lambda x: lax.scan(lambda c, y: (c + y, y), jnp.float32(0), x)[0])(
        Named(jnp.asarray(X), ("a",))
    )
    np.testing.assert_allclose(got, X.sum())


def test_default_answers_where_there_is_no_rule():
    class Tag(quax.ArrayValue):
        array: ArrayLike

        def aval(self):
            return jax.typeof(self.array)

        def materialise(self):
            return self.array

        @staticmethod
        def default(primitive, values, params):
            dense = [x.array if isinstance(x, Tag) else x for x in values]
            out = primitive.bind(*dense, **params)
            return [*map(Tag, out)] if primitive.multiple_results else Tag(out)

    class Fallback(Tag):
        @staticmethod
        def default(primitive, values, params):
            return quax.ArrayValue.default(primitive, values, params)

    got = quax.quaxify(jax.jit(lambda x: jnp.sum(jnp.sin(x) * 2.0)))(Tag(jnp.asarray(X)))
    assert isinstance(got, Tag)
    np.testing.assert_allclose(got.array, 2 * np.sin(X).sum(), rtol=1e-5)
    x = Fallback(jnp.asarray(X))
    np.testing.assert_allclose(quax.quaxify(jnp.sin)(x), np.sin(X), rtol=1e-6)
    with pytest.raises(
        TypeError, match=r"(?s)`sub` on \(.*Tag f32.*Fallback f32.*Fallback.default"
    ):
        quax.quaxify(lax.sub)(Tag(jnp.asarray(X)), x)


def test_filter_spec_leaves_a_type_to_a_quaxify_inside():
    def f(x, y):
        assert isinstance(x, Zero)
        return quax.quaxify(lax.add)(x, y)

    y = Named(jnp.ones(2), ("a",))
    got = quax.quaxify(f, filter_spec=lambda v: isinstance(v, Named))(Zero((2,)), y)
    assert got is y
    assert quax.quaxify(f, (True, (False, True), {}))(Zero((2,)), y) is y


def test_a_method_can_be_quaxified_and_is_a_pytree():
    class Layer(eqx.Module):
        w: Array

        @quax.quaxify
        def __call__(self, x):
            """Scales."""
            return self.w * x

    layer = Layer(jnp.float32(2.0))
    np.testing.assert_allclose(layer(Unit(X)).array, 2 * X)
    np.testing.assert_allclose(eqx.filter_jit(layer.__call__)(Unit(X)).array, 2 * X)
    assert Layer.__call__.__doc__ == "Scales."
    assert Layer.__call__.__wrapped__.__name__ == "__call__"


def test_what_a_mixin_defines_wins_wherever_it_stands():
    class Mixin:
        def __add__(self, other):
            return "mixin"

        __array__ = __bool__ = __jax_array__ = None

    class Mixed(quax.ArrayValue, Mixin):
        def aval(self):
            return jax.core.ShapedArray((), jnp.float32)

        def materialise(self):
            return jnp.float32(0)

    assert Mixed() + 1 == "mixin"
    assert Mixed.__jax_array__ is None
    assert isinstance(Mixed(), core.ArrayValue)


def test_values_are_equinox_modules():
    x = Unit([1.0, 2.0], ("m",))  # the converter makes an array
    assert x.shape == (2,)
    assert (x.ndim, x.size, x.dtype) == (1, 2, jnp.float32)
    assert isinstance(x, eqx.Module)
    assert bool(eqx.tree_equal(x, replace(x, powers=("m",))))
    assert jax.tree.structure(x) != jax.tree.structure(replace(x, powers=("s",)))
    assert isinstance(jnp.ones(2), Shaped[Array, "2"])
    assert isinstance(x, Shaped[Unit, "2"])
    with pytest.raises(TypeError, match="tuple"):
        Unit(X, "m")
    with pytest.raises(TypeError, match="abstract"):
        type("Bare", (quax.ArrayValue,), {})()
    unchecked = object.__new__(Unit)
    for name in ("array", "powers"):
        object.__setattr__(unchecked, name, getattr(x, name))
    assert jax.tree.structure(unchecked) == jax.tree.structure(x)


def test_arrays_are_known_by_their_class_to_plum():
    import plum

    assert plum.is_faithful(jax.Array)
    assert plum.Signature(jax.Array, int).is_faithful


def test_numbers_with_a_dtype_convert_to_arrays_by_plum():
    import plum

    @quax.register(lax.max_p)
    def _(x: Named, y: ArrayLike, **kw):
        converted.append(plum.convert(y, jax.Array))
        return jnp.maximum(x.array, y)

    converted = []
    quax.quaxify(lax.max)(Named(jnp.asarray(X), ("a",)), 2.0)
    (got,) = converted
    assert isinstance(got, jax.Array)
    assert got.dtype == jnp.float32
    np.testing.assert_allclose(got, 2.0)


def test_in_eager_mode_rules_see_entries():
    @quax.register(lax.ge_p)
    def _(x: Named, y: ArrayLike, **kw):
        return x.array >= y if (x.array[0] > 0) else NotImplemented

    x = Named(jnp.asarray(X), ("a",))
    np.testing.assert_array_equal(quax.quaxify(jnp.greater_equal)(x, 0.0), X >= 0)
    got = quax.quaxify(operator.ge)(x, jnp.zeros(3))
    np.testing.assert_array_equal(got, X >= 0)


def test_a_function_of_plain_arrays_is_as_it_was():
    assert quax.quaxify(lambda x: x)(2.0) == 2.0
    got = quax.quaxify(lambda x, mask: x[mask])(X, np.array([True, False, True]))
    np.testing.assert_array_equal(got, X[[0, 2]])


def test_core_does_not_import_it():
    import subprocess
    import sys

    program = "import sys, duckarray.core; sys.exit('duckarray.core.quax' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


class Reflecting(quax.ArrayValue):
    """Has reflected operators of its own."""

    array: jax.Array

    def aval(self):
        return jax.typeof(self.array)

    def materialise(self):
        return self.array

    def __radd__(self, other):
        return "its own"


@pytest.mark.parametrize("other", [1, np.float32(1), np.ones(2), jnp.ones(2)], ids=repr)
def test_a_reflected_operator_of_a_class_is_asked_by_any_other_operand(other):
    value = Reflecting(jnp.ones(2))
    assert other + value == "its own"
    np.testing.assert_array_equal(other - value, np.zeros(2))
    traced = []
    jax.eval_shape(lambda a: traced.append(a + value), jnp.ones(2))
    assert traced == ["its own"]
