"""The kit is fair: what dense JAX leaves open is not asked for, and oracles of others are used."""

from dataclasses import replace

import _testing_types as types
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import ArrayValue, bind, register
from duckarray.core.testing import Case, Subject, _compare, check
from duckarray.core.testing._compare import Comparison

pytestmark = pytest.mark.any_jax


class Nothing(ArrayValue):
    """Zeros, which a program makes itself, so that XLA knows them."""

    empty: jax.Array
    materialization = "allow"

    def materialize(self):
        return jnp.zeros(self.empty.shape[:-1], self.empty.dtype)


def make_nothing(case):
    return Nothing(jnp.zeros((*case.shape, 0), case.dtype))


NOTHING = Subject(
    "nothing",
    make_nothing,
    lambda x: np.zeros(x.empty.shape[:-1], x.empty.dtype),
    cases=(Case((3, 3), "complex64"),),
    operations={"over": lambda x, y: y / x, "over_special": lambda x, special: special / x},
)


@pytest.mark.parametrize("call", ["over", "over_special"])
def test_where_dense_jax_answers_in_two_ways_either_is_right(call):
    y = Case((3, 3), "complex64", variant="operands").arrays((3, 3))[0]
    known = jax.jit(lambda y: y / jnp.zeros((3, 3), "complex64"))(y)
    given = jax.jit(lambda x, y: y / x)(jnp.zeros((3, 3), "complex64"), y)
    assert not np.array_equal(known, given, equal_nan=True), "then this tests nothing"
    (result,) = check(NOTHING, against=(), only=[f"agreement/{call}/*"])
    assert result.outcome == "passed", result


class AlmostNothing(Nothing):
    pass


@register("div")
def _div_almost_nothing(x: jax.Array, y: AlmostNothing, **params):
    """Wrong in the last entry."""
    return bind("div", x, y.materialize(), **params).at[-1, -1].set(7)


def test_another_answer_is_wrong_all_the_same():
    almost = Subject("almost", lambda case: AlmostNothing(make_nothing(case).empty), NOTHING.dense)
    subject = replace(almost, cases=NOTHING.cases, operations=NOTHING.operations)
    (result,) = check(subject, against=(), only=["agreement/over/*"])
    assert "wrong numbers of 9" in result.message


def test_a_wrong_materialize_is_no_other_way_to_be_right():
    subject = types.subject(types.WrongNumbers, operations={"exponential": lambda x: jnp.exp(x)})
    (result,) = check(subject, against=(), only=["agreement/exponential/*"])
    assert "9 wrong numbers of 9" in result.message


class Rounding(types.Scaled):
    pass


@register("sub")
def _sub_rounding(x: Rounding, y: Rounding, **params):
    """The difference, and what rounding terms may leave of it."""
    rest = 3e-7 if x.factor == 2.0 else 3e-5
    return bind("sub", x.materialize(), y.materialize(), **params) + rest


@pytest.mark.parametrize(("variant", "outcome"), [("", "passed"), ("other factor", "failed")])
def test_terms_may_cancel_as_far_as_they_are_rounded(variant, outcome):
    subject = types.subject(Rounding, cases=(Case((3, 3), variant=variant),))
    (result,) = check(subject, against=(), only=["agreement/sub_itself/*"])
    assert result.outcome == outcome, result


def test_beside_an_infinite_part_the_other_is_compared_as_a_number():
    comparison = Comparison(NOTHING, dtype="complex64")
    want = jnp.array([complex(np.inf, 2.5794499), complex(1.0, 2.0)], "complex64")
    comparison.same(jnp.array([complex(np.inf, 2.5794501), complex(1.0, 2.0)], "complex64"), want)
    for wrong in (complex(np.inf, 2.6), complex(-np.inf, 2.5794499), complex(1e9, 2.5794499)):
        with pytest.raises(AssertionError, match="1 wrong numbers of 2"):
            comparison.same(jnp.array([wrong, complex(1.0, 2.0)], "complex64"), want)


class Around(types.Scaled):
    """Gives another type for `neg`, one that has no dense form."""


@register("neg")
def _neg_around(x: Around, **params):
    return types.Opaque(-x.array, x.factor)


AROUND = types.subject(Around, refuses=(TypeError,), operations={"minus": lambda x: -x})


def test_a_result_of_another_type_is_compared_by_the_oracle_of_its_installed_subject(monkeypatch):
    only = ["agreement/minus/*"]
    monkeypatch.setattr(_compare, "subjects", dict)
    (result,) = check(AROUND, only=only, against=())
    assert "an opaque array has no dense form" in result.message
    opaque = types.subject(types.Opaque, refuses=(TypeError,))
    monkeypatch.setattr(_compare, "subjects", lambda: {"opaque": opaque})
    (result,) = check(AROUND, only=only, against=())
    assert result.outcome == "passed", result
    wrong = replace(opaque, dense=lambda x: np.asarray(x.array))
    monkeypatch.setattr(_compare, "subjects", lambda: {"opaque": wrong})
    (result,) = check(AROUND, only=only, against=())
    assert "wrong numbers of 9" in result.message


def test_what_is_in_a_result_is_made_dense_by_the_oracle_of_its_installed_subject(monkeypatch):
    inside = Around(types.Opaque(jnp.arange(3.0)), 2.0)
    opaque = types.subject(types.Opaque, refuses=(TypeError,))
    monkeypatch.setattr(_compare, "subjects", lambda: {"opaque": opaque})
    np.testing.assert_array_equal(Comparison(AROUND).numbers(inside), [0.0, 4.0, 8.0])


def test_an_error_that_no_subject_counts_as_an_answer_is_raised(monkeypatch):
    opaque = types.subject(types.Opaque)
    monkeypatch.setattr(_compare, "subjects", lambda: {"opaque": opaque})
    with pytest.raises(TypeError, match="no dense form"):
        Comparison(types.subject(types.Scaled)).numbers(types.Opaque(jnp.ones(2)))
