import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import AmbiguousRuleError, ArrayValue, materialization, quaxify, register

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


class Wrapper(ArrayValue):
    array: jax.Array | ArrayValue
    array_priority = 100
    materialization = "allow"

    def materialize(self):
        return self.array


X = jnp.arange(3.0)


def constant(n):
    """A rule's result that shows which rule answered."""
    return jnp.full(3, n, jnp.float32)


def answer(fn, *args):
    return float(quaxify(fn)(*args)[0])


def test_not_implemented_passes_to_the_next_most_specific_rule():
    order = []

    @register("neg")
    def _neg_any(x: ArrayValue, **params):
        order.append("any")
        return constant(3)

    @register("neg")
    def _neg_sub(x: SubA, **params):
        order.append("sub")
        return NotImplemented

    @register("neg")
    def _neg_a(x: A, **params):
        order.append("a")
        return NotImplemented

    assert answer(jnp.negative, SubA(X)) == 3.0
    assert order == ["sub", "a", "any"]


def test_not_implemented_by_all_rules_materializes():
    @register("neg")
    def _neg_a(x: A, **params):
        return NotImplemented

    np.testing.assert_allclose(quaxify(jnp.negative)(A(X)), -X)


def test_the_hook_default_is_asked_after_the_rules_and_before_materialize():
    class Hooked(ArrayValue):
        array: jax.Array
        materialization = "error"

        def materialize(self):
            return self.array

        @staticmethod
        def default(primitive, values, params):
            if primitive is lax.sin_p:
                return primitive.bind(values[0].array, **params)
            return NotImplemented

    np.testing.assert_allclose(quaxify(jnp.sin)(Hooked(X)), np.sin(X), rtol=1e-6)
    with materialization("allow"):
        np.testing.assert_allclose(quaxify(jnp.cos)(Hooked(X)), np.cos(X), rtol=1e-6)


def test_two_types_hooks_are_asked_once_each():
    asked = []

    class First(A):
        @staticmethod
        def default(primitive, values, params):
            asked.append("first")
            return NotImplemented

    class Second(A):
        @staticmethod
        def default(primitive, values, params):
            asked.append("second")
            return constant(9)

    assert answer(lax.atan2, First(X), Second(X)) == 9.0
    assert asked == ["first", "second"]


def test_a_rule_for_a_base_serves_its_subclasses_and_the_nearer_base_wins():
    @register("neg")
    def _neg_any(x: ArrayValue, **params):
        return constant(1)

    assert answer(jnp.negative, SubA(X)) == 1.0

    @register("neg")
    def _neg_a(x: A, **params):
        return constant(2)

    assert answer(jnp.negative, SubA(X)) == 2.0
    assert answer(jnp.negative, B(X)) == 1.0


def test_the_later_of_two_equal_signatures_replaces_the_earlier():
    @register("neg")
    def _neg_first(x: A, **params):
        return constant(1)

    @register("neg")
    def _neg_second(x: A, **params):
        return constant(2)

    assert answer(jnp.negative, A(X)) == 2.0


def ambiguous(**kwargs):
    @register("atan2", **kwargs)
    def _atan2_a_any(x: A, y: object, **params):
        return constant(1)

    @register("atan2")
    def _atan2_any_b(x: object, y: B, **params):
        return constant(2)


def test_an_ambiguous_pair_raises_and_says_what_to_add():
    ambiguous()
    pattern = r"(?s)`atan2` on \(A, B\).*_atan2_a_any.*_atan2_any_b.*Add a rule for \(A, B\)"
    with pytest.raises(AmbiguousRuleError, match=pattern) as caught:
        quaxify(jnp.arctan2)(A(X), B(X))
    error = caught.value
    assert (error.primitive, error.operands, len(error.candidates)) == ("atan2", ("A", "B"), 2)


def test_an_ambiguous_pair_does_not_disturb_others():
    ambiguous()
    assert answer(jnp.arctan2, A(X), X) == 1.0
    assert answer(jnp.arctan2, X, B(X)) == 2.0


def test_precedence_decides_an_ambiguous_pair():
    ambiguous(precedence=1)
    assert answer(jnp.arctan2, A(X), B(X)) == 1.0


def test_a_rule_for_the_pair_decides_it():
    ambiguous()

    @register("atan2")
    def _atan2_a_b(x: A, y: B, **params):
        return constant(5)

    assert answer(jnp.arctan2, A(X), B(X)) == 5.0


@pytest.mark.parametrize("swap", [False, True])
def test_the_type_of_greater_array_priority_wins(swap):
    @register("atan2")
    def _atan2_wrapper(x: Wrapper | ArrayLike | ArrayValue, y: Wrapper, **params):
        return Wrapper(constant(8))

    @register("atan2")
    def _atan2_wrapper_any(x: Wrapper, y: object, **params):
        return Wrapper(constant(8))

    @register("atan2")
    def _atan2_a_any(x: A, y: object, **params):
        return constant(1)

    @register("atan2")
    def _atan2_any_a(x: object, y: A, **params):
        return constant(1)

    args = (A(X), Wrapper(X)) if swap else (Wrapper(X), A(X))
    assert quaxify(jnp.arctan2)(*args).array[0] == 8.0
