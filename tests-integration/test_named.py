"""Names from input to loss: a block written with them, layers that know nothing of them, a mesh."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.named as n
from duckarray.core import materialization, quaxify
from duckarray.named import NamedArray

B, S, D, H, K = 4, 6, 8, 2, 16
SHAPES = {
    "q": ("d h dh", (D, H, D // H)),
    "k": ("d h dh", (D, H, D // H)),
    "v": ("d h dh", (D, H, D // H)),
    "o": ("h dh d", (H, D // H, D)),
    "up": ("d hidden", (D, K)),
    "down": ("hidden d", (K, D)),
}


def parameters():
    keys = jax.random.split(jax.random.key(0), len(SHAPES))
    return {
        name: NamedArray(0.3 * jax.random.normal(key, shape), dims)
        for key, (name, (dims, shape)) in zip(keys, SHAPES.items(), strict=True)
    }


def block(p, x):
    """A transformer block written with names."""
    q = n.dot(x, p["q"], over="d", out="batch s h dh")
    k = n.dot(x, p["k"], over="d", out="batch s h dh").rename(s="key")
    v = n.dot(x, p["v"], over="d", out="batch s h dh").rename(s="key")
    weights = n.softmax(n.dot(q, k, over="dh", out="batch h s key"), "key")
    mixed = n.dot(weights, v, over="key", out="batch h s dh")
    x = x + n.dot(mixed, p["o"], over="h dh", out="batch s d")
    return x + n.dot(n.dot(x, p["up"], over="d") * 1.0, p["down"], over="hidden")


def by_hand(p, x):
    """The same by position."""
    q, k, v = (jnp.einsum("bsd,dhe->bshe", x, p[name]) for name in "qkv")
    weights = jax.nn.softmax(jnp.einsum("bshe,bkhe->bhsk", q, k), axis=-1)
    mixed = jnp.einsum("bhsk,bkhe->bhse", weights, v)
    x = x + jnp.einsum("bhse,hed->bsd", mixed, p["o"])
    return x + (x @ p["up"]) * 1.0 @ p["down"]


def plain(tree):
    return jax.tree.map(lambda x: x.array, tree, is_leaf=lambda x: isinstance(x, NamedArray))


@pytest.fixture
def x():
    return NamedArray(jax.random.normal(jax.random.key(1), (B, S, D)), "batch s d")


def test_a_block_written_with_names_is_the_one_by_hand(x):
    p = parameters()
    got = jax.jit(block)(p, x)
    assert got.dims == x.dims
    np.testing.assert_allclose(got.array, by_hand(plain(p), x.array), rtol=1e-5, atol=1e-5)

    def products(program, *args):
        equations = jax.make_jaxpr(program)(*args).jaxpr.eqns
        names = [e.primitive.name for e in equations]
        return names.count("dot_general"), names.count("transpose")

    count, transposes = products(block, p, x)
    assert (count, transposes) == (8, 0)
    flops = [
        jax.jit(f).lower(*args).compile().cost_analysis()["flops"]
        for f, args in ((block, (p, x)), (by_hand, (plain(p), x.array)))
    ]
    assert flops[0] == pytest.approx(flops[1], rel=0.01)


def test_it_is_trained(x):
    target = NamedArray(jnp.sin(x.array), "batch s d")

    def loss(p):
        return ((block(p, x) - target) ** 2).mean()

    @jax.jit
    def step(p):
        value, gradient = n.value_and_grad(loss)(p)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, p, gradient)

    p = parameters()
    first, p = step(p)
    for _ in range(30):
        last, p = step(p)
    assert last < first / 2
    assert {name: w.dims for name, w in p.items()} == {
        name: tuple(dims.split()) for name, (dims, _) in SHAPES.items()
    }


def test_layers_that_know_no_names_keep_them(x):
    keys = jax.random.split(jax.random.key(2), 2)
    attention = eqx.nn.MultiheadAttention(H, D, key=keys[0])
    mlp, norm = eqx.nn.MLP(D, D, K, 1, key=keys[1]), eqx.nn.LayerNorm(D)

    def layers(x):
        y = jax.vmap(jax.vmap(norm))(x)
        x = x + jax.vmap(lambda s: attention(s, s, s))(y)
        return x + jax.vmap(jax.vmap(mlp))(x)

    with materialization("error"):
        got = quaxify(layers)(x)
    assert got.dims == x.dims
    np.testing.assert_allclose(got.array, layers(x.array), rtol=1e-5, atol=1e-5)


def test_a_tagged_model_is_placed_by_the_names(x):
    devices = jax.devices()
    if len(devices) < 2:
        pytest.skip("one device only, nothing to split over")
    mesh = jax.make_mesh(
        (2,), ("model",), axis_types=(jax.sharding.AxisType.Auto,), devices=devices[:2]
    )
    p = n.shard(parameters(), {"h": "model", "hidden": "model"}, mesh)
    assert p["q"].array.sharding.spec == jax.P(None, "model", None)
    assert p["down"].array.sharding.spec == jax.P("model", None)
    got = jax.jit(block)(p, n.shard(x, {}, mesh))
    np.testing.assert_allclose(
        got.array, by_hand(plain(parameters()), x.array), rtol=1e-5, atol=1e-5
    )
    text = jax.jit(block).lower(p, n.shard(x, {}, mesh)).compile().as_text()
    assert "all-reduce" in text  # of the heads, which are on different devices
