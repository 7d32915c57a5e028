"""Optimizers of Optax: on the leaves of values outside `quaxify`, and as programs inside it."""

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
    dense,
    lowrank,
    numbers,
)

from duckarray.core import materialization, quaxify, tree

OPTIMIZERS = {
    "adam": lambda: optax.adam(0.05),
    "adamw, clipped, scheduled": lambda: optax.chain(
        optax.clip_by_global_norm(0.5),
        optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 0.1, 2, 6), weight_decay=1e-2),
    ),
    "sgd, momentum, clip": lambda: optax.chain(optax.clip(0.1), optax.sgd(0.1, momentum=0.9)),
    "rmsprop, accumulated": lambda: optax.MultiSteps(optax.rmsprop(0.01), 2),
    "only finite updates": lambda: optax.apply_if_finite(optax.adam(0.05), 2),
}
X, Y = numbers(1, 3, 6), numbers(2, 2, 6)


def loss(w):
    return jnp.mean((jnp.tanh(jnp.matmul(w, X)) - Y) ** 2)


def train(loss, optimizer, params, steps=6):
    """An ordinary training loop; gives the parameters and the losses."""

    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradient, state, params)
        return (optax.apply_updates(params, updates), state), value

    (params, _), losses = jax.lax.scan(step, (params, optimizer.init(params)), length=steps)
    return params, losses


@pytest.mark.parametrize(
    ("kind", "name"),
    [*((Refusing, name) for name in OPTIMIZERS), (LowRank, "adam"), (Tagged, "adam")],
)
def test_training_the_leaves_of_a_weight_outside(kind, name):
    w = Tagged(numbers(3, 2, 3)) if kind is Tagged else lowrank(numbers(3, 2, 3), kind)
    optimizer = OPTIMIZERS[name]()
    with materialization("error"):
        got = jax.jit(lambda w: train(lambda w: dense(quaxify(loss)(w)), optimizer, w))(w)
    want = jax.jit(lambda w: train(lambda w: loss(dense(w)), optimizer, w))(w)
    assert isinstance(got[0], kind)
    assert_same(got, want, rtol=2e-3)


def test_training_the_factors_and_not_the_frozen_weight():
    w = lowrank(numbers(3, 2, 3))
    labels = jax.tree.unflatten(jax.tree.structure(w), ["frozen", "trained", "trained"])
    parts = {"trained": optax.adam(0.05), "frozen": optax.set_to_zero()}
    optimizer = optax.multi_transform(parts, labels)
    got, losses = train(quaxify(loss), optimizer, w)
    assert_same(got.w, w.w)
    assert float(jnp.max(jnp.abs(got.a - w.a))) > 1e-2
    assert float(losses[-1]) < float(losses[0])


def test_eager_steps_outside_are_those_of_jit():
    w, optimizer = lowrank(numbers(3, 2, 3)), optax.adam(0.05)
    want, _ = train(lambda w: loss(dense(w)), optimizer, w, steps=2)
    state = optimizer.init(w)
    for _ in range(2):
        updates, state = optimizer.update(jax.grad(quaxify(loss))(w), state, w)
        w = optax.apply_updates(w, updates)
    assert_same(w, want, rtol=2e-3)


def run_training(name, make_weight):
    def make():
        optimizer = OPTIMIZERS[name]()
        return Case(lambda w: train(loss, optimizer, w), (make_weight(),), rtol=2e-3)

    return make


def run_training_a_model_beside():
    """The value is a weight that is not trained, so that it must not be made dense."""

    def program(frozen, head):
        loss = lambda head: jnp.mean((jnp.matmul(head, jnp.matmul(frozen, X)) - Y) ** 2)
        return train(loss, OPTIMIZERS["adamw, clipped, scheduled"](), head)

    return Case(program, (lowrank(numbers(3, 3, 3), Refusing), numbers(4, 2, 3)), keeps=True)


WEIGHTS = {
    "low rank": lambda: lowrank(numbers(3, 2, 3)),
    "tagged": lambda: Tagged(numbers(3, 2, 3)),
}
PROGRAMS = {
    "adam, low rank": run_training("adam", WEIGHTS["low rank"]),
    "adamw, clipped, scheduled, tagged": run_training(
        "adamw, clipped, scheduled", WEIGHTS["tagged"]
    ),
    "sgd, momentum, clip, low rank": run_training("sgd, momentum, clip", WEIGHTS["low rank"]),
    "rmsprop, accumulated, tagged": run_training("rmsprop, accumulated", WEIGHTS["tagged"]),
    "only finite updates, low rank": run_training("only finite updates", WEIGHTS["low rank"]),
    "a head on a frozen weight": run_training_a_model_beside,
}
EAGER = {"sgd, momentum, clip, low rank"}


@pytest.mark.parametrize(("program", "check"), checks(PROGRAMS, EAGER))
def test_training_inside_agrees_with_dense_arrays(program, check):
    agree(PROGRAMS[program], check)


def test_losses_of_optax_agree():
    logits, labels = Tagged(numbers(5, 4, 3)), jnp.array([0, 2, 1, 1])

    def program(logits, labels):
        return (
            optax.softmax_cross_entropy_with_integer_labels(logits, labels),
            optax.huber_loss(logits, jnp.zeros_like(logits)),
            optax.tree.norm({"a": logits, "b": logits}),
        )

    assert_same(dense(quaxify(program)(logits, labels)), program(dense(logits), labels))


@pytest.mark.parametrize("labelled", [False, True])
def test_fields_are_frozen_by_masks_and_labels(labelled):
    params = {"w": lowrank(numbers(3, 2, 3)), "bias": jnp.zeros(())}
    if labelled:
        kinds = tree.labels(params, {"train": {LowRank: ["a", "b"]}}, default="freeze")
        optimizers = {"train": optax.sgd(0.1), "freeze": optax.set_to_zero()}
    else:
        kinds = tree.mask(params, {LowRank: ["a", "b"]})
        optimizers = {True: optax.sgd(0.1), False: optax.set_to_zero()}
    optimizer = optax.multi_transform(optimizers, kinds)
    gradient = jax.tree.map(jnp.ones_like, params)
    updates, _ = optimizer.update(gradient, optimizer.init(params), params)
    after = optax.apply_updates(params, updates)
    assert_same(after["w"].w, params["w"].w)
    assert_same(after["bias"], params["bias"])
    assert_same(after["w"].a, params["w"].a - 0.1)
    assert_same(after["w"].b, params["w"].b - 0.1)
