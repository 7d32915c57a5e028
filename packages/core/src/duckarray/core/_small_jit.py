"""Small jitted programs on dense arrays in eager mode, each called through a `jax.jit` of its own.

JAX evaluates a `jit` that is bound to a trace, rather than called, in Python.
"""

import weakref
from typing import Any

import jax

from ._jax import as_function

# Programs of up to this many equations: `jnp.add` and its like. Longer ones go to JAX's own cache,
# so that nothing is compiled twice.
_MOST_EQUATIONS = 8
_small_jits: dict[int, tuple[Any, Any]] = {}


def small_jit(params: Any) -> Any:
    """The `jax.jit` kept for a small program without options, or None for any other."""
    jaxpr = params["jaxpr"]
    key = id(jaxpr)
    hit = _small_jits.get(key)
    if hit is None:
        placed = (*params["in_shardings"], *params["out_shardings"])
        if (
            len(jaxpr.eqns) > _MOST_EQUATIONS
            or any(params["donated_invars"])
            or any(isinstance(s, jax.sharding.Sharding) for s in placed)
            or params["compiler_options_kvs"]
        ):
            return None
        reference = weakref.ref(jaxpr, lambda _: _small_jits.pop(key, None))

        def program(*operands: Any) -> list[Any]:
            return as_function(reference())(*operands)

        hit = _small_jits[key] = reference, jax.jit(program)
    return hit[1]
