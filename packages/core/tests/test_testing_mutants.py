"""Each check of the kit catches a type that is wrong in the one way that it is about."""

import re

import _testing_types as types
import pytest

from duckarray.core import NoRuleError
from duckarray.core.testing import Case, check

pytestmark = pytest.mark.any_jax

OTHER = Case((3, 3), variant="other factor")

CONTRACT = [
    (types.WrongDtype, "aval", r"f16\[3,3\], the case asks for f32\[3,3\]"),
    (types.WrongShape, "aval", r"f32\[3,3,1\], the case asks for f32\[3,3\]"),
    (types.WrongWeakType, "aval", r"weak f32\[3,3\], the case asks for f32\[3,3\]"),
    (types.WrongNumbers, "dense", "9 wrong numbers of 9"),
    (types.WrongDerivative, "derivative", "9 wrong numbers of 9"),
    (types.ChecksWhenUnflattened, "placeholders", "checks belong in the constructor"),
    (types.ReprDensifies, "repr", "the dense array was built"),
    (types.CopyLosesNumbers, "copies", "`copy.copy` changed a leaf"),
    (types.NotPickled, "copies", "`pickle` raised TypeError: not today"),
    (types.Leaking, "leaks", "(?i)leak"),
    (types.Caching, "leaks", "`materialize` keeps an array that belongs to a trace"),
    (types.ReprRaises, "repr", "`repr` raised, of a value with leaves that are traced"),
    (types.LeadingIsDense, "leading_axis", "`add_leading` gave a `ArrayImpl`, which is neither"),
    (types.CotangentIsNothing, "cotangent", "`to_cotangent` gave 0 leaves, the value has 1"),
    (types.StaticShape, "batched", r"of shape \(3, 3\): the shape has to come from the leaves"),
    (types.RowsInOrder, "leading_axis", "`add_leading` says is wrong"),
    (types.NotLinear, "linear", "says `leaf_linear`, but is not linear"),
    (types.WrongCotangent, "cotangent", "9 wrong numbers of 9"),
    (types.WrongFromCotangent, "from_cotangent", "9 wrong numbers of 9"),
]


def caught(subject, **options):
    """The names of the checks that failed, and what the first of them said."""
    failed = check(subject, against=(), **options).failed
    return [result.id.split("/")[2] for result in failed], failed[0].message if failed else ""


@pytest.mark.parametrize(("cls", "name", "message"), CONTRACT)
def test_a_broken_promise_is_caught_by_its_own_check_alone(cls, name, message):
    failed, text = caught(types.subject(cls), families=["contract"])
    assert failed == [name]
    assert re.search(message, text)


def test_a_structure_without_a_hash_is_caught_first_of_all():
    failed, text = caught(types.subject(types.NotHashable), only=["contract/hashable/*"])
    assert failed == ["hashable"]
    assert "cannot be hashed: unhashable type: 'list'" in text


def test_a_structure_that_equals_no_other_is_caught_as_retracing():
    failed, text = caught(types.subject(types.Unequal), families=["contract"])
    assert failed[:2] == ["retrace", "copies"]  # a copy of the token is another token, too
    assert "traced 3 times for 3 values made alike" in text


def test_a_wrong_conversion_to_a_common_type_is_caught():
    subject = types.subject(types.CoercesWithoutScaling, cases=(OTHER, Case((3, 3))))
    failed, text = caught(subject, families=["contract"])
    assert failed == ["conversion"]
    assert "`coerce_like` changed what it stands for" in text
    failed, _ = caught(subject, only=["transforms/cond_variants/*"])
    assert failed == ["cond_variants", "cond_variants"]


AGREEMENT = [
    (types.WrongOrder, ["rsubtract"], "compiled: result .* wrong numbers of 9"),
    (types.KeepsDtype, ["astype_half"], r"f32\[3,3\]"),
    (types.WeakResult, ["neg"], "weak"),
    (types.WrongShapeOfResult, ["sum_first"], r"f32\[1,3\]"),
    (types.WrongWhenConcrete, ["lax_exp"], "run eagerly: result .* wrong numbers of 9"),
    (types.Raises, ["exp", "lax_exp"], "raised ZeroDivisionError on the value: by accident"),
]
CALLS = ["neg", "exp", "subtract", "rsubtract", "astype_half", "sum_first", "lax_exp", "where"]


@pytest.mark.parametrize(("cls", "names", "message"), AGREEMENT)
def test_a_wrong_rule_is_caught_by_the_calls_that_reach_it(cls, names, message):
    only = [f"agreement/{name}/*" for name in CALLS]
    operations = {"lax_exp": lambda x: types.lax.exp(x)}
    failed, text = caught(types.subject(cls, operations=operations), only=only)
    assert failed == names
    assert "JAX_TRACEBACK_FILTERING" not in text
    assert re.search(message, text, re.DOTALL)


def test_a_rule_that_permits_what_dense_jax_refuses_is_caught():
    operations = {"too_long": lambda x, y: types.lax.add(x, types.jnp.concatenate([y, y]))}
    subject = types.subject(types.Lenient, operations=operations)
    failed, text = caught(subject, only=["agreement/add/*", "agreement/too_long/*"])
    assert failed == ["too_long"]
    assert "dense JAX raises TypeError" in text


def test_building_the_dense_array_is_caught_where_it_must_not_be():
    keeps = ("neg", "reshape", "exp")
    failed, text = caught(types.subject(types.Dense, keeps=keeps), families=["economy"])
    assert failed == ["neg", "exp"]
    assert text == "`Dense.materialize` was called: the dense array was built"


def test_a_result_of_another_type_is_caught_where_it_must_be_kept():
    subject = types.subject(types.Scaled, keeps=("neg", "matmul"), without_dense=("rmul_scalar",))
    failed, text = caught(subject, families=["economy"])
    assert failed == ["matmul"]
    assert "not a `Scaled`" in text
    only_cheap = types.subject(types.Scaled, without_dense=("matmul",))
    assert caught(only_cheap, families=["economy"]) == ([], "")


def test_a_rule_with_a_wrong_gradient_is_caught_by_differentiating():
    subject = types.subject(types.StopsGradients)
    assert caught(subject, only=["agreement/multiply/*"]) == ([], "")
    failed, _ = caught(subject, only=["transforms/around_grad/*", "transforms/vmap/*"])
    assert failed == ["around_grad"]


def test_a_wrong_cotangent_is_caught_in_a_custom_derivative():
    only = ["transforms/around_grad_of_custom_vjp/*", "transforms/around_grad/*"]
    failed, _ = caught(types.subject(types.WrongCotangent), only=only)
    assert failed == ["around_grad_of_custom_vjp"]


def test_a_rule_that_is_wrong_for_one_more_axis_is_caught_under_vmap():
    subject = types.subject(types.SumsAll)
    assert caught(subject, only=["agreement/sum/*"]) == ([], "")
    failed, text = caught(subject, only=["transforms/vmap/*", "transforms/jit/*"])
    assert failed == ["vmap"]
    assert "_reduce_sum_sums_all" in text


def test_a_wrong_leading_axis_is_caught_in_a_scan():
    failed, _ = caught(types.subject(types.RowsInOrder), only=["transforms/scan_xs/*"])
    assert failed == ["scan_xs"]


def test_a_rule_that_misreads_other_types_is_caught_by_pairs_alone():
    subject, other = types.subject(types.OnlyAmongDense), types.subject(types.Scaled)
    assert caught(subject, only=["agreement/maximum/*", "agreement/rmaximum/*"]) == ([], "")
    only = ["pairs/max/*", "pairs/add/*"]
    failed = check(subject, against=[other], only=only).failed
    assert [result.id for result in failed] == ["OnlyAmongDense/pairs/max/Scaled"]


def test_what_a_type_refuses_counts_as_an_answer_only_if_it_says_so():
    only = ["agreement/exp/*", "contract/dense/*", "contract/batched/*"]
    failed, _ = caught(types.subject(types.Opaque), only=only)
    assert failed == ["dense", "batched", "exp"]
    refuses = types.subject(types.Opaque, refuses=(NoRuleError, TypeError))
    assert caught(refuses, only=[*only, "agreement/neg/*"]) == ([], "")
