"""What is compiled: the operations of LoRA written by hand, once."""

import collections
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from jax import lax

from duckarray.core import quaxify
from duckarray.lora import LoraArray, loraify

M, N, R = 24, 16, 3
ONE = (jnp.ones((M, N)), jnp.ones((M, R)), jnp.ones((R, N)), jnp.asarray(0.5))
STACK = tuple(jnp.ones((4, *s)) for s in ((N, N), (N, R), (R, N), ()))

PAIRS = {
    "x @ w": (
        lambda w, x: x @ w,
        lambda w, a, b, s, x: x @ w + (s * (x @ a)) @ b,
        (ONE, jnp.ones((8, M))),
    ),
    "vector @ w": (
        lambda w, x: x @ w,
        lambda w, a, b, s, x: x @ w + (s * (x @ a)) @ b,
        (ONE, jnp.ones(M)),
    ),
    "w @ x": (
        lambda w, x: w @ x,
        lambda w, a, b, s, x: w @ x + a @ (s * (b @ x)),
        (ONE, jnp.ones((N, 8))),
    ),
    "x @ w.T": (
        lambda w, x: x @ w.T,
        lambda w, a, b, s, x: x @ w.T + (s * (x @ b.T)) @ a.T,
        (ONE, jnp.ones((8, N))),
    ),
    "vmap": (
        lambda w, x: jax.vmap(lambda x: w @ x)(x),
        lambda w, a, b, s, x: jax.vmap(lambda x: w @ x + a @ (s * (b @ x)))(x),
        (ONE, jnp.ones((8, N))),
    ),
    "embedding": (
        lambda w, i: w[i],
        lambda w, a, b, s, i: w[i] + (s * a[i]) @ b,
        (ONE, jnp.arange(5)),
    ),
    "scan": (
        lambda w, x: lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, w)[0],
        lambda w, a, b, s, x: lax.scan(
            lambda x, p: (jnp.tanh(x @ p[0] + (p[3] * (x @ p[1])) @ p[2]), None), x, (w, a, b, s)
        )[0],
        (STACK, jnp.ones((8, N))),
    ),
}


def operations(fn, *args):
    text = jax.jit(fn).lower(*args).compile().as_text()
    found = re.findall(
        r"^\s*(?:ROOT )?%?\S+ = (\S+?)(?:\{\S*)? ([a-z][\w-]*)\(", text, re.MULTILINE
    )
    return collections.Counter(found)


def programs(name):
    program, by_hand, ((w, a, b, s), x) = PAIRS[name]
    return (
        lambda w, a, b, s, x: quaxify(program)(LoraArray(w, a, b, s), x),
        by_hand,
        (w, a, b, s, x),
    )


@pytest.mark.parametrize("name", PAIRS)
def test_the_compiled_program_is_the_one_written_by_hand(name):
    ours, by_hand, args = programs(name)
    assert operations(ours, *args) == operations(by_hand, *args)


@pytest.mark.parametrize("name", [n for n in PAIRS if n != "embedding"])
def test_the_compiled_gradient_is_the_one_written_by_hand(name):
    ours, by_hand, args = programs(name)

    def gradient(fn):
        def loss(a, b, w, s, x):
            return jnp.sum(jnp.sin(fn(w, a, b, s, x)))

        return jax.grad(loss, (0, 1, 4))

    w, a, b, s, x = args
    args = (a, b, w, s, x)
    assert operations(gradient(ours), *args) == operations(gradient(by_hand), *args)


@pytest.mark.parametrize("name", ["x @ w", "w @ x", "x @ w.T"])
def test_the_weight_is_not_transposed_and_no_dense_update_is_built(name):
    ours, _, args = programs(name)
    assert not {
        op for (shape, op) in operations(ours, *args) if shape in ("f32[24,16]", "f32[16,24]")
    } - {"parameter"}


def test_a_model_is_traced_once_for_all_scales():
    model = loraify(eqx.nn.MLP(4, 4, 8, 2, key=jax.random.key(0)), rank=2, key=jax.random.key(0))
    count = 0

    @eqx.filter_jit
    def run(model, x):
        nonlocal count
        count += 1
        return quaxify(model)(x)

    for scale in (0.5, 1.0, 2.0):
        model = eqx.tree_at(lambda m: m.layers[0].weight.scale, model, jnp.asarray(scale))
        run(model, jnp.ones(4))
    assert count == 1
