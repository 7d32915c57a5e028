"""Programs for which no other module has a place, and gradients of some that others only run."""

import functools
import warnings

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, new_custom_vjp_of_0_10
from _core_types import Doubled, dense, make_lowrank, matrix
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.custom_batching import sequential_vmap
from jax.custom_derivatives import linear_call
from jax.experimental import checkify
from jax.experimental import pallas as pl
from jax.experimental.custom_partitioning import custom_partitioning
from jax.experimental.jet import jet
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import jaxpr_as_fun
from jax.extend.core.primitives import closed_call_p
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from duckarray.core import quaxify

pytestmark = pytest.mark.long

Y = matrix(7)
SHAPE = jax.ShapeDtypeStruct((3, 3), jnp.float32)
ROW = jax.ShapeDtypeStruct((3,), jnp.float32)
POLICIES = jax.checkpoint_policies


def looped(body, x, n=2, **options):
    return lax.scan(lambda c, _: (body(c), None), x, None, length=n, **options)[0]


def mapped(f):
    return jax.vmap(f, axis_name="i")


def tripled_by_jvp(x):
    """A sine whose derivative is said to be three times what it is."""
    f = jax.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (jnp.sin(p[0]), 3 * jnp.cos(p[0]) * t[0]))
    return f(x)


def tripled_by_vjp(x):
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (3 * jnp.cos(x) * g,))
    return f(x)


def kernel(x):
    def body(x, out):
        out[...] = jnp.exp(x[...])

    return pl.pallas_call(body, out_shape=SHAPE, interpret=True)(x)


def kernel_with_a_derivative(x):
    f = jax.custom_vjp(kernel)
    f.defvjp(lambda x: (kernel(x),) * 2, lambda y, g: (y * g,))
    return f(x)


def callback_with_a_derivative(x):
    @jax.custom_jvp
    def f(x):
        return jax.pure_callback(lambda x: np.exp(np.asarray(x)), ROW, x, vmap_method="sequential")

    f.defjvp(lambda p, t: (f(p[0]), f(p[0]) * t[0]))
    return jax.vmap(f)(x)


@functools.partial(jax.jit, static_argnums=1, static_argnames="mode")
def with_static_arguments(x, n, *, mode):
    return jnp.sin(x) ** n if mode == "power" else x


def closed_call(x):
    program = jax.make_jaxpr(lambda x, y: [jnp.sin(x) * y])(Y, Y)
    return closed_call_p.bind(x, Y, **closed_call_p.get_bind_params({"call_jaxpr": program}))[0]


def reference(x):
    ref = jax.new_ref(jnp.zeros((3, 3)))
    ref[...] += jnp.sin(x)
    ref[0] = x[1] * 2.0
    return ref[...] * x


def reference_in_a_loop(x):
    ref = jax.new_ref(jnp.zeros(3))

    def body(i, _):
        ref[...] += x[i] * ref[0] + 1.0

    lax.fori_loop(0, 3, body, None)
    return ref[...]


def run_state(x):
    def body(refs):
        refs[1][...] = jnp.sin(refs[0][...]) * 2.0

    return pl.run_state(body)((x, jnp.zeros((3, 3))))[1]


@functools.cache
def exporting():
    return jax.export.export(jax.jit(lambda x: jnp.sin(x) * x))(SHAPE)


def constrained(x):
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    return lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, PartitionSpec()))


def computed_at_compile_time(x):
    with jax.ensure_compile_time_eval():
        n = int(jnp.sum(jnp.ones(3)))
    return jnp.sin(x) * float(n)


def with_metadata(x):
    with set_xla_metadata(flavour="sweet"):
        return jnp.sin(x) * x


def with_a_scope(x):
    with jax.named_scope("scope"):
        return jnp.sin(x) @ x


def printing(x):
    jax.debug.callback(lambda x: None, x)
    return jnp.sin(x)


def checked(x):
    def program(x):
        checkify.check(jnp.all(x < 100), "large")
        return jnp.sin(x)

    return checkify.checkify(program)(x)[1]


def without_jit(x):
    with jax.disable_jit():
        return looped(jax.jit(jnp.sin), x)


def converted_closure(x):
    f, constants = jax.closure_convert(lambda y: jnp.sin(x) * y, Y)
    return f(Y, *constants)


def converted_closure_with_a_derivative(x):
    """As of `odeint`: the constants of a function are passed to a rule that trebles."""

    @functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
    def applied(f, y, *constants):
        return f(y, *constants)

    applied.defvjp(
        lambda f, *args: (f(*args), args), lambda f, args, g: jax.vjp(f, *args)[1](3 * g)
    )
    f, constants = jax.closure_convert(lambda y: jnp.sin(x) @ y, Y)
    return applied(f, Y, *constants)


def checkpointed(x, policy):
    f = lambda x: jnp.sin(checkpoint_name(jnp.sin(x) @ x, "a"))
    return jax.checkpoint(f, policy=policy)(x)


def on_devices(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return jax.pmap(lambda x: jnp.sin(x) - lax.pmean(x, "i"), axis_name="i")(x[:2])


PROGRAMS = {
    "a jit with static arguments": lambda x: with_static_arguments(x, 2, mode="power"),
    "a jit that donates": lambda x: jax.jit(jnp.sin, donate_argnums=0)(x * 1.0),
    "a jit that closes over": lambda x: jax.jit(lambda y: jax.jit(lambda z: x * z)(y))(Y),
    "jaxpr_as_fun": lambda x: jaxpr_as_fun(jax.make_jaxpr(lambda x: jnp.sin(x) * x)(Y))(x)[0],
    "closed_call": closed_call,
    "closure_convert": converted_closure,
    "closure_convert for a custom_vjp": converted_closure_with_a_derivative,
    "spmd_axis_name": lambda x: jax.vmap(constrained, spmd_axis_name="i")(x[None]),
    "psum": mapped(lambda r: r * lax.psum(r, "i")),
    "all_gather": mapped(lambda r: lax.all_gather(jnp.sin(r), "i") @ r),
    "ppermute": mapped(lambda r: r * lax.ppermute(r, "i", [(0, 1), (1, 2), (2, 0)])),
    "all_to_all": mapped(lambda r: jnp.sin(lax.all_to_all(r, "i", 0, 0))),
    "psum_scatter": mapped(lambda r: jnp.sin(lax.psum_scatter(r, "i"))),
    "axis_index": mapped(lambda r: r * lax.axis_index("i").astype(r.dtype)),
    "an axis in a loop": mapped(lambda r: looped(lambda c: jnp.sin(c) - lax.pmean(c, "i"), r)),
    "pmap": on_devices,
    "jvp": lambda x: jax.jvp(jnp.sin, (x,), (x,)),
    "vjp": lambda x: jax.vjp(jnp.sin, x)[1](x)[0],
    "linearize": lambda x: jax.linearize(jnp.sin, x)[1](x),
    "linear_transpose": lambda x: jax.linear_transpose(lambda y: x @ y, Y)(Y)[0],
    "jacrev": lambda x: jax.jacrev(lambda r: r * r)(x[0]),
    "jet": lambda x: jet(lambda r: r * r, (x[0],), ((x[1], jnp.ones(3)),)),
    "custom_jvp deep down": lambda x: looped(jax.jit(jax.checkpoint(jax.vmap(tripled_by_jvp))), x),
    "custom_vjp deep down": lambda x: looped(jax.jit(jax.checkpoint(jax.vmap(tripled_by_vjp))), x),
    "names excluded": lambda x: checkpointed(x, POLICIES.save_any_names_but_these("a")),
    "two policies": lambda x: checkpointed(
        x,
        POLICIES.save_from_both_policies(
            POLICIES.dots_saveable, POLICIES.save_only_these_names("a")
        ),
    ),
    "checkpoints around a loop": lambda x: jax.checkpoint(
        lambda x: looped(jax.checkpoint(jnp.sin), x)
    )(x),
    "a static argument": lambda x: jax.checkpoint(lambda x, n: jnp.sin(x) * n, static_argnums=1)(
        x, 2
    ),
    "switch": lambda x: lax.switch((x[0, 0] > 0).astype(int), [jnp.cos, jnp.sin], x),
    "an unused operand": lambda x: lax.cond(
        x[0, 0] > 0, lambda x, y: y, lambda x, y: jnp.sin(y), x, x
    ),
    "cond of rows": jax.vmap(lambda r: lax.cond(r[0] > 0, jnp.sin, lambda r: r, r)),
    "cond in a loop": lambda x: looped(lambda c: lax.cond(c[0, 0] > 0, jnp.sin, lambda c: x, c), x),
    "platform_dependent": lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos),
    "piecewise": lambda x: jnp.piecewise(x, [x > 0], [jnp.sin, lambda x: x * 2.0]),
    "fori": lambda x: lax.fori_loop(0, 2, lambda i, c: tripled_by_vjp(c) * x, Y),
    "reverse": lambda x: lax.scan(lambda c, r: (c * r, c), jnp.ones(3), x, reverse=True),
    "of length zero": lambda x: looped(lambda c: x @ c, x, 0),
    "unrolled": lambda x: looped(jnp.sin, x, 3, unroll=2),
    "a split transpose": lambda x: looped(lambda c: jnp.sin(c) @ x, x, _split_transpose=True),
    "two carries": lambda x: lax.scan(lambda c, _: ((c[1], c[0] * 2.0), c), (x, Y), None, length=2),
    "map in batches": lambda x: lax.map(lambda r: r * r.sum(), x, batch_size=2),
    "associative_scan": lambda x: lax.associative_scan(jnp.multiply, x),
    "cumprod": lax.cumprod,
    "linear_call": lambda x: linear_call(lambda r, y: r * y, lambda r, g: 7.0 * r * g, Y, x),
    "a kernel": kernel_with_a_derivative,
    "a callback for rows": callback_with_a_derivative,
    "an exported program": lambda x: exporting().call(x),
    "a reference": reference,
    "a reference in a loop": reference_in_a_loop,
    "debug.callback": printing,
    "checkify": checked,
    "named_call": lambda x: jax.named_call(jnp.sin, name="n")(x),
    "named_scope": with_a_scope,
    "xla_metadata": with_metadata,
    "disable_jit": without_jit,
    "ensure_compile_time_eval": computed_at_compile_time,
    "quaxify inside": lambda x: quaxify(lambda x: jnp.sin(x) @ Y)(x),
    "quaxify in a jit inside": lambda x: jax.jit(quaxify(lambda x: jnp.sin(x) @ x))(x),
    "vectorize": lambda x: jnp.vectorize(jnp.dot, signature="(n),(n)->()")(x, Y),
    "apply_along_axis": lambda x: jnp.apply_along_axis(lambda r: r * r[0], 1, x),
}


REFUSED_BY_JAX = {"closure_convert for a custom_vjp", "custom_vjp deep down"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_agrees_and_is_differentiated(name):
    if name in REFUSED_BY_JAX and new_custom_vjp_of_0_10():
        pytest.skip("JAX refuses closures over tracers, and this mapped in a checkpoint")
    program, x = PROGRAMS[name], Doubled(matrix())
    loss = lambda x: sum(jnp.sum(jnp.sin(y)) for y in jax.tree.leaves(program(x)))
    both = lambda x: (program(x), jax.grad(loss)(x))
    out, gradient = jax.jit(both)(dense(x))
    assert_same(quaxify(program)(x), out)
    assert_same(jax.jit(quaxify(both))(x), (out, gradient))
    outside = jax.jit(jax.grad(quaxify(loss)))(x)
    assert_same(outside.half, 2 * gradient)


FORWARD = {
    "while": lambda x: lax.while_loop(
        lambda c: c[0] < 2, lambda c: (c[0] + 1, jnp.sin(c[1]) + x), (0, x)
    )[1],
    "fori with a traced count": lambda x: jax.jit(
        lambda n: lax.fori_loop(0, n, lambda i, c: jnp.sin(c) + x, x)
    )(2),
    "a kernel": kernel,
    "run_state": run_state,
    "sequential_vmap": jax.vmap(sequential_vmap(jnp.sin)),
}


@pytest.mark.parametrize("name", FORWARD)
def test_a_program_without_a_reverse_derivative_has_the_forward_one(name):
    program, x, tangent = FORWARD[name], Doubled(matrix()), Doubled(matrix(3))
    agrees(program, x)
    want = jax.jvp(program, (dense(x),), (dense(tangent),))
    assert_same(jax.jvp(quaxify(program), (x,), (tangent,)), want)
    inside = quaxify(lambda x, tangent: jax.jvp(program, (x,), (tangent,)))
    assert_same(jax.jit(inside)(x, tangent), want)


def factorized(x):
    """The factor of Cholesky, by a call of the foreign function that JAX itself calls."""
    shapes = (SHAPE, jax.ShapeDtypeStruct((), jnp.int32))
    return jnp.tril(jax.ffi.ffi_call("lapack_spotrf_ffi", shapes)(x, uplo=np.uint8(ord("U")))[0])


@custom_partitioning
def partitioned(x):
    return jnp.sin(x)


partitioned.def_partition(
    infer_sharding_from_operands=lambda mesh, args, result: args[0].sharding,
    partition=lambda mesh, args, result: (mesh, jnp.sin, result.sharding, (args[0].sharding,)),
    sharding_rule="... -> ...",
)


def test_a_foreign_function_is_given_the_dense_array():
    x = np.eye(3, dtype=np.float32) + 0.1
    jnp.linalg.cholesky(x)  # loads the library
    for run in (quaxify(factorized), jax.jit(quaxify(factorized))):
        got = run(Doubled(jnp.asarray(x / 2)))
        np.testing.assert_allclose(got, np.linalg.cholesky(x), rtol=1e-5, atol=1e-6)


def test_a_partitioned_function_is_given_the_dense_array():
    agrees(partitioned, Doubled(matrix()))


CONCRETE = {
    "if": lambda x: x * 2.0 if (Y * 0.0).sum() > 0 else jnp.sin(x),
    "for": lambda x: sum(x * float(y) for y in Y[0] * 2.0),
    "numpy": lambda x: x * np.flatnonzero(Y[:1] * 0.0 == 0)[None].astype(np.float32),
}


@pytest.mark.parametrize("name", CONCRETE)
def test_python_runs_on_dense_arrays_beside_a_value_while_it_is_differentiated(name):
    program, x = CONCRETE[name], Doubled(matrix())
    loss = lambda x: jnp.sum(jnp.sin(program(x)))
    want = jax.grad(loss)(dense(x))
    assert_same(quaxify(program)(x), program(dense(x)))
    assert_same(quaxify(jax.grad(loss))(x), want)
    assert_same(jax.grad(quaxify(loss))(x).half, 2 * want)


def test_linear_transpose_outside_is_that_of_the_leaves():
    w, ct = make_lowrank(), matrix(3)
    (got,) = jax.linear_transpose(quaxify(lambda x: x @ Y), Doubled(Y))(ct)
    np.testing.assert_allclose(got.half, 2 * ct @ Y.T, rtol=1e-5)
    (got,) = jax.linear_transpose(lambda y: quaxify(jnp.matmul)(w, y), Y)(ct)
    np.testing.assert_allclose(got, dense(w).T @ ct, rtol=1e-5)


def test_spmd_axis_name_outside_reaches_a_constraint():
    got = jax.jit(jax.vmap(quaxify(constrained), spmd_axis_name="i"))(Doubled(Y[None]))
    np.testing.assert_allclose(got, np.sin(2 * Y)[None], rtol=1e-5)
