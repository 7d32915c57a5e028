import typing

import jax
import jax.numpy as jnp
import pytest
from jax.typing import ArrayLike

from duckarray.core import AmbiguousRuleError, ArrayValue, except_for, quaxify, register

pytestmark = pytest.mark.usefixtures("own_rules")


class A(ArrayValue):
    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


class SubA(A):
    pass


class B(ArrayValue):
    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


X = jnp.arange(3.0)


def returns(n):
    """A rule's result that shows which rule answered."""
    return jnp.full(3, n, jnp.float32)


def answer(fn, *args):
    return float(quaxify(fn)(*args)[1])


def test_it_is_for_a_class_but_not_for_another():
    @register("neg")
    def _neg_a(x: except_for(A, SubA), **params):
        return returns(7)

    assert answer(jnp.negative, A(X)) == 7
    assert answer(jnp.negative, SubA(X)) == -1  # made dense
    assert answer(jnp.negative, B(X)) == -1


def test_it_tells_two_rules_apart_that_were_ambiguous():
    @register("add")
    def _add_any_b(x: ArrayValue, y: B, **params):
        return returns(1)

    @register("add")
    def _add_a_any(x: A, y: ArrayValue, **params):
        return returns(2)

    with pytest.raises(AmbiguousRuleError, match=r"annotate an operand of one with `except_for"):
        answer(jnp.add, A(X), B(X))

    @register("add")
    def _add_a_but_b(x: A, y: except_for(ArrayValue, B), **params):
        return returns(3)

    with pytest.raises(AmbiguousRuleError):
        answer(jnp.add, A(X), B(X))
    assert answer(jnp.add, A(X), A(X)) == 3


def test_the_one_with_an_exception_is_the_more_specific():
    @register("neg")
    def _neg_a_but_sub(x: except_for(A, SubA), **params):
        return returns(1)

    @register("neg")
    def _neg_a(x: A, **params):
        return returns(2)

    assert answer(jnp.negative, A(X)) == 1
    assert answer(jnp.negative, SubA(X)) == 2


def test_the_later_of_two_with_the_same_exception_replaces_the_earlier():
    @register("neg")
    def _neg_earlier(x: except_for(A, SubA), **params):
        return returns(1)

    @register("neg")
    def _neg_later(x: except_for(A, SubA), **params):
        return returns(2)

    assert answer(jnp.negative, A(X)) == 2


@pytest.mark.parametrize("swap", [False, True])
def test_it_is_mirrored_by_commutative(swap):
    @register("mul", commutative=True)
    def _mul_a_dense(x: except_for(A, SubA), y: ArrayLike, **params):
        return returns(5)

    pair = lambda x: (X, x) if swap else (x, X)
    assert answer(jnp.multiply, *pair(A(X))) == 5
    assert answer(jnp.multiply, *pair(SubA(X))) == 1


def test_it_may_be_part_of_a_union():
    @register("mul")
    def _mul_a_or_dense(x: A, y: except_for(A, SubA) | jax.Array, **params):
        return returns(5)

    assert answer(jnp.multiply, A(X), A(X)) == 5
    assert answer(jnp.multiply, A(X), X) == 5
    assert answer(jnp.multiply, A(X), SubA(X)) == 1


def test_it_may_be_what_any_number_of_operands_are():
    @register("concatenate")
    def _concatenate_a(*xs: except_for(A | B, SubA) | ArrayLike, **params):
        return jnp.full(sum(x.shape[0] for x in xs), 5, jnp.float32)

    joined = lambda *xs: jnp.concatenate(xs)
    assert answer(joined, A(X), X, B(X)) == 5
    assert answer(joined, A(X), SubA(X)) == 1


def test_it_may_be_a_string():
    @register("neg")
    def _neg_a(x: "except_for(A, SubA)", **params):
        return returns(7)

    assert answer(jnp.negative, A(X)) == 7
    assert answer(jnp.negative, SubA(X)) == -1


def test_it_is_a_type_hint_of_the_class():
    assert typing.get_args(except_for(A, SubA))[0] is A
    assert "SubA" in repr(except_for(A, SubA))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [((A,), "no class to leave out"), ((A, "B"), "'B'"), (("A", B), "'A'"), ((A, A | B), "A |")],
)
def test_what_is_no_class_is_refused(arguments, problem):
    with pytest.raises(TypeError, match=r"takes the class that a rule is for") as caught:
        except_for(*arguments)
    assert problem in str(caught.value)
    assert "`x: except_for(ArrayValue, LoraArray)`" in str(caught.value)
