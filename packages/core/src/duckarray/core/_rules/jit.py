"""`jit` and the calls without parameters of their own.

A jitted program that meets values is run through a `jax.jit` kept for its jaxpr and the
structures of its operands, so it is interpreted once however often it is called, and JAX
differentiates and compiles it as one.
"""

import weakref
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive

from duckarray.core._dispatch import handles
from duckarray.core._jax import call_primitives, jit_p
from duckarray.core._materialize import current_policy
from duckarray.core._registry import registry_version
from duckarray.core._structure import Tree, flatten, unflatten, width
from duckarray.core._trace import run_jaxpr

_cache: dict[tuple[Any, ...], tuple[Any, Any]] = {}


@handles(jit_p)
def _jit(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    jaxpr = params["jaxpr"]
    leaves, trees = flatten(operands)
    # A call of the same program may differ in its shardings or options; the rest goes with the
    # jaxpr.
    key = (
        id(jaxpr),
        trees,
        params["donated_invars"],
        params["in_shardings"],
        params["out_shardings"],
        params["compiler_options_kvs"],
        current_policy(),
        registry_version(),
    )
    hit = _cache.get(key)
    if hit is None:
        reference = weakref.ref(jaxpr, lambda _: _cache.pop(key, None))
        hit = _cache[key] = reference, _rejit(reference, trees, params)
    return hit[1](*leaves)


def _rejit(jaxpr: Any, trees: Sequence[Tree], params: dict[str, Any]) -> Any:
    def interpreted(*leaves: Any) -> Any:
        return run_jaxpr(jaxpr(), unflatten(trees, leaves))

    interpreted.__name__ = interpreted.__qualname__ = str(params["name"])
    donated: list[int] = []
    position = 0
    for tree, donate in zip(trees, params["donated_invars"], strict=True):
        if donate:
            donated += range(position, position + width(tree))
        position += width(tree)
    return jax.jit(
        interpreted,
        donate_argnums=tuple(donated),
        keep_unused=params["keep_unused"],
        inline=params["inline"],
        compiler_options=dict(params["compiler_options_kvs"]) or None,
        **_shardings(trees, params),
    )


def _shardings(trees: Sequence[Tree], params: dict[str, Any]) -> dict[str, Any]:
    """The shardings that were asked for, where an operand is a plain array; else left to JAX."""
    wanted = params["in_shardings"]
    if not any(isinstance(s, jax.sharding.Sharding) for s in wanted):
        return {}
    shardings: list[Any] = []
    for tree, sharding in zip(trees, wanted, strict=True):
        known = isinstance(sharding, jax.sharding.Sharding) and tree is None
        shardings += [sharding if known else None] * width(tree)
    return {"in_shardings": tuple(shardings)}


@handles(*call_primitives)
def _call(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    return run_jaxpr(params["call_jaxpr"], operands)
