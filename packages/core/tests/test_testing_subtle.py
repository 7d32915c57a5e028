"""The kit finds what is wrong in few circumstances, such as for one dtype, or one index."""

import re

import _testing_subtle as subtle
import _testing_types as types
import pytest

from duckarray.core.testing import Case, check

pytestmark = pytest.mark.any_jax

MATRIX, SCALAR, INTEGER = Case((3, 3)), Case(()), Case((3, 3), "int32")
FOUND = [
    (subtle.WrongWhenTraced, "agreement/neg/f32-3x3", "compiled: result .* wrong numbers of 9"),
    (subtle.WrongForIntegers, "agreement/neg/i32-3x3", "compiled: result .* wrong numbers of 9"),
    (subtle.WrongForScalars, "agreement/exp/f32-scalar", "1 wrong numbers of 1"),
    (subtle.WrongForTheLastAxis, "agreement/max_last/f32-3x3", "3 wrong numbers of 3"),
    (subtle.Forward, "agreement/cumsum_reverse/f32-3x3", "wrong numbers of 9"),
    (subtle.AlwaysFirst, "agreement/index_traced_next/f32-3x3", "3 wrong numbers of 3"),
    (subtle.AlwaysTrue, "agreement/where_flag_off/f32-3x3", "9 wrong numbers of 9"),
    (subtle.BranchesSwapped, "agreement/cond/f32-3x3", "9 wrong numbers of 9"),
    (subtle.GradientOfOne, "agreement/sin/f32-3x3", "derivative .* wrong numbers of 9"),
    (subtle.Mutating, "agreement/lax_sub/f32-3x3", "it changed a value that it was given"),
    (
        subtle.KeepsWhatIsNoField,
        "contract/dense/f32-3x3",
        "taken apart and put together: .* 9 wrong",
    ),
    (subtle.NotComparable, "contract/retrace/f32-3x3", "checking equality of metadata"),
]
SEEN_BY_NO_OTHER = [
    (subtle.WrongForIntegers, ["agreement/neg/f32-3x3"]),
    (subtle.WrongForScalars, ["agreement/exp/f32-3x3"]),
    (subtle.WrongForTheLastAxis, ["agreement/max/f32-3x3"]),
    (subtle.Forward, ["agreement/cumsum/f32-3x3"]),
    (subtle.AlwaysFirst, ["agreement/index_traced/f32-3x3"]),
    (subtle.AlwaysTrue, ["agreement/where_flag/f32-3x3"]),
    (subtle.GradientOfOne, ["transforms/around_grad/f32-3x3"]),
]


def subject(cls):
    return types.subject(cls, cases=(MATRIX, SCALAR, INTEGER))


@pytest.mark.parametrize(("cls", "id_", "message"), FOUND)
def test_it_is_found(cls, id_, message):
    (result,) = check(subject(cls), against=(), only=[id_])
    assert result.outcome == "failed"
    assert re.search(message, result.message, re.DOTALL)


@pytest.mark.parametrize(("cls", "ids"), SEEN_BY_NO_OTHER)
def test_it_is_right_otherwise(cls, ids):
    results = check(subject(cls), against=(), only=ids)
    assert [result.outcome for result in results] == ["passed"] * len(ids), results
