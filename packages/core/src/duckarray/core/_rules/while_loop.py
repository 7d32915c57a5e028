"""`while_loop` and `fori_loop` with a traced trip count."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive, primitives

from duckarray.core._bind import bind
from duckarray.core._constants import constants_of, each_constant
from duckarray.core._dispatch import handles
from duckarray.core._errors import MaterializeError
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import stage, typeof, while_p
from duckarray.core._materialize import densify
from duckarray.core._structure import flatten, unflatten
from duckarray.core._value import dense_aval

from .bodies import Carry, fixed_point
from .eager import compiled_when_eager
from .recall import Recall


@handles(while_p)
@compiled_when_eager
def _while(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    n = params["cond_nconsts"]
    m = n + params["body_nconsts"]
    initial = operands[m:]
    cond_leaves, cond_trees = flatten(operands[:n])
    body_leaves, body_trees = flatten(operands[n:m])
    loop = Carry(primitive, initial, params["body_jaxpr"], m - n)
    body_constants, cond_constants = each_constant(operands[n:m]), constants_of(operands[:n])
    # Under `vmap` the predicate has batch dimensions: the loop goes on while any is true, and the
    # entries that are done keep what they have.
    batched = bool(params["cond_jaxpr"].out_avals[0].shape)
    consts = [*cond_leaves, *body_leaves] if batched else body_leaves

    def predicate(consts: Sequence[Any], carry: Sequence[Any]) -> Any:
        (out,) = run_jaxpr(params["cond_jaxpr"], [*consts, *carry], cond_constants)
        return _truth(out, primitive)

    def attempt(carry: list[Any]) -> Any:
        leaves, trees = flatten(carry)
        constants = (*body_constants, *loop.constants())

        def turn(*leaves: Any) -> list[Any]:
            # With a batched predicate the body needs its constants too.
            k, j = len(cond_leaves) if batched else 0, len(body_leaves)
            turn_carry = unflatten(trees, leaves[k + j :])
            consts = unflatten(body_trees, leaves[k : k + j])
            outs = run_jaxpr(params["body_jaxpr"], [*consts, *turn_carry], constants, loop.observe)
            if batched:
                going_on = predicate(unflatten(cond_trees, leaves[:k]), turn_carry)
                outs = [_select(going_on, x, y) for x, y in zip(outs, turn_carry, strict=True)]
            return flatten(loop.settle(outs))[0]

        staged = stage(turn, list(map(typeof, [*consts, *leaves])), params["body_jaxpr"])
        return turn, leaves, trees, staged

    recall = Recall(primitive, operands, params)
    if recall.found is not None:
        _, loop.types = recall.found
        leaves, trees = flatten(loop.begin())
    else:
        with recall.watching():
            turn, leaves, trees, (body_jaxpr, out_avals) = fixed_point(loop, attempt)

            def goes_on(*leaves: Any) -> list[Any]:
                k = len(cond_leaves)
                p = predicate(unflatten(cond_trees, leaves[:k]), unflatten(trees, leaves[k:]))
                return [jnp.any(p) if batched else p]

            avals = list(map(typeof, [*cond_leaves, *leaves]))
            cond_jaxpr, _ = stage(goes_on, avals, params["cond_jaxpr"])
        if cond_jaxpr is None or body_jaxpr is None or out_avals != list(map(typeof, leaves)):
            outs = lax.while_loop(
                lambda leaves: goes_on(*cond_leaves, *leaves)[0],
                lambda leaves: turn(*consts, *leaves),
                leaves,
            )
            return loop.end(unflatten(trees, outs))
        programs = {"cond_jaxpr": cond_jaxpr, "body_jaxpr": body_jaxpr}
        counts = {"cond_nconsts": len(cond_leaves), "body_nconsts": len(consts)}
        recall.keep(({**params, **programs, **counts}, loop.types))
    outs = primitive.bind(*cond_leaves, *consts, *leaves, **recall.found[0])
    return loop.end(unflatten(trees, outs))


def _select(going_on: Any, new: Any, old: Any) -> Any:
    shape = dense_aval(new).shape
    mask = lax.broadcast_in_dim(going_on, shape, tuple(range(going_on.ndim)))
    return bind(primitives.select_n_p, mask, old, new)


def _truth(x: Any, primitive: Primitive) -> Any:
    """A predicate as an array; of a type of Quax that refuses to be one, the leaf it wraps."""
    try:
        return densify(x, primitive)
    except MaterializeError:
        raise
    except Exception:
        leaves = jax.tree.leaves(x)
        if x._eager and [(y.shape, y.dtype) for y in leaves] == [(x.shape, x.dtype)]:
            return leaves[0]
        raise
