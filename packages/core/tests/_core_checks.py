"""Checks that a program gives on values what it gives on the arrays they stand for."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from _core_types import dense

from duckarray.core import quaxify


def assert_same(got: Any, want: Any, rtol: float = 2e-5, atol: float = 1e-5) -> None:
    """Two trees are equal once dense: structure, shapes, dtypes and numbers."""
    got, want = dense(got), dense(want)
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert jnp.shape(g) == jnp.shape(w)
        assert jnp.result_type(g) == jnp.result_type(w)
        if jnp.result_type(g) != jax.dtypes.float0:
            np.testing.assert_allclose(g, w, rtol=rtol, atol=atol)


def agrees(program: Callable[..., Any], *args: Any) -> None:
    """`program` on values, eagerly and jitted, gives what it gives on arrays."""
    want = program(*dense(args))
    assert_same(quaxify(program)(*args), want)
    assert_same(jax.jit(quaxify(program))(*args), want)


def gradients_agree(program: Callable[..., Any], *args: Any) -> None:
    """Its gradient does too: of the first argument's leaves, and of the array it stands for."""

    def loss(run, *args):
        outs = [x for x in jax.tree.leaves(dense(run(*args))) if _is_float(x)]
        return sum(jnp.sum(jnp.sin(x)) for x in outs)

    def loss_of_leaves(*args):
        return loss(program, *dense(args))

    def loss_of_array(*args):
        return loss(program, *args)

    def loss_of_values(*args):
        return loss(quaxify(program), *args)

    outside = jax.jit(jax.grad(loss_of_values, allow_int=True))(*args)
    _same_leaves(outside, jax.grad(loss_of_leaves, allow_int=True)(*args))
    inside = quaxify(jax.grad(loss_of_array))(*args)
    assert_same(inside, jax.grad(loss_of_array)(*dense(args)))


def _is_float(x: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.floating)


def _same_leaves(got: Any, want: Any) -> None:
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert_same(g, w)


def new_custom_vjp_of_0_10() -> bool:
    """Whether `custom_vjp` is JAX's coming one as it was in 0.10.

    That refuses functions that close over a tracer, of whatever transform, and those that are
    mapped inside a checkpoint; `test_coming_implementations` shows so without values.
    """
    return getattr(jax.config, "jax_custom_vjp3", False) and jax.__version_info__ < (0, 11)
