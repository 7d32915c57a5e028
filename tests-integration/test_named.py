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
    hidden = quaxify(jax.nn.relu)(n.dot(x, p["up"], over="d"))
    return x + n.dot(hidden, p["down"], over="hidden")


def by_hand(p, x):
    """The same by position."""
    q, k, v = (jnp.einsum("bsd,dhe->bshe", x, p[name]) for name in "qkv")
    weights = jax.nn.softmax(jnp.einsum("bshe,bkhe->bhsk", q, k), axis=-1)
    mixed = jnp.einsum("bhsk,bkhe->bhse", weights, v)
    x = x + jnp.einsum("bhse,hed->bsd", mixed, p["o"])
    return x + jax.nn.relu(x @ p["up"]) @ p["down"]


def plain(tree):
    return jax.tree.map(lambda x: x.array, tree, is_leaf=lambda x: isinstance(x, NamedArray))


@pytest.fixture
def x():
    return NamedArray(jax.random.normal(jax.random.key(1), (B, S, D)), "batch s d")


def equations(program, *args):
    """The primitives of a program and of those within it, and the shapes they give."""

    def each(jaxpr):
        for eqn in jaxpr.eqns:
            inner = [getattr(p, "jaxpr", p) for p in eqn.params.values() if hasattr(p, "eqns")]
            if not inner:
                yield eqn.primitive.name, tuple(v.aval.shape for v in eqn.outvars)
            for part in inner:
                yield from each(part)

    return list(each(jax.make_jaxpr(program)(*args).jaxpr))


def test_a_block_written_with_names_is_the_one_by_hand(x):
    p = parameters()
    got = jax.jit(block)(p, x)
    assert got.dims == x.dims
    np.testing.assert_allclose(got.array, by_hand(plain(p), x.array), rtol=1e-5, atol=1e-5)
    assert equations(block, p, x) == equations(by_hand, plain(p), x.array)


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


def tagged(layers):
    """The parameters of layers with names, which the layers know nothing of."""
    names = {
        "query_proj.weight": "heads d",
        "key_proj.weight": "heads d",
        "value_proj.weight": "heads d",
        "output_proj.weight": "d heads",
        "mlp.layers[0].weight": "hidden d",
        "mlp.layers[0].bias": "hidden",
        "mlp.layers[1].weight": "d hidden",
        "mlp.layers[1].bias": "d",
        "norm.weight": "d",
        "norm.bias": "d",
    }

    def tag(path, leaf):
        where = jax.tree_util.keystr(path)
        found = [dims for name, dims in names.items() if where.endswith(f".{name}")]
        return NamedArray(leaf, found[0]) if found and eqx.is_array(leaf) else leaf

    return jax.tree_util.tree_map_with_path(tag, layers)


class Layers(eqx.Module):
    """A transformer block of Equinox."""

    norm: eqx.nn.LayerNorm
    attention: eqx.nn.MultiheadAttention
    mlp: eqx.nn.MLP

    def __init__(self):
        keys = jax.random.split(jax.random.key(2), 2)
        self.norm = eqx.nn.LayerNorm(D)
        self.attention = eqx.nn.MultiheadAttention(H, D, key=keys[0])
        self.mlp = eqx.nn.MLP(D, D, K, 1, key=keys[1])

    def __call__(self, x):
        y = jax.vmap(jax.vmap(self.norm))(x)
        x = x + jax.vmap(lambda s: self.attention(s, s, s))(y)
        return x + jax.vmap(jax.vmap(self.mlp))(x)


def test_layers_that_know_no_names_keep_them(x):
    layers = Layers()
    with materialization("error"):
        got = jax.jit(quaxify(layers.__call__))(x)
    assert got.dims == x.dims
    np.testing.assert_allclose(got.array, jax.jit(layers.__call__)(x.array), rtol=1e-5, atol=1e-5)


@pytest.fixture
def mesh():
    devices = jax.devices()
    if len(devices) < 4:
        pytest.skip("fewer than four devices, which another package's tests have asked for")
    auto = (jax.sharding.AxisType.Auto,) * 2
    return jax.make_mesh((2, 2), ("data", "model"), axis_types=auto, devices=devices[:4])


RULES = {"batch": "data", "h": "model", "hidden": "model", "heads": "model"}


def test_layers_with_tagged_parameters_are_placed_by_the_names(x, mesh):
    layers = Layers()
    model = n.shard(tagged(layers), RULES, mesh)
    assert model.attention.query_proj.weight.array.sharding.spec == jax.P("model", None)
    assert model.mlp.layers[1].weight.array.sharding.spec == jax.P(None, "model")
    # Of each parameter that is split a device holds a half.
    shards = model.mlp.layers[0].weight.array.addressable_shards
    assert {s.data.shape for s in shards} == {(K // 2, D)}
    assert len(shards) == 4
    arrays, static = eqx.partition(model, eqx.is_array)
    run = jax.jit(lambda arrays, x: quaxify(eqx.combine(arrays, static).__call__)(x))
    compiled = run.lower(arrays, n.shard(x, RULES, mesh)).compile()
    got = compiled(arrays, n.shard(x, RULES, mesh))
    assert got.dims == x.dims
    np.testing.assert_allclose(got.array, jax.jit(layers.__call__)(x.array), rtol=1e-5, atol=1e-5)
    assert got.array.sharding.is_equivalent_to(
        jax.NamedSharding(mesh, jax.P("data", None, None)), ndim=3
    )
    text = compiled.as_text()
    assert "all-reduce" in text  # of the heads and of the hidden units, on different devices
    assert f"f32[{K // 2},{D}]" in text
    assert f"f32[{K},{D}]" not in text


def test_a_block_written_with_names_is_placed_by_them(x, mesh):
    p = n.shard(parameters(), RULES, mesh)
    assert p["q"].array.sharding.spec == jax.P(None, "model", None)
    assert p["down"].array.sharding.spec == jax.P("model", None)
    compiled = jax.jit(block).lower(p, n.shard(x, RULES, mesh)).compile()
    got = compiled(p, n.shard(x, RULES, mesh))
    np.testing.assert_allclose(
        got.array, by_hand(plain(parameters()), x.array), rtol=1e-5, atol=1e-5
    )
    text = compiled.as_text()
    assert "all-reduce" in text
    assert f"f32[{D},{K // 2}]" in text
    assert f"f32[{D},{K}]" not in text


def test_a_data_set_of_xarray_goes_through_jit_and_grad_and_back():
    xarray = pytest.importorskip("xarray")
    random = np.random.default_rng(0)
    heat = random.normal(size=(3, 4, 5)).astype(np.float32)
    data = xarray.Dataset(
        {"heat": (("time", "lat", "lon"), heat), "area": (("lat",), np.float32([1, 2, 2, 1]))},
        coords={"lon": np.arange(5)},
    )
    arrays = n.from_xarray(data)

    def warming(heat, area):
        """How much warmer it gets on average, by area."""
        mean = n.dot(heat, area, over="lat").mean("lon") / area.sum("lat")
        return (mean.isel(time=-1) - mean.isel(time=0)).sum()

    slope = jax.jit(n.grad(warming))(arrays["heat"], arrays["area"])
    back = n.to_xarray(slope, {"lon": np.arange(5)})
    weights = data["area"] / data["area"].sum() / 5
    want = xarray.zeros_like(data["heat"])
    want[{"time": -1}], want[{"time": 0}] = weights, -weights
    assert back.dims == ("time", "lat", "lon")
    xarray.testing.assert_allclose(back, want.assign_coords(lon=np.arange(5)), rtol=1e-5)
