"""Operators on values, outside `quaxify`, inside it, and in rules."""

import operator
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, LowRank, Opaque, Pair, Warned, dense, make_lowrank, matrix

from duckarray.core import (
    ArrayValue,
    MaterializeError,
    MaterializeWarning,
    explain,
    field,
    known_constant,
    materialization,
    quaxify,
    register,
)
from duckarray.core._compiled import _MOST_CONSTANTS

pytestmark = pytest.mark.any_jax

X = np.array([1.5, -2.0, 4.0], np.float32)
N = np.array([6, 3, 5], np.int32)
FLOATS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "divmod": divmod,
}
INTEGERS = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
BINARY = {**FLOATS, **INTEGERS}


class Wrapped(ArrayValue):
    """Has no rules but those of its array: made dense silently."""

    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


def agree(got, want):
    """Compares arrays or values, or pairs of them, with NumPy's."""
    for g, w in zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]:
        g = g.array if isinstance(g, Wrapped | Own) else dense(g)
        np.testing.assert_allclose(g, w, rtol=1e-5)


@pytest.mark.parametrize("name", BINARY)
def test_a_binary_operator_is_that_of_numpy_on_either_side(name):
    function = BINARY[name]
    x, y = (np.abs(X), X[::-1]) if name in FLOATS else (N, N[::-1])
    value, other = Wrapped(jnp.asarray(x)), Wrapped(jnp.asarray(y))
    want, reflected = function(x, y), function(y, x)
    agree(function(value, other), want)
    agree(function(value, jnp.asarray(y)), want)
    agree(function(jnp.asarray(y), value), reflected)
    agree(function(value, y.copy()), want)
    agree(function(y.copy(), value), reflected)


@pytest.mark.parametrize("name", sorted(BINARY.keys() - {"matmul"}))
def test_a_binary_operator_takes_python_and_numpy_numbers(name):
    function = BINARY[name]
    x, scalar = (np.abs(X), 2.0) if name in FLOATS else (N, 2)
    value = Wrapped(jnp.asarray(x))
    agree(function(value, scalar), function(x, scalar))
    agree(function(scalar, value), function(scalar, x))
    for number in (x.dtype.type(scalar), np.asarray(scalar, x.dtype)):
        agree(function(value, number), function(x, number))
        agree(function(number, value), function(number, x))


@pytest.mark.parametrize("function", [operator.neg, operator.pos, abs], ids=lambda f: f.__name__)
def test_a_unary_operator_is_that_of_numpy(function):
    agree(function(Wrapped(jnp.asarray(X))), function(X))


def test_rounding_is_that_of_numpy():
    agree(round(Wrapped(jnp.asarray(X))), np.round(X))
    agree(round(Wrapped(jnp.asarray(X / 3)), 1), np.round(X / 3, 1))


def test_inversion_is_that_of_numpy():
    agree(~Wrapped(jnp.asarray(N)), ~N)


def test_an_operator_reaches_the_rule_of_its_type():
    x, y = Box(matrix(), "m"), Box(matrix(2), "s")
    out = x * y
    assert isinstance(out, Box)
    assert out.tag == "ms"
    agree(out, np.asarray(matrix()) * np.asarray(matrix(2)))


def test_shapes_broadcast_and_dtypes_are_promoted_as_in_jax():
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        out = Wrapped(matrix()) + jnp.arange(3)
        assert out.shape == (3, 3)
        assert out.dtype == jnp.float32
        assert (Wrapped(jnp.ones(3, jnp.bfloat16)) * 2.0).dtype == jnp.bfloat16
        assert (Wrapped(jnp.ones(3, jnp.bfloat16)) * np.float32(2)).dtype == jnp.float32
    with pytest.raises(ValueError, match=r"rank_promotion|rank promotion"):
        Wrapped(matrix()) + jnp.ones(3)


def test_assignment_with_an_operator_makes_another_value():
    x = before = Box(matrix(), "m")
    x += matrix()
    assert x is not before
    agree(x, 2 * np.asarray(matrix()))


@pytest.mark.parametrize(
    "other", [None, "text", [1.0, 2.0, 3.0], object()], ids=lambda x: type(x).__name__
)
def test_what_is_no_array_is_refused(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        Wrapped(jnp.asarray(X)) + other
    with pytest.raises(TypeError, match=r"unsupported operand|can only concatenate"):
        other + Wrapped(jnp.asarray(X))


def test_equality_is_entry_by_entry_so_that_values_are_not_hashed():
    x = Wrapped(jnp.asarray(X))
    agree(x == X, [True, True, True])
    agree(x != Wrapped(jnp.asarray(X + 1)), [True, True, True])
    assert (x == "text") is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert 4.0 in x
    assert 3.0 not in x


class Own(ArrayValue):
    """Defines operators itself."""

    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array

    def __add__(self, other):
        return "own"

    def __radd__(self, other):
        return "own, reflected"


def test_an_operator_that_a_class_defines_itself_comes_first():
    x = Own(jnp.asarray(X))
    assert x + 1 == "own"
    assert jnp.asarray(X) + x == "own, reflected"
    assert X + x == "own, reflected"
    agree(x - 1, X - 1)


def test_a_value_that_the_program_made_takes_part_inside_quaxify():
    inner = Box(matrix(), "m")

    def program(x):
        return x * (inner * 2.0) + matrix() * inner - jnp.sin(-inner)

    got = quaxify(program)(Doubled(matrix(2)))
    d, m = 2 * np.asarray(matrix(2)), np.asarray(matrix())
    np.testing.assert_allclose(dense(got), d * m * 2 + m * m + np.sin(m), rtol=1e-5)


@pytest.mark.parametrize("transform", [jax.jit, jax.checkpoint], ids=lambda t: t.__name__)
def test_also_under_a_transform_inside(transform):
    inner = Doubled(matrix())
    got = quaxify(transform(lambda x: inner @ x + inner))(Pair(matrix(2), matrix(2)))
    d, p = 2 * np.asarray(matrix()), 2 * np.asarray(matrix(2))
    np.testing.assert_allclose(dense(got), d @ p + d, rtol=1e-5)


def test_operators_work_on_whole_operands_in_a_rule(own_rules):
    @register("sin")
    def _sin(x: Opaque, **params):
        return Wrapped(x.array) * 2.0 + jnp.ones(3) * Wrapped(x.array)

    agree(quaxify(jnp.sin)(Opaque(jnp.asarray(X))), 3 * X)
    agree(jax.jit(quaxify(jnp.sin))(Opaque(jnp.asarray(X))), 3 * X)


def test_a_gradient_with_respect_to_a_value_is_that_of_its_leaves():
    value = make_lowrank()
    got = jax.grad(lambda v: (v @ v * 2.0).sum())(value)
    want = jax.grad(lambda v: 2.0 * jnp.sum(jnp.square(1.0) * (dense(v) @ dense(v))))(value)
    assert isinstance(got, LowRank)
    jax.tree.map(lambda g, w: np.testing.assert_allclose(g, w, rtol=1e-5), got, want)


def test_operators_work_under_jit_and_vmap_outside():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = jax.jit(lambda v, y: y - v)(Doubled(jnp.asarray(x)), jnp.asarray(x))
    agree(got, -x)
    agree(jax.vmap(lambda v: v * v[0])(Doubled(jnp.asarray(x))), 4 * x * x[:, :1])


def test_a_rule_registered_later_is_seen(own_rules):
    class Late(Wrapped):
        pass

    x = Late(jnp.asarray(X))
    agree(x + x, 2 * X)

    @register("add")
    def _add(x: Late, y: Late, **params):
        return Late(x.array - y.array)

    agree((x + x).array, 0 * X)


def test_the_policy_in_force_decides_each_time():
    x = Warned(jnp.asarray(X))
    for _ in range(2):
        with pytest.warns(MaterializeWarning, match=r"`add` on .*Warned f32\[3\]") as seen:
            x + x
        assert seen[0].filename == __file__
        with pytest.warns(MaterializeWarning, match="`mul`"):
            x * 2.0
        with materialization("error"), pytest.raises(MaterializeError, match=r"test_operators\.py"):
            x + x
        with materialization("allow"), warnings.catch_warnings():
            warnings.simplefilter("error")
            x + x


class Asking(ArrayValue):
    """Its product asks which scalar it is multiplied by."""

    array: jax.Array
    asked: bool = field(static=True, default=False)

    def aval(self):
        return jax.typeof(self.array)

    def materialize(self):
        raise TypeError("never")


@pytest.fixture
def traced(own_rules):
    """Notes for each run of the rules what they were given."""
    seen = []

    @register("mul")
    def _mul(x: Asking, y: jax.Array, **params):
        seen.append(known_constant(y) if x.asked else "not asked")
        factor = 100.0 if x.asked and known_constant(y) == 3 else 1.0
        return Asking(x.array * y * factor, x.asked)

    @register("integer_pow")
    def _pow(x: Asking, *, y, **params):
        seen.append(y)
        return Asking(x.array**y, x.asked)

    return seen


def test_a_rule_that_asks_is_told_which_scalar_it_is(traced):
    x = Asking(jnp.asarray(X), asked=True)
    for scalar, want in [(2, 2 * X), (3, 300 * X), (2.0, 2 * X), (3.0, 300 * X), (2, 2 * X)]:
        np.testing.assert_allclose((x * scalar).array, want, rtol=1e-6)
    assert set(traced) == {2.0, 3.0}


def test_one_that_does_not_ask_is_compiled_once_for_all_scalars(traced):
    x = Asking(jnp.asarray(X))
    for scalar in (1.0, 2.0, 3.0):
        np.testing.assert_allclose((x * scalar).array, scalar * X, rtol=1e-6)
    assert traced == ["not asked"]


def test_an_exponent_that_is_a_python_integer_stays_one(traced):
    x = Asking(jnp.asarray(X))
    np.testing.assert_allclose((x**2).array, X**2, rtol=1e-6)
    np.testing.assert_allclose((x**3).array, X**3, rtol=1e-6)
    np.testing.assert_allclose((x**2).array, X**2, rtol=1e-6)
    assert traced == [2, 3]


def test_beyond_a_number_of_scalars_nothing_is_compiled_but_all_is_right(traced, monkeypatch):
    monkeypatch.setattr("duckarray.core._compiled._MOST_CONSTANTS", 2)
    x = Asking(jnp.asarray(X), asked=True)
    for scalar in (3.0, 4.0, 5.0, 3.0, 5.0):
        want = (300 if scalar == 3 else scalar) * X
        np.testing.assert_allclose((x * scalar).array, want, rtol=1e-6)
    assert _MOST_CONSTANTS == 64


def test_negative_zero_is_another_scalar_than_zero():
    x = Wrapped(jnp.ones(2))
    assert not np.signbit(np.asarray(x * 0.0)).any()
    assert np.signbit(np.asarray(x * -0.0)).all()


def test_a_rule_that_looks_at_entries_works_though_it_cannot_be_compiled(own_rules):
    class Branching(Wrapped):
        pass

    @register("transpose")
    def _transpose(x: Branching, *, permutation, **params):
        assert bool(jnp.all(x.array > 0))
        return Branching(x.array.transpose(permutation))

    x = Branching(jnp.arange(1.0, 7.0).reshape(2, 3))
    for _ in range(2):
        agree(x.T, np.arange(1.0, 7.0).reshape(2, 3).T)


def test_an_error_of_a_rule_is_raised_as_it_is_and_names_the_operation(own_rules):
    @register("sub")
    def _sub(x: Opaque, y: Opaque, **params):
        raise ValueError("units do not match")

    x = Opaque(jnp.asarray(X))
    with pytest.raises(ValueError, match="units do not match") as caught:
        x - x
    assert any("`sub` on (Opaque f32[3], Opaque f32[3])" in n for n in caught.value.__notes__)
    assert any("test_operators.py" in n for n in caught.value.__notes__)


@pytest.mark.parametrize(
    "function",
    [
        jnp.sin,
        lambda x: jnp.add(jnp.ones(3), x),
        jnp.sum,
        jnp.asarray,
        lambda x: jnp.stack([x, x]),
        lambda x: jnp.matmul(x, x),
        lambda x: jnp.where(jnp.ones(3, bool), x, 0.0),
        jnp.fft.fft,
        jax.nn.relu,
        jax.nn.softmax,
        lambda x: jnp.ones((3, 3)).dot(x),
        lambda x: jnp.ones(3).at[0].set(x),
    ],
)
def test_other_functions_of_jax_refuse_a_value_outside_quaxify(function):
    with pytest.raises(TypeError, match=r"outside `quaxify`[^$]*`materialize\(x\)`"):
        function(Wrapped(jnp.asarray(X)))


def test_jit_may_be_disabled():
    with jax.disable_jit():
        x = Wrapped(jnp.asarray(X))
        agree(x * 2.0 + x, 3 * X)
        agree(2.0 - x, 2 - X)


def test_explain_sees_operators_that_were_compiled_before():
    x = Wrapped(jnp.asarray(X))
    x * x
    report = explain(lambda: x * x)
    assert [o.outcome for o in report.operations if o.primitive == "mul"] == ["materialized"]


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.eq, operator.ne])
@pytest.mark.parametrize("other", [[1, 2], (0, 1), {"a": 1}, {1}], ids=lambda x: type(x).__name__)
def test_containers_are_refused_as_by_an_array_of_jax(function, other):
    number = jnp.asarray(2)
    for x in (number, Wrapped(number), Wrapped(jnp.arange(2))):
        with pytest.raises(TypeError, match="unsupported operand"):
            function(x, other)
        with pytest.raises(TypeError, match="unsupported operand"):
            function(other, x)


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.truediv, operator.sub])
@pytest.mark.parametrize(
    ("own", "shape"), [((), ()), ((), (2,)), ((), (3, 2)), ((2,), ()), ((2,), (2,))]
)
def test_a_value_meets_numpy_arrays_of_any_shape(function, shape, own):
    x, y = np.full(own, 3.0, np.float32), np.full(shape, 2.0, np.float32)
    for out, want in (
        (function(Wrapped(jnp.asarray(x)), y), function(x, y)),
        (function(y, Wrapped(jnp.asarray(x))), function(y, x)),
    ):
        got = np.asarray(out)
        np.testing.assert_allclose(got, want, rtol=1e-6)
        assert got.shape == np.shape(want)


@pytest.mark.parametrize("digits", [None, 0, 1])
def test_rounding_has_the_dtype_that_jax_gives_it(digits):
    x = jnp.asarray(1.46)
    want = round(x) if digits is None else round(x, digits)
    got = round(Wrapped(x)) if digits is None else round(Wrapped(x), digits)
    assert got.dtype == want.dtype
    assert float(got) == float(want)


def test_a_number_has_no_reverse():
    with pytest.raises(TypeError, match="without axes"):
        reversed(Wrapped(jnp.asarray(1.0)))


@pytest.mark.parametrize("exponent", [7, 2.5, 10**12, -(2**31)], ids=str)
def test_a_power_of_weakly_typed_numbers_is_that_of_jax(exponent):
    two = jnp.asarray(2)
    for function in (lambda v: exponent**v, lambda v: v**exponent, lambda v: jnp.asarray(3) ** v):
        try:
            want = function(two)
        except (OverflowError, TypeError) as error:
            with pytest.raises(type(error)):
                function(Wrapped(two))
            continue
        got = function(Wrapped(two))
        np.testing.assert_allclose(got, want)
        assert (got.dtype, got.weak_type) == (want.dtype, want.weak_type)
