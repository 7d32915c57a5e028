"""The kit itself: a right type passes, expected failures are strict, items are readable."""

import subprocess
import sys

import _testing_types as types
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core.testing import (
    CALLS,
    Case,
    Result,
    Results,
    Subject,
    check,
    conformance,
    run_once,
    strategies,
)
from duckarray.core.testing import __main__ as command
from duckarray.core.testing._compare import Comparison

pytestmark = pytest.mark.any_jax

SAMPLE = ["neg", "exp", "add", "rsubtract", "matmul", "where", "sum_first", "at_set", "tolist"]
RIGHT = types.subject(
    types.Scaled,
    cases=(
        Case((3, 3)),
        Case((3, 3), variant="other factor"),
        Case((2, 3, 3)),
        Case((3,), "int32"),
    ),
    keeps=("neg", "mul_scalar", "multiply", "reshape"),
    without_dense=("matmul",),
)


def test_a_right_type_passes():
    only = ["contract/*", "economy/*", *[f"agreement/{name}/*" for name in SAMPLE], "pairs/add/*"]
    results = check(RIGHT, against=[RIGHT], only=only)
    assert results.ok, results
    assert len(results) > 70


@pytest.mark.parametrize("name", ["scan_carry", "scan_xs", "vmap", "grad", "around_grad", "cond_*"])
def test_a_right_type_passes_under_transforms(name):
    results = check(RIGHT, only=[f"transforms/{name}/f32-3x3"])
    assert results
    assert results.ok, results


def test_the_table_is_of_at_least_two_hundred_calls():
    assert len(CALLS) >= 300
    assert all(name == call.name and call.parameters for name, call in CALLS.items())
    assert sum("x" in call.parameters for call in CALLS.values()) == len(CALLS)


def test_almost_every_call_of_the_table_works_on_a_dense_matrix():
    from duckarray.core.testing._operands import operands
    from duckarray.core.testing._run import _settings
    from duckarray.core.testing._table import on_dense

    _, arrays = operands(RIGHT, Case((4, 4)))
    with _settings():
        raising = {
            name
            for name, call in CALLS.items()
            if not call.concrete and isinstance(on_dense(call, Case((4, 4)), arrays), Exception)
        }
    integers_only = {"bitwise_and", "left_shift", "gcd", "invert", "population_count", "clz"}
    assert integers_only <= raising
    assert len(raising) < 25, raising


def test_an_expected_failure_that_passes_is_a_failure():
    subject = types.subject(types.Scaled, expected_failures={"contract/repr/*": "it was slow"})
    (result,) = check(subject, only=["contract/repr/*"])
    assert result.outcome == "failed"
    assert "although the subject expects it to fail: it was slow" in result.message
    assert "Take it off `expected_failures`" in result.message


def test_an_expected_failure_is_reported_with_its_reason():
    subject = types.subject(types.ReprDensifies, expected_failures={"contract/repr/*": "debugging"})
    results = check(subject, families=["contract"], only=["contract/repr/*", "contract/aval/*"])
    assert [r.outcome for r in results] == ["passed", "expected"]
    assert results.ok
    assert results[1].message == "debugging"


def test_an_expected_failure_of_no_check_is_a_failure():
    subject = types.subject(
        types.Scaled, expected_failures={"contract/rper/*": "", "pairs/x/y": ""}
    )
    results = check(subject, families=["economy"])
    assert [r.id for r in results] == ["Scaled/expected_failures/contract/rper/*"]
    assert "no check of `Subject('Scaled', ...)` is called so" in results[0].message


def test_an_expected_failure_of_a_check_that_is_only_made_if_thorough_is_none():
    cases = (Case((3, 3)), Case((2, 2)))
    failures = {"agreement/sinh/f32-2x2": "", "agreement/sinh/f32-9x9": ""}
    subject = types.subject(types.Scaled, cases=cases, expected_failures=failures)
    results = check(subject, families=["economy"], against=())
    assert [r.id for r in results] == ["Scaled/expected_failures/agreement/sinh/f32-9x9"]


def parameters_of(mark):
    return {item.id: item.values[0] for item in mark.mark.args[1]}


def test_items_of_pytest_are_named_after_what_they_check():
    items = parameters_of(conformance(RIGHT, families=["contract"]))
    assert "Scaled/contract/repr/f32-3x3" in items
    assert "Scaled/contract/repr/f32-3x3-other-factor" not in items
    items["Scaled/contract/repr/f32-3x3"]()


def test_items_of_pytest_fail_skip_and_xfail():
    wrong = types.subject(types.ReprDensifies)
    items = parameters_of(conformance(wrong, only=["contract/repr/*"]))
    with pytest.raises(AssertionError, match="the dense array was built"):
        items["ReprDensifies/contract/repr/f32-3x3"]()
    foreseen = types.subject(types.ReprDensifies, expected_failures={"contract/repr/*": "why"})
    items = parameters_of(conformance(foreseen, only=["contract/repr/*"]))
    with pytest.raises(pytest.xfail.Exception, match="why"):
        items["ReprDensifies/contract/repr/f32-3x3"]()
    scalar = types.subject(types.Scaled, cases=(Case(()),), without_dense=("matmul",))
    items = parameters_of(conformance(scalar, families=["economy"]))
    with pytest.raises(pytest.skip.Exception, match="dense JAX raises"):
        items["Scaled/economy/matmul/f32-scalar"]()


def test_results_print_as_a_table():
    results = Results([Result("a/b/c/d", "failed", "one\ntwo"), Result("a/b/c/e", "passed")])
    assert repr(results).splitlines() == [
        "failed   a/b/c/d",
        "         one",
        "         two",
        "passed   a/b/c/e",
        "1 failed, 1 passed",
    ]
    many = Results([Result(f"a/b/c/{i}", "passed") for i in range(30)])
    assert repr(many) == "30 passed"
    assert not results.ok
    assert len(results.failed) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "a/b"}, r"needs a name without `/` and spaces[^$]*class is called"),
        ({"cases": ()}, r"has nothing to make values of[^$]*Leave `cases` out"),
        ({"cases": (Case(()), Case((), seed=1))}, r"two cases called `f32-scalar`[^$]*`variant`"),
    ],
)
def test_a_subject_that_makes_no_sense_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        types.subject(types.Scaled, **changes)


def test_names_of_calls_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"'matmull', but no call is called so[^$]*`operations`"):
        check(types.subject(types.Scaled, keeps=("matmull",)), families=["economy"])
    with pytest.raises(ValueError, match="'neg', which the table has already"):
        check(types.subject(types.Scaled, operations={"neg": lambda x: -x}))
    with pytest.raises(TypeError, match=r"a parameter `matrix`, for which[^$]*`x`, `z`"):
        check(
            types.subject(types.Scaled, operations={"own": lambda matrix: matrix}), only=["a/own/*"]
        )
    with pytest.raises(ValueError, match="'speed' is not a family"):
        check(RIGHT, families=["speed"])


def test_what_make_returns_is_looked_at():
    subject = types.subject(types.Scaled, make=lambda case: jnp.ones(case.shape))
    (result,) = check(subject, only=["contract/aval/*"])
    assert "returned a `ArrayImpl` for the case `f32-3x3`" in result.message


def test_what_cancels_may_leave_what_rounding_leaves():
    nothing, rest = jnp.zeros(3), jnp.full(3, 2e-7, "float32")
    Comparison(RIGHT, scale=0.1).same(rest, nothing)
    for scale, got in [(1e-3, rest), (0.1, 100 * rest)]:
        with pytest.raises(AssertionError, match="3 wrong numbers of 3"):
            Comparison(RIGHT, scale=scale).same(got, nothing)


def test_cases_give_reproducible_numbers():
    case = Case((2, 3))
    (one,), (two,), (other,) = (
        case.arrays((4, 5)),
        case.arrays((4, 5)),
        Case((2, 3), seed=1).arrays((4, 5)),
    )
    np.testing.assert_array_equal(one, two)
    assert not np.any(np.asarray(one) == np.asarray(other))
    assert np.all((np.abs(one) >= 0.5) & (np.abs(one) <= 2))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "bfloat16", "complex64"])
def test_cases_give_numbers_of_their_dtype(dtype):
    (array,) = Case((3,), dtype).arrays((3,))
    assert array.dtype == jnp.dtype(dtype)


def test_neither_pytest_nor_hypothesis_is_needed_to_import_it():
    code = (
        "import sys; sys.modules['pytest'] = sys.modules['hypothesis'] = None\n"
        "import duckarray.core\n"
        "assert not any(name.startswith('duckarray.core.testing') for name in sys.modules)\n"
        "import duckarray.core.testing as t, duckarray.core.testing.strategies as s\n"
        "assert isinstance(t.subjects(), dict)\n"
        "try: s.shapes()\n"
        "except ImportError as error: assert 'pip install hypothesis' in str(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_command_refuses_names_that_are_not_installed(capsys):
    with pytest.raises(SystemExit):
        command.main(["nothing-of-the-kind"])
    assert "has a subject called nothing-of-the-kind" in capsys.readouterr().err


def test_the_command_prints_a_table_and_says_whether_all_is_well(capsys, monkeypatch):
    subjects = {"right": RIGHT, "wrong": types.subject(types.ReprDensifies)}
    monkeypatch.setattr(command, "subjects", lambda: subjects)
    assert command.main(["right", "--only", "contract/repr/f32-3x3"]) == 0
    assert "right\npassed   Scaled/contract/repr/f32-3x3\n1 passed" in capsys.readouterr().out
    assert command.main(["--only", "contract/repr/f32-3x3"]) == 1


def test_strategies_give_what_a_subject_can_be():
    hypothesis = pytest.importorskip("hypothesis")

    @hypothesis.settings(max_examples=10, deadline=None)
    @hypothesis.given(strategies.values(RIGHT), strategies.shapes(max_ndim=2), strategies.dtypes())
    def test(pair, shape, dtype):
        value, array = pair
        np.testing.assert_allclose(value.materialize(), array, rtol=1e-6)
        assert len(shape) <= 2
        assert jnp.dtype(dtype)

    test()


def test_the_state_of_jax_is_as_before():
    before = jax.config.jax_numpy_dtype_promotion
    check(RIGHT, only=["contract/aval/*"])
    assert jax.config.jax_numpy_dtype_promotion == before
    assert Subject.__module__ == "duckarray.core.testing._subject"


@pytest.mark.parametrize("weak_type", [True, False])
def test_a_program_that_is_run_once_gives_what_jit_gives(weak_type):
    (x,) = Case((2, 3)).arrays((2, 3))
    x = jax.lax.convert_element_type(x, float) if weak_type else x
    bias = jnp.arange(3.0)  # closed over

    def program(x, flag, key, value):
        chosen = jax.lax.cond(flag, jnp.sin, jnp.cos, x)
        noise = jax.random.normal(key, (3,)) + bias
        out = [chosen * 2, x + 1, noise, jnp.sort(x)[::-1], jnp.arange(3, dtype="int8")]
        return out, types.Scaled(value.array * 2)

    args = (x, True, jax.random.key(0), types.Scaled(jnp.ones(2)))
    got, want = run_once(program, *args), jax.jit(program)(*args)
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert jax.typeof(a) == jax.typeof(b)
        np.testing.assert_allclose(a, b, rtol=1e-6)
