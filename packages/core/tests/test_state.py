import gc
import threading
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same
from _core_types import Box, Doubled, Opaque, dense, make_lowrank, matrix
from jax import lax
from jax.experimental import io_callback

import duckarray.core
from duckarray.core import NoRuleError, materialization, quaxify
from duckarray.core._jax import scan_arity

pytestmark = pytest.mark.long

X = jnp.arange(3.0)

RAISING = {
    "plain": lambda fail: lambda x: fail(-x),
    "jit": lambda fail: jax.jit(lambda x: fail(-x)),
    "scan": lambda fail: lambda x: lax.scan(lambda c, _: (fail(c), None), x, None, length=2),
    "while": lambda fail: lambda x: lax.while_loop(lambda c: c.sum() < 9, fail, x),
    "cond": lambda fail: lambda x: lax.cond(x.sum() > 0, fail, jnp.sin, x),
    "grad": lambda fail: lambda x: jax.grad(lambda x: fail(x).sum())(x),
    "vmap": lambda fail: lambda x: jax.vmap(fail)(x),
    "remat": lambda fail: lambda x: jax.checkpoint(fail)(x),
    "custom_jvp": lambda fail: lambda x: with_jvp(fail)(x),
    "custom_vjp": lambda fail: lambda x: with_vjp(fail)(x),
}


def with_jvp(fn):
    out = jax.custom_jvp(fn)
    out.defjvp(lambda primals, tangents: (fn(*primals), tangents[0]))
    return out


def with_vjp(fn):
    out = jax.custom_vjp(fn)
    out.defvjp(lambda x: (fn(x), None), lambda _, g: (g,))
    return out


@pytest.mark.parametrize("name", RAISING)
def test_an_exception_leaves_jax_as_it_was(name):
    def fail(x):
        raise RuntimeError("on purpose")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="on purpose"):
            quaxify(RAISING[name](fail))(Doubled(X))
    assert jnp.sin(X).shape == (3,)
    assert not isinstance(jnp.sin(X), jax.core.Tracer)
    agrees(jnp.sin, Doubled(X))


def test_a_rule_that_raises_leaves_jax_as_it_was():
    for _ in range(2):
        with pytest.raises(ValueError, match="tags m and s differ"):
            quaxify(lambda x, y: x + y)(Box(X, "m"), Box(X, "s"))
        with pytest.raises(NoRuleError):
            quaxify(jax.jit(jnp.sin))(Opaque(X))
    assert not isinstance(jnp.sin(X), jax.core.Tracer)
    agrees(jnp.sin, Doubled(X))


def test_a_tracer_that_leaks_is_refused_by_jax():
    leaked = []

    def program(x):
        leaked.append(jax.jit(lambda x: leaked.append(x) or x * 2.0)(x))
        return x

    quaxify(program)(Doubled(X))
    with pytest.raises(jax.errors.UnexpectedTracerError):
        quaxify(lambda y: jnp.sin(leaked[0]) + y)(X)


@pytest.mark.parametrize(
    "program",
    [
        jnp.sin,
        lambda x: jax.jit(jnp.sin)(x),
        lambda x: lax.scan(lambda c, _: (c + 1.0, c), x, None, length=2),
        lambda x: lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1.0, x),
        lambda x: lax.cond(x.sum() > 0, jnp.sin, lambda x: x, x),
        lambda x: jax.grad(lambda x: jax.nn.relu(x).sum())(x),
        lambda x: jax.vmap(jnp.sin)(x),
        lambda x: jax.grad(lambda x: with_jvp(jnp.sin)(x).sum())(x),
        lambda x: jax.grad(lambda x: with_vjp(jnp.sin)(x).sum())(x),
        lambda x: jax.grad(lambda x: jax.checkpoint(jnp.sin)(x).sum())(x),
        lambda x: jax.jit(lambda y: x * y)(jnp.ones(3)),
    ],
    ids=[
        "sin",
        "jit",
        "scan",
        "while",
        "cond",
        "grad",
        "vmap",
        "custom_jvp",
        "custom_vjp",
        "remat",
        "closure",
    ],
)
def test_nothing_leaks(program):
    want = program(2 * X)
    with jax.checking_leaks():
        got = quaxify(program)(Doubled(X))
        jitted = jax.jit(quaxify(program))(Doubled(X))
    assert_same(got, want)
    assert_same(jitted, want)


def test_threads_do_not_see_each_other():
    results, errors = {}, []
    start = threading.Barrier(4)

    def work(i):
        try:
            start.wait()
            with materialization("allow" if i % 2 else "error"):
                for _ in range(5):
                    w = make_lowrank(seed=i)
                    program = lambda w: jax.jit(lambda w: jnp.tanh(w @ X))(w)
                    results[i] = (quaxify(program)(w), np.tanh(dense(w) @ X))
                    if i % 2:
                        quaxify(jnp.sin)(Doubled(X))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(results) == 4
    for got, want in results.values():
        np.testing.assert_allclose(got, want, rtol=1e-4)


def test_a_value_outside_is_refused_in_a_thread_while_another_is_inside():
    seen = []

    def outside():
        try:
            jnp.sin(Doubled(X))
        except TypeError as error:
            seen.append(str(error))

    def program(x):
        thread = threading.Thread(target=outside)
        thread.start()
        thread.join()
        return x

    quaxify(program)(Doubled(X))
    assert len(seen) == 1
    assert "outside `quaxify`" in seen[0]


@pytest.mark.parametrize(
    "program",
    [
        lambda x: jax.jit(lambda x: jnp.sin(x) + x)(x),
        lambda x: lax.scan(lambda c, _: (c + 1.0, c), x, None, length=2),
        lambda x: lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1.0, x),
        lambda x: lax.cond(True, jnp.sin, lambda x: x, x),
        lambda x: jax.grad(lambda x: jnp.sum(jnp.sin(x)))(x),
    ],
    ids=["jit", "scan", "while", "cond", "grad"],
)
def test_programs_run_with_jit_disabled(program):
    want = program(2 * X)
    with jax.disable_jit():
        assert_same(quaxify(program)(Doubled(X)), want)


def test_compile_time_evaluation_stays_concrete_beside_a_value():
    @jax.jit
    def program(x):
        def inner(x):
            with jax.ensure_compile_time_eval():
                n = int(jnp.sum(jnp.ones(3)))
            return x * float(n)

        return quaxify(inner)(x)

    np.testing.assert_allclose(program(Box(X)).array, 3 * X)


def sizes():
    """How many entries each module-level cache of the package has."""
    found = {}
    for name, module in list(vars(duckarray.core).items()):
        for key, cache in vars(module).items() if hasattr(module, "__file__") else ():
            if isinstance(cache, dict) and key.startswith("_") and not key.startswith("__"):
                found[name, key] = len(cache)
            elif hasattr(cache, "cache_info"):
                found[name, key] = cache.cache_info().currsize
    for name, module in list(vars(duckarray.core._rules).items()):
        for key, cache in vars(module).items() if hasattr(module, "__file__") else ():
            if isinstance(cache, dict) and key.startswith("_") and not key.startswith("__"):
                found["_rules." + name, key] = len(cache)
    return found


def test_many_functions_leave_no_growth():
    def use(n):
        for i in range(n):
            inner = jax.jit(lambda x, i=i: x * float(i))
            quaxify(inner)(Box(X))
            quaxify(lambda x, i=i: lax.cond(True, lambda x: -x, lambda x: x * float(i), x))(Box(X))
        gc.collect()

    use(3)
    before = sizes()
    assert before
    use(40)
    after = sizes()
    grown = {k: (before.get(k, 0), n) for k, n in after.items() if n > before.get(k, 0) + 10}
    assert grown == {}


def test_a_value_is_not_kept_alive():
    leaf = jnp.arange(5.0)
    gone = weakref.ref(leaf)
    quaxify(lambda x: jax.jit(lambda x: jnp.sin(x) * 2.0)(x))(Doubled(leaf))
    del leaf
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("jitted", [False, True])
def test_ordered_effects_keep_their_order(jitted):
    seen = []

    def note(tag, x):
        io_callback(lambda x: seen.append((tag, float(x))), None, x, ordered=True)

    def program(x):
        note("a", x.sum())
        x = jax.jit(lambda x: (note("b", x[0]), x * 2.0)[1])(x)
        x = lax.scan(lambda c, i: (c + 1.0, note("c", c[0])), x, None, length=2)[0]
        note("d", x.sum())
        return x

    run = quaxify(program)
    (jax.jit(run) if jitted else run)(Doubled(X))
    jax.effects_barrier()
    assert seen == [("a", 6.0), ("b", 0.0), ("c", 0.0), ("c", 1.0), ("d", 18.0)]


def test_debug_print_shows_the_dense_array(capsys):
    quaxify(lambda x: jax.debug.print("x = {x}", x=x))(Doubled(X))
    jax.effects_barrier()
    assert "x = [0. 2. 4.]" in capsys.readouterr().out


def test_pure_callback_gets_the_dense_array():
    def program(x):
        return jax.pure_callback(
            lambda x: np.asarray(x) + 1, jax.ShapeDtypeStruct((3, 3), jnp.float32), x
        )

    agrees(program, Doubled(matrix()))


def test_a_callback_on_a_type_that_refuses_names_the_primitive():
    with pytest.raises(NoRuleError, match="`pure_callback`"):
        quaxify(lambda x: jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((3,), "f4"), x))(
            Opaque(X)
        )


def test_random_keys_work_beside_and_inside_values():
    key = jax.random.key(0)
    agrees(lambda x: x + jax.random.normal(key, (3, 3)), Doubled(matrix()))
    got = quaxify(lambda k: jax.random.uniform(k, (2,)))(Box(key))
    np.testing.assert_allclose(dense(got), jax.random.uniform(key, (2,)))


def test_x64_is_honoured():
    with jax.enable_x64(True):
        x = Doubled(jnp.arange(3, dtype=jnp.float64))
        got = quaxify(lambda x: jnp.sin(x) + 1.0)(x)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, np.sin(2.0 * np.arange(3)) + 1, rtol=1e-12)


def test_loops_run_in_x64():
    scan_arity.cache_clear()  # what is found out for a loop of so many operands is found out anew
    with jax.enable_x64(True):
        x = Doubled(jnp.arange(6, dtype=jnp.float64).reshape(2, 3))
        total, rows = quaxify(lambda x: lax.scan(lambda c, r: (c + r, r * 2), jnp.zeros(3), x))(x)
    assert total.dtype == np.float64
    np.testing.assert_allclose(dense(total), 2.0 * (np.arange(3) + np.arange(3, 6)), rtol=1e-12)
    np.testing.assert_allclose(dense(rows), 4.0 * np.arange(6).reshape(2, 3), rtol=1e-12)
