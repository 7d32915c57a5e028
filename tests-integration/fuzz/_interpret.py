"""Runs a traced program operation by operation, since compiling programs is what takes the time.

An operation is compiled once for all programs in which it is alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend.core import Literal

from duckarray.core._jax import bind_equation, constants_and_inputs, open_jaxpr, scan_operands


def evaluate(jaxpr: Any, args: Sequence[Any]) -> list[Any]:
    """The results of a jaxpr, of which loops, branches and calls are taken apart."""
    env: dict[Any, Any] = {}

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else env[atom]

    env.update(zip(*constants_and_inputs(jaxpr, args), strict=True))
    for equation in open_jaxpr(jaxpr).eqns:
        out = _apply(equation, [read(atom) for atom in equation.invars])
        env.update(zip(equation.outvars, out, strict=True))
    return [read(atom) for atom in open_jaxpr(jaxpr).outvars]


def _apply(equation: Any, given: list[Any]) -> list[Any]:
    name, params = equation.primitive.name, equation.params
    if name in _SPECIAL:
        return _SPECIAL[name](given, **params)
    if name in _CALLS:
        return evaluate(next(params[key] for key in _BODY if key in params), given)
    out = bind_equation(equation, given)
    return list(out) if equation.primitive.multiple_results else [out]


_CALLS = (
    "jit",
    "pjit",
    "closed_call",
    "checkpoint",
    "remat2",
    "custom_jvp_call",
    "custom_vjp_call",
)
_BODY = ("jaxpr", "call_jaxpr", "fun_jaxpr")


def _cond(given: list[Any], *, branches: Any, **_: Any) -> list[Any]:
    index, *rest = given
    return evaluate(branches[min(max(int(index), 0), len(branches) - 1)], rest)


def _while(
    given: list[Any],
    *,
    cond_jaxpr: Any,
    body_jaxpr: Any,
    cond_nconsts: int,
    body_nconsts: int,
    **_: Any,
) -> list[Any]:
    of_cond, rest = given[:cond_nconsts], given[cond_nconsts:]
    of_body, carry = rest[:body_nconsts], rest[body_nconsts:]
    while True:
        (again,) = evaluate(cond_jaxpr, [*of_cond, *carry])
        if jnp.ndim(again):  # batched, where JAX chooses in the body
            again = jnp.any(again)
        if not again:
            return carry
        carry = evaluate(body_jaxpr, [*of_body, *carry])


def _scan(given: list[Any], *, jaxpr: Any, length: int, reverse: bool, **params: Any) -> list[Any]:
    consts, carry, xs = scan_operands(given, params)
    count = len(carry)
    outs: list[list[Any]] = []
    for i in range(length)[:: -1 if reverse else 1]:
        out = evaluate(jaxpr, [*consts, *carry, *(x[i] for x in xs)])
        carry = out[:count]
        outs.append(out[count:])
    if not outs:
        return [*carry, *(jnp.zeros((0, *a.shape), a.dtype) for a in jaxpr.out_avals[count:])]
    return [*carry, *(jnp.stack(ys[:: -1 if reverse else 1]) for ys in zip(*outs, strict=True))]


_SPECIAL = {"cond": _cond, "while": _while, "scan": _scan}
