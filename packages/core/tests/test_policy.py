import inspect
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, Opaque, Warned, Zero
from jax import lax

from duckarray.core import (
    ArrayValue,
    MaterializeError,
    MaterializeWarning,
    NoRuleError,
    materialization,
    materialize,
    quaxify,
)

X = jnp.arange(3.0)


def test_the_default_policy_warns():
    with pytest.warns(
        MaterializeWarning, match=r"`sin` on \(Warned f32\[3\]\) makes Warned f32\[3\] dense"
    ):
        got = quaxify(jnp.sin)(Warned(X))
    np.testing.assert_allclose(got, np.sin(X), rtol=1e-6)


def test_the_policy_of_a_class_holds_without_another():
    class Strict(ArrayValue):
        array: jax.Array
        materialization = "error"

        def materialize(self):
            return self.array

    with pytest.raises(MaterializeError):
        quaxify(jnp.sin)(Strict(X))
    np.testing.assert_allclose(quaxify(jnp.sin)(Doubled(X)), np.sin(2 * X), rtol=1e-6)


def test_a_policy_around_the_call_beats_that_of_the_class():
    with materialization("allow"):
        quaxify(jnp.sin)(Warned(X))
    with materialization("error"), pytest.raises(MaterializeError):
        quaxify(jnp.sin)(Doubled(X))
    with materialization("warn"), pytest.warns(MaterializeWarning):
        quaxify(jnp.sin)(Doubled(X))


def test_policies_nest_and_are_restored():
    with materialization("error"):
        with materialization("allow"):
            quaxify(lax.sin)(Warned(X))
        with pytest.raises(MaterializeError):
            quaxify(lax.sin)(Warned(X))
    with pytest.warns(MaterializeWarning):
        quaxify(lax.sin)(Warned(X))


def test_each_line_that_makes_dense_is_warned_of():
    for program in (lambda x: jnp.tan(x), lambda x: jnp.tan(x) + 1.0):
        with pytest.warns(MaterializeWarning, match="`tan`"):
            quaxify(program)(Warned(X))


def test_a_refusal_is_not_announced_as_a_warning():
    class Refusing(Warned):
        def aval(self):
            return jax.typeof(self.array)

        def materialize(self):
            raise TypeError("never dense")

    with pytest.raises(NoRuleError, match="never dense"):
        quaxify(lax.sin)(Refusing(X))


def test_a_policy_is_restored_after_an_exception():
    with pytest.raises(RuntimeError, match="stop"), materialization("error"):
        raise RuntimeError("stop")
    quaxify(jnp.sin)(Doubled(X))


def test_the_error_says_what_was_asked_where_and_what_to_do():
    def program(x):
        return jnp.cos(x)

    with materialization("error"), pytest.raises(MaterializeError) as caught:
        quaxify(program)(Doubled(X))
    error = caught.value
    assert (error.primitive, error.operands) == ("cos", ("Doubled f32[3]",))
    assert (error.value, error.nbytes) == ("Doubled f32[3]", 12)
    text = str(error)
    line = inspect.getsourcelines(program)[1] + 1
    assert f"test_policy.py:{line}" in text
    assert "(12 bytes)" in text
    assert '@register("cos")' in text
    assert 'materialization("allow")' in text


def test_the_error_lists_every_operand():
    with materialization("error"), pytest.raises(MaterializeError) as caught:
        quaxify(lax.atan2)(Doubled(X), X)
    assert caught.value.operands == ("Doubled f32[3]", "f32[3]")


def test_of_thousands_of_operands_the_first_are_listed():
    parts = [Doubled(jnp.ones(3)), *[jnp.ones(3)] * 999]
    with materialization("error"), pytest.raises(MaterializeError) as caught:
        quaxify(lambda xs: lax.concatenate(xs, 0))(parts)
    shown = ", ".join(["Doubled f32[3]", *["f32[3]"] * 7])
    assert f"`concatenate` on ({shown}, and 992 more) would" in str(caught.value)
    assert len(caught.value.operands) == 1000


@pytest.mark.parametrize("jitted", [False, True])
def test_the_warning_points_at_the_line_of_the_user(jitted):
    def program(x):
        return jnp.cos(x)

    run = jax.jit(program) if jitted else program
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        quaxify(run)(Warned(X))
    (warning,) = [w for w in caught if w.category is MaterializeWarning]
    assert warning.filename == __file__
    line = inspect.getsourcelines(program)[1] + 1
    assert warning.lineno == line or f"test_policy.py:{line}" in str(warning.message)
    assert "Write a rule for it" in str(warning.message)


def test_a_rule_is_not_warned_of():
    with materialization("error"):
        got = quaxify(lambda x: -(x * 2.0))(Box(X))
    np.testing.assert_allclose(got.array, -2 * X)


def test_asking_for_the_dense_array_is_not_subject_to_the_policy():
    with materialization("error"):
        np.testing.assert_allclose(materialize(Warned(X)), X)
        np.testing.assert_allclose(quaxify(lambda x: jnp.sin(materialize(x)))(Warned(X)), np.sin(X))


def test_numpy_asks_the_policy():
    with pytest.warns(MaterializeWarning, match=r"Warned f32\[3\]"):
        np.asarray(Warned(X))
    with materialization("error"), pytest.raises(MaterializeError, match=r"Warned f32\[3\]"):
        np.asarray(Warned(X))


def test_a_type_without_dense_form_is_named_with_the_primitive():
    pattern = (
        r"`sin` on \(Opaque f32\[3\]\) has no rule, and Opaque refuses[^$]*@register\(\"sin\"\)"
    )
    with materialization("allow"), pytest.raises(NoRuleError, match=pattern) as caught:
        quaxify(lambda x: lax.sin(-x))(Opaque(X))
    assert caught.value.primitive == "sin"
    assert caught.value.operands == ("Opaque f32[3]",)
    assert "no dense form" in str(caught.value)
    assert "test_policy.py" in str(caught.value)
    assert isinstance(caught.value.__cause__, TypeError)


def test_refusal_happens_at_the_right_operation():
    reached = []

    def program(x):
        y = -x
        reached.append("neg")
        y = jnp.sin(y)
        reached.append("sin")
        return y

    with materialization("allow"), pytest.raises(NoRuleError):
        quaxify(program)(Opaque(X))
    assert reached == ["neg"]


def test_an_inner_type_that_refuses_is_found():
    with materialization("allow"), pytest.raises(NoRuleError, match="no dense form"):
        quaxify(jnp.sin)(Box(Opaque(X)))


def test_the_policy_is_part_of_the_key_of_an_inner_jit():
    inner = jax.jit(lambda x: jnp.sin(x))
    quaxify(inner)(Doubled(X))
    with materialization("error"), pytest.raises(MaterializeError, match="`sin`"):
        quaxify(inner)(Doubled(X))
    with materialization("warn"), pytest.warns(MaterializeWarning, match="`sin`"):
        quaxify(inner)(Doubled(X))
    quaxify(inner)(Doubled(X))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: lax.cond(True, jnp.sin, lambda y: y, x),
        lambda x: lax.scan(lambda c, _: (c + jnp.sin(x), None), X, None, length=2),
        lambda x: lax.while_loop(lambda c: c.sum() < 9.0, lambda c: c + jnp.sin(x) + 1.0, X),
        lambda x: jax.checkpoint(jnp.sin)(x),
        lambda x: jax.grad(lambda y: jnp.sum(y * jnp.sin(x)))(X),
        lambda x: jax.vmap(jnp.sin)(x),
    ],
    ids=["cond", "scan", "while", "remat", "grad", "vmap"],
)
def test_a_refusal_inside_a_body_names_the_operation_and_not_the_loop(program):
    with materialization("error"), pytest.raises(MaterializeError, match="`sin`"):
        quaxify(program)(Warned(X))


def test_zeros_are_dense_without_warning_where_they_meet_an_array_they_add_to():
    with materialization("error"):
        np.testing.assert_allclose(quaxify(jnp.add)(Zero(jnp.zeros((3, 0))), X), X)


@pytest.mark.parametrize("policy", ["never", None, 1])
def test_an_unknown_policy_is_refused(policy):
    expected = pytest.raises(ValueError, match=r"is not a policy[^$]*'allow', 'warn', 'error'")
    with expected, materialization(policy):
        pass
