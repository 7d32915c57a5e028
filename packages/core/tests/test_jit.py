import functools
import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import Box, Doubled, LowRank, Opaque, Pair, Zero, dense, make_lowrank, matrix
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from duckarray.core import materialization, quaxify

X = jnp.arange(3.0)


def counting(fn):
    """`fn`, and the list that gets an entry each time it is traced or run in Python."""
    calls = []

    @functools.wraps(fn)
    def counted(*args, **kwargs):
        calls.append(1)
        return fn(*args, **kwargs)

    return counted, calls


def equations(jaxpr):
    for equation in jaxpr.eqns:
        yield equation
        for param in equation.params.values():
            for inner in param if isinstance(param, tuple | list) else (param,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from equations(inner)


def inner_jit(program, *args, name):
    """The equation of the inner `jit` of this name."""
    jaxpr = jax.make_jaxpr(quaxify(program))(*args)
    return next(e for e in equations(jaxpr.jaxpr) if e.params.get("name") == name)


PROGRAMS = {
    "nested": lambda x: jax.jit(lambda x: jax.jit(jnp.sin)(x) + x)(x),
    "several results": lambda x: jax.jit(lambda x: (x, {"a": x * 2.0}, jnp.ones(2)))(x),
    "no result": lambda x: (jax.jit(lambda x: None)(x), x),
    "keep_unused": lambda x: jax.jit(lambda x, y: x * 2.0, keep_unused=True)(x, x),
    "unused": lambda x: jax.jit(lambda x, y: y * 2.0)(x, jnp.ones(2)),
    "inline": lambda x: jax.jit(lambda x: jnp.sin(x), inline=True)(x),
    "keywords": lambda x: jax.jit(lambda x, *, y: x + y)(x, y=x),
    "a gradient": lambda x: jax.jit(jax.grad(lambda x: jnp.sum(x * x)))(x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_jit_inside_gives_what_the_dense_program_gives(name, value):
    assert_same(quaxify(PROGRAMS[name])(value), PROGRAMS[name](dense(value)))


@pytest.mark.parametrize("name", ["nested", "inline", "keywords"])
def test_jit_inside_is_differentiated(name):
    gradients_agree(PROGRAMS[name], make_lowrank())


def test_static_arguments_stay_python_objects():
    @functools.partial(jax.jit, static_argnums=(1,), static_argnames=("mode",))
    def program(x, n, *, mode):
        assert isinstance(n, int)
        return x * float(n) if mode == "times" else x + n

    agrees(lambda x: (program(x, 3, mode="times"), program(x, 2, mode="plus")), Doubled(X))


def test_a_value_keeps_its_type_through_jit():
    with materialization("error"):
        got = quaxify(jax.jit(lambda x: -x))(Opaque(X, "t"))
    assert isinstance(got, Opaque)
    assert got.tag == "t"
    np.testing.assert_allclose(got.array, -X)


@pytest.mark.parametrize("make", [Box, Doubled, Zero, Opaque])
def test_ten_calls_trace_once(make):
    for wrap in (lambda f: quaxify(jax.jit(f)), lambda f: jax.jit(quaxify(f))):
        program, calls = counting(lambda x: -x)
        run = wrap(program)
        for i in range(10):
            run(make(jnp.full((2, 3), float(i))))
        assert len(calls) == 1


def test_other_metadata_or_another_shape_traces_again():
    program, calls = counting(lambda x: -x)
    run = quaxify(jax.jit(program))
    for _ in range(2):
        for value in (Box(X, "s"), Box(X, "t"), Box(jnp.ones(2), "s")):
            assert run(value).tag == value.tag
    jitted, outer = counting(lambda x: -x)
    run = jax.jit(quaxify(jitted))
    for _ in range(2):
        for value in (Box(X, "s"), Box(X, "t"), Box(jnp.ones(2), "s")):
            assert run(value).tag == value.tag
    assert len(outer) == 3
    assert len(calls) == 2  # JAX traces for arrays: by shape only


def test_two_types_do_not_share_an_entry():
    run = quaxify(jax.jit(lambda x: x * 2.0))
    for _ in range(2):
        assert_same(run(Doubled(X)), 4 * X)
        assert_same(run(Box(X)), 2 * X)
        assert_same(run(X), 2 * X)
        assert_same(run(Pair(X, X)), 4 * X)


def test_a_dense_inner_jit_beside_a_value_keeps_the_cache_of_jax():
    inner, calls = counting(lambda x: jnp.sin(x) + 1.0)
    inner = jax.jit(inner)
    inner(X)
    for _ in range(5):
        quaxify(lambda box, x: (box * 2.0, inner(x)))(Box(X), X)
    assert len(calls) == 1


def test_a_dense_inner_jit_returns_a_plain_array():
    got = quaxify(lambda box, x: jax.jit(jnp.sin)(x))(Box(X), X)
    assert isinstance(got, jax.Array)
    assert not isinstance(got, jax.core.Tracer)


def test_the_name_is_kept():
    def my_layer(x):
        return jnp.sin(x) * 2.0

    equation = inner_jit(jax.jit(my_layer), Doubled(X), name="my_layer")
    assert equation.primitive.name in ("jit", "pjit")


def test_keep_unused_is_kept():
    def kept(x, y):
        return x * 2.0

    equation = inner_jit(jax.jit(kept, keep_unused=True), Doubled(X), Pair(X, X), name="kept")
    assert equation.params["keep_unused"]
    assert len(equation.invars) == 3


@pytest.mark.parametrize(
    ("argnums", "donated"), [((0,), [1, 0, 0]), ((1,), [0, 1, 1]), ((0, 1), [1] * 3)]
)
def test_donation_is_kept_for_every_leaf(argnums, donated):
    def taking(x, y):
        return x * 2.0 + y

    equation = inner_jit(
        jax.jit(taking, donate_argnums=argnums), Doubled(X), Pair(X, X), name="taking"
    )
    assert list(equation.params["donated_invars"]) == [bool(d) for d in donated]


def test_a_donated_leaf_is_deleted():
    x = Doubled(jnp.arange(3.0))
    quaxify(jax.jit(lambda x: x * 2.0, donate_argnums=0))(x)
    assert x.half.is_deleted()


def test_inline_is_kept():
    def small(x):
        return jnp.sin(x)

    plain = jax.make_jaxpr(lambda x: jax.jit(small, inline=True)(x))(X)
    ours = jax.make_jaxpr(quaxify(lambda x: jax.jit(small, inline=True)(x)))(Box(X))
    names = lambda jaxpr: [e.params.get("name") for e in jaxpr.eqns]
    assert ("small" in names(ours)) is ("small" in names(plain))


def test_compiler_options_are_kept():
    run = jax.jit(lambda x: x * 2.0, compiler_options={"xla_embed_ir_in_executable": True})
    assert_same(quaxify(run)(Doubled(X)), 4 * X)


def test_output_shardings_are_kept():
    mesh = Mesh(np.array(jax.devices()[:2]), ("i",))
    sharding = NamedSharding(mesh, PartitionSpec("i"))
    program = jax.jit(lambda x, y: (x + 1.0, y * 2.0), out_shardings=sharding)
    got = quaxify(program)(Doubled(jnp.ones(4)), jnp.ones(4))
    assert [len(x.sharding.device_set) for x in got] == [2, 2]


def test_an_output_sharding_is_that_of_the_leaves_of_a_value():
    mesh = Mesh(np.array(jax.devices()[:2]), ("i",))
    for spec, split in ((PartitionSpec("i"), True), (PartitionSpec(), False)):
        sharding = NamedSharding(mesh, spec)
        program = jax.jit(lambda x: -x, out_shardings=sharding)
        got = quaxify(program)(Box(jnp.arange(4.0)))
        assert isinstance(got, Box)
        assert got.array.sharding.is_equivalent_to(sharding, 1)
        assert got.array.sharding.is_fully_replicated is not split
        np.testing.assert_allclose(got.array, -np.arange(4.0))


def test_an_input_sharding_that_leaves_a_value_whole_is_that_of_its_leaves():
    mesh = Mesh(np.array(jax.devices()[:2]), ("i",))
    replicated = NamedSharding(mesh, PartitionSpec())
    program = jax.jit(lambda w: -w, in_shardings=replicated)
    got = quaxify(program)(Opaque(X))
    assert got.array.sharding.is_equivalent_to(replicated, 1)
    np.testing.assert_allclose(got.array, -X)


def test_input_shardings_of_dense_operands_are_kept():
    mesh = Mesh(np.array(jax.devices()[:2]), ("i",))
    sharding = NamedSharding(mesh, PartitionSpec("i"))
    program = jax.jit(lambda x, y: x + y * 2.0, in_shardings=(None, sharding))
    got = quaxify(program)(Doubled(jnp.ones(4)), jnp.ones(4))
    np.testing.assert_allclose(got, 4 * np.ones(4))


def test_the_size_of_the_compiled_program_is_that_of_the_written_one():
    w = make_lowrank()

    def by_hand(w, a, b, x):
        return jnp.tanh(w @ x + a @ (b @ x))

    def products(jaxpr):
        return [e.primitive.name for e in equations(jaxpr.jaxpr)].count("dot_general")

    with materialization("error"):
        ours = jax.make_jaxpr(quaxify(lambda w, x: jnp.tanh(w @ x)))(w, X)
    assert products(ours) == products(jax.make_jaxpr(by_hand)(w.w, w.a, w.b, X)) == 3


def test_lower_and_compile_ahead_of_time():
    compiled = jax.jit(quaxify(lambda w, x: w @ x)).lower(make_lowrank(), X).compile()
    assert_same(compiled(make_lowrank(), X), dense(make_lowrank()) @ X)


def test_eval_shape_and_make_jaxpr_take_values():
    got = jax.eval_shape(quaxify(lambda w, x: (w @ x, w)), make_lowrank(), X)
    assert got[0].shape == (3,)
    assert isinstance(got[1], LowRank)
    assert got[1].shape == (3, 3)


def test_a_function_that_is_gone_leaves_no_entry():
    def program(x):
        return x * 2.0

    gone = weakref.ref(program)
    quaxify(jax.jit(program))(Doubled(X))
    del program
    jax.clear_caches()
    gc.collect()
    assert gone() is None


def test_default_matmul_precision_and_numpy_arguments_pass():
    with jax.default_matmul_precision("highest"):
        got = quaxify(jax.jit(lambda w, x: w @ x))(make_lowrank(), np.arange(3, dtype=np.float32))
    assert_same(got, dense(make_lowrank()) @ X)


def test_a_jitted_method_of_jnp_on_a_value_and_a_scalar_agree():
    agrees(lambda x: jnp.clip(x, -0.5, 0.5) + jnp.where(x > 0, x, 0.0), Doubled(matrix()))
