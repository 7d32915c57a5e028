import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from duckarray.core import ArrayValue, _registry, bind, quaxify, register

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


def test_a_rule_is_for_a_primitive_or_its_name_with_or_without_suffix():
    for primitive, fn in ((lax.sin_p, jnp.sin), ("cos", jnp.cos), ("tan_p", jnp.tan)):

        @register(primitive)
        def _unary_a(x: A, **params):
            return constant(7)

        assert answer(fn, A(X)) == 7.0


def test_one_rule_serves_several_primitives_and_is_told_which():
    seen = []

    @register("sin", lax.cos_p)
    def _unary_a(x: A, *, primitive, **params):
        seen.append(primitive)
        return A(primitive.bind(x.array, **params))

    np.testing.assert_allclose(quaxify(jnp.sin)(A(X)).array, np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(quaxify(jnp.cos)(A(X)).array, np.cos(X), rtol=1e-6)
    assert seen == [lax.sin_p, lax.cos_p]


def test_the_decorator_returns_the_function():
    def _sin_a(x: A, **params):
        return constant(1)

    assert register("sin")(_sin_a) is _sin_a


def test_params_arrive_as_keywords():
    seen = {}

    @register("reduce_sum")
    def _reduce_sum_a(x: A, *, axes, **params):
        seen["axes"] = axes
        return jnp.sum(x.array, axis=axes)

    quaxify(lambda x: jnp.sum(x, axis=1))(A(jnp.ones((2, 3))))
    assert seen == {"axes": (1,)}


@pytest.mark.parametrize(
    "operand",
    [X, np.arange(3, dtype=np.float32), np.float32(1.0), 1.0],
    ids=["jax", "numpy", "numpy scalar", "python scalar"],
)
@pytest.mark.parametrize("annotation", [ArrayLike, jax.Array, Array, Float[Array, "n"], object])
def test_a_dense_operand_of_any_kind_matches(operand, annotation):
    def _add_a_dense(x, y, **params):
        return constant(4)

    _add_a_dense.__annotations__ = {"x": A, "y": annotation}
    register("add")(_add_a_dense)
    assert answer(lax.add, A(X), jnp.broadcast_to(operand, (3,))) == 4.0
    assert answer(lambda x: x + operand, A(X)) == 4.0


def test_a_tracer_matches_as_a_dense_operand():
    @register("add")
    def _add_a_dense(x: A, y: ArrayLike, **params):
        return constant(4)

    got = jax.jit(quaxify(lambda x, y: x + y))(A(X), X)
    np.testing.assert_allclose(got, [4.0, 4.0, 4.0])


def test_dense_does_not_match_a_rule_for_values():
    @register("add")
    def _add_a_b(x: A, y: B, **params):
        return constant(4)

    np.testing.assert_allclose(quaxify(jnp.add)(A(X), X), 2 * X)


def test_a_union_matches_each_of_its_members():
    @register("neg")
    def _neg_either(x: A | B, **params):
        return constant(6)

    assert answer(jnp.negative, A(X)) == 6.0
    assert answer(jnp.negative, B(X)) == 6.0


def test_varargs_take_any_number_of_operands():
    @register("concatenate")
    def _concatenate_a(*xs: A, dimension, **params):
        return A(jnp.concatenate([x.array for x in xs], dimension))

    for n in (1, 2, 3):
        got = quaxify(lambda *xs: lax.concatenate(xs, 0))(*[A(X)] * n)
        assert isinstance(got, A)
        np.testing.assert_allclose(got.array, np.tile(X, n))


@pytest.mark.parametrize("swap", [False, True])
def test_commutative_registers_the_mirrored_rule(swap):
    @register("sub", "mul", commutative=True)
    def _sub_a_dense(x: A, y: ArrayLike, *, primitive, **params):
        return A(primitive.bind(x.array, y, **params))

    x, y = (X, A(2 * X)) if swap else (A(2 * X), X)
    np.testing.assert_allclose(quaxify(lax.sub)(x, y).array, X)


def test_of_many_operations_on_the_same_types_one_searches(monkeypatch):
    @register("sin")
    def _sin_a(x: A, **params):
        return A(jnp.sin(x.array))

    searched = []
    search = _registry._resolve
    monkeypatch.setattr(_registry, "_resolve", lambda *a: searched.append(a) or search(*a))
    program = lambda x: [x := jnp.sin(x) for _ in range(10)][-1]
    got = quaxify(program)(A(X)).array
    np.testing.assert_allclose(got, program(X), rtol=1e-6)
    assert [primitive.name for primitive, *_ in searched].count("sin") == 1


@pytest.mark.parametrize("inner", [False, True])
def test_a_rule_registered_late_is_seen(inner):
    program = jax.jit(lambda x: jnp.sin(x)) if inner else jnp.sin
    run = quaxify(program)
    np.testing.assert_allclose(run(A(X)), np.sin(X), rtol=1e-6)

    @register("sin")
    def _sin_a(x: A, **params):
        return constant(3)

    np.testing.assert_allclose(run(A(X)), [3.0, 3.0, 3.0])


def test_a_rule_runs_under_the_trace_outside_and_may_use_jnp():
    @register("sin")
    def _sin_a(x: A, **params):
        return A(jnp.tanh(x.array) + 1.0)

    got = jax.grad(lambda x: quaxify(jnp.sin)(A(x)).array.sum())(X)
    np.testing.assert_allclose(got, 1 - np.tanh(X) ** 2, rtol=1e-5)


def test_a_primitive_of_several_results_takes_a_list():
    @register("top_k")
    def _top_k_a(x: A, **params):
        values, indices = lax.top_k_p.bind(x.array, **params)
        return [A(values), indices]

    values, indices = quaxify(lambda x: lax.top_k(x, 2))(A(X))
    assert isinstance(values, A)
    np.testing.assert_array_equal(indices, [2, 1])


def test_bind_applies_a_primitive_with_dispatch():
    @register("neg")
    def _neg_a(x: A, **params):
        return A(-x.array)

    np.testing.assert_allclose(bind("neg", A(X)).array, -X)
    np.testing.assert_allclose(bind(lax.neg_p, X), -X)
    np.testing.assert_allclose(
        bind("mul", A(X), 2 * X, out_dtype=None)
        if "out_dtype" in _mul_params()
        else bind("mul", A(X), 2 * X),
        2 * X**2,
    )


def _mul_params():
    return jax.make_jaxpr(lax.mul)(X, X).eqns[0].params


def test_bind_inside_quaxify_takes_a_value_beside_a_tracer():
    @register("neg")
    def _neg_a(x: A, **params):
        return A(-x.array)

    @register("atan2")
    def _atan2_a_a(x: A, y: A, **params):
        return A(jnp.arctan2(x.array, y.array))

    got = quaxify(lambda x: bind("atan2", A(X), x))(A(X + 1.0))
    assert isinstance(got, A)
    np.testing.assert_allclose(got.array, np.arctan2(X, X + 1.0), rtol=1e-6)


def test_an_unknown_name_is_refused_with_what_is_close():
    with pytest.raises(ValueError, match=r"no primitive named `dot_generl`[^$]*`dot_general`"):
        register("dot_generl")


def test_a_primitive_that_jax_does_not_export_is_bound_by_itself_only():
    with pytest.raises(ValueError, match=r"`bind\('pure_callback', \.\.\.\)`: JAX does not export"):
        bind("pure_callback", jnp.ones(2))
    with pytest.raises(ValueError, match="Pass the primitive itself: a rule with a keyword `primi"):
        bind("pure_callback", jnp.ones(2))


def test_a_name_like_no_other_is_refused_without_a_guess():
    with pytest.raises(ValueError, match=r"(?s)no primitive named `xqzxqz`\.\n`jax.make_jaxpr"):
        register("xqzxqz")


def test_something_else_than_a_primitive_is_refused():
    with pytest.raises(TypeError, match=r"(?s)or its name, but got .*`@register\(\"mul\"\)`"):
        register(jnp.sin)


def test_register_without_a_primitive_is_refused():
    with pytest.raises(TypeError, match=r"given no primitive[^$]*@register\(\"add\", \"sub\"\)"):
        register()


def test_a_rule_without_annotations_is_refused():
    def _neg(x, **params):
        return x

    with pytest.raises(TypeError, match=r"`.*_neg` has no annotations[^$]*Annotate each operand"):
        register("neg")(_neg)


def test_a_rule_without_operands_is_refused():
    def _neg(**params):
        return 0

    with pytest.raises(TypeError, match=r"takes no positional operands[^$]*Write it as"):
        register("neg")(_neg)


def test_only_a_binary_rule_is_commutative():
    def _neg(x: A, **params):
        return x

    def _many(*xs: A, **params):
        return xs

    for rule in (_neg, _many):
        pattern = rf"{rule.__name__}`.*`commutative=True`, but takes [^$]*leave `commutative` out"
        with pytest.raises(TypeError, match=pattern):
            register("neg", commutative=True)(rule)
