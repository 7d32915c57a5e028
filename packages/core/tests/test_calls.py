"""Calls without parameters of their own: `closed_call`, which is `eval_jaxpr` from JAX 0.11 on, and
`core_call`, which JAX 0.10 still has."""

import jax
import jax.numpy as jnp
import pytest
from _core_checks import assert_same, gradients_agree
from _core_types import Box, Doubled, dense, make_lowrank, matrix
from jax.extend.core import primitives

from duckarray.core import materialization, quaxify

Y = matrix(7)


def called(call, f, operands, closed):
    """The call of `f`, traced for matrices, by a primitive that JAX's own transforms make."""
    program = jax.make_jaxpr(lambda *xs: [f(*xs)])(*[Y] * len(operands))
    params = {"call_jaxpr": program if closed else program.jaxpr}
    return call.bind(*operands, **call.get_bind_params(params))[0]


def closed_call(f, *operands):
    return called(primitives.closed_call_p, f, operands, closed=True)


def core_call(f, *operands):
    return called(primitives.call_p, f, operands, closed=False)


gone = pytest.mark.skipif(
    primitives.call_p is primitives.closed_call_p,
    reason="from JAX 0.11 on there is no core_call: call_p is another name of eval_jaxpr",
)
CALLS = [closed_call, pytest.param(core_call, marks=gone)]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_agrees_and_is_differentiated(call):
    program = lambda x: call(lambda x, y: jnp.sin(x) * y, x, Y)
    x = Doubled(matrix())
    assert_same(quaxify(program)(x), jnp.sin(dense(x)) * Y)
    gradients_agree(program, x)


@pytest.mark.parametrize("call", CALLS)
def test_values_stay_values_in_a_call(call):
    w = make_lowrank()
    program = lambda w: call(lambda w, y: w.T @ (w @ y), w, Y)
    with materialization("error"):
        got = jax.jit(quaxify(program))(w)
        kept = quaxify(lambda x: call(lambda x: -x, x))(Box(Y, "s"))
    assert_same(got, dense(w).T @ (dense(w) @ Y), rtol=1e-4)
    assert isinstance(kept, Box)
    assert kept.tag == "s"
    assert_same(kept.array, -Y)


@pytest.mark.long
@pytest.mark.parametrize("call", CALLS)
def test_a_call_in_a_loop_and_under_vmap_agrees(call):
    turn = lambda c: call(lambda c, y: jnp.sin(c) @ y, c, Y)
    program = lambda x: jax.lax.fori_loop(0, 2, lambda i, c: turn(c), x)
    x = Doubled(matrix())
    assert_same(jax.jit(quaxify(program))(x), program(dense(x)))
    rows = lambda x: jax.vmap(turn)(jnp.stack([x, 2.0 * x]))
    assert_same(jax.jit(quaxify(rows))(x), rows(dense(x)))
