import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same
from _core_types import (
    Box,
    Doubled,
    LowRank,
    Opaque,
    Pair,
    Zero,
    dense,
    make_lowrank,
    matrix,
    numbers,
)

from duckarray.core import materialization, quaxify

pytestmark = pytest.mark.long

X = jnp.array([-1.0, 0.5, 2.0])


def loss(x):
    return jnp.sum(jnp.tanh(x @ x.T) * x)


INSIDE = {
    "grad": jax.grad(loss),
    "value_and_grad": jax.value_and_grad(loss),
    "has_aux": jax.grad(lambda x: (loss(x), x * 2.0), has_aux=True),
    "argnums": lambda x: jax.grad(lambda a, b: loss(a) + loss(a @ b), argnums=(0, 1))(x, x),
    "of a dense array": lambda x: jax.grad(lambda y: jnp.sum((x @ y) ** 2))(jnp.ones((3, 3))),
    "jvp": lambda x: jax.jvp(loss, (x,), (x,)),
    "vjp": lambda x: jax.vjp(jnp.sin, x)[1](x),
    "linearize": lambda x: jax.linearize(jnp.sin, x)[1](x),
    "linear_transpose": lambda x: jax.linear_transpose(lambda y: y @ jnp.ones((3, 2)), x)(
        jnp.ones((3, 2))
    ),
    "jacfwd": jax.jacfwd(lambda x: jnp.sin(x[0])),
    "jacrev": jax.jacrev(lambda x: jnp.sin(x[0])),
    "hessian": lambda x: jax.hessian(lambda r: jnp.sum(jnp.sin(r) ** 2))(x[1]),
    "grad of grad": jax.grad(lambda x: jnp.sum(jax.grad(loss)(x) ** 2)),
    "vmap": jax.vmap(lambda r: r * r.sum()),
    "vmap of axis 1": jax.vmap(lambda r: r * r.sum(), in_axes=1, out_axes=1),
    "vmap beside None": lambda x: jax.vmap(lambda r, y: (r @ y, y), (0, None), (0, None))(x, x),
    "vmap of None": lambda x: jax.vmap(lambda r, y: r @ y, (None, 0))(x, jnp.eye(3)),
    "vmap of a tree": lambda x: jax.vmap(lambda t: t["a"] + t["b"][0], ({"a": 0, "b": (1,)},))(
        {"a": x, "b": (x,)}
    ),
    "vmap of grad": jax.vmap(jax.grad(lambda r: jnp.sum(jnp.sin(r) ** 2))),
    "grad of vmap": jax.grad(lambda x: jnp.sum(jax.vmap(jnp.sin)(x) ** 2)),
    "vmap of vmap": jax.vmap(jax.vmap(lambda s: s * s)),
    "vmap of jit": jax.vmap(jax.jit(lambda r: jnp.cumsum(r))),
    "psum": jax.vmap(lambda r: r - jax.lax.pmean(r, "i"), axis_name="i"),
    "axis_size": lambda x: jax.vmap(lambda: x[0], axis_size=2)(),
}


@pytest.mark.parametrize("name", INSIDE)
def test_transforms_inside_agree(name, value):
    assert_same(quaxify(INSIDE[name])(value), INSIDE[name](dense(value)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "name", ["grad", "jvp", "jacfwd", "hessian", "vmap beside None", "vmap of grad"]
)
def test_transforms_inside_agree_under_jit(name):
    value = make_lowrank()
    got = jax.jit(quaxify(INSIDE[name]))(value)
    assert_same(got, INSIDE[name](dense(value)), rtol=1e-4, atol=1e-4)


def test_the_gradient_inside_is_that_of_the_array():
    got = quaxify(jax.grad(lambda x: jnp.sum(x**2)))(Doubled(X))
    assert isinstance(got, jax.Array)
    np.testing.assert_allclose(got, 4 * X)


@pytest.mark.parametrize("jitted", [False, True])
def test_the_gradient_outside_is_that_of_the_leaves(jitted):
    gradient = jax.grad(lambda x: jnp.sum(quaxify(lambda x: x**2)(x)))
    got = (jax.jit(gradient) if jitted else gradient)(Doubled(X))
    assert isinstance(got, Doubled)
    np.testing.assert_allclose(got.half, 8 * X)


@pytest.mark.parametrize("jitted", [False, True])
def test_the_gradient_of_a_low_rank_product_is_that_of_its_factors(jitted):
    w, y = make_lowrank(), jnp.ones(3)
    run = quaxify(lambda w, x: jnp.sum((w @ x - y) ** 2))
    gradient = jax.jit(jax.grad(run)) if jitted else jax.grad(run)
    with materialization("error"):
        got = gradient(w, X)
    residual = 2 * (np.asarray(dense(w)) @ X - y)
    whole = np.outer(residual, X)
    np.testing.assert_allclose(got.w, whole, rtol=1e-4)
    np.testing.assert_allclose(got.a, whole @ w.b.T, rtol=1e-4)
    np.testing.assert_allclose(got.b, w.a.T @ whole, rtol=1e-4)


def test_the_gradient_matches_a_finite_difference():
    w, x, step = make_lowrank(), X, 1e-2
    run = quaxify(lambda w: jnp.sum(jnp.tanh(w @ x)))
    got = jax.grad(run)(w).a[0, 1]
    ends = [run(LowRank(w.w, w.a.at[0, 1].add(s * step), w.b)) for s in (1, -1)]
    np.testing.assert_allclose(got, (ends[0] - ends[1]) / (2 * step), rtol=2e-2, atol=1e-3)


OUTSIDE = {
    "jvp": lambda f, x: jax.jvp(f, (x,), (x,)),
    "vjp": lambda f, x: jax.vjp(f, x)[1](jnp.ones(())),
    "linearize": lambda f, x: jax.linearize(f, x)[1](x),
    "jacfwd": lambda f, x: jax.jacfwd(f)(x),
    "jacrev": lambda f, x: jax.jacrev(f)(x),
    "hessian": lambda f, x: jax.hessian(f)(x),
    "grad of jit": lambda f, x: jax.grad(jax.jit(f))(x),
    "value_and_grad": lambda f, x: jax.value_and_grad(f)(x),
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize(
    "make", [make_lowrank, lambda: Pair(matrix(), matrix(2))], ids=["low rank", "pair"]
)
def test_transforms_outside_agree_leaf_by_leaf(name, make):
    x = make()
    got = OUTSIDE[name](lambda v: quaxify(loss)(v), x)
    want = OUTSIDE[name](lambda v: loss(dense(v)), x)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("make", [Box, Doubled, Opaque])
def test_vmap_outside_maps_rows_of_the_leaves(make, jitted):
    run = jax.vmap(quaxify(jnp.negative))
    x = make(matrix())
    assert_same((jax.jit(run) if jitted else run)(x), -dense(x))


@pytest.mark.parametrize("in_axes", [(0, 0), (None, 0), (0, None), (1, 0), (-1, 1)])
def test_vmap_outside_with_axes_of_many_kinds(in_axes):
    x, y = Doubled(matrix()), matrix(3)
    got = jax.vmap(quaxify(lambda a, b: jnp.sin(a) * b.sum()), in_axes)(x, y)
    want = jax.vmap(lambda a, b: jnp.sin(a) * b.sum(), in_axes)(dense(x), y)
    assert_same(got, want)


def test_vmap_outside_maps_each_leaf_by_its_own_axis():
    w, a, b = (jnp.asarray(x) for x in numbers(4, (3, 3), (4, 3, 2), (2, 3, 4)))
    layers = LowRank(w, a, b)
    axes = jax.tree.unflatten(jax.tree.structure(layers), (None, 0, 2))
    got = jax.vmap(quaxify(jnp.matmul), (axes, None))(layers, X)
    want = np.stack([(w + a[i] @ b[..., i]) @ X for i in range(4)])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_vmap_outside_maps_the_shape_of_zeros():
    got = jax.vmap(quaxify(jnp.add))(Zero(jnp.zeros((4, 3, 0))), jnp.ones((4, 3)))
    assert got.shape == (4, 3)
    kept = jax.vmap(quaxify(lambda z: -z))(Zero(jnp.zeros((4, 3, 0))))
    assert isinstance(kept, Zero)
    assert kept.shape == (4, 3)


def test_vmap_inside_of_zeros_gives_the_dense_shape():
    z = Zero(jnp.zeros((4, 3, 0)))
    agrees(lambda z, x: jax.vmap(jnp.add)(z, x), z, jnp.ones((4, 3)))
    agrees(lambda z: jax.vmap(lambda r: r)(z), z)


def test_an_opaque_value_passes_through_vmap_inside_where_it_is_not_mapped():
    got = quaxify(lambda x: jax.vmap(lambda s: s * 2.0)(jnp.ones(3)) + 0.0 * x.ndim)(Opaque(X))
    np.testing.assert_allclose(got, [2.0, 2.0, 2.0])


def test_an_axis_name_outside_reaches_the_rule():
    got = jax.vmap(quaxify(lambda x: jax.lax.psum(x, "i")), axis_name="i")(Doubled(matrix()))
    want = np.broadcast_to(2 * np.asarray(matrix()).sum(0), (3, 3))
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_a_gradient_inside_of_one_outside_is_a_mixed_derivative():
    def program(x, y):
        return jax.grad(lambda y: jnp.sum(jnp.sin(x * y)))(y)

    got = jax.grad(lambda x: jnp.sum(quaxify(program)(x, X)))(Doubled(X))
    want = jax.grad(lambda h: jnp.sum(program(2 * h, X)))(X)
    np.testing.assert_allclose(got.half, want, rtol=1e-5)


def test_stop_gradient_stops_it(value):
    agrees(lambda x: jax.grad(lambda x: jnp.sum(jax.lax.stop_gradient(x) * x))(x), value)


def test_the_loss_may_be_a_value_read_by_its_leaf():
    got = jax.grad(lambda x: quaxify(lambda x: jnp.sum(x * 2.0))(x).array)(Box(X))
    np.testing.assert_allclose(got.array, [2.0, 2.0, 2.0])


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.complex64])
def test_dtypes_are_those_of_the_dense_program(dtype):
    x = Doubled(jnp.ones(3, dtype))
    agrees(
        lambda x: (
            x * 2,
            x + jnp.ones(3, dtype),
            jnp.abs(x),
            x.astype(jnp.int32) if dtype != jnp.complex64 else x,
        ),
        x,
    )


def test_weak_types_promote_as_in_the_dense_program():
    def program(x):
        return x * jnp.ones(2, jnp.bfloat16), 2 * x, x + 1

    agrees(program, Doubled(jnp.asarray(1.0)))
    agrees(program, Box(jnp.asarray(1.0)))
