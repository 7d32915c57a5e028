"""How a program is transformed, before it is given values and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core import materialize

from ._evaluate import helpers
from ._interpret import evaluate

# `Q` is `quaxify`; for dense arrays the identity. In those called `outer` something is transformed
# around it: there the dense program is given values too, and makes them dense first, so that
# derivatives are of the same arrays.
TRANSFORMS: dict[str, str] = {
    "eager": "Q(program)",
    "jit": "jit(Q(program))",
    "compiled": "jax.jit(Q(program))",
    "jit_inside": "Q(jax.jit(program))",
    "grad_inside": "jit(Q(jax.grad(total(program))))",
    "grad_inside_eager": "Q(jax.grad(total(program)))",
    "grad_of_jit": "jit(Q(jax.grad(jax.jit(total(program)))))",
    "jvp_inside": "jit(Q(lambda x, *a: jax.jvp(lambda x: program(x, *a), (x,), (x,))))",
    "linearize_inside": "jit(Q(lambda x, *a: jax.linearize(lambda x: program(x, *a), x)[1](x)))",
    "vmap_inside": "jit(Q(lambda x, *a: jax.vmap(lambda t: program(x * t, *a))(one_two(x))))",
    "vmap_none": "jit(jax.vmap(Q(program), in_axes=None, axis_size=2))",
    "checkpoint_inside": "jit(Q(jax.checkpoint(program)))",
    "checkpoint_outside": "jit(jax.checkpoint(Q(program)))",
    "scan_inside": "jit(Q(lambda *a: lax.scan(lambda c, _: (c, program(*a)), 0, None, length=2)))",
    "scan_outside": "jit(lambda *a: lax.scan(lambda c, _: (c, Q(program)(*a)), 0, None, length=2))",
    "twice": "jit(Q(lambda *a: Q(program)(*a)))",
    "outer_grad": "jit(jax.grad(dense(Q(total(program))), allow_int=True))",
    "outer_grad_remat": "jit(jax.grad(dense(Q(jax.checkpoint(total(program)))), allow_int=True))",
    "outer_jvp": "jit(lambda *a: jax.jvp(dense(Q(program)), a, tangents(a)))",
    "outer_vjp": "jit(lambda *a: jax.vjp(dense(Q(total(program))), *a)[1](jnp.ones(())))",
}
WEIGHTS = {"eager": 3, "jit": 8, "outer_grad": 3, "grad_inside": 3}


def transformed(transform: str, function: Callable[..., Any], q: Callable[..., Any]) -> Any:
    """The function transformed, with `q` in the place of `quaxify`."""
    space = dict(helpers(), Q=q, tangents=tangents, jit=_staged, program=function)
    return eval(TRANSFORMS[transform], space)


def is_outer(transform: str) -> bool:
    """Whether the values themselves are what is transformed."""
    return transform.startswith("outer")


def identity(function: Callable[..., Any]) -> Callable[..., Any]:
    """In the place of `quaxify`, for a program on arrays."""
    return function


def on_materialized(function: Callable[..., Any]) -> Callable[..., Any]:
    """In the place of `quaxify`, for a program on values that are made dense at once."""
    return lambda *args: function(*materialize(args))


def _staged(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `jit`, but what is traced is run without compiling it, which takes most of the time."""

    def run(*args: Any) -> Any:
        jaxpr, out = jax.make_jaxpr(function, return_shape=True)(*args)
        leaves = evaluate(jaxpr, jax.tree.leaves(args))
        return jax.tree.unflatten(jax.tree.structure(out), leaves)

    return run


def tangents(tree: Any) -> Any:
    """A tangent for each leaf of a tree."""

    def one(x: Any) -> Any:
        if jnp.issubdtype(x.dtype, jnp.inexact):
            return jnp.cos(x)
        return np.zeros(x.shape, jax.dtypes.float0)

    return jax.tree.map(one, tree)
