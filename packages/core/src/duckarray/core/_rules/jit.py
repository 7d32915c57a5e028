"""`jit` and the calls without parameters of their own.

A jitted program that meets values is run through a `jax.jit` kept for its jaxpr and the
structures of its operands, so it is interpreted once however often it is called, and JAX
differentiates and compiles it as one.
"""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive

from duckarray.core._constants import Constants, constants_of, for_program
from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import call_primitives, is_inlined, jit_p
from duckarray.core._structure import Tree, flatten, unflatten, width
from duckarray.core._value import Value

from .function import call_function_rule
from .kept import call_kept
from .leafwise import fits


@handles(jit_p)
def _jit(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    out = call_function_rule(primitive, params, operands)
    if out is not NotImplemented:
        return out
    jaxpr = params["jaxpr"]
    if is_inlined(params) and any(isinstance(x, Value) and x._eager for x in operands):
        return run_jaxpr(jaxpr, operands, constants_of(operands))
    leaves, trees = flatten(operands)
    # Calls of one program may differ in these; the other parameters go with the program.
    key = (
        trees,
        params["donated_invars"],
        params["in_shardings"],
        params["out_shardings"],
        params["compiler_options_kvs"],
    )
    constants = for_program(constants_of(operands), len(jaxpr.eqns))

    def make(references: list[Any], constants: Constants) -> Any:
        options = {name: value for name, value in params.items() if name != "jaxpr"}
        return _rejit(references[0], trees, options, constants)

    return call_kept(key, [jaxpr], constants, leaves, make)


def _rejit(jaxpr: Any, trees: Sequence[Tree], params: dict[str, Any], constants: Constants) -> Any:
    def interpreted(*leaves: Any) -> Any:
        outs = run_jaxpr(jaxpr(), unflatten(trees, leaves), constants)
        return [_place(x, s) for x, s in zip(outs, params["out_shardings"], strict=True)]

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
    """The shardings asked for, of arrays and, if it leaves them whole, of values; else JAX's."""
    wanted = params["in_shardings"]
    if not any(isinstance(s, jax.sharding.Sharding) for s in wanted):
        return {}
    shardings: list[Any] = []
    for tree, sharding in zip(trees, wanted, strict=True):
        replicated = isinstance(sharding, jax.sharding.Sharding) and sharding.is_fully_replicated
        known = replicated or (isinstance(sharding, jax.sharding.Sharding) and tree is None)
        shardings += [sharding if known else None] * width(tree)
    return {"in_shardings": tuple(shardings)}


def _place(out: Any, sharding: Any) -> Any:
    """An output where it was asked to be: an array, or the leaves of a value that this suits."""
    if not isinstance(sharding, jax.sharding.Sharding) or not fits(out, sharding):
        return out
    return jax.tree.map(lambda x: jax.lax.with_sharding_constraint(x, sharding), out)


@handles("eval_jaxpr", *call_primitives)
def _call(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    program = params["call_jaxpr"] if "call_jaxpr" in params else params["jaxpr"]
    return run_jaxpr(program, operands, constants_of(operands))
