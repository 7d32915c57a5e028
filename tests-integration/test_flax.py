"""Programs written with Flax: `flax.linen` and `flax.nnx`."""

import jax
import jax.numpy as jnp
import optax
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
from flax import linen, nnx

from duckarray.core import quaxify


def with_low_rank(params, kind=LowRank):
    """Every matrix among `params` with a low-rank update."""
    leaves, structure = jax.tree.flatten(params)
    values = [lowrank(x, kind, seed=i) if x.ndim == 2 else x for i, x in enumerate(leaves)]
    return jax.tree.unflatten(structure, values)


class Perceptron(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.silu(linen.Dense(5)(x))
        return linen.Dense(2)(linen.LayerNorm()(x))


class Normalized(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.Dense(4)(x)
        x = linen.BatchNorm(use_running_average=False)(x)
        return linen.Dropout(0.5, deterministic=False)(x)


class Stack(linen.Module):
    """Layers whose parameters are stacked by `linen.scan`, each rematerialized."""

    @linen.compact
    def __call__(self, x):
        step = linen.remat(Layer)
        layers = linen.scan(
            step, variable_axes={"params": 0}, split_rngs={"params": True}, length=3
        )
        return layers()(x, None)[0]


class Layer(linen.Module):
    @linen.compact
    def __call__(self, x, _):
        return linen.tanh(linen.Dense(3)(x)), None


def run_linen(module, kind=Refusing, **collections):
    def make():
        x = numbers(1, 4, 3)
        variables = module.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, x)
        state = {k: v for k, v in variables.items() if k != "params"}

        def program(params, x):
            out = module.apply(
                {"params": params, **state},
                x,
                mutable=list(state),
                rngs={"dropout": jax.random.key(2)},
            )
            return out

        return Case(program, (with_low_rank(variables["params"], kind), x), keeps=True, rtol=2e-3)

    return make


def run_linen_stack():
    module, x = Stack(), numbers(1, 4, 3)
    params = module.init(jax.random.key(0), x)
    params = jax.tree.map(lambda p: lowrank(p, Refusing) if p.ndim == 3 else p, params)
    return Case(module.apply, (params, x), keeps=True)


def run_linen_attention():
    module, x = linen.MultiHeadDotProductAttention(2, qkv_features=4), numbers(1, 5, 4)
    params = module.init(jax.random.key(0), x)
    return Case(lambda x: module.apply(params, x, x), (Tagged(x),))


def run_linen_convolution():
    module, x = linen.Conv(4, (3,)), numbers(1, 2, 6, 3)
    params = module.init(jax.random.key(0), x)
    values = jax.tree.map(Tagged, params)
    return Case(lambda p, x: linen.max_pool(module.apply(p, x), (2,), (2,)), (values, x))


def run_linen_rnn():
    module, x = linen.RNN(linen.LSTMCell(3)), numbers(1, 2, 4, 3)
    params = module.init(jax.random.key(0), x)
    return Case(module.apply, (with_low_rank(params, Refusing), x), keeps=True)


class NnxPerceptron(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(3, 5, rngs=rngs)
        self.norm = nnx.BatchNorm(5, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.last = nnx.Linear(5, 2, rngs=rngs)

    def __call__(self, x):
        return self.last(self.dropout(nnx.gelu(self.norm(self.first(x)))))


def split(module):
    """A function that makes the module of its parameters, and these."""
    definition, params, rest = nnx.split(module, nnx.Param, ...)
    # Without a copy the rest would belong to the trace it was made in.
    return lambda params: nnx.merge(definition, params, rest, copy=True), params


def run_nnx():
    build, params = split(NnxPerceptron(nnx.Rngs(0)))

    def program(params, x):
        model = build(params)
        y = model(x)
        return y, model.norm.mean[...]

    args = with_low_rank(params, Refusing), numbers(1, 4, 3)
    return Case(program, args, keeps=True, rtol=2e-3)


def run_nnx_transforms():
    """`nnx.jit` and `nnx.value_and_grad` inside, with respect to the module."""
    build, params = split(NnxPerceptron(nnx.Rngs(0)))

    def program(params, x):
        @nnx.jit
        def gradient(model, x):
            return nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)

        model = build(params)
        loss, grads = gradient(model, x)
        return loss, nnx.to_pure_dict(grads), model.norm.mean[...]

    return Case(program, (with_low_rank(params), numbers(1, 4, 3)), rtol=2e-3)


def run_nnx_scan():
    @nnx.vmap(in_axes=0, out_axes=0)
    def create(key):
        return nnx.Linear(3, 3, rngs=nnx.Rngs(key))

    build, params = split(create(jax.random.split(jax.random.key(0), 3)))

    def program(params, x):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        def forward(x, layer):
            return jnp.tanh(layer(x))

        return forward(x, build(params))

    return Case(program, (jax.tree.map(Tagged, params), numbers(1, 4, 3)))


def run_nnx_recurrent():
    build, params = split(nnx.RNN(nnx.GRUCell(3, 4, rngs=nnx.Rngs(0)), rngs=nnx.Rngs(1)))
    program = lambda params, x: build(params)(x)
    return Case(program, (with_low_rank(params, Refusing), numbers(1, 2, 5, 3)), keeps=True)


def run_nnx_attention():
    module = nnx.MultiHeadAttention(2, 4, decode=False, rngs=nnx.Rngs(0))
    build, params = split(module)
    program = lambda x: build(params)(x)
    return Case(program, (Tagged(numbers(1, 2, 5, 4)),))


PROGRAMS = {
    "linen.Dense, LayerNorm": run_linen(Perceptron()),
    "linen.BatchNorm, Dropout": run_linen(Normalized()),
    "linen.scan, remat": run_linen_stack,
    "linen.MultiHeadDotProductAttention, tagged": run_linen_attention,
    "linen.Conv, tagged": run_linen_convolution,
    "linen.RNN, LSTMCell": run_linen_rnn,
    "nnx.Linear, BatchNorm, Dropout": run_nnx,
    "nnx.jit, value_and_grad": run_nnx_transforms,
    "nnx.scan over tagged layers": run_nnx_scan,
    "nnx.RNN, GRUCell": run_nnx_recurrent,
    "nnx.MultiHeadAttention, tagged": run_nnx_attention,
}
EAGER = {"linen.scan, remat", "nnx.scan over tagged layers"}


@pytest.mark.parametrize(("program", "check"), checks(PROGRAMS, EAGER, eager_values=False))
def test_agrees_with_the_program_on_dense_arrays(program, check):
    agree(PROGRAMS[program], check)


def test_rules_answer_inside_scanned_layers():
    case = run_nnx_scan()
    with counting() as hits:
        jax.jit(quaxify(case.program)).trace(*case.args)
    assert hits["dot_general"] > 0
    assert hits["tanh"] > 0


def test_an_nnx_optimizer_inside_trains_on_a_tagged_batch():
    build, params = split(NnxPerceptron(nnx.Rngs(0)))

    def train(x):
        model = build(params)
        optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)

        @nnx.jit
        def step(model, optimizer):
            loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - 1) ** 2))(model)
            optimizer.update(model, grads)
            return loss

        losses = [step(model, optimizer) for _ in range(3)]
        return losses, nnx.to_pure_dict(nnx.state(model, nnx.Param))

    x = Tagged(numbers(1, 4, 3))
    assert_same(dense(quaxify(train)(x)), train(dense(x)), rtol=2e-3)
