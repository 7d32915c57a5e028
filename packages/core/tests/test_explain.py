"""`explain`: what becomes of each operation, found without running anything."""

import inspect
import sys
import threading
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, Length, LowRank, Opaque, Quantized, Warned, Zero
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from duckarray.core import (
    ArrayValue,
    MaterializeError,
    _watch,
    explain,
    materialization,
    quaxify,
    register,
    register_function,
)

pytestmark = pytest.mark.any_jax

X = jnp.arange(3.0)


class Strict(ArrayValue):
    array: jax.Array

    materialization = "error"

    def materialize(self):
        return self.array


def kinds(report):
    return [(x.primitive, x.outcome) for x in report.operations]


def test_each_operation_is_listed_with_what_it_met_and_gave():
    report = explain(lambda x, y: lax.sin(lax.mul(x, y)), Box(X), X)
    mul, sin = report.operations
    assert (mul.primitive, mul.operands, mul.results) == (
        "mul",
        ("Box f32[3]", "f32[3]"),
        ("Box f32[3]",),
    )
    assert (sin.primitive, sin.operands, sin.results) == ("sin", ("Box f32[3]",), ("f32[3]",))
    assert (mul.outcome, mul.dense, mul.bytes, mul.policy) == ("rule", (), 0, None)
    assert (sin.outcome, sin.rule, sin.dense) == ("materialized", None, ("Box f32[3]",))
    assert (sin.bytes, sin.policy) == (12, "allow")


@pytest.mark.usefixtures("own_rules")
def test_a_rule_is_named_with_its_place():
    @register("exp2")
    def _exp2_doubled(x: Doubled, *, primitive, **params):
        return x.half

    (x,) = explain(lambda x: lax.exp2(x), Doubled(X)).operations
    assert x.outcome == "rule"
    assert x.rule.endswith(f"{_exp2_doubled.__qualname__}")
    first = inspect.getsourcelines(_exp2_doubled)[1]
    assert x.rule_location == f"{__file__}:{first}"


@pytest.mark.usefixtures("own_rules")
def test_a_default_is_told_from_a_rule():
    class Shy(Warned):
        @staticmethod
        def default(primitive, values, params):
            return values[0].array

    (x,) = explain(lax.sin, Shy(X)).operations
    assert (x.outcome, x.dense) == ("default", ())
    assert x.rule.endswith("Shy.default")


def test_leaf_by_leaf_is_told_from_a_program_that_is_run():
    report = explain(lambda x: lax.optimization_barrier(jax.jit(lambda y: y)(x)), Box(X))
    assert kinds(report) == [("jit", "structural"), ("optimization_barrier", "leafwise")]
    assert report.totals == {"structural": 1, "leafwise": 1}
    assert report.materialized == []
    assert report.bytes == 0


def test_the_line_is_that_of_the_program():
    def program(x):
        y = jnp.sin(x)
        return jnp.where(y > 0, x, jnp.linalg.norm(x))

    report = explain(program, Doubled(X))
    first = inspect.getsourcelines(program)[1]
    name = f"({program.__qualname__})"
    assert list(report.by_line) == [f"{__file__}:{first + i} {name}" for i in (1, 2)]
    sin = report.by_line[f"{__file__}:{first + 1} {name}"]
    assert [x.primitive for x in sin] == ["jit", "sin"]


def test_operations_on_arrays_alone_are_counted():
    report = explain(lambda x, y: (lax.neg(x), lax.cos(lax.sin(y))), Box(X), X)
    assert len(report.operations) == 1
    assert report.passed == 2


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_the_same_is_reported_each_time_also_after_the_program_has_run(wrap):
    inner = jax.jit(lambda x: jnp.sin(x) + 1.0)
    program = wrap(lambda x: lax.cond(x.sum() > 0, inner, jnp.cos, x) + inner(x))
    quaxify(program)(Doubled(X))
    reports = []
    for _ in range(3):
        reports.append(explain(program, Doubled(X)).operations)
        quaxify(program)(Doubled(X))
    assert reports[0] == reports[1] == reports[2]
    # Of `inner` alone, and as a branch.
    assert [x.primitive for x in reports[0]].count("sin") == 2


def test_a_program_that_calls_quaxify_itself_is_seen_into_each_time():
    closed_over = Doubled(X)

    @jax.jit
    def step(x, y):
        return jax.grad(lambda x: jnp.sum(quaxify(lax.sin)(x) + quaxify(lax.cos)(closed_over)))(x)

    step(Doubled(X), X)
    for _ in range(2):
        report = explain(quaxify(step, filter_spec=False), Doubled(X), X)
        assert kinds(report) == [("sin", "materialized"), ("cos", "materialized")]


def test_a_body_is_listed_once_with_how_often_it_runs():
    def program(x):
        def outer(c, _):
            inner = lambda d, _: (d + jnp.sin(x), None)
            return lax.scan(inner, c, None, length=4)[0], None

        return lax.scan(outer, X, None, length=5)[0]

    (x,) = [x for x in explain(program, Doubled(X)).operations if x.primitive == "sin"]
    assert x.path == ("scan × 5", "scan × 4")
    assert x.times == 20
    assert x.bytes == 12


def test_paths_name_branches_loops_and_functions():
    def named(x):
        return lax.cond(x[0] > 0, jnp.sin, lambda y: jnp.cos(y), x)

    def program(x):
        y = jax.jit(named)(x)
        return lax.while_loop(lambda c: jnp.any(c < x), lambda c: c + jnp.tan(x), y)

    found = {x.primitive: x.path for x in explain(program, Doubled(X)).operations}
    assert found["sin"] == ("jit named", "cond branch 1")
    assert found["cos"] == ("jit named", "cond branch 0")
    assert found["tan"] == ("while body",)
    assert found["lt"] == ("while condition",)


def test_paths_name_the_functions_of_a_linear_solve_and_checkpoints():
    def program(a):
        solve = lambda matvec, b: b + jnp.cos(a) @ b
        x = lax.custom_linear_solve(lambda x: jnp.sin(a) @ x, X, solve, lambda vecmat, b: b)
        return jax.checkpoint(lambda x: lax.tan(a) @ x)(x)

    found = {x.primitive: x.path for x in explain(program, Doubled(jnp.eye(3))).operations}
    assert found["sin"][0] == "custom_linear_solve matvec"
    assert found["cos"][0] == "custom_linear_solve solve"
    assert found["tan"] == ("checkpoint",)


def test_a_loop_whose_carry_is_widened_is_listed_as_it_ends_up():
    # The carry leaves the body dense, so that the body is staged again with a dense carry.
    def program(x):
        return lax.scan(lambda c, _: (jnp.sin(c) + x, None), x, None, length=3)[0]

    report = explain(program, Doubled(X))
    assert kinds(report) == [("scan", "structural"), ("add", "materialized")]
    scan, add = report.operations
    assert scan.dense == ("Doubled f32[3]",)  # the initial carry
    assert add.operands == ("f32[3]", "Doubled f32[3]")
    assert report.bytes == 24


def test_branches_that_are_joined_are_listed_once():
    def program(x):
        return lax.cond(X[0] > 0, lambda y: y, lambda y: lax.sin(y), x)

    report = explain(program, Doubled(X))
    assert sorted(kinds(report)) == [("cond", "structural"), ("sin", "materialized")]
    assert report.operations[0].dense == ("Doubled f32[3]",)  # what the first branch returns


@pytest.mark.parametrize("make", [Doubled, Box])
def test_functions_with_derivative_rules_are_listed_once(make):
    @jax.custom_jvp
    def f(x):
        return lax.sin(x)

    f.defjvp(lambda primals, tangents: (jnp.sin(*primals), tangents[0]))

    @jax.custom_vjp
    def g(x):
        return lax.cos(x)

    g.defvjp(lambda x: (jnp.cos(x), None), lambda _, ct: (ct,))
    report = explain(lambda x: (f(x), g(x)), make(X))
    assert [(x.primitive, x.path) for x in report.operations] == [
        ("custom_jvp_call", ()),
        ("sin", ("custom_jvp_call",)),
        ("custom_vjp_call", ()),
        ("cos", ("custom_vjp_call",)),
    ]


def test_a_gradient_inside_is_listed_too():
    report = explain(jax.grad(lambda x: jnp.sum(jnp.sin(x))), Doubled(X))
    assert {"sin", "cos"} <= {x.primitive for x in report.operations}


def test_shard_map_is_seen_into():
    mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
    mapped = jax.shard_map(
        lambda x: jnp.sin(x), mesh=mesh, in_specs=PartitionSpec(), out_specs=PartitionSpec()
    )
    (sin,) = [x for x in explain(mapped, Box(X)).operations if x.primitive == "sin"]
    assert sin.dense == ("Box f32[3]",)


def test_what_a_rule_does_with_values_inside_is_listed_inside_it():
    x = Box(Quantized(jnp.ones(3, jnp.int8), jnp.float32(2.0)))
    report = explain(lambda x: lax.mul(x, 2.0), x)
    outer, inner = [x for x in report.operations if x.primitive == "mul"]
    assert (outer.outcome, outer.path) == ("rule", ())
    assert inner.operands[0] == "Quantized f32[3]"
    assert inner.path == (f"rule {outer.rule.rpartition('.')[2]}",)
    assert inner.line == outer.line


@pytest.mark.usefixtures("own_rules")
def test_a_rule_for_a_library_function_is_named():
    @register_function(jnp.linalg.det)
    def _det_doubled(x: Doubled):
        return jnp.zeros(())

    (x,) = explain(jnp.linalg.det, Doubled(jnp.eye(2))).operations
    assert (x.primitive, x.outcome) == ("jit", "rule")
    assert x.rule.endswith("_det_doubled")


def test_all_places_that_the_policy_refuses_are_found_at_once():
    def program(x):
        return jnp.sin(x) + jnp.cos(x)

    with pytest.raises(MaterializeError, match="`sin`"):
        quaxify(program)(Strict(X))
    report = explain(program, Strict(X))
    assert [x.primitive for x in report.refused] == ["sin", "cos"]
    assert {x.policy for x in report.materialized} == {"error"}
    assert "refuses 2" in str(report)
    assert "REFUSED" in str(report)


@pytest.mark.parametrize("policy", ["allow", "warn", "error"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_policy_that_is_set_counts(policy, inside):
    def program(x):
        with materialization(policy):
            return lax.sin(x)

    if inside:
        report = explain(program, Strict(X))
    else:
        with materialization(policy):
            report = explain(lax.sin, Strict(X))
    assert [x.policy for x in report.operations] == [policy]
    assert len(report.refused) == (policy == "error")


def test_a_type_that_cannot_be_dense_does_not_end_the_report():
    report = explain(lambda x: jnp.cos(jnp.sin(x)) + jnp.tan(x), Opaque(X))
    assert [(x.primitive, x.policy) for x in report.refused] == [
        ("sin", "impossible"),
        ("tan", "impossible"),
    ]
    assert "no dense form" in str(report)


def test_what_is_not_a_primitive_but_asks_for_a_dense_array_is_listed():
    closed_over = Doubled(X)

    def program(x):
        with jax.ensure_compile_time_eval():
            return x + np.asarray(closed_over)

    report = explain(program, X)
    (x,) = report.operations
    assert (x.primitive, x.dense) == ("conversion to a concrete value", ("Doubled f32[3]",))


def test_an_operand_that_is_there_twice_is_made_dense_once():
    assert explain(lambda x: lax.mul(x, x), Doubled(X)).bytes == 12
    assert explain(lax.mul, Doubled(X), Doubled(X)).bytes == 24


def test_arguments_may_be_shapes_and_nothing_is_computed():
    def huge(*shape):  # 4 TB
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    x = LowRank(huge(2**20, 2**20), huge(2**20, 8), huge(8, 2**20))
    report = explain(lambda x, y: jnp.sin(x @ y), x, y=huge(2**20))
    assert report.bytes == sum(x.bytes for x in report.materialized)
    assert report.operations[-1].operands[0].startswith(("f32[1048576]", "LowRank"))


def test_numbers_keywords_and_other_arguments_arrive_as_they_are():
    def program(x, n, *, power, name):
        assert (n, power, name) == (2, 3, "a")
        assert isinstance(n, int)
        return x**power

    assert explain(program, Doubled(X), 2, power=3, name="a").bytes == 12


def test_values_in_the_function_itself_take_part():
    report = explain(jax.tree_util.Partial(jnp.add, Doubled(X)), X)
    assert kinds(report)[-1] == ("add", "materialized")


def test_a_program_without_values_has_nothing_to_report():
    report = explain(lambda x: lax.sin(x), X)
    assert (report.operations, report.passed, report.bytes) == ((), 1, 0)
    assert str(report).splitlines() == [
        "0 operations meet a value: none",
        "1 more on arrays alone",
    ]


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"takes a function, but got a `int`"):
        explain(3)


def test_a_program_that_branches_on_an_entry_fails_as_under_jit():
    with pytest.raises(jax.errors.ConcretizationTypeError):
        explain(lambda x: lax.sin(x) if x[0] > 0 else x, Doubled(X))


def test_nothing_leaks():
    with jax.checking_leaks():
        explain(lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), Doubled(X))


def test_an_error_of_the_program_leaves_nobody_watching():
    def program(x):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        explain(program, Doubled(X))
    assert _watch.active == 0
    assert _watch.here.watcher is None


def test_an_operation_that_fails_and_is_caught_is_not_listed():
    def program(x):
        try:
            return lax.add(x, Box(X, "s"))
        except ValueError:
            return lax.neg(x)

    assert kinds(explain(program, Box(X, "m"))) == [("neg", "rule")]


def test_other_threads_are_not_listed():
    def program(x):
        other = threading.Thread(target=lambda: quaxify(lax.sin)(Doubled(X)))
        other.start()
        other.join()
        return lax.cos(x)

    assert kinds(explain(program, Doubled(X))) == [("cos", "materialized")]


def test_the_table_groups_what_is_equal_and_stays_narrow():
    def program(xs):
        total = 0.0
        for _ in range(30):
            for x in xs:
                total = total + jnp.sum(jnp.sin(x * 2.0))
        return total

    report = explain(program, [Length(jnp.ones((3, 1234567)), 1.0), Box(jnp.ones(5), "tag")])
    text = str(report)
    assert len(report.operations) >= 180
    assert len(text.splitlines()) < 20
    assert max(map(len, text.splitlines())) <= 100
    assert "30 ×" in text
    assert "test_explain.py" in text
    assert repr(report) == text
    assert text in report._repr_html_().replace("&lt;", "<").replace("&gt;", ">")


def test_a_report_becomes_a_data_frame(monkeypatch):
    made = []
    frame = types.ModuleType("pandas")
    frame.DataFrame = lambda rows, index, columns: made.append((rows, columns))
    monkeypatch.setitem(sys.modules, "pandas", frame)
    explain(lambda x: lax.sin(lax.neg(x)), Box(X)).to_pandas()
    ((rows, columns),) = made
    first = dict(zip(columns, rows[0], strict=True))
    assert (first["primitive"], first["bytes"], len(rows)) == ("neg", 0, 2)


def test_without_pandas_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"not installed[^$]*Report\.operations"):
        explain(lax.sin, Zero(jnp.zeros((3, 0)))).to_pandas()
