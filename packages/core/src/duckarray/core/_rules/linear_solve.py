"""`custom_linear_solve`: each of its four functions runs with dispatch, on the values it needs."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive, primitives

from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._materialize import densify
from duckarray.core._value import Value


@handles(primitives.linear_solve_p)
def _linear_solve(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    for x in operands:  # a type that is never made dense may know how to solve for itself
        if isinstance(x, Value) and type(x).default is not Value.default:
            out = type(x).default(primitive, list(operands), params)
            if out is not NotImplemented:
                return out
    jaxprs, counts = params["jaxprs"], params["const_lengths"]
    consts: dict[str, list[Any]] = {}
    start = 0
    for name, count in zip(counts._fields, counts, strict=True):
        consts[name] = list(operands[start : start + count])
        if "solve" in name:
            # The derivative is that of the product, but JAX looks for a tangent where only these
            # have one, as where the product has no use for what a value holds.
            consts[name] = [
                jax.tree.map(lax.stop_gradient, x) if isinstance(x, Value) else x
                for x in consts[name]
            ]
        start += count
    right_hand_sides = [densify(x, primitive, operands) for x in operands[start:]]

    def function(name: str) -> Callable[..., list[Any]]:
        def run(arguments: Sequence[Any]) -> list[Any]:
            outs = run_jaxpr(getattr(jaxprs, name), [*consts[name], *arguments])
            return [densify(x, primitive) for x in outs]

        return run

    n = len(right_hand_sides)
    has_aux = len(jaxprs.solve.out_avals) > n

    def solver(name: str) -> Callable[[Any, Sequence[Any]], Any]:
        """Solves, and gives what it has to say of that, if anything, beside the solution."""
        run = function(name)

        def solve(matvec: Any, arguments: Sequence[Any]) -> Any:
            outs = run(arguments)
            return (outs[:n], outs[n:]) if has_aux else outs

        return solve

    out = lax.custom_linear_solve(
        function("matvec"),
        right_hand_sides,
        solver("solve"),
        None if jaxprs.transpose_solve is None else solver("transpose_solve"),
        symmetric=jaxprs.transpose_solve is not None and jaxprs.transpose_solve is jaxprs.solve,
        has_aux=has_aux,
    )
    return [*out[0], *out[1]] if has_aux else out
