"""What JAX will be like: `custom_jvp`, `custom_vjp` and `checkpoint` as composite primitives.

Where a version of JAX has such an implementation behind a flag, programs are right under it too.
(`jax_scan3`, which all versions have, cannot yet be differentiated in reverse by JAX itself.)
"""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same, gradients_agree
from _core_types import Box, Doubled, LowRank, dense, make_lowrank
from jax import lax

from duckarray.core import materialization, quaxify

FLAGS = [
    f"jax_{name}3"
    for name in ("custom_jvp", "custom_vjp", "remat")
    if hasattr(jax.config, f"jax_{name}3")
]
X = jnp.array([-1.0, 0.5, 2.0])


@contextlib.contextmanager
def switched_on(flag):
    before = getattr(jax.config, flag)
    jax.config.update(flag, True)
    try:
        yield
    finally:
        jax.config.update(flag, before)


@pytest.fixture(params=FLAGS)
def flag(request):
    with switched_on(request.param):
        yield request.param


def tripled(x):
    """A sine whose derivative is said to be three times what it is."""
    f = jax.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (f(p[0]), 3 * jnp.cos(p[0]) * t[0]))
    return f(x)


def clipped(w, x):
    """A product whose cotangents are clipped."""
    f = jax.custom_vjp(lambda w, x: w @ x)
    f.defvjp(
        lambda w, x: (w @ x, (w, x)),
        lambda saved, g: (jnp.outer(jnp.clip(g, -0.5, 0.5), saved[1]), g @ saved[0]),
    )
    return f(w, x)


def layers(w, x):
    return lax.scan(jax.checkpoint(lambda x, _: (jnp.tanh(w @ x), x)), x, length=2)


PROGRAMS = {
    "jax_custom_jvp3": (lambda x: jax.vmap(tripled)(x) + tripled(x), lambda: Box(X)),
    "jax_custom_vjp3": (lambda w: jax.jit(clipped)(w, X), make_lowrank),
    "jax_remat3": (lambda w: layers(w, X), make_lowrank),
}


def test_programs_agree_and_are_differentiated(flag):
    program, make = PROGRAMS[flag]
    gradients_agree(program, make())
    gradients_agree(tripled, Doubled(X))


def test_nothing_is_made_dense_where_nobody_differentiates(flag):
    w = make_lowrank()
    for program in (clipped, layers):
        with materialization("error"):
            got = quaxify(program)(w, X)
        assert_same(got, program(dense(w), X))


def test_a_checkpoint_and_a_custom_jvp_keep_values_under_a_gradient_outside(flag):
    f = jax.custom_jvp(lambda x: x)
    f.defjvp(lambda p, t: (p[0], t[0]))
    program = lambda w: jnp.sum(jax.checkpoint(lambda w: jnp.tanh(f(w) @ X))(w))
    w = make_lowrank()
    with materialization("error"):
        got = jax.grad(quaxify(program))(w)
    want = jax.grad(lambda w: program(dense(w)))(w)
    assert isinstance(got, LowRank)
    assert_same(jax.tree.leaves(got), jax.tree.leaves(want))


def scaled(w, x):
    """A product whose rules, not it itself, use what is closed over."""
    f = jax.custom_vjp(lambda x: 2.0 * x)
    f.defvjp(lambda x: (2.0 * x, None), lambda _, g: (w.T @ g,))
    g = jax.custom_jvp(lambda x: 3.0 * x)
    g.defjvp(lambda p, t: (3.0 * p[0], w @ t[0]))
    return f(x) + g(x)


@pytest.mark.parametrize("jit", [False, True])
def test_rules_may_close_over_values(flag, jit):
    w = make_lowrank()
    wrap = jax.jit if jit else lambda f: f
    want = jax.grad(lambda x: scaled(dense(w), x).sum())(X)
    with materialization("error"):
        got = [
            wrap(quaxify(lambda w, x: jax.grad(lambda x: scaled(w, x).sum())(x)))(w, X),
            wrap(jax.grad(lambda x: quaxify(scaled)(w, x).sum()))(X),
            jax.grad(lambda x: quaxify(lambda x: scaled(w, x))(x).sum())(X),
        ]
    for each in got:
        assert_same(each, want)


@pytest.mark.parametrize("symbolic_zeros", [False, True])
def test_a_composite_custom_vjp_gets_values_and_gives_cotangents_to_leaves(symbolic_zeros):
    def product(w, x):
        f = jax.custom_vjp(lambda w, x: 3.0 * (w @ x))

        def forward(w, x):
            if symbolic_zeros:
                assert (w.perturbed, x.perturbed) == (True, False)
                w, x = w.value, x.value
            return 3.0 * (w @ x), (w, x)

        def backward(saved, g):
            w, x = saved
            return 3.0 * jnp.outer(g, x), w.T @ g

        f.defvjp(forward, backward, symbolic_zeros=symbolic_zeros)
        return f(w, x)

    w = make_lowrank()
    program = lambda w: jax.vmap(lambda x: product(w, x))(jnp.stack([X, 2 * X]))
    want = jax.grad(lambda w: jnp.sum(program(dense(w)) ** 2))(w)
    with switched_on("jax_custom_vjp3"):
        with materialization("allow"):
            got = jax.grad(lambda w: jnp.sum(quaxify(program)(w) ** 2))(w)
        with materialization("error"):
            one = jax.grad(lambda w: jnp.sum(quaxify(lambda w: product(w, X))(w)))(w)
    assert isinstance(got, LowRank)
    assert_same(jax.tree.leaves(got), jax.tree.leaves(want))
    want = jax.grad(lambda w: jnp.sum(3.0 * (dense(w) @ X)))(w)
    assert_same(jax.tree.leaves(one), jax.tree.leaves(want))


PLAIN = {
    "over a tracer": lambda w: jax.vmap(lambda w: jax.grad(lambda x: clipped_over(w, x).sum())(X))(
        w[None]
    )[0],
    "mapped in a checkpoint": lambda w: jax.grad(
        lambda w: jax.checkpoint(jax.vmap(clipped_of_row))(w).sum()
    )(w),
}


def clipped_over(w, x):
    f = jax.custom_vjp(lambda x: w @ x)
    f.defvjp(lambda x: (w @ x, None), lambda _, g: (jnp.clip(g, -0.5, 0.5) @ w,))
    return f(x)


def clipped_of_row(r):
    f = jax.custom_vjp(lambda r: r * r)
    f.defvjp(lambda r: (r * r, r), lambda r, g: (jnp.clip(g, -0.5, 0.5) * r,))
    return f(r)


@pytest.mark.skipif("jax_custom_vjp3" not in FLAGS, reason="this JAX has no such flag")
@pytest.mark.parametrize("name", PLAIN)
def test_jax_0_10_refuses_programs_without_values_too(name):
    # So tests of such programs are left out where the flag is set for all of them.
    w = dense(make_lowrank())
    want = {"over a tracer": 0.5 * w.sum(0), "mapped in a checkpoint": 0.5 * w}[name]
    assert_same(PLAIN[name](w), want)
    with switched_on("jax_custom_vjp3"):
        if jax.__version_info__ >= (0, 11):
            assert_same(PLAIN[name](w), want)
        else:
            with pytest.raises((TypeError, jax.errors.UnexpectedTracerError), match="custom_vjp"):
                PLAIN[name](w)


def test_custom_root_runs_with_values_and_obeys_the_policy_where_it_is_differentiated():
    w = Doubled(jnp.float32(1.0))

    def root(w):
        f = lambda x: x**3 - w
        newton = lambda f, x: lax.fori_loop(0, 20, lambda i, x: x - f(x) / (3 * x**2), x)
        return lax.custom_root(f, jnp.float32(1.5), newton, lambda g, y: y / g(jnp.float32(1.0)))

    np.testing.assert_allclose(quaxify(root)(w), 2 ** (1 / 3), rtol=1e-5)
    gradient = jax.grad(quaxify(root))(w)
    np.testing.assert_allclose(gradient.half, 2 * 2 ** (-2 / 3) / 3, rtol=1e-5)
