"""A type whose rules note what is known of the dense operand beside it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from duckarray.core import ArrayValue, known_constant, quaxify, register


def make_probe() -> Callable[..., list[str]]:
    """A new type with rules, as a function: it runs a program on a value, and gives what was known.

    Each different constant, or `None`, is given once, as its `repr`, in the order met.
    """
    told = []

    class Probe(ArrayValue):
        array: jax.Array
        materialization = "error"

        def materialize(self):
            return self.array

    @register("max", "mul", "add", commutative=True)
    def _max_probe_dense(x: Probe, y: jax.Array, *, primitive, **params):
        told.append(known_constant(y))
        return Probe(primitive.bind(x.array, y, **params))

    @register("select_n")
    def _select_n_probe(which: jax.Array, x: jax.Array, y: Probe, **params):
        told.append(known_constant(x))
        return Probe(lax.select_n(which, x, y.array))

    @register("reduce_sum")
    def _reduce_sum_probe(x: Probe, **params):
        return lax.reduce_sum_p.bind(x.array, **params)

    def run(program: Callable[..., Any], *args: Any, jitted: bool = False) -> list[str]:
        told.clear()
        function = quaxify(program)
        (jax.jit(function) if jitted else function)(Probe(jnp.array([-1.0, 0.5, 2.0])), *args)
        return list(dict.fromkeys(map(repr, told)))

    return run
