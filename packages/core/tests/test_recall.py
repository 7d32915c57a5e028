"""Loops and branches that are alike are rewritten once in one program, and only those."""

import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import ArrayValue, bind, known_constant, materialization, quaxify, register
from duckarray.core._lift import inside

X = np.linspace(-1.0, 1.0, 4, dtype=np.float32)
calls: list[str] = []


class Counted(ArrayValue):
    """An array whose rules say that they were called."""

    array: jax.Array

    def materialize(self) -> jax.Array:
        return self.array


@register("sin")
def _sin_counted(x: Counted, **params: Any) -> Counted:
    calls.append("sin")
    return Counted(lax.sin(x.array))


@register("mul", commutative=True)
def _mul_counted_dense(x: Counted, y: Any, **params: Any) -> Counted:
    calls.append("mul")
    return Counted(lax.mul(x.array, y))


@register("add", commutative=True)
def _add_counted_dense(x: Counted, y: Any, **params: Any) -> Counted:
    if known_constant(y) == 0:
        calls.append("nothing")
        return x
    calls.append("add")
    return Counted(lax.add(x.array, y))


@register("dot_general")
def _dot_general_counted_dense(x: Counted, y: Any, **params: Any) -> Any:
    calls.append(str(params["precision"]))
    return bind(lax.dot_general_p, x.array, y, **params)


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    calls.clear()


def _scan(body: Callable[[Any], Any], x: Any) -> Any:
    return lax.scan(lambda c, _: (body(c), None), x, None, length=2)[0]


def _while(body: Callable[[Any], Any], x: Any) -> Any:
    return lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, body(s[1])), (0, x))[1]


def _cond(body: Callable[[Any], Any], x: Any) -> Any:
    return lax.cond(jnp.array(True), body, lambda x: body(body(x)), x)


def _remat(body: Callable[[Any], Any], x: Any) -> Any:
    return jax.checkpoint(lambda x: body(x))(x)


RUN = {
    "scan": (_scan, 1, 2),
    "while": (_while, 1, 2),
    "cond": (_cond, 3, 1),
    "remat": (_remat, 1, 1),
}


def _layers(run: Any, bodies: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        for body in bodies:
            x = run(body, x)
        return x

    return program


@pytest.mark.parametrize("kind", RUN)
def test_layers_of_the_same_code_are_rewritten_once(kind: str) -> None:
    run, once, turns = RUN[kind]
    program = _layers(run, [lambda x: jnp.sin(x) * 2 for _ in range(3)])  # three functions
    out = jax.jit(quaxify(program))(Counted(jnp.asarray(X)))
    assert type(out) is Counted
    want = X
    for _ in range(3 * turns):
        want = 2 * np.sin(want)
    np.testing.assert_allclose(out.array, want, rtol=1e-5)
    assert calls == ["sin", "mul"] * once


@pytest.mark.parametrize("kind", RUN)
def test_layers_that_differ_by_a_number_are_not_taken_for_one_another(kind: str) -> None:
    run, _, turns = RUN[kind]
    program = _layers(run, [lambda x, i=i: jnp.sin(x) * i for i in (1.0, 3.0, 2.0)])
    out = jax.jit(quaxify(program))(Counted(jnp.asarray(X)))
    want = X
    for i in (1.0, 3.0, 2.0):
        for _ in range(turns):
            want = i * np.sin(want)
    np.testing.assert_allclose(out.array, want, rtol=1e-5)


def test_zeros_of_either_sign_differ() -> None:
    bodies = [lambda x, z=z: x * z for z in (0.0, -0.0, 0.0)]

    def program(x: Any) -> list[Any]:
        return [_scan(body, x) for body in bodies]

    outs = jax.jit(quaxify(program))(Counted(jnp.ones(1, "float32")))
    assert [bool(np.signbit(out.array)) for out in outs] == [False, False, False]
    outs = jax.jit(quaxify(lambda x: [_remat(b, x) for b in bodies]))(
        Counted(jnp.ones(1, "float32"))
    )
    assert [bool(np.signbit(out.array)) for out in outs] == [False, True, False]


def test_what_is_closed_over_is_each_programs_own() -> None:
    scales = [jnp.full(4, s, "float32") for s in (2.0, 5.0)]
    program = _layers(_scan, [lambda x, s=s: x * s for s in scales])
    out = jax.jit(quaxify(program))(Counted(jnp.asarray(X)))
    np.testing.assert_allclose(out.array, X * 100, rtol=1e-6)


def test_known_constants_keep_programs_apart() -> None:
    def program(x: Any) -> Any:
        constants = jnp.zeros(4, "float32"), jnp.ones(4, "float32")
        return [lax.cond(True, lambda x, y: x + y, lambda x, y: x, x, y) for y in constants]

    zero, one = jax.jit(quaxify(program))(Counted(jnp.asarray(X)))
    np.testing.assert_array_equal(zero.array, X)
    np.testing.assert_array_equal(one.array, X + 1)
    assert calls == ["nothing", "add"]


def test_precision_in_force_keeps_programs_apart() -> None:
    def program(x: Any) -> Any:
        y = _scan(lambda c: x @ c, jnp.ones(4, "float32"))
        with jax.default_matmul_precision("highest"):
            return y + _scan(lambda c: x @ c, jnp.ones(4, "float32"))

    jax.make_jaxpr(quaxify(program))(Counted(jnp.eye(4)))
    assert len(calls) == 2
    assert "HIGHEST" not in calls[0]
    assert "HIGHEST" in calls[1]


def test_the_policy_in_force_keeps_programs_apart() -> None:
    def program(x: Any) -> Any:
        with materialization("allow"):
            y = _scan(lambda c: jnp.cos(c), x)
        with materialization("warn"):
            return y, _scan(lambda c: jnp.cos(c), x)

    with pytest.warns(match="Counted"):
        jax.make_jaxpr(quaxify(program))(Counted(jnp.asarray(X)))


def test_each_of_several_warns() -> None:
    def program(x: Any) -> Any:
        first = lax.scan(lambda c, _: (jnp.cos(c), None), x, None, length=2)
        second = lax.scan(lambda c, _: (jnp.cos(c), None), x, None, length=2)
        return first, second

    with materialization("warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jax.make_jaxpr(quaxify(program))(Counted(jnp.asarray(X)))
    first, second = sorted({w.lineno for w in caught})
    assert second == first + 1


def test_gradients_of_layers_that_are_alike() -> None:
    def loss(x: Any) -> Any:
        for run, _, _ in RUN.values():
            if run is not _while:
                for _ in range(2):
                    x = run(lambda x: jnp.sin(x) * 2, x)
        return jnp.sum(x)

    want = jax.grad(loss)(jnp.asarray(X))
    with materialization("allow"):
        outside = jax.grad(quaxify(loss))(Counted(jnp.asarray(X)))
        inner = quaxify(jax.grad(loss))(Counted(jnp.asarray(X)))
    np.testing.assert_allclose(outside.array, want, rtol=1e-5)
    np.testing.assert_allclose(getattr(inner, "array", inner), want, rtol=1e-5)


def test_nothing_is_kept_when_the_program_has_ended() -> None:
    jax.make_jaxpr(quaxify(_layers(_scan, [jnp.sin, jnp.sin])))(Counted(jnp.asarray(X)))
    assert not inside.kept

    def failing(x: Any) -> Any:
        _scan(jnp.sin, x)
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        jax.make_jaxpr(quaxify(failing))(Counted(jnp.asarray(X)))
    assert not inside.kept
