"""Runs a compiled program that is run a single time, without making machine code of it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun  # type: ignore[attr-defined]

from duckarray.core._dtypes import with_dtype

# Half of what compiling the rest takes would be spent on making it fast.
QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def run_once(function: Callable[..., Any], *args: Any) -> Any:
    """What `jax.jit(function)(*args)` gives, sooner where compiling takes longer than running.

    The program is traced with unknown arguments, as by `jax.jit`. The arguments are then written
    into it as constants, so XLA evaluates most of it, instead of making machine code.

    Args:
        function: the function to trace.
        *args: what it is given: any trees of arrays.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core.testing import run_once
        >>> run_once(lambda x: jnp.sin(x) * 2, jnp.zeros(2))
        Array([0., 0.], dtype=float32)
    """
    traced = jax.jit(function).trace(*args)
    if _divides_integers(traced.jaxpr.jaxpr):
        return jax.jit(function, compiler_options=QUICKLY)(*args)
    # The leaves are those that were traced: all of them are arrays, and all are kept.
    leaves = jtu.tree_leaves((args, {}))
    program = jaxpr_as_fun(
        ClosedJaxpr(traced.jaxpr.jaxpr, [_as_numpy(x) for x in traced.jaxpr.consts])
    )
    avals = traced.jaxpr.in_avals
    out = jax.jit(
        lambda: program(*[_constant(x, aval) for x, aval in zip(leaves, avals, strict=True)]),
        compiler_options=QUICKLY,
    )()
    return jtu.tree_unflatten(jtu.tree_structure(traced.out_info), out)


def _divides_integers(jaxpr: Any) -> bool:
    """Whether XLA, of some versions, could stop the process by dividing an integer by zero."""
    for eqn in jaxpr.eqns:
        divides = eqn.primitive.name in ("div", "rem")
        if divides and jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.integer):
            return True
        for x in jtu.tree_leaves(list(eqn.params.values())):
            inner = getattr(x, "jaxpr", x)
            if hasattr(inner, "eqns") and _divides_integers(inner):
                return True
    return False


def _as_numpy(x: Any) -> Any:
    """Without a buffer of its own, or JAX would make an argument of it again."""
    is_extended = jnp.issubdtype(jnp.result_type(x), jax.dtypes.extended)
    return x if is_extended else np.asarray(x)


def _constant(x: Any, aval: Any) -> Any:
    array = _as_numpy(x)
    if array is x and not isinstance(x, np.ndarray):
        return x
    return with_dtype(array.astype(aval.dtype), aval.dtype, aval.weak_type)
