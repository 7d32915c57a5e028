"""Turns the text of a program into functions, and the text of an argument into a value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._program import Argument, Block, source

IMPORTS = """\
import functools
import operator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.core import materialization, materialize, quaxify
"""

HELPERS = '''\
def loss(tree):
    """The sum of the squares of all entries."""
    leaves = [x for x in jax.tree.leaves(tree) if jnp.issubdtype(x.dtype, jnp.inexact)]
    return functools.reduce(operator.add, [jnp.sum(jnp.real(x * jnp.conj(x))) for x in leaves])


def total(function):
    """The function, followed by `loss`."""
    return lambda *args: loss(function(*args))


def dense(function):
    """The function, with what it gives made dense."""
    return lambda *args: materialize(function(*args))


def one_two(x):
    """A vector to multiply `x` with, of its dtype."""
    return jnp.array([1, 2], x.dtype)


def custom_jvp(function):
    """The function, with a derivative that is twice as large."""
    run = jax.custom_jvp(function)

    @run.defjvp
    def rule(primals, tangents):
        out, tangent = jax.jvp(function, primals, tangents)
        double = lambda t: t if t.dtype == jax.dtypes.float0 else t + t
        return out, jax.tree.map(double, tangent)

    return run


def custom_vjp(function):
    """The function, with a derivative that is twice as large."""
    run = jax.custom_vjp(function)

    def forward(*args):
        return jax.vjp(function, *args)

    def backward(pullback, cotangent):
        double = lambda t: t if t.dtype == jax.dtypes.float0 else t + t
        return jax.tree.map(double, pullback(cotangent))

    run.defvjp(forward, backward)
    return run
'''


@functools.cache
def helpers() -> dict[str, Any]:
    """What programs may use."""
    space: dict[str, Any] = {}
    exec(IMPORTS + HELPERS, space)
    return space


@functools.lru_cache(maxsize=4096)
def compile_block(block: Block) -> Callable[..., Any]:
    """The block as a function."""
    space = dict(helpers())
    exec(source(block), space)
    out: Callable[..., Any] = space["program"]
    return out


def compile_noisy(block: Block, noise: Callable[[Any], Any]) -> Callable[..., Any]:
    """The same, with each variable passed through `noise`."""
    space = dict(helpers(), noise=noise)
    exec(source(block, noisy=True), space)
    out: Callable[..., Any] = space["program"]
    return out


@functools.lru_cache(maxsize=1024)
def value_of(argument: Argument) -> Any:
    """The value that the program is called with."""
    space = dict(helpers())
    exec(argument.setup, space)
    return space[argument.name]
