"""Each check of the kit, by the names that the kit has them under, fails for some wrong type."""

import _testing_types as types
import pytest

from duckarray.core.testing import Case, check
from duckarray.core.testing._run import checks_of

pytestmark = pytest.mark.any_jax

CASES = (Case((3, 3)), Case((3, 3), variant="other factor"))
OTHER = types.subject(types.Scaled, name="other", cases=CASES)
CHECKS = [c.id.split("/")[:2] for c in checks_of(types.subject(types.Scaled), against=[OTHER])]
NAMES = {
    family: sorted({name for f, name in CHECKS if f == family})
    for family in ("contract", "transforms", "pairs")
}
# For these there is a type in `test_testing_mutants.py` that is wrong there alone.
WRONG_THERE_ALONE = {
    "contract": {
        *("aval", "dense", "placeholders", "hashable", "retrace", "repr", "copies", "leaks"),
        *("batched", "leading_axis", "linear", "conversion", "cotangent", "from_cotangent"),
        "derivative",
    },
    "transforms": {
        *("vmap", "scan_xs", "cond_variants", "around_grad", "around_grad_of_custom_vjp"),
    },
}

# The wrong type that a check finds. Most that transforms run multiplies.
WRONG = dict.fromkeys(NAMES["transforms"], types.WrongProducts) | {
    "cond_same": types.WrongNegative,
    "cond_dense": types.WrongNumbers,
}


def test_none_is_left_out():
    assert set(NAMES["contract"]) == WRONG_THERE_ALONE["contract"]
    assert set(NAMES["transforms"]) > WRONG_THERE_ALONE["transforms"]
    assert (len(NAMES["transforms"]), len(NAMES["pairs"])) == (32, 21)


@pytest.mark.parametrize("name", sorted({*NAMES["transforms"]} - WRONG_THERE_ALONE["transforms"]))
def test_of_transforms(name):
    subject = types.subject(WRONG[name], cases=CASES[:1])
    results = check(subject, against=(), only=[f"transforms/{name}/f32-3x3"])
    assert [result.outcome for result in results] == ["failed"]


@pytest.mark.parametrize("name", NAMES["pairs"])
def test_of_pairs(name):
    wrong = types.subject(types.WrongNumbers)
    results = check(wrong, against=[OTHER], only=[f"pairs/{name}/*"])
    assert [result.outcome for result in results] == ["failed"]
