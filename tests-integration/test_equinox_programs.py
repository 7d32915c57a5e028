"""Programs written with Equinox."""

import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _values import (
    Case,
    LowRank,
    Refusing,
    Tagged,
    agree,
    assert_same,
    checks,
    counting,
    dense,
    lowrank,
    numbers,
)

from duckarray.core import materialization, quaxify


def weights(model):
    """Every matrix of a model's `Linear` layers and recurrent cells."""
    is_layer = lambda x: isinstance(x, eqx.nn.Linear | eqx.nn.GRUCell | eqx.nn.LSTMCell)
    found = []
    for layer in filter(is_layer, jax.tree.leaves(model, is_leaf=is_layer)):
        cell = not isinstance(layer, eqx.nn.Linear)
        found += [layer.weight_ih, layer.weight_hh] if cell else [layer.weight]
    return found


def with_weights(model, values):
    return eqx.tree_at(weights, model, values)


def low_rank_weights(model, kind=LowRank):
    return [lowrank(w, kind, seed=10 * i) for i, w in enumerate(weights(model))]


def mlp():
    return eqx.nn.MLP(3, 2, 5, 2, activation=jax.nn.softplus, key=jax.random.key(0))


def run_mlp():
    model = mlp()
    program = lambda values, x: jax.vmap(with_weights(model, values))(x)
    return Case(program, (low_rank_weights(model), numbers(1, 4, 3)), keeps=True)


def run_mlp_relu_refusing():
    model = eqx.nn.MLP(3, "scalar", 5, 2, key=jax.random.key(0))
    program = lambda values, x: with_weights(model, values)(x)
    values = low_rank_weights(model, Refusing)
    return Case(program, (values, numbers(1, 3)), keeps=True)


def run_attention():
    model = eqx.nn.MultiheadAttention(2, 6, use_query_bias=True, key=jax.random.key(1))

    def program(values, x):
        mask = jnp.tril(jnp.ones((4, 4), bool))
        return with_weights(model, values)(x, x, x, mask=mask)

    return Case(program, (low_rank_weights(model, Refusing), numbers(2, 4, 6)), keeps=True)


def run_gru():
    cell = eqx.nn.GRUCell(3, 4, key=jax.random.key(2))

    def program(values, xs):
        step = with_weights(cell, values)
        return jax.lax.scan(lambda h, x: (step(x, h),) * 2, jnp.zeros(4), xs)

    return Case(program, (low_rank_weights(cell, Refusing), numbers(3, 5, 3)), keeps=True)


def run_lstm_on_tagged():
    cell = eqx.nn.LSTMCell(3, 4, key=jax.random.key(2))

    def program(xs):
        step = lambda state, x: (cell(x, state), None)
        return jax.lax.scan(step, (jnp.zeros(4), jnp.zeros(4)), xs)[0]

    return Case(program, (Tagged(numbers(3, 5, 3)),))


def run_batch_norm(mode):
    def make():
        linear = eqx.nn.Linear(3, 4, key=jax.random.key(3))
        norm, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(4, "batch", mode=mode)

        def program(value, x):
            layer = eqx.tree_at(lambda m: m.weight, linear, value)
            apply = lambda x, state: norm(layer(x), state)
            y, after = jax.vmap(apply, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(
                x, state
            )
            return y, after.get(norm.ema_state_index if mode == "ema" else norm.batch_state_index)

        return Case(program, (lowrank(linear.weight, Refusing), numbers(4, 5, 3)), keeps=True)

    return make


def run_batch_norm_on_tagged():
    norm, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(3, "batch", mode="batch")
    apply = jax.vmap(norm, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
    return Case(lambda x: apply(x, state)[0], (Tagged(numbers(4, 5, 3)),))


def run_convolution_and_norm_on_tagged():
    key = jax.random.key(5)
    layers = [
        eqx.nn.Conv1d(2, 4, 3, key=key),
        eqx.nn.GroupNorm(2, 4),
        eqx.nn.Lambda(jax.nn.gelu),
        eqx.nn.MaxPool1d(2, 2),
        eqx.nn.LayerNorm((4, 3)),
        eqx.nn.Dropout(0.5),
    ]
    model = eqx.nn.Sequential(layers)
    return Case(lambda x: model(x, key=key), (Tagged(numbers(5, 2, 8)),))


def run_embedding_of_tagged():
    program = lambda weight, i: jax.vmap(eqx.nn.Embedding(weight=weight))(i)
    return Case(program, (Tagged(numbers(6, 5, 3)), jnp.array([4, 0, 4])))


def run_filter_checkpoint():
    model = mlp()

    def program(values, x):
        return eqx.filter_checkpoint(lambda m, x: m(x))(with_weights(model, values), x)

    return Case(program, (low_rank_weights(model), numbers(1, 3)), keeps=True)


def loop_body(w, x):
    return jnp.tanh(jnp.matmul(w, x)) + 0.1


# On JAX 0.10 the derivative of a `cond`, which a bounded loop contains, gives the weight from one
# branch and zeros in its place from the other, and what both can become is dense.
KEEPING_LOOPS = ("lax", "checkpointed")


def run_while(kind, value):
    keeps = kind in KEEPING_LOOPS

    def program(w, x):
        def body(carry):
            i, x = carry
            return i + 1, loop_body(w, x)

        return eqxi.while_loop(
            lambda carry: carry[0] < 4, body, (jnp.array(0), x), max_steps=5, kind=kind
        )[1]

    def make():
        if value is Tagged:
            return Case(program, (numbers(7, 3, 3), Tagged(numbers(8, 3))))
        return Case(program, (lowrank(numbers(7, 3, 3), value), numbers(8, 3)), keeps)

    return make


def run_while_until_converged():
    """The predicate depends on the value, and the loop is mapped over."""

    def program(w, xs):
        def one(x):
            carry = (x, x + 1)
            return eqxi.while_loop(
                lambda c: jnp.max(jnp.abs(c[0] - c[1])) > 1e-2,
                lambda c: (loop_body(w, c[0]), c[0]),
                carry,
                max_steps=16,
                kind="checkpointed",
            )

        return jax.vmap(one)(xs)

    return Case(program, (lowrank(0.2 * numbers(7, 3, 3)), numbers(8, 4, 3)), keeps=True)


def run_while_with_buffers(kind, mapped):
    def program(w, x):
        def body(carry):
            i, x, out = carry
            x = loop_body(w, x)
            return i + 1, x, out.at[i].set(x)

        def loop(x, stop):
            return eqxi.while_loop(
                lambda c: c[0] < stop,
                body,
                (jnp.array(0), x, jnp.zeros((6, 3))),
                buffers=lambda c: c[2],
                max_steps=6,
                kind=kind,
            )[2]

        if mapped:
            return jax.vmap(loop)(x, jnp.array([2, 5]))
        return loop(x[0], 3)

    def make():
        return Case(program, (lowrank(numbers(7, 3, 3)), numbers(8, 2, 3)), kind in KEEPING_LOOPS)

    return make


def run_scan(value):
    def program(w, xs):
        def body(x, y):
            x = loop_body(w, x) + y
            return x, jnp.sin(x)

        return eqxi.scan(body, jnp.zeros(3), xs, kind="checkpointed")

    def make():
        if value is Tagged:
            return Case(program, (numbers(7, 3, 3), Tagged(numbers(8, 4, 3))))
        return Case(program, (lowrank(numbers(7, 3, 3), value), numbers(8, 4, 3)), keeps=True)

    return make


def run_filter_transforms():
    """`filter_jit`, `filter_value_and_grad` and `filter_vmap` on a model that holds values."""
    model = mlp()

    def program(values, xs):
        @eqx.filter_jit
        @eqx.filter_value_and_grad
        def loss(bias_model, whole, x):
            return jnp.sum(eqx.combine(bias_model, whole)(x) ** 2)

        whole = with_weights(model, values)
        is_bias = jax.tree.map(lambda x: eqx.is_array(x) and x.ndim == 1, model)
        is_bias = eqx.tree_at(weights, is_bias, [False] * len(values))
        trained, rest = eqx.partition(whole, is_bias)
        return eqx.filter_vmap(loss, in_axes=(None, None, 0))(trained, rest, xs)

    return Case(program, (low_rank_weights(model), numbers(1, 4, 3)), keeps=True)


def run_filter_grad_of_values():
    model = mlp()

    def program(values, x):
        @eqx.filter_jit
        @eqx.filter_grad
        def gradient(m):
            return jnp.sum(m(x) ** 2)

        return eqx.filter(gradient(with_weights(model, values)), eqx.is_array)

    return Case(program, (low_rank_weights(model), numbers(1, 3)), keeps=True)


def run_filter_jvp_and_vjp():
    def program(w, x, t):
        out, tangent = eqx.filter_jvp(lambda x: jnp.tanh(jnp.matmul(w, x)), (x,), (t,))
        _, vjp = eqx.filter_vjp(lambda x: jnp.tanh(jnp.matmul(w, x)), x)
        return out, tangent, vjp(t)

    return Case(program, (lowrank(numbers(7, 3, 3)), numbers(8, 3), numbers(9, 3)), keeps=True)


@eqx.filter_custom_vjp
def clipped(y, w):
    return jnp.tanh(jnp.matmul(w, y))


@clipped.def_fwd
def clipped_fwd(perturbed, y, w):
    out = clipped(y, w)
    return out, out


@clipped.def_bwd
def clipped_bwd(out, cotangent, perturbed, y, w):
    return jnp.matmul(jnp.clip(cotangent * (1 - out**2), -0.1, 0.1), w)


@eqx.filter_custom_jvp
def saturating(x):
    return jnp.tanh(x)


@saturating.def_jvp
def saturating_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return jnp.tanh(x), jnp.zeros_like(x) if t is None else 0.5 * t


def run_filter_custom_vjp():
    """The rule says how to differentiate by `y`; `w` is not differentiated there."""

    def program(y, w):
        return clipped(y, w)

    return Case(program, (Tagged(numbers(8, 3)), lowrank(numbers(7, 3, 3))))


def run_filter_custom_jvp():
    program = lambda x: saturating(x) * 2
    return Case(program, (Tagged(numbers(8, 3)),))


def run_closure_convert():
    def program(w, x):
        closed = eqx.filter_closure_convert(lambda y: jnp.matmul(w, jnp.sin(y)), x)
        return eqx.filter_jit(lambda c, x: c(c(x)))(closed, x)

    return Case(program, (lowrank(numbers(7, 3, 3)), numbers(8, 3)), keeps=True)


def run_ensemble():
    """`filter_vmap` over models stacked along a leading axis."""
    models = eqx.filter_vmap(lambda key: eqx.nn.Linear(3, 2, key=key))(
        jax.random.split(jax.random.key(0), 4)
    )

    def program(weight, x):
        model = eqx.tree_at(lambda m: m.weight, models, weight)
        return eqx.filter_vmap(lambda m, x: m(x), in_axes=(eqx.if_array(0), None))(model, x)

    return Case(program, (lowrank(models.weight, Refusing), numbers(1, 3)), keeps=True)


def run_error_if(value):
    def program(x, w):
        x = eqx.error_if(x, jnp.any(x > 1e6), "too large")
        w = eqx.error_if(w, jnp.any(x < -1e6), "too small")
        return jnp.matmul(w, jnp.sin(x))

    def make():
        if value is Tagged:
            return Case(program, (Tagged(numbers(8, 3)), numbers(7, 3, 3)))
        # The first argument is checked too, and then dense.
        return Case(program, (numbers(8, 3), lowrank(numbers(7, 3, 3))))

    return make


def run_error_if_beside():
    """What is checked is an array, with a weight around that must not become dense."""

    def program(w, x):
        y = eqx.error_if(jnp.matmul(w, x), jnp.any(x > 1e6), "too large")
        return jnp.matmul(w, y)

    return Case(program, (lowrank(numbers(7, 3, 3), Refusing), numbers(8, 3)), keeps=True)


def run_branched_error_if():
    def program(x):
        x = eqx.branched_error_if(x, jnp.sum(x) > 1e6, jnp.array(0), ["large", "huge"])
        return jnp.sin(x)

    return Case(program, (Tagged(numbers(8, 3)),))


def run_unvmap():
    def program(x):
        def one(x):
            some, every = eqxi.unvmap_any(x > 0), eqxi.unvmap_all(x > 0)
            most = eqxi.unvmap_max(jnp.floor(x).astype(jnp.int32))
            return jnp.where(some, x, 0) + jnp.where(every, 1.0, 2.0), most

        return jax.vmap(one)(x), one(x)

    return Case(program, (Tagged(numbers(8, 3)),))


def run_marks():
    """Primitives that only forbid a transform, or keep one from being seen."""

    @eqx.filter_jit
    def program(x):
        x = eqxi.nonbatchable(eqxi.nondifferentiable_backward(x))
        return eqxi.noinline(jnp.sin)(x) + eqxi.nondifferentiable(x)

    return Case(program, (Tagged(numbers(8, 3)),))


PROGRAMS = {
    "MLP": run_mlp,
    "MLP of weights that have no dense form": run_mlp_relu_refusing,
    "MultiheadAttention": run_attention,
    "GRUCell": run_gru,
    "LSTMCell on a tagged sequence": run_lstm_on_tagged,
    "BatchNorm, batch": run_batch_norm("batch"),
    "BatchNorm, ema": run_batch_norm("ema"),
    "BatchNorm on a tagged batch": run_batch_norm_on_tagged,
    "Conv1d, norms and pooling on a tagged signal": run_convolution_and_norm_on_tagged,
    "Embedding, tagged": run_embedding_of_tagged,
    "filter_checkpoint": run_filter_checkpoint,
    "while_loop, lax": run_while("lax", LowRank),
    "while_loop, checkpointed": run_while("checkpointed", LowRank),
    "while_loop, checkpointed, no dense form": run_while("checkpointed", Refusing),
    "while_loop, checkpointed, tagged": run_while("checkpointed", Tagged),
    "while_loop, bounded": run_while("bounded", LowRank),
    "while_loop, bounded, tagged": run_while("bounded", Tagged),
    "while_loop until converged, mapped": run_while_until_converged,
    "while_loop with buffers, checkpointed": run_while_with_buffers("checkpointed", False),
    "while_loop with buffers, checkpointed, mapped": run_while_with_buffers("checkpointed", True),
    "while_loop with buffers, bounded, mapped": run_while_with_buffers("bounded", True),
    "scan, checkpointed": run_scan(LowRank),
    "scan, checkpointed, tagged": run_scan(Tagged),
    "filter_jit, filter_value_and_grad, filter_vmap": run_filter_transforms,
    "filter_grad of values": run_filter_grad_of_values,
    "filter_jvp and filter_vjp": run_filter_jvp_and_vjp,
    "filter_custom_vjp": run_filter_custom_vjp,
    "filter_custom_jvp": run_filter_custom_jvp,
    "filter_closure_convert": run_closure_convert,
    "ensemble": run_ensemble,
    "error_if, tagged": run_error_if(Tagged),
    "error_if, low rank": run_error_if(LowRank),
    "error_if beside a value": run_error_if_beside,
    "branched_error_if": run_branched_error_if,
    "unvmap": run_unvmap,
    "nonbatchable, noinline, nondifferentiable": run_marks,
}


EAGER = {
    "MLP",
    "while_loop, checkpointed",
    "filter_custom_vjp",
    "filter_custom_jvp",
    "filter_closure_convert",
    "ensemble",
    "error_if, tagged",
    "error_if beside a value",
}
WITHOUT = {
    "while_loop, lax",
    "nonbatchable, noinline, nondifferentiable",
    # The backward function gives the cotangent of the dense array, which has to go to its leaves.
    "while_loop, checkpointed, no dense form-gradient outside",
    # These only take long.
    "while_loop, checkpointed-gradient outside-eager",
    "while_loop with buffers, checkpointed-gradient inside",
    "while_loop with buffers, checkpointed, mapped-gradient outside",
    "while_loop with buffers, bounded, mapped-gradient inside",
    "while_loop until converged, mapped-gradient inside",
    "scan, checkpointed, tagged-gradient outside",
    "BatchNorm on a tagged batch-value-eager",
    "Conv1d, norms and pooling on a tagged signal-value-eager",
}


@pytest.mark.parametrize(("program", "check"), checks(PROGRAMS, EAGER, WITHOUT))
def test_agrees_with_the_program_on_dense_arrays(program, check):
    agree(PROGRAMS[program], check)


def test_rules_answer_inside_the_body_of_a_checkpointed_loop():
    w, x = lowrank(numbers(7, 3, 3), Refusing), Tagged(numbers(8, 3))
    case = run_while("checkpointed", Tagged)()
    with counting() as hits:
        jax.jit(quaxify(case.program)).trace(w, x)
    assert hits["tanh"] > 0
    assert hits["dot_general"] > 0


def test_a_tagged_result_stays_tagged():
    case = run_embedding_of_tagged()
    assert isinstance(quaxify(case.program)(*case.args), Tagged)


@pytest.mark.parametrize("jit", [lambda f: f, jax.jit])
def test_error_if_raises_for_the_content_of_a_value(jit):
    check = jit(quaxify(lambda x: eqx.error_if(x, jnp.any(x > 2), "x is above two")))
    np.testing.assert_allclose(dense(check(Tagged(jnp.array([1.0, 2.0])))), [1.0, 2.0])
    with pytest.raises(Exception, match="x is above two"):
        jax.block_until_ready(check(Tagged(jnp.array([1.0, 3.0]))))


def test_a_layer_without_a_rule_is_refused_under_the_policy():
    norm = eqx.nn.LayerNorm((3, 3))
    weight = lowrank(numbers(0, 3, 3))
    with materialization("error"), pytest.raises(TypeError, match="would make LowRank"):
        quaxify(norm)(weight)
    assert_same(quaxify(norm)(weight), norm(dense(weight)))


def test_filter_grad_outside_trains_the_leaves_of_a_model():
    model, x = mlp(), numbers(1, 4, 3)
    values = low_rank_weights(model)
    loss = lambda m, run: jnp.mean(jax.vmap(run(m))(x) ** 2)
    got = eqx.filter_jit(eqx.filter_grad(lambda m: loss(m, quaxify)))(with_weights(model, values))
    want = eqx.filter_jit(
        eqx.filter_grad(lambda v: loss(with_weights(model, dense(v)), lambda m: m))
    )
    assert_same(weights(got), want(values))


@pytest.mark.parametrize("jit", [lambda f: f, jax.jit])
def test_a_weight_marked_as_not_differentiable_is_not_made_dense(jit):
    w, x = lowrank(numbers(7, 3, 3), Refusing), numbers(8, 3)
    program = lambda w, x: jnp.sum(jnp.sin(eqxi.nondifferentiable(w) @ x))
    want = jax.grad(lambda x: jnp.sum(jnp.sin(dense(w) @ x)))(x)
    assert_same(jit(jax.grad(quaxify(program), argnums=1))(w, x), want)
    assert_same(jit(quaxify(jax.grad(program, argnums=1)))(w, x), want)
    with pytest.raises(RuntimeError, match="cannot be autodifferentiated"):
        jit(jax.grad(lambda w: quaxify(program)(w, x)))(w)
