import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import Box, Doubled, Opaque, dense, make_lowrank, matrix
from jax import lax
from jax.ad_checkpoint import checkpoint_name

from duckarray.core import materialization, quaxify

X = jnp.arange(3.0)
POLICIES = jax.checkpoint_policies


def layer(w, x):
    return jnp.tanh(checkpoint_name(w @ x, "product"))


CHECKPOINTS = {
    "plain": lambda f: jax.checkpoint(f),
    "prevent_cse": lambda f: jax.checkpoint(f, prevent_cse=False),
    "everything": lambda f: jax.checkpoint(f, policy=POLICIES.everything_saveable),
    "nothing": lambda f: jax.checkpoint(f, policy=POLICIES.nothing_saveable),
    "dots": lambda f: jax.checkpoint(f, policy=POLICIES.dots_saveable),
    "names": lambda f: jax.checkpoint(f, policy=POLICIES.save_only_these_names("product")),
    "jit": lambda f: jax.jit(jax.checkpoint(f)),
    "of jit": lambda f: jax.checkpoint(jax.jit(f)),
    "twice": lambda f: jax.checkpoint(jax.checkpoint(f)),
}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_agrees_and_is_differentiated(name):
    program = lambda w: CHECKPOINTS[name](layer)(w, X)
    w = make_lowrank()
    assert_same(quaxify(program)(w), program(dense(w)))
    gradients_agree(program, w)


def test_each_type_passes(value):
    gradients_agree(lambda x: jax.checkpoint(lambda x: jnp.sin(x) * x)(x), value)


@pytest.mark.parametrize("name", ["plain", "dots", "names"])
def test_rules_fire_inside(name):
    w = make_lowrank()
    with materialization("error"):
        got = quaxify(lambda w: CHECKPOINTS[name](layer)(w, X))(w)
        gradient = jax.grad(lambda w: quaxify(CHECKPOINTS[name](layer))(w, X).sum())(w)
    assert_same(got, layer(dense(w), X))
    assert_same(gradient.w, jax.grad(lambda w: layer(w, X).sum())(dense(w)))


def test_a_value_comes_out_as_a_value():
    got = quaxify(jax.checkpoint(lambda x: (-x, x)))(Opaque(X))
    assert all(isinstance(x, Opaque) for x in got)
    np.testing.assert_allclose(got[0].array, -X)


def recomputed(program, *args):
    """How often sines and cosines are computed, and barriers keep them from being merged."""
    lowered = jax.jit(program).lower(*args).as_text()
    names = ("sine", "cosine", "optimization_barrier")
    return [lowered.count(f"stablehlo.{name} ") for name in names]


# The derivative of sin(cos(x)) is -cos(cos(x)) sin(x); cos(x) is computed once to be forgotten, or
# not at all, and once more. Without barriers XLA is free to merge what is equal.
@pytest.mark.parametrize("prevent_cse", [True, False])
def test_the_recomputation_of_a_gradient_inside_is_kept_apart(prevent_cse):
    def program(x):
        f = jax.checkpoint(lambda x: jnp.sin(jnp.cos(x)), prevent_cse=prevent_cse)
        return jax.grad(lambda x: f(x).sum())(x)

    want = recomputed(program, X)
    assert want[:2] == [1, 2]
    assert want[2] >= prevent_cse  # with `jax_remat3` JAX 0.10 puts one anyway
    assert recomputed(quaxify(program), Box(X)) == want
    assert recomputed(quaxify(program), Doubled(X)) == want


def test_a_gradient_outside_recomputes_too():
    program = jax.checkpoint(lambda x: jnp.sin(jnp.cos(x)))
    ours = recomputed(jax.grad(lambda x: quaxify(program)(x).sum()), Doubled(X))
    assert ours == recomputed(jax.grad(lambda x: program(x).sum()), X) == [1, 2, 1]


def test_the_policy_decides_what_is_saved():
    def by_hand(w, x):
        return jnp.tanh(checkpoint_name(w.w @ x + w.a @ (w.b @ x), "product"))

    def saved(run):
        _, pull = jax.vjp(lambda w: run(w, X), make_lowrank())
        return sorted(np.shape(x) for x in jax.tree.leaves(pull))

    for policy in (POLICIES.nothing_saveable, POLICIES.save_only_these_names("product")):
        ours = saved(quaxify(jax.checkpoint(layer, policy=policy)))
        assert ours == saved(jax.checkpoint(by_hand, policy=policy))


def test_a_checkpoint_in_a_scan_over_stacked_layers():
    def program(x, n):
        body = jax.checkpoint(lambda c, _: (jnp.tanh(c @ x), None))
        return lax.scan(body, jnp.eye(3), None, length=n)[0]

    gradients_agree(lambda x: program(x, 3), make_lowrank())


def test_a_checkpoint_with_a_cond_a_custom_rule_and_a_static_argument():
    f = jax.checkpoint(
        lambda x, n: lax.cond(x.sum() > 0, jax.nn.relu, jnp.sin, x) * n, static_argnums=(1,)
    )
    gradients_agree(lambda x: f(x, 3.0), Doubled(matrix()))


def test_a_value_closed_over_by_a_checkpoint():
    w = make_lowrank()
    got = quaxify(jax.grad(lambda x: jax.checkpoint(lambda x: jnp.sum(jnp.matmul(w, x) ** 2))(x)))(
        X
    )
    assert_same(got, jax.grad(lambda x: jnp.sum((dense(w) @ x) ** 2))(X), rtol=1e-4)


def test_vmap_of_a_checkpoint(value):
    agrees(lambda x: jax.vmap(jax.checkpoint(lambda r: jnp.sin(r) * r.sum()))(x), value)
