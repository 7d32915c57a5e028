"""`vjp`, `jvp` and `grad` with symbolic zeros; rules declared with `symbolic_zeros=True`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.custom_derivatives import SymbolicZero

from duckarray import zeros
from duckarray.core import materialize, quaxify
from duckarray.zeros import Ones, Zeros, is_zero

X, Y = jnp.array([1.0, 2.0, 3.0]), jnp.array([2.0, 0.5, -1.0])


def _two(x, y):
    return {"product": x * y, "sine": jnp.sin(y)}


ZERO = [
    None,
    Zeros(3),
    SymbolicZero(jax.typeof(X).to_tangent_aval()),
]


@pytest.mark.parametrize("zero", ZERO, ids=["none", "zeros", "symbolic"])
def test_a_pull_back_of_one_result(zero):
    out, pull_back = zeros.vjp(_two, X, Y)
    np.testing.assert_allclose(out["product"], X * Y)
    by_x, by_y = pull_back({"product": zero, "sine": Y})
    assert is_zero(by_x)
    np.testing.assert_allclose(by_y, np.cos(Y) * Y, rtol=1e-6)
    by_x, by_y = jax.jit(lambda c: pull_back({"product": c, "sine": zero}))(X)
    np.testing.assert_allclose(by_x, Y * X)
    np.testing.assert_allclose(by_y, X * X)


def test_none_stands_for_a_whole_part():
    _, pull_back = zeros.vjp(lambda p: {"a": _two(*p), "b": p[0] + 1}, (X, Y))
    ((by_x, by_y),) = pull_back({"a": None, "b": X})
    np.testing.assert_array_equal(by_x, X)
    assert is_zero(by_y)
    assert all(map(is_zero, pull_back(None)[0]))


def test_a_pull_back_agrees_with_that_of_jax():
    _, pull_back = zeros.vjp(_two, X, Y)
    _, plain = jax.vjp(_two, X, Y)
    for got, want in zip(pull_back(_two(X, Y)), plain(_two(X, Y)), strict=True):
        np.testing.assert_allclose(got, want)


def test_aux_is_returned_as_it_is():
    out, pull_back, aux = zeros.vjp(lambda x: (2 * x, "aux"), X, has_aux=True)
    assert aux == "aux"
    np.testing.assert_array_equal(out, 2 * X)
    np.testing.assert_array_equal(pull_back(Y)[0], 2 * Y)
    _, _, aux = zeros.jvp(lambda x: (2 * x, x), (X,), (Y,), has_aux=True)
    np.testing.assert_array_equal(aux, X)
    _, aux = zeros.grad(lambda x: (jnp.sum(x), x), has_aux=True)(X)
    np.testing.assert_array_equal(aux, X)


def test_integers_have_no_tangents():
    out, pull_back = zeros.vjp(lambda x, n: (x * 2, n + 1), X, jnp.arange(3))
    by_x, by_n = pull_back((Y, None))
    np.testing.assert_array_equal(by_x, 2 * Y)
    assert by_n.dtype == jax.dtypes.float0
    _, (tangent, other) = zeros.jvp(lambda x, n: (x * 2, n + 1), (X, jnp.arange(3)), (Y, None))
    np.testing.assert_array_equal(tangent, 2 * Y)
    assert other.dtype == jax.dtypes.float0
    np.testing.assert_array_equal(out[1], [1, 2, 3])


@pytest.mark.parametrize("zero", ZERO, ids=["none", "zeros", "symbolic"])
def test_a_tangent_that_is_zero(zero):
    out, tangents = zeros.jvp(_two, (X, Y), (X, zero))
    np.testing.assert_allclose(out["sine"], np.sin(Y), rtol=1e-6)
    np.testing.assert_allclose(tangents["product"], X * Y)
    assert is_zero(tangents["sine"])
    _, tangents = zeros.jvp(_two, (X, Y), (zero, zero))
    assert all(map(is_zero, tangents.values()))


def test_a_gradient_is_zeros_where_nothing_depends():
    def loss(params, x):
        return jnp.sum(params["used"] * x) + jnp.sum(jnp.sin(x))

    params = {"used": X, "frozen": {"a": Y, "b": jnp.ones((2, 2))}}
    got = zeros.grad(loss)(params, Y)
    np.testing.assert_array_equal(got["used"], Y)
    assert all(map(is_zero, got["frozen"].values()))
    by_params, by_x = jax.jit(zeros.grad(loss, argnums=(0, 1)))(params, Y)
    np.testing.assert_allclose(by_x, X + np.cos(Y), rtol=1e-6)
    assert is_zero(by_params["frozen"]["a"])


def test_a_gradient_by_an_array_of_zeros_is_that_of_the_array():
    np.testing.assert_array_equal(zeros.grad(lambda z, x: jnp.sum(z * x))(Zeros(3), X), X)
    _, pull_back = zeros.vjp(lambda z, x: z * x, Zeros(3), X)
    np.testing.assert_array_equal(pull_back(Y)[0], X * Y)


@pytest.fixture
def product():
    """x · y, x + y by rules that are told of zeros; what they were told is in a list."""
    told = []

    @jax.custom_vjp
    def function(x, y):
        return x * y, x + y

    def forward(x, y):
        told.append(("perturbed", x.perturbed, y.perturbed))
        return (x.value * y.value, x.value + y.value), (x.value, y.value)

    def backward(residuals, cotangents):
        told.append(tuple(type(c) is SymbolicZero for c in cotangents))
        x, y = residuals
        first, second = cotangents
        if type(first) is SymbolicZero:
            return second, second
        return first * y, first * x

    function.defvjp(forward, backward, symbolic_zeros=True)
    return function, told


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_a_backward_rule_is_told_of_cotangents_that_are_zero(product, transform):
    function, told = product
    _, pull_back = zeros.vjp(transform(function), X, Y)
    by_x, by_y = pull_back((None, X))
    assert told == [("perturbed", True, True), (True, False)]
    np.testing.assert_array_equal(by_x, X)
    np.testing.assert_array_equal(by_y, X)
    by_x, _ = pull_back((X, Zeros(3)))
    assert told[-1] == (False, True)
    np.testing.assert_array_equal(by_x, X * Y)


def test_a_backward_rule_in_a_loop_is_told_too(product):
    function, told = product

    def program(x, y):
        return jax.lax.scan(lambda c, _: (c, function(c, y)), x, None, length=2)[1]

    _, pull_back = zeros.vjp(program, X, Y)
    by_x, by_y = pull_back((None, jnp.ones((2, 3))))
    assert told[-1] == (True, False)
    np.testing.assert_array_equal(by_x, np.full(3, 2.0))
    np.testing.assert_array_equal(by_y, np.full(3, 2.0))


def test_a_backward_rule_in_a_program_on_zeros_can_ask_whether_a_cotangent_is_zero():
    asked = []

    @jax.custom_vjp
    def function(x):
        return 2 * x, 3 * x

    def backward(_, cotangents):
        asked.append(tuple(map(is_zero, cotangents)))
        first, second = cotangents
        return (2 * first + 3 * second,)

    function.defvjp(lambda x: (function(x.value), None), backward, symbolic_zeros=True)
    pull = quaxify(lambda x, zero: jax.vjp(function, x)[1]((zero, x))[0])
    np.testing.assert_array_equal(pull(X, Zeros(3)), 3 * X)
    assert asked == [(True, False)]


def test_a_pull_back_passes_through_jit():
    _, pull_back = zeros.vjp(_two, X, Y)
    run = jax.jit(lambda pull, c: pull({"product": c, "sine": None}))
    for _ in range(2):
        np.testing.assert_allclose(run(pull_back, X)[0], X * Y)


def test_a_cotangent_may_be_a_constant():
    _, pull_back = zeros.vjp(_two, X, Y)
    by_x, by_y = pull_back({"product": Ones(3), "sine": None})
    np.testing.assert_allclose(materialize(by_x), Y)
    np.testing.assert_allclose(materialize(by_y), X)


def test_what_a_backward_rule_gives_may_be_a_zero():
    @jax.custom_vjp
    def function(z, x):
        return z * x + 2 * x

    def forward(z, x):
        return z * x + 2 * x, (z, x)

    def backward(residuals, cotangent):
        z, x = residuals
        return cotangent * x, cotangent * z  # wrong on purpose: it shows which rule ran

    function.defvjp(forward, backward)
    out, pull_back = zeros.vjp(lambda x: function(jnp.sin(Zeros(3)), x), X)
    np.testing.assert_array_equal(out, 2 * X)
    assert is_zero(pull_back(Y)[0])


@pytest.fixture
def quotient():
    """x / y by a derivative rule that is told of zeros; what it was told is in a list."""
    told = []

    @jax.custom_jvp
    def function(x, y):
        return x / y

    def rule(primals, tangents):
        told.append(tuple(type(t) is SymbolicZero for t in tangents))
        (x, y), (dx, dy) = primals, tangents
        out = x / y
        if type(dx) is SymbolicZero and type(dy) is SymbolicZero:
            return out, SymbolicZero(jax.typeof(out).to_tangent_aval())
        by_x = 0 if type(dx) is SymbolicZero else dx / y
        return out, by_x - (0 if type(dy) is SymbolicZero else out * dy / y)

    function.defjvp(rule, symbolic_zeros=True)
    return function, told


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_a_derivative_rule_is_told_of_tangents_that_are_zero(quotient, transform):
    function, told = quotient
    _, tangent = zeros.jvp(transform(function), (X, Y), (X, None))
    assert told == [(False, True)]
    np.testing.assert_allclose(tangent, X / Y)


def test_the_tangent_of_zeros_outside_is_a_symbolic_zero_for_a_rule(quotient):
    function, told = quotient
    out, tangent = jax.jvp(lambda y: quaxify(function)(Zeros(3), y), (Y,), (X,))
    assert told[-1] == (True, False)
    np.testing.assert_array_equal(materialize(out), np.zeros(3))
    np.testing.assert_array_equal(materialize(tangent), np.zeros(3))


def _flops(function, *args):
    cost = jax.jit(function).lower(*args).compile().cost_analysis()
    return (cost[0] if isinstance(cost, list) else cost).get("flops", 0.0)


def _network(weights, x):
    first, second, head, other = weights
    hidden = jnp.tanh(x @ first)
    return hidden @ head, jnp.tanh(jnp.tanh(hidden @ second) @ other)


@pytest.mark.parametrize("which", [0, 1])
def test_a_pull_back_computes_only_what_its_cotangents_need(which):
    shapes = [(32, 32), (32, 32), (32, 16), (32, 8)]
    weights = [jax.ShapeDtypeStruct(s, "float32") for s in shapes]
    x = jax.ShapeDtypeStruct((64, 32), "float32")
    cotangent = jax.ShapeDtypeStruct((64, (16, 8)[which]), "float32")

    def symbolic(weights, x, cotangent):
        _, pull_back = zeros.vjp(_network, weights, x)
        return pull_back((cotangent, None) if which == 0 else (None, cotangent))

    def restricted(weights, x, cotangent):
        _, pull_back = jax.vjp(lambda w, x: _network(w, x)[which], weights, x)
        return pull_back(cotangent)

    def dense(weights, x, cotangent):
        _, pull_back = jax.vjp(_network, weights, x)
        other = jnp.zeros((64, (16, 8)[1 - which]))
        return pull_back((cotangent, other) if which == 0 else (other, cotangent))

    args = weights, x, cotangent
    assert _flops(symbolic, *args) == _flops(restricted, *args)
    assert _flops(symbolic, *args) < 0.9 * _flops(dense, *args)


def test_the_loops_of_a_pull_back_skip_what_is_zero():
    def program(w, x):
        return jax.lax.scan(lambda c, _: (jnp.tanh(c @ w), jnp.sum(c)), x, None, length=3)

    w, x = jnp.eye(3), X
    (_, sums), pull_back = zeros.vjp(program, w, x)
    _, plain = jax.vjp(program, w, x)
    got = pull_back((None, jnp.ones(3)))
    want = plain((jnp.zeros(3), jnp.ones(3)))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    assert sums.shape == (3,)
