"""Primitives that carry a program, or do nothing to the array, and have no module of their own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import Box, Doubled, LowRank, Opaque, Zero, dense, make_lowrank, matrix
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.custom_batching import custom_vmap
from jax.custom_derivatives import linear_call
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from duckarray.core import NoRuleError, materialization, materialize, quaxify

X = jnp.array([-1.0, 0.5, 2.0])


@pytest.fixture(params=[False, True], ids=["eager", "jit"])
def run(request):
    """`quaxify`, jitted or not."""
    return (lambda f: jax.jit(quaxify(f))) if request.param else quaxify


@custom_vmap
def batched_differently(x):
    return jnp.sin(x)


@batched_differently.def_vmap
def _(axis_size, in_batched, x):
    return jnp.cos(x), True  # not the sine, so that it shows which was run


def test_a_custom_vmap_without_vmap_runs_its_function(run):
    np.testing.assert_allclose(run(batched_differently)(Doubled(X)), np.sin(2 * X), rtol=1e-5)


def test_a_custom_vmap_has_its_rule_honoured_under_vmap_outside():
    for function in (quaxify(batched_differently), jax.jit(quaxify(batched_differently))):
        got = jax.vmap(function)(Doubled(X))
        np.testing.assert_allclose(got, np.cos(2 * X), rtol=1e-5)


def test_a_custom_vmap_has_its_rule_honoured_under_vmap_inside(run):
    got = run(jax.vmap(batched_differently))(Doubled(X))
    np.testing.assert_allclose(got, np.cos(2 * X), rtol=1e-5)


def test_the_derivative_outside_of_a_custom_vmap_is_that_of_its_function(run):
    """Only the forward one: JAX has no reverse one."""
    _, tangent = jax.jvp(run(batched_differently), (Doubled(X),), (Doubled(X),))
    np.testing.assert_allclose(tangent, 2 * X * np.cos(2 * X), rtol=1e-5)


def scaled(residual, x):
    return linear_call(lambda r, x: x * r, lambda r, ct: 10.0 * ct * r, residual, x)


def test_a_linear_call_agrees(run):
    got = run(lambda r, x: scaled(r, x))(Doubled(X), Doubled(X + 1.0))
    np.testing.assert_allclose(got, 4 * X * (X + 1), rtol=1e-6)


def test_a_linear_call_has_its_transpose_honoured_inside_and_outside(run):
    program = lambda r, x: jax.grad(lambda x: jnp.sum(scaled(r, x)))(x)
    np.testing.assert_allclose(run(program)(Doubled(X), X), 20 * X, rtol=1e-6)
    got = jax.grad(lambda x: jnp.sum(run(scaled)(X, x)))(Doubled(X))
    np.testing.assert_allclose(got.half, 20 * X, rtol=1e-6)


def test_a_composite_agrees_and_stays_one_when_compiled(run):
    tangent = lax.composite(lambda x: jnp.sin(x) / jnp.cos(x), "test.tangent")
    np.testing.assert_allclose(run(tangent)(Doubled(X)), np.tan(2 * X), rtol=1e-4)
    text = jax.jit(quaxify(tangent)).lower(Doubled(X)).as_text()
    assert "test.tangent" in text


def test_a_custom_gradient_stays_the_gradient():
    @jax.custom_gradient
    def clipped(x):
        return x * x, lambda ct: (ct * 7.0,)

    agrees(clipped, Doubled(X))
    got = jax.grad(lambda x: jnp.sum(quaxify(clipped)(x)))(Doubled(X))
    np.testing.assert_allclose(got.half, 14 * np.ones(3))
    got = quaxify(jax.grad(lambda x: jnp.sum(clipped(x))))(Doubled(X))
    np.testing.assert_allclose(got, 7 * np.ones(3))


IDENTITIES = {
    "checkpoint_name": lambda x: checkpoint_name(x, "here"),
    "optimization_barrier": lambda x: lax.optimization_barrier(x),
    "device_put": lambda x: jax.device_put(x),
    "device_put to a device": lambda x: jax.device_put(x, jax.devices()[0]),
    "stop_gradient": lambda x: lax.stop_gradient(x),
    "named_call": lambda x: jax.named_call(lambda x: x, name="n")(x),
    "sharding constraint": lambda x: lax.with_sharding_constraint(x, replicated()),
}


def replicated():
    return NamedSharding(Mesh(np.array(jax.devices()[:1]), ("i",)), PartitionSpec())


@pytest.mark.parametrize("name", IDENTITIES)
def test_an_identity_keeps_every_leaf(name, run):
    x = Opaque(X, "kept")
    with materialization("error"):
        got = run(IDENTITIES[name])(x)
    assert isinstance(got, Opaque)
    assert got.tag == "kept"
    np.testing.assert_array_equal(got.array, X)
    assert_same(run(IDENTITIES[name])(Zero(jnp.zeros((3, 0)))), np.zeros(3, np.float32))


def test_a_name_is_seen_by_the_policy_of_checkpoint(run):
    policy = jax.checkpoint_policies.save_only_these_names("kept")

    def program(w, x):
        inner = jax.checkpoint(lambda x: jnp.sin(checkpoint_name(w @ x, "kept")), policy=policy)
        return jnp.sum(inner(x))

    w = make_lowrank()
    got = run(jax.grad(program, 1))(w, X)
    whole = np.asarray(dense(w))
    np.testing.assert_allclose(got, whole.T @ np.cos(whole @ np.asarray(X)), rtol=1e-4)


def test_a_scope_names_the_operations_of_a_rule():
    def program(w, x):
        with jax.named_scope("my_scope"):
            return w @ x

    text = jax.jit(quaxify(program)).lower(make_lowrank(), X).as_text(debug_info=True)
    assert "my_scope" in text


def test_metadata_for_the_compiler_passes(run):
    metadata = pytest.importorskip("jax.experimental.xla_metadata")

    def program(x):
        with metadata.set_xla_metadata(flavour="sweet"):
            return jnp.sin(x) + x

    np.testing.assert_allclose(run(program)(Doubled(X)), np.sin(2 * X) + 2 * X, rtol=1e-5)


ORDERED = {
    "sort": lambda x: jnp.sort(x),
    "sort with its permutation": lambda x: lax.sort((x, jnp.arange(3)), num_keys=1),
    "sort by another": lambda x: lax.sort((jnp.array([3, 1, 2]), x), num_keys=1),
    "argsort": lambda x: jnp.argsort(x),
    "top_k": lambda x: lax.top_k(x, 2),
    "cumsum": lambda x: jnp.cumsum(x),
    "cumprod reversed": lambda x: lax.cumprod(x, reverse=True),
    "associative_scan": lambda x: lax.associative_scan(jnp.add, x),
    "associative_scan of a tree": lambda x: lax.associative_scan(
        lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, x + 1.0)
    ),
    "a reduction by a function of one's own": lambda x: lax.reduce(
        x, np.float32(1), lambda a, b: a * b + a, (0,)
    ),
    "a window reduction of one's own": lambda x: lax.reduce_window(
        x, np.float32(1), lambda a, b: a * b, (2,), (1,), "VALID"
    ),
    "a scan along an array": lambda x: lax.map(lambda s: s * s, x),
    "scatter": lambda x: jnp.zeros(4).at[1:].add(x),
    "gather": lambda x: x[jnp.array([2, 0, 0])],
    "searchsorted": lambda x: jnp.searchsorted(x, jnp.array([0.0, 3.0])),
}


@pytest.mark.parametrize("name", ORDERED)
def test_orders_and_running_results_agree(name):
    agrees(ORDERED[name], Doubled(X))


def test_a_combiner_may_close_over_a_value(run):
    def program(x):
        return lax.associative_scan(lambda a, b: a + b * x[0], jnp.ones(4))

    want = program(2 * X)
    np.testing.assert_allclose(run(program)(Doubled(X)), want, rtol=1e-5)


def test_linearize_gives_the_derivative_at_a_value(run):
    def program(x, t):
        out, derivative = jax.linearize(lambda x: jnp.sin(x) * x, x)
        return out, derivative(t)

    out, tangent = run(program)(Doubled(X), X)
    x = 2 * np.asarray(X)
    np.testing.assert_allclose(out, np.sin(x) * x, rtol=1e-5)
    np.testing.assert_allclose(tangent, (np.cos(x) * x + np.sin(x)) * X, rtol=1e-5)


def test_the_hessian_is_that_of_the_array_inside_and_of_the_leaves_outside(run):
    f = lambda x: jnp.sum(x**3)
    inside = run(jax.hessian(f))(Doubled(X))
    np.testing.assert_allclose(inside, np.diag(6 * 2 * np.asarray(X)), rtol=1e-5)
    outside = jax.hessian(lambda x: run(f)(x))(Doubled(X))
    np.testing.assert_allclose(outside.half.half, np.diag(48 * np.asarray(X)), rtol=1e-5)


def test_a_jacobian_of_a_value_that_is_returned_has_the_structure_of_both():
    got = jax.jacfwd(quaxify(lambda x: x * 3.0))(Box(X, "s"))
    assert isinstance(got, Box)
    np.testing.assert_allclose(got.array.array, 3 * np.eye(3))


def test_gradients_of_a_program_of_many_kinds_agree():
    def program(x):
        y = lax.optimization_barrier(checkpoint_name(jnp.sort(x), "sorted"))
        return lax.cumsum(y) * scaled(jnp.float32(2.0), jnp.sum(x))

    gradients_agree(program, Doubled(X))


KEYED = {
    "jit": lambda key, x: jax.jit(lambda k, x: x + jax.random.normal(k, (3,)))(key, x),
    "scan": lambda key, x: lax.scan(
        lambda c, k: (c + jax.random.normal(k, (3,)), None), x, jax.random.split(key, 2)
    )[0],
    "a key as carry": lambda key, x: lax.fori_loop(
        0,
        2,
        lambda i, c: (jax.random.split(c[0])[0], c[1] + jax.random.normal(c[0], (3,))),
        (key, x),
    )[1],
    "cond": lambda key, x: lax.cond(
        x[0] < 0, lambda k, x: x + jax.random.normal(k, (3,)), lambda k, x: x, key, x
    ),
    "remat": lambda key, x: jax.checkpoint(lambda k, x: x + jax.random.normal(k, (3,)))(key, x),
    "vmap": lambda key, x: jax.vmap(lambda k, s: s + jax.random.normal(k))(
        jax.random.split(key, 3), x
    ),
    "choice": lambda key, x: jax.random.permutation(key, x),
}


@pytest.mark.parametrize("name", KEYED)
def test_a_key_beside_a_value_agrees(name):
    agrees(KEYED[name], jax.random.key(3), Doubled(X))


def test_a_key_is_returned_as_it_came(run):
    key, x = run(lambda key, x: (jax.random.fold_in(key, 1), x * 2.0))(jax.random.key(0), Box(X))
    assert jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    assert jnp.array_equal(
        jax.random.key_data(key), jax.random.key_data(jax.random.fold_in(jax.random.key(0), 1))
    )
    np.testing.assert_allclose(materialize(x), 2 * X)


def test_a_rule_survives_what_lies_between_it_and_the_value(run):
    w = LowRank(matrix(), jnp.ones((3, 1)), jnp.ones((1, 3)))

    def program(w, x):
        w = lax.optimization_barrier(checkpoint_name(lax.stop_gradient(w), "w"))
        return w @ x

    with materialization("error"):
        got = run(program)(w, X)
    np.testing.assert_allclose(got, (np.asarray(matrix()) + 1) @ np.asarray(X), rtol=1e-5)


@pytest.fixture
def square():
    """`x²` as a composite primitive, whose derivative is said to be ten times what it is."""
    hijax = pytest.importorskip("jax.experimental.hijax")
    if not hasattr(hijax, "HiPrim"):
        pytest.skip("this JAX has no composite primitives")

    class Square(hijax.HiPrim):
        def __init__(self, aval):
            self.in_avals, self.out_aval, self.params = (aval,), aval, {}
            super().__init__()

        def expand(self, x):
            return x * x

        def jvp(self, primals, tangents):
            return primals[0] ** 2, 20.0 * primals[0] * tangents[0]

    return lambda x: Square(jax.typeof(x))(x)


@pytest.mark.parametrize("make", [Doubled, Box])
def test_a_composite_primitive_keeps_its_own_derivative(make, square, run):
    x, tangent = make(X), make(X + 1.0)
    array, of_array = np.asarray(dense(x)), np.asarray(dense(tangent))
    want = (array**2, 20 * array * of_array)
    np.testing.assert_allclose(dense(run(square)(x)), want[0], rtol=1e-6)
    inside = run(lambda x, t: jax.jvp(square, (x,), (t,)))(x, tangent)
    outside = jax.jvp(lambda x: dense(run(square)(x)), (x,), (tangent,))
    assert_same(inside, want)
    assert_same(outside, want)


def test_a_composite_primitive_that_meets_a_refusing_value_says_so(square):
    value = Opaque(jnp.ones(2))
    with pytest.raises(NoRuleError, match=r"on \(Opaque f32\[2\][^$]*refuses to be made dense"):
        quaxify(square)(value)
    with pytest.raises(NoRuleError, match=r"`call_hi_primitive` on \(Opaque f32\[2\]\)"):
        jax.jit(quaxify(square))(value)
