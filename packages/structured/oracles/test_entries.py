"""Each entry of the closure table: in a batch, compiled, under `vmap`, and differentiated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _entries import ENTRIES, NUMPY, TYPES, batch, published, require, values

from duckarray.core import materialization, materialize, quaxify
from duckarray.structured import Structured
from duckarray.structured._table import OPERATIONS

LEFT = pytest.mark.parametrize("left", TYPES)
_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


@pytest.fixture(scope="module")
def table():
    return published()


@pytest.fixture(autouse=True)
def _what_is_dense_may_be():
    with materialization("allow"):
        yield


def _together(x, ys):
    return [quaxify(OPERATIONS[o])(x, ys[r]) for o, r in ENTRIES]


_WAYS = {
    "batched and compiled": (_together, True),
    "mapped": (jax.vmap(_together), True),
    "mapped over the left": (jax.vmap(_together, in_axes=(0, None)), False),
    "mapped over the right": (jax.vmap(_together, in_axes=(None, 0)), None),
}


@LEFT
@pytest.mark.parametrize("way", list(_WAYS))
def test_it_has_its_type_and_value(table, left, way):
    run, both = _WAYS[way]
    x = values(0)[left] if both is None else batch(0, 1)[left]
    ys = values(2) if both is False else batch(2, 3)
    outs = jax.jit(run, compiler_options=_QUICKLY)(x, ys)
    a = np.asarray(materialize(x), np.float64)
    for (o, r), got in zip(ENTRIES, outs, strict=True):
        b = np.asarray(materialize(ys[r]), np.float64)
        want = NUMPY[o](*np.broadcast_arrays(a, b))
        require(got, table[left, o, r], want, (o, r))


@LEFT
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_it_has_the_derivative_of_the_dense_one(table, left, mode):
    x, ys = values(0)[left], values(2)
    weights = jnp.asarray(np.random.default_rng(6).normal(size=(4, 4)), jnp.float32)

    def terms(run, change, given):
        x, ys = given
        outs = [run(OPERATIONS[o])(change(x), change(ys[r])) for o, r in ENTRIES]
        for (o, r), out in zip(ENTRIES, outs, strict=True):
            kind = type(out).__name__ if isinstance(out, Structured) else "dense"
            assert change is materialize or kind == table[left, o, r], (o, r, kind)
        return [jnp.sum(jnp.sin(materialize(out)) * weights) for out in outs]

    def derivatives(run, change):
        leaves, structure = jax.tree.flatten((x, ys))
        floating = [i for i, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.inexact)]

        def of(*changed):
            every = list(leaves)
            for i, leaf in zip(floating, changed, strict=True):
                every[i] = leaf
            return terms(run, change, structure.unflatten(every))

        at = [leaves[i] for i in floating]
        if mode == "forward":
            by = jax.tree.leaves((values(4)[left], values(5)))
            return jax.jit(lambda *a: jax.jvp(of, a, tuple(by[i] for i in floating))[1])(*at)
        return jax.jit(lambda *a: jax.vjp(of, *a)[1](_cotangents()))(*at)

    def _cotangents():
        return [jnp.float32(0.5 + i / len(ENTRIES)) for i in range(len(ENTRIES))]

    got, want = derivatives(quaxify, lambda v: v), derivatives(lambda f: f, materialize)
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        where = ENTRIES[i] if mode == "forward" else i
        np.testing.assert_allclose(g, w, rtol=2e-3, atol=2e-3, err_msg=str(where))
