"""`shard_map` and `pmap` on the two devices that the tests' configuration makes."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_types import Box, Doubled, Length, LowRank, Opaque, Quantized, Zero, dense
from jax import lax, shard_map
from jax.sharding import AxisType, NamedSharding, auto_axes, reshard
from jax.sharding import PartitionSpec as P
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, field, materialization, materialize, quaxify, register

X = jnp.arange(8.0).reshape(4, 2)
W = jnp.arange(4.0).reshape(2, 2) - 1.0


@pytest.fixture(scope="module")
def mesh():
    return jax.make_mesh((2,), ("i",), axis_types=(AxisType.Auto,))


@pytest.fixture(params=[False, True], ids=["eager", "jit"])
def run(request):
    """`quaxify`, jitted or not."""
    return (lambda f: jax.jit(quaxify(f))) if request.param else quaxify


VALUES = {
    "doubled": lambda x: Doubled(x),
    "box": lambda x: Box(x, "s"),
    "length": lambda x: Length(x, 0.5),
    "low rank": lambda x: LowRank(x, jnp.ones((*x.shape[:-1], 1)), jnp.ones((1, x.shape[-1]))),
    "zero": lambda x: Zero(jnp.zeros((*x.shape, 0), x.dtype)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_replicated_value_reaches_each_device(kind, mesh):
    w = VALUES[kind](W)
    program = shard_map(lambda w, x: x @ w, mesh=mesh, in_specs=(P(), P("i")), out_specs=P("i"))
    assert_same(jax.jit(quaxify(program))(w, X), np.asarray(X) @ np.asarray(dense(w)))


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("spec", [P("i"), P("i", None), P(None, "i")], ids=str)
def test_a_split_value_is_split_as_its_array(kind, spec, mesh):
    x = VALUES[kind](X)
    program = shard_map(lambda x: jnp.cumsum(x, 0), mesh=mesh, in_specs=spec, out_specs=spec)
    assert_same(jax.jit(quaxify(program))(x), program(dense(x)))


def test_a_thin_value_that_is_split_is_not_made_dense(mesh, run):
    x = Box(X, "s")

    @partial(shard_map, mesh=mesh, in_specs=P("i"), out_specs=P())
    def program(x):
        with materialization("error"):
            return lax.psum(jnp.zeros(()), "i") + jnp.float32(len((x * 2.0).shape))

    np.testing.assert_allclose(run(program)(x), 2.0)


def test_the_rules_run_on_each_device(mesh):
    w = LowRank(W, jnp.ones((2, 1)), jnp.ones((1, 2)))

    @partial(shard_map, mesh=mesh, in_specs=(P(), P("i")), out_specs=P("i"))
    def program(w, x):
        with materialization("error"):
            return x @ w

    got = jax.jit(quaxify(program))(w, X)
    np.testing.assert_allclose(got, np.asarray(X) @ (np.asarray(W) + 1), rtol=1e-6)


@pytest.mark.parametrize("kind", VALUES)
def test_psum_adds_over_the_devices(kind, mesh):
    x = VALUES[kind](X)
    program = shard_map(lambda x: lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
    array = np.asarray(dense(x))
    assert_same(jax.jit(quaxify(program))(x), array[:2] + array[2:])


def test_the_index_of_the_device_is_seen(mesh, run):
    @partial(shard_map, mesh=mesh, in_specs=P(), out_specs=P("i"))
    def program(w):
        return w[lax.axis_index("i")][None]

    assert_same(run(program)(Doubled(W)), 2 * W)


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_closed_over_is_replicated(kind, mesh):
    w = VALUES[kind](W)

    def program(w, x):
        return shard_map(lambda x: x @ w, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(x)

    assert_same(jax.jit(quaxify(program))(w, X), np.asarray(X) @ np.asarray(dense(w)))


def test_a_value_that_nobody_passed_is_replicated(mesh, run):
    w = Doubled(W)
    program = shard_map(lambda x: jnp.matmul(x, w), mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    assert_same(run(program)(X), 2 * np.asarray(X) @ np.asarray(W))


@pytest.mark.parametrize("spec", [P("i"), P()], ids=str)
def test_a_value_made_inside_is_returned_as_it_is(spec, mesh, run):
    program = shard_map(
        lambda x: jnp.multiply(Box(x, "s"), 3.0), mesh=mesh, in_specs=spec, out_specs=spec
    )
    with materialization("error"):
        got = run(program)(X)
    assert isinstance(got, Box)
    assert got.tag == "s"
    np.testing.assert_allclose(got.array, 3 * X)


def test_values_of_other_leaves_than_went_in_are_returned(mesh, run):
    program = shard_map(
        lambda w, x: (x, w, 2 * x),
        mesh=mesh,
        in_specs=(P(), P("i")),
        out_specs=(P("i"), P(), P("i")),
    )
    w = LowRank(W, jnp.ones((2, 1)), jnp.ones((1, 2)))
    with materialization("error"):
        first, second, third = run(program)(w, X)
    assert isinstance(second, LowRank)
    assert_same((first, second, third), (np.asarray(X), dense(w), 2 * np.asarray(X)))


def test_a_value_whose_leaves_are_not_split_is_returned_in_parts_rather_than_refused(mesh, run):
    def scaled(x):
        return jnp.copy(Quantized(x.astype(jnp.int8), 0.5 + jnp.sum(x[:1, 0])))

    program = shard_map(scaled, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    with materialization("error"):
        got = run(program)(X)
        assert got.shape == (4, 2)
        assert got.dtype == jnp.float32
    want = np.concatenate([0.5 * X[:2], 4.5 * X[2:]])
    np.testing.assert_allclose(materialize(got), want)
    with materialization("allow"):
        assert isinstance(run(program)(X), jax.Array)
        np.testing.assert_allclose(run(program)(X), want)
        np.testing.assert_allclose(run(lambda x: program(x) + 1.0)(X), want + 1)


def test_a_value_that_refuses_to_be_dense_is_not_split_along_another_axis(mesh):
    program = shard_map(
        lambda x: -x, mesh=mesh, in_specs=P(), out_specs=P(None, "i"), check_vma=False
    )
    with pytest.raises(TypeError, match="Opaque"), materialization("allow"):
        quaxify(program)(Opaque(X))


@pytest.mark.usefixtures("own_rules")
@pytest.mark.parametrize("closed_over", [False, True])
@pytest.mark.parametrize("argument", [0, 1])
def test_a_gradient_inside_keeps_a_weight_that_is_not_to_be_dense(argument, closed_over, mesh, run):
    @register("dot_general")
    def _dot_general_dense_weight(x: ArrayLike, w: LowRank, *, dimension_numbers, **params):
        """`x w = x w₀ + (x a) b`, and `x wᵀ = x w₀ᵀ + (x bᵀ) aᵀ`."""
        if dimension_numbers == (((1,), (1,)), ((), ())):
            return x @ w.w.T + (x @ w.b.T) @ w.a.T
        assert dimension_numbers == (((1,), (0,)), ((), ()))
        return x @ w.w + (x @ w.a) @ w.b

    def loss(w, x):
        def local(w, x):
            return jnp.tanh(x @ w) ** 2

        if closed_over:
            return jnp.sum(
                shard_map(lambda x: local(w, x), mesh=mesh, in_specs=P("i"), out_specs=P("i"))(x)
            )
        specs = (P(), P("i"))
        return jnp.sum(shard_map(local, mesh=mesh, in_specs=specs, out_specs=P("i"))(w, x))

    w = LowRank(0.1 * W, jnp.full((2, 1), 0.2), jnp.ones((1, 2)))
    x = 0.1 * X
    with materialization("error"):
        got = run(jax.grad(loss, argument))(w, x)
    weight = np.asarray(dense(w))
    y = np.tanh(np.asarray(x) @ weight)
    slope = 2 * y * (1 - y**2)
    want = slope @ weight.T if argument else np.asarray(x).T @ slope
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_the_gradient_inside_is_that_of_the_array(mesh, run):
    def program(w, x):
        def loss(w):
            mapped = shard_map(
                lambda w, x: lax.psum(jnp.sum((x @ w) ** 2), "i"),
                mesh=mesh,
                in_specs=(P(), P("i")),
                out_specs=P(),
            )
            return mapped(w, x)

        return jax.grad(loss)(w)

    x, w = np.asarray(X), 2 * np.asarray(W)
    np.testing.assert_allclose(run(program)(Doubled(W), X), 2 * x.T @ x @ w, rtol=1e-5)


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_the_gradient_outside_is_that_of_the_leaves(jitted, mesh):
    program = shard_map(
        lambda w, x: lax.psum(jnp.sum((x @ w) ** 2), "i"),
        mesh=mesh,
        in_specs=(P(), P("i")),
        out_specs=P(),
    )
    gradient = jax.grad(quaxify(program))
    got = (jax.jit(gradient) if jitted else gradient)(Doubled(W), X)
    x, w = np.asarray(X), 2 * np.asarray(W)
    assert isinstance(got, Doubled)
    np.testing.assert_allclose(got.half, 2 * 2 * x.T @ x @ w, rtol=1e-5)


def test_a_gradient_may_be_taken_on_each_device(mesh, run):
    @partial(shard_map, mesh=mesh, in_specs=(P(), P("i")), out_specs=P("i"))
    def program(w, x):
        return jax.grad(lambda x: jnp.sum((x @ w) ** 2))(x)

    x, w = np.asarray(X), 2 * np.asarray(W)
    np.testing.assert_allclose(run(program)(Doubled(W), X), 2 * x @ w @ w.T, rtol=1e-5)


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("make", [Doubled, Box, Opaque])
def test_quaxify_inside_takes_values_whose_leaves_are_split(make, jitted, mesh):
    program = shard_map(
        quaxify(lambda x: -x), mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False
    )
    got = (jax.jit(program) if jitted else program)(make(X))
    assert_same(got, -dense(make(X)))


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_quaxify_inside_maps_the_shape_of_zeros(jitted, mesh):
    program = shard_map(quaxify(lambda z, x: z + x), mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    got = (jax.jit(program) if jitted else program)(Zero(jnp.zeros((4, 2, 0))), X)
    np.testing.assert_allclose(got, X)


def test_a_loop_inside_settles_its_carry(mesh, run):
    @partial(shard_map, mesh=mesh, in_specs=(P("i"), P("i")), out_specs=P("i"))
    def program(z, x):
        return lax.fori_loop(0, 3, lambda i, c: c + x, z)

    assert_same(run(program)(Zero(jnp.zeros((4, 2, 0))), X), 3 * X)


def test_an_inner_jit_is_interpreted_on_each_device(mesh, run):
    inner = jax.jit(lambda w, x: jnp.tanh(x @ w))
    program = shard_map(inner, mesh=mesh, in_specs=(P(), P("i")), out_specs=P("i"))
    want = np.tanh(2 * np.asarray(X) @ np.asarray(W))
    np.testing.assert_allclose(run(program)(Doubled(W), X), want, rtol=1e-5)


def test_values_on_an_explicit_mesh_agree():
    mesh = jax.make_mesh((2,), ("i",), axis_types=(AxisType.Explicit,))
    with jax.set_mesh(mesh):
        x = jax.device_put(X, NamedSharding(mesh, P("i")))
        got = jax.jit(quaxify(lambda x: jnp.sin(x) + x))(Doubled(x))
        np.testing.assert_allclose(got, np.sin(2 * X) + 2 * X, rtol=1e-5)
        program = shard_map(lambda x: lax.psum(x, "i"), in_specs=P("i"), out_specs=P())
        summed = jax.jit(quaxify(program))(Doubled(x))
        np.testing.assert_allclose(summed, 2 * (X[:2] + X[2:]), rtol=1e-6)


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_is_split_anew_and_meets_axes_that_are_automatic(kind):
    mesh = jax.make_mesh((2,), ("i",), axis_types=(AxisType.Explicit,))

    def program(x):
        product = auto_axes(lambda x: jnp.sin(x) @ x.T, out_sharding=P("i", None))(x)
        return product, reshard(x, P(None, "i"))

    with jax.set_mesh(mesh):
        x = VALUES[kind](X)
        x = jax.tree.map(lambda y: jax.device_put(y, P("i")) if y.shape[0] == 4 else y, x)
        want = jax.jit(program)(jnp.asarray(dense(x)))
        product, split = jax.jit(quaxify(program))(x)
        assert_same((product, split), want)
        assert product.sharding.is_equivalent_to(want[0].sharding, 2)
        if kind in ("doubled", "box"):
            assert isinstance(split, Doubled | Box)
            (leaf,) = jax.tree.leaves(split)
            assert leaf.sharding.is_equivalent_to(want[1].sharding, 2)
        gradient = jax.jit(quaxify(jax.grad(lambda x: jnp.sum(program(x)[0]))))(x)
        assert_same(gradient, jax.jit(jax.grad(lambda x: jnp.sum(program(x)[0])))(dense(x)))


@pytest.mark.parametrize("kind", VALUES)
def test_pmap_agrees(kind):
    x = VALUES[kind](X.reshape(2, 2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        mapped = jax.pmap(lambda x: jnp.sin(x) - lax.pmean(x, "i"), axis_name="i")
        assert_same(quaxify(mapped)(x), mapped(dense(x)))


def test_pmap_takes_a_value_that_is_not_mapped():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        mapped = jax.pmap(lambda w, x: x @ w, in_axes=(None, 0))
        got = quaxify(mapped)(Doubled(W), X.reshape(2, 2, 2))
    np.testing.assert_allclose(np.reshape(got, (4, 2)), 2 * np.asarray(X) @ np.asarray(W))


def test_pmap_outside_maps_the_leaves():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        got = jax.pmap(quaxify(jnp.sin))(Doubled(X.reshape(2, 2, 2)))
    np.testing.assert_allclose(got, np.sin(2 * X).reshape(2, 2, 2), rtol=1e-5)


class Counted(ArrayValue):
    """An array that notes how many rows it has, and refuses to be of another number."""

    array: jax.Array
    rows: int = field(static=True)

    materialization = "allow"

    def materialize(self):
        assert self.array.shape[0] == self.rows
        return self.array

    def drop_leading(self):
        return self

    def resize_leading(self):
        return Counted(self.array, self.array.shape[0])


@pytest.mark.parametrize(
    "around", [lambda x: x, Box, lambda x: Box(Box(x))], ids=["itself", "inside", "deep inside"]
)
def test_a_value_is_told_that_a_device_has_fewer_of_its_entries(around, mesh, run):
    def local(x):
        assert x.shape == (2, 2)
        return x

    program = shard_map(local, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    got = run(program)(around(Counted(X, 4)))
    assert type(got) is type(around(Counted(X, 4)))
    assert got.shape == (4, 2)
    np.testing.assert_array_equal(np.asarray(materialize(got)), X)
