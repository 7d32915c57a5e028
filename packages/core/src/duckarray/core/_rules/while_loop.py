"""`while_loop` and `fori_loop` with a traced trip count."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive, primitives

from .._dispatch import bind, handles
from .._jax import while_p
from .._materialize import densify
from .._structure import flatten, unflatten
from .._trace import dense_aval, run_jaxpr
from .carry import fixed_point


@handles(while_p)
def _while(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    n = params["cond_nconsts"]
    m = n + params["body_nconsts"]
    cond_consts, body_consts, initial = operands[:n], operands[n:m], operands[m:]
    # Under `vmap` the predicate has batch dimensions: the loop goes on while any is true, and the
    # entries that are done keep what they have.
    batched = bool(params["cond_jaxpr"].out_avals[0].shape)

    def predicate(carry: Sequence[Any]) -> Any:
        return densify(run_jaxpr(params["cond_jaxpr"], [*cond_consts, *carry])[0], primitive)

    def body(carry: Sequence[Any]) -> list[Any]:
        outs = run_jaxpr(params["body_jaxpr"], [*body_consts, *carry])
        if batched:
            going_on = predicate(carry)
            outs = [_select(going_on, x, y) for x, y in zip(outs, carry, strict=True)]
        return outs

    def attempt(carry: Sequence[Any], settle: Any) -> list[Any]:
        leaves, trees = flatten(carry)

        def turn(leaves: Sequence[Any]) -> list[Any]:
            return flatten(settle(body(unflatten(trees, leaves))))[0]

        def goes_on(leaves: Sequence[Any]) -> Any:
            p = predicate(unflatten(trees, leaves))
            return jnp.any(p) if batched else p

        return unflatten(trees, lax.while_loop(goes_on, turn, leaves))

    return fixed_point(primitive, initial, attempt, body)


def _select(going_on: Any, new: Any, old: Any) -> Any:
    shape = dense_aval(new).shape
    mask = lax.broadcast_in_dim(going_on, shape, tuple(range(going_on.ndim)))
    return bind(primitives.select_n_p, mask, old, new)
