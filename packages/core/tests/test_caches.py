"""What is kept for programs that no longer exist is forgotten."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
from _core_types import Box

from duckarray.core import _lift, _recognise, _small_jit, quaxify
from duckarray.core._rules import kept


def entries():
    """How much is kept: rewritten programs, what is known of them, and jaxprs looked into."""
    kinds = (kept._cache, kept._asked, _lift._contains, _small_jit._small_jits, _recognise._found)
    return list(map(len, kinds))


def test_many_functions_leave_nothing_behind():
    box = Box(jnp.arange(3.0))

    def run(n):
        for i in range(n):
            # A function of its own each time, called on a value and on an array.
            f = jax.jit(lambda x, i=i: jax.lax.mul(x, float(i)))
            last = quaxify(lambda x, f=f: (f(x), f(jnp.ones(3))))
            jax.eval_shape(last, box)
        return quaxify(f)(box)

    run(10)
    gc.collect()
    before = entries()
    got = run(60)
    np.testing.assert_allclose(got.array, 59 * np.arange(3.0))
    del got
    gc.collect()
    grown = [after - b for after, b in zip(entries(), before, strict=True)]
    assert max(grown) <= 3


def test_ten_calls_trace_a_function_once():
    traced = []

    @jax.jit
    def f(x):
        traced.append(1)
        return x * 2.0

    box = Box(jnp.arange(3.0))
    for _ in range(10):
        got = quaxify(f)(box)
    assert len(traced) == 1
    np.testing.assert_allclose(got.array, 2 * np.arange(3.0))
