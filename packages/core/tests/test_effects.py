"""References, callbacks, kernels, and programs compiled or exported ahead of time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, LowRank, Opaque, Zero, make_lowrank
from jax import export, lax
from jax.experimental import io_callback
from jax.experimental import pallas as pl

from duckarray.core import MaterializeError, materialization, materialize, quaxify

X = jnp.array([-1.0, 0.5, 2.0])


@pytest.fixture(params=[False, True], ids=["eager", "jit"])
def run(request):
    """`quaxify`, jitted or not."""
    return (lambda f: jax.jit(quaxify(f))) if request.param else quaxify


def test_a_reference_made_inside_holds_the_dense_array(run):
    def program(x):
        ref = jax.new_ref(jnp.zeros(3))
        ref[...] = x + ref[...]
        ref[0] = 5.0
        return ref[...]

    np.testing.assert_allclose(run(program)(Doubled(X)), [5.0, 1.0, 4.0])


def test_a_reference_may_be_made_of_a_value(run):
    def program(x):
        ref = jax.new_ref(x)
        ref[1] += 1.0
        return ref[...] * 2.0

    np.testing.assert_allclose(run(program)(Doubled(X)), [-4.0, 4.0, 8.0])


def test_a_reference_that_is_an_argument_is_written_to(run):
    ref = jax.new_ref(jnp.zeros(3))

    def program(ref, x):
        ref[...] = jnp.sin(x)
        return ref[0] * 2.0

    got = run(program)(ref, Doubled(X))
    np.testing.assert_allclose(got, 2 * np.sin(-2.0), rtol=1e-5)
    np.testing.assert_allclose(ref[...], np.sin(2 * X), rtol=1e-5)


def test_a_reference_that_is_closed_over_is_written_to(run):
    ref = jax.new_ref(jnp.zeros(3))

    def program(x):
        ref[...] += x
        return x * 2.0

    run(program)(Doubled(X))
    run(program)(Doubled(X))
    np.testing.assert_allclose(ref[...], 4 * X)


def test_a_reference_is_written_to_in_a_loop(run):
    def program(x):
        ref = jax.new_ref(jnp.zeros(3))

        def body(i, carry):
            ref[...] += x
            return carry + ref[0]

        return lax.fori_loop(0, 3, body, 0.0), ref[...]

    total, last = run(program)(Doubled(X))
    np.testing.assert_allclose(total, -2.0 - 4.0 - 6.0)
    np.testing.assert_allclose(last, 6 * X)


def test_a_reference_of_a_number_is_written_to_in_every_body(run):
    def program(x):
        ref = jax.new_ref(jnp.zeros(()))

        def add(y):
            ref[...] += y.sum()
            return ref[...]

        _, sums = lax.scan(lambda c, y: (c, add(x * y)), x, jnp.array([1.0, 2.0]))
        lax.cond(x[0] < 0, lambda: add(x), lambda: x[0])
        lax.while_loop(lambda i: i < 2, lambda i: i + (add(x) < 99).astype(int), 0)
        return sums, jax.jit(lambda y: add(y * x))(x), ref[...]

    sums, squares, last = run(program)(Doubled(X))
    total = 2 * np.sum(X)
    np.testing.assert_allclose(sums, [total, 3 * total], rtol=1e-6)
    np.testing.assert_allclose(squares, 6 * total + 4 * np.sum(X * X), rtol=1e-6)
    np.testing.assert_allclose(last, squares)


def test_a_reference_is_written_to_in_an_inner_jit_and_a_branch(run):
    def program(x):
        ref = jax.new_ref(jnp.zeros(3))

        @jax.jit
        def add(x):
            ref[...] += x

        add(x)
        lax.cond(x[0] < 0, lambda: add(x), lambda: None)
        return ref[...]

    np.testing.assert_allclose(run(program)(Doubled(X)), 4 * X)


def test_a_value_that_may_not_be_dense_is_not_stored():
    def program(x):
        ref = jax.new_ref(jnp.zeros(3))
        ref[...] = x
        return ref[...]

    with materialization("error"), pytest.raises(MaterializeError, match="Doubled"):
        quaxify(program)(Doubled(X))


def test_a_callback_is_given_the_dense_array(run):
    def program(x):
        shape = jax.ShapeDtypeStruct((3,), jnp.float32)
        return jax.pure_callback(lambda x: np.exp(np.asarray(x)), shape, x)

    np.testing.assert_allclose(run(program)(Doubled(X)), np.exp(2 * X), rtol=1e-5)


def test_callbacks_run_in_the_order_of_the_program(run):
    calls = []

    def program(x, y):
        io_callback(lambda x: calls.append(("first", float(x))), None, x[0], ordered=True)
        io_callback(lambda y: calls.append(("second", float(y))), None, y, ordered=True)
        io_callback(lambda x: calls.append(("third", float(x))), None, x[2], ordered=True)
        return x * y

    run(program)(Doubled(X), 3.0)
    jax.effects_barrier()
    assert calls == [("first", -2.0), ("second", 3.0), ("third", 4.0)]


def test_callbacks_in_a_loop_run_once_for_each_turn(run):
    calls = []

    def program(x):
        def body(c, _):
            io_callback(lambda c: calls.append(float(c)), None, c[0], ordered=True)
            return c + x, None

        return lax.scan(body, x, None, length=3)[0]

    run(program)(Doubled(X))
    jax.effects_barrier()
    assert calls == [-2.0, -4.0, -6.0]


def test_a_callback_in_a_branch_runs_if_the_branch_does(run):
    calls = []

    def program(p, x):
        note = lambda x: jax.debug.callback(lambda x: calls.append(float(x)), x[0])
        return lax.cond(p, lambda x: (note(x), x)[1], lambda x: x + 1.0, x)

    run(program)(True, Doubled(X))
    run(program)(False, Doubled(X))
    jax.effects_barrier()
    assert calls == [-2.0]


def test_debug_print_shows_the_dense_array(run, capfd):
    def program(x):
        jax.debug.print("x is {x}", x=x)
        return x * 2.0

    run(program)(Doubled(jnp.array([1.0, 2.0])))
    jax.effects_barrier()
    assert "x is [2. 4.]" in capfd.readouterr().out


def test_debug_print_names_what_is_not_to_be_made_dense(run, capfd):
    def program(w, x):
        jax.debug.print("{} is {w:.2f}, x is {x}, {y:.1f}", "w", w=w, x=x, y=2.0)
        return x

    run(program)(Opaque(jnp.ones((3, 3))), Doubled(jnp.array([1.0, 2.0])))
    with materialization("error"):
        run(program)(make_lowrank(), jnp.array([3.0]))
    jax.effects_barrier()
    assert capfd.readouterr().out.splitlines() == [
        "w is Opaque f32[3,3], x is [2. 4.], 2.0",
        "w is LowRank f32[3,3], x is [3.], 2.0",
    ]


def test_a_kernel_is_given_the_dense_array(run):
    def kernel(x, y, out):
        out[...] = x[...] * y[...] + 1.0

    def program(x, y):
        shape = jax.ShapeDtypeStruct((3,), jnp.float32)
        return pl.pallas_call(kernel, out_shape=shape, interpret=True)(x, y)

    np.testing.assert_allclose(run(program)(Doubled(X), X), 2 * X * X + 1, rtol=1e-6)


def test_an_exported_program_is_given_the_dense_array(run):
    exported = export.export(jax.jit(lambda x: jnp.sin(x) + 1.0))(X)
    got = run(lambda x: exported.call(x) * 2.0)(Doubled(X))
    np.testing.assert_allclose(got, 2 * np.sin(2 * X) + 2, rtol=1e-5)


def test_a_kernel_or_a_callback_asks_the_policy():
    shape = jax.ShapeDtypeStruct((3,), jnp.float32)
    with materialization("error"), pytest.raises(MaterializeError, match="pure_callback"):
        quaxify(lambda x: jax.pure_callback(np.asarray, shape, x))(Doubled(X))


def test_a_quaxified_function_is_compiled_ahead_of_time():
    w = make_lowrank()
    lowered = jax.jit(quaxify(jnp.matmul)).lower(w, X)
    compiled = lowered.compile()
    want = (np.asarray(w.w) + np.asarray(w.a) @ np.asarray(w.b)) @ np.asarray(X)
    np.testing.assert_allclose(compiled(w, X), want, rtol=1e-4)
    with pytest.raises(TypeError):
        compiled(Doubled(w.w), X)


def test_a_program_compiled_before_is_called_inside():
    compiled = jax.jit(lambda x: jnp.sin(x) * 2.0).lower(X).compile()
    got = quaxify(lambda x, y: compiled(materialize(x)) + compiled(y))(Doubled(X), X)
    np.testing.assert_allclose(got, 2 * np.sin(2 * X) + 2 * np.sin(X), rtol=1e-5)
    with pytest.raises(TypeError, match="Cannot apply JAX transformations"):
        quaxify(compiled)(Doubled(X))  # as in a `jit`: JAX asks nobody what to do


def test_a_quaxified_function_is_lowered_for_structures_without_numbers():
    w = make_lowrank()
    structs = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), w)
    assert isinstance(structs, LowRank)
    compiled = jax.jit(quaxify(jnp.matmul)).lower(structs, X).compile()
    want = (np.asarray(w.w) + np.asarray(w.a) @ np.asarray(w.b)) @ np.asarray(X)
    np.testing.assert_allclose(compiled(w, X), want, rtol=1e-4)
    out = jax.eval_shape(quaxify(lambda w: w.T), structs)
    assert isinstance(out, LowRank)
    assert out.shape == (3, 3)


def test_a_value_that_is_returned_is_rebuilt_by_the_compiled_program():
    compiled = jax.jit(quaxify(lambda x: x * 2.0)).lower(Box(X, "s")).compile()
    got = compiled(Box(X + 1.0, "s"))
    assert isinstance(got, Box)
    assert got.tag == "s"
    np.testing.assert_allclose(got.array, 2 * X + 2)


def test_a_quaxified_function_is_exported_on_its_leaves():
    structure = jax.tree.structure(Opaque(X))
    run = jax.jit(lambda *leaves: quaxify(lambda x: -x)(structure.unflatten(leaves)).array)
    exported = export.export(run)(X)
    assert exported.in_avals[0].shape == (3,)
    np.testing.assert_allclose(exported.call(X + 1.0), -X - 1)


def test_a_quaxified_function_is_exported_for_any_number_of_rows():
    def program(x, zeros):
        def body(c, rows):
            row, zero = rows
            return c + row, (jnp.sin(row), zero)

        carry, ys = lax.scan(body, jnp.zeros(3), (x, zeros))
        kept = lax.cond(x[0, 0] > 0, lambda: x, lambda: -x)
        return carry, ys, kept, jax.vmap(lambda row: row * row.sum())(x), x @ x.T, zeros + x

    def on_leaf(half):
        return materialize(quaxify(program)(Doubled(half), Zero(half[..., None][..., :0])))

    rows = jax.ShapeDtypeStruct(export.symbolic_shape("rows, 3"), jnp.float32)
    exported = export.export(jax.jit(on_leaf))(rows)
    x = jnp.arange(12.0).reshape(4, 3) / 6.0
    want = program(2 * x, jnp.zeros((4, 3)))
    jax.tree.map(lambda g, w: np.testing.assert_allclose(g, w, rtol=1e-5), exported.call(x), want)


def test_an_inner_compiled_call_is_compiled_once_for_equal_types():
    traces = []

    @jax.jit
    def inner(x):
        traces.append(1)
        return jnp.sin(x)

    run = quaxify(lambda x: inner(x))
    for i in range(5):
        run(Doubled(X + i))
    assert len(traces) == 1


def test_an_effect_is_not_lost_with_its_result(run):
    calls = []

    def program(x):
        io_callback(lambda x: calls.append(float(x)), None, x[0])
        return 0.0

    run(program)(Doubled(X))
    jax.effects_barrier()
    assert calls == [-2.0]
