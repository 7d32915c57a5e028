"""What libraries written for Quax rely on, besides what `test_quax.py` shows."""

import operator
from typing import Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from beartype import beartype
from jax import lax
from jaxtyping import Array, ArrayLike, Float, Int, Shaped, jaxtyped

import duckarray.core.quax as quax

pytestmark = pytest.mark.any_jax

# Made before any rule is there.
negative = quax.quaxify(operator.neg)
item = quax.quaxify(operator.getitem)
absolute = quax.quaxify(abs)
sine = quax.quaxify(lax.sin_p.bind)

X = np.array([1.0, -2.0], np.float32)


class Tagged(quax.ArrayValue):
    array: Array = eqx.field(converter=jnp.asarray)
    tag: str = eqx.field(static=True, default="t")

    def aval(self):
        return jax.core.ShapedArray(self.array.shape, self.array.dtype)

    def materialise(self):
        raise AssertionError("a rule is there")

    __getitem__ = quax.quaxify(operator.getitem)


@quax.register(lax.neg_p)
def _(x: Tagged, **params) -> int:  # what is annotated here is not looked at
    return Tagged(-x.array, x.tag)


@quax.register(lax.abs_p)
def _(x: Tagged, **params):
    return Tagged(jnp.abs(x.array), x.tag)


@quax.register(lax.sin_p)
def _(x: Tagged, **params):
    return Tagged(jnp.sin(x.array), x.tag)


@quax.register(lax.slice_p)
def _(x: Tagged, **params):
    return Tagged(lax.slice_p.bind(x.array, **params), x.tag)


@quax.register(lax.sub_p)
@jaxtyped(typechecker=beartype)
def _(x: Tagged, y: Shaped[ArrayLike, "..."], **params):
    seen.append(type(y))
    return Tagged(x.array - y, x.tag)


@quax.register(lax.sort_p)
def _(x: Tagged, y: ArrayLike, **params):
    return list(lax.sort_p.bind(x.array, y, **params))


@quax.register(lax.top_k_p)
def _(x: Tagged, **params):
    values, places = lax.top_k_p.bind(x.array, **params)
    return Tagged(values, x.tag), places


seen = []


def test_functions_are_quaxified_before_there_are_rules():
    for function, want in [(negative, -X), (absolute, abs(X)), (sine, np.sin(X))]:
        got = function(Tagged(X))
        assert (type(got), got.tag) == (Tagged, "t")
        np.testing.assert_allclose(got.array, want, rtol=1e-6)
    np.testing.assert_allclose(item(Tagged(X), slice(1, 2)).array, X[1:])
    np.testing.assert_allclose(Tagged(X)[:1].array, X[:1])


def test_a_quaxified_function_says_what_it_is_of():
    assert negative.__wrapped__ is operator.neg
    assert (negative.__name__, negative.__doc__) == ("neg", operator.neg.__doc__)


@pytest.mark.parametrize("y", [2.0, np.float32(2), X, jnp.asarray(X)], ids=lambda y: str(type(y)))
def test_a_rule_is_given_plain_operands_as_they_are(y):
    seen.clear()
    np.testing.assert_allclose(quax.quaxify(lax.sub_p.bind)(Tagged(X), y).array, X - y)
    (found,) = seen
    assert issubclass(found, jax.Array | np.ndarray | np.generic | float)
    got = jax.jit(quax.quaxify(lax.sub_p.bind))(Tagged(X), y)
    np.testing.assert_allclose(got.array, X - y)


def test_a_rule_may_give_several_results_as_a_list_or_a_tuple():
    got = quax.quaxify(lambda x: lax.sort((x, jnp.arange(2)), num_keys=1))(Tagged(X))
    np.testing.assert_array_equal(got[0], [-2.0, 1.0])
    np.testing.assert_array_equal(got[1], [1, 0])
    values, places = quax.quaxify(lambda x: lax.top_k(x, 1))(Tagged(X))
    assert values.tag == "t"
    np.testing.assert_array_equal(places, [0])


def test_where_there_is_no_rule_and_no_dense_form_it_is_a_type_error():
    class Refusing(Tagged):  # noqa: PLW1641
        def materialise(self):
            raise TypeError("has no dense form")

        def __eq__(self, other):
            try:
                return quax.quaxify(lax.eq)(self, other)
            except TypeError:
                return NotImplemented

    assert (Refusing(X) == jnp.asarray(X)) is False


def test_shape_and_dtype_come_from_aval_or_from_the_class():
    class Shaped3(Tagged):
        @property
        def shape(self):
            return (3,)

    assert (Tagged(X).shape, Tagged(X).dtype, Tagged(X).ndim) == ((2,), jnp.float32, 1)
    assert Shaped3(X).shape == (3,)


def test_a_class_of_many_bases_one_of_them_generic():
    T = TypeVar("T")

    class Named:
        @property
        def name(self):
            return f"{type(self).__name__} {self.tag}"

    class Many(Tagged, Named, Generic[T]):
        scale: float = eqx.field(static=True, default=1.0)

    assert Many[int](X).name == "Many t"
    assert quax.quaxify(lax.neg)(Many(X)).tag == "t"


def test_transforms_outside_see_a_tree():
    x = Tagged(np.stack([X, X + 1]))
    got = jax.jit(jax.vmap(quax.quaxify(jnp.sin)))(x)
    np.testing.assert_allclose(got.array, np.sin(x.array), rtol=1e-6)
    got = jax.grad(lambda x: quax.quaxify(jnp.sin)(x).array.sum())(x)
    assert type(got) is Tagged
    np.testing.assert_allclose(got.array, np.cos(x.array), rtol=1e-5)
    _, got = lax.scan(lambda c, row: (c, quax.quaxify(jnp.negative)(row)), 0, x)
    np.testing.assert_allclose(got.array, -x.array)
    assert hash(jax.tree.structure(x)) == hash(jax.tree.structure(Tagged(X)))
    assert jax.tree.structure(x) != jax.tree.structure(Tagged(X, "other"))


def test_annotations_of_jaxtyping_look_at_values():
    assert isinstance(Tagged(X), Float[Tagged, "2"])
    assert not isinstance(Tagged(X), Float[Tagged, "3"])
    assert not isinstance(Tagged(X), Int[Tagged, "2"])
