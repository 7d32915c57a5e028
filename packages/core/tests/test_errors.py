import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, Length, Opaque, Pair, Zero
from jax import lax

from duckarray.core import (
    AmbiguousRuleError,
    ArrayValue,
    CarryTypeError,
    MaterializeError,
    MaterializeWarning,
    NoRuleError,
    RuleOutputError,
    Value,
    bind,
    checking_rules,
    materialization,
    materialize,
    quaxify,
    register,
)

pytestmark = pytest.mark.usefixtures("own_rules")
X = jnp.arange(3.0)


class Odd(ArrayValue):
    """Its rules are wrong in the ways the tests choose."""

    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


@pytest.mark.parametrize(
    "error", [NoRuleError, MaterializeError, AmbiguousRuleError, CarryTypeError, RuleOutputError]
)
def test_errors_are_type_errors(error):
    assert issubclass(error, TypeError)


def test_the_warning_is_a_user_warning():
    assert issubclass(MaterializeWarning, UserWarning)


def test_no_rule_error_says_which_primitive_on_what_and_what_to_write():
    error = NoRuleError("sin", ["Opaque f32[3]", "f32[]"], "Opaque refuses", " at a.py:1")
    assert (error.primitive, error.operands) == ("sin", ("Opaque f32[3]", "f32[]"))
    first, second = str(error).split("\n")
    assert first == "`sin` on (Opaque f32[3], f32[]) has no rule, and Opaque refuses at a.py:1."
    assert '`@register("sin")`' in second


def test_materialize_error_says_how_large_the_array_is_and_how_to_permit_it():
    error = MaterializeError("exp", ["Big f32[1024,1024]"], "Big f32[1024,1024]", 4194304, "")
    assert (error.value, error.nbytes) == ("Big f32[1024,1024]", 4194304)
    assert "would make Big f32[1024,1024] dense (4,194,304 bytes)." in str(error)
    assert 'with materialization("allow"):' in str(error)


def test_ambiguous_rule_error_lists_the_candidates():
    error = AmbiguousRuleError("add", ["A", "dense"], ["one(A, object)", "two(object, dense)"])
    assert error.candidates == ("one(A, object)", "two(object, dense)")
    assert "\n  one(A, object)\n  two(object, dense)\n" in str(error)
    assert "`array_priority`" in str(error)


def test_carry_type_error_says_how_it_enters_and_leaves():
    error = CarryTypeError("scan", "carry[1]", "metres", "seconds", "no common type")
    assert (error.path, error.enters, error.leaves) == ("carry[1]", "metres", "seconds")
    assert "`scan` carry[1] enters as metres and leaves as seconds: no common type." in str(error)
    assert "`join` hook" in str(error)


def test_rule_output_error_names_the_rule():
    error = RuleOutputError("add", "mod._add_odd", "f32[2]", "f32[3]")
    assert (error.primitive, error.rule) == ("add", "mod._add_odd")
    assert "rule `mod._add_odd` for `add` returned f32[2], but `add` gives f32[3]." in str(error)
    assert "return `NotImplemented`" in str(error)


WRONG = {
    "a shape": (lambda x: x.array[:2], r"returned f32\[2\], but `neg` gives f32\[3\]"),
    "a dtype": (
        lambda x: x.array.astype(jnp.int32),
        r"returned i32\[3\], but `neg` gives f32\[3\]",
    ),
    "a value's shape": (lambda x: Odd(x.array[None]), r"returned Odd f32\[1,3\], but"),
    "None": (lambda x: None, "returned None, but `neg` gives one array or value"),
    "a list": (lambda x: [x.array], "returned a list, but `neg` gives one array or value"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("jitted", [False, True])
def test_a_rule_that_returns_something_wrong_is_named(name, jitted):
    out, pattern = WRONG[name]

    @register("neg")
    def _neg_odd(x: Odd, **params):
        return out(x)

    run = quaxify(lax.neg)
    with pytest.raises(RuleOutputError, match=pattern) as caught:
        (jax.jit(run) if jitted else run)(Odd(X))
    assert caught.value.rule.endswith("_neg_odd")
    assert "_neg_odd" in str(caught.value)


def test_a_rule_with_the_wrong_number_of_results_is_named():
    @register("top_k")
    def _top_k_odd(x: Odd, **params):
        return [x.array[:2]]

    with pytest.raises(RuleOutputError, match="returned 1 results, but `top_k` gives 2 results"):
        quaxify(lambda x: lax.top_k(x, 2))(Odd(X))


def test_a_rule_that_returns_no_list_of_results_is_named():
    @register("top_k")
    def _top_k_odd(x: Odd, **params):
        return x.array

    with pytest.raises(RuleOutputError, match=r"returned a .*, but `top_k` gives a list"):
        quaxify(lambda x: lax.top_k(x, 2))(Odd(X))


def test_a_wrong_weak_type_is_found():
    @register("neg")
    def _neg_odd(x: Odd, **params):
        return jnp.asarray(1.0)

    with pytest.raises(RuleOutputError, match="weak"):
        quaxify(lax.neg)(Odd(jnp.float32(2.0)))


def test_checking_can_be_switched_off():
    @register("neg")
    def _neg_odd(x: Odd, **params):
        return x.array[:2]

    with checking_rules(False):
        assert quaxify(lax.neg)(Odd(X)).shape == (2,)
    with pytest.raises(RuleOutputError):
        quaxify(lax.neg)(Odd(X))


def test_right_rules_pass_the_check():
    @register("neg")
    def _neg_odd(x: Odd, **params):
        return Odd(-x.array)

    np.testing.assert_allclose(quaxify(lax.neg)(Odd(X)).array, -X)


def test_a_value_that_is_no_array_cannot_be_made_dense():
    class Key(Value):
        key: jax.Array
        materialization = "allow"

        def aval(self):
            return jax.typeof(self.key)

    pattern = r"`sin` on \(Key f32\[3\]\) has no rule, and Key does not stand for an array"
    with pytest.raises(NoRuleError, match=pattern):
        quaxify(lax.sin)(Key(X))
    with pytest.raises(NoRuleError, match=r"`materialize` on .* does not stand for an array"):
        materialize(Key(X))


def test_a_value_without_aval_says_that_it_needs_one():
    class Nameless(Value):
        x: jax.Array

    with pytest.raises(
        NotImplementedError, match=r"`Nameless` stands for something[^$]*method `aval`"
    ):
        Nameless(X).aval()


def test_asking_a_refusing_value_to_be_dense_is_its_own_error():
    with pytest.raises(TypeError, match="no dense form"):
        materialize(Opaque(X))


def test_a_type_that_joins_but_does_not_convert_is_told_to():
    class Hasty(ArrayValue):
        array: jax.Array
        tag: str = "a"
        materialization = "allow"
        __annotations__ = {"array": jax.Array}

        def materialize(self):
            return self.array

        def join(self, other):
            return self

    got = "`cond` cannot convert Pair"
    with pytest.raises(TypeError, match=rf"{got}[^$]*`coerce_like`"):
        quaxify(lambda p, x, y: lax.cond(p, lambda: x, lambda: y))(True, Hasty(X), Pair(X, X))


@pytest.mark.parametrize("turn", ["scan", "while"])
def test_a_carry_that_cannot_settle_says_how_it_enters_and_leaves(turn):
    def program(a, x):
        if turn == "scan":
            return lax.scan(lambda c, _: (x, None), a, None, length=2)
        return lax.while_loop(lambda c: True, lambda c: x, a)

    with pytest.raises(CarryTypeError, match=rf"`{turn}` carry.* enters as .*Opaque") as caught:
        quaxify(program)(Opaque(X), X)
    assert caught.value.primitive == turn
    assert "Opaque" in caught.value.enters
    assert "dense" in caught.value.leaves


def test_a_carry_that_a_policy_forbids_to_be_dense_is_a_materialize_error():
    with materialization("error"), pytest.raises(MaterializeError, match="`scan`"):
        quaxify(lambda a, x: lax.scan(lambda c, _: (x, None), a, None, length=2))(Doubled(X), X)


def test_an_operation_in_a_message_lists_dtypes_and_shapes():
    operands = {
        "f32[3]": X,
        "bf16[1,2]": jnp.ones((1, 2), jnp.bfloat16),
        "i8[]": jnp.int8(1),
        "bool[2]": jnp.ones(2, bool),
        "u32[0]": jnp.ones(0, jnp.uint32),
        "c64[1]": jnp.ones(1, jnp.complex64),
    }
    for text, array in operands.items():
        with materialization("error"), pytest.raises(MaterializeError) as caught:
            quaxify(
                lambda x: (
                    lax.reduce_max(x, range(x.ndim)) if x.dtype != jnp.complex64 else lax.sin(x)
                )
            )(Doubled(array) if array.dtype != bool else Box2(array))
        assert text in caught.value.operands[0]


class Box2(ArrayValue):
    array: jax.Array

    def materialize(self):
        return self.array


def test_a_message_about_a_broken_value_does_not_fail_itself():
    class Broken(ArrayValue):
        array: jax.Array

        def aval(self):
            raise TypeError("no shape")

        def materialize(self):
            raise TypeError("no array")

    with materialization("allow"), pytest.raises(NoRuleError, match=r"`sin` on \(Broken\)"):
        bind("sin", Broken(X), accuracy=None)


def test_bind_of_an_unknown_primitive_suggests_one():
    with pytest.raises(ValueError, match=r"no primitive named `sinn`[^$]*Did you mean .*`sin"):
        bind("sinn", X)


@pytest.mark.parametrize(
    "value",
    [Box(np.ones(2)), Length(np.ones(2), 2.0), Zero(np.zeros((2, 0)))],
    ids=lambda v: type(v).__name__,
)
def test_outside_of_quaxify_the_message_says_to_wrap_or_to_make_dense(value):
    with pytest.raises(TypeError, match=r"outside `quaxify`[^$]*`materialize\(x\)`"):
        jnp.add(value, 1.0)


def test_outside_of_quaxify_under_jit_too():
    with pytest.raises(TypeError, match="outside `quaxify`"):
        jax.jit(lambda x: jnp.add(x, Doubled(X)))(X)


def test_errors_survive_pickle():
    error = MaterializeError("sin", ["A f32[3]"], "A f32[3]", 12, "")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("jit", [lambda f: f, jax.jit])
def test_a_gradient_taken_inside_names_the_line_of_the_operation(jit):
    @register("dot_general")
    def _dot_general_odd_dense(x: Odd, y: jax.Array, *, dimension_numbers, **params):
        if dimension_numbers != (((1,), (0,)), ((), ())):
            return NotImplemented  # that of the backward pass
        return bind("dot_general", x.array, y, dimension_numbers=dimension_numbers, **params)

    def loss(x, w):
        y = w @ x  # this line
        return jnp.sin(y).sum()

    line = loss.__code__.co_firstlineno + 1
    run = quaxify(jax.grad(jit(loss)))
    with materialization("error"), pytest.raises(MaterializeError) as caught:
        run(jnp.ones(3), Odd(jnp.ones((3, 3))))
    assert caught.value.primitive == "dot_general"
    assert f"test_errors.py:{line}" in str(caught.value)


def test_what_to_do_begins_a_sentence_where_no_rule_would_help():
    error = MaterializeError("conversion to a concrete value", ["Big f32[4]"], "Big f32[4]", 16, "")
    assert str(error).split("\n")[1].startswith("Make it dense yourself with")
