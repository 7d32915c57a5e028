"""Values whose leaves are all zero, in place of an array of zeros.

Where a branch of `cond` is differentiated, what the backward pass of the other branches needs is an
output of this one too: zeros, or memory nobody wrote to. Were they joined with a value as arrays,
the value would be made dense for nothing.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core._constants import noted_constant
from duckarray.core._jax import open_jaxpr
from duckarray.core._materialize import materialize
from duckarray.core._structure import DENSE, Slot, join
from duckarray.core._value import dense_aval
from duckarray.core._zeros import gives_zero

from .tangents import tree_is_linear


class Known(NamedTuple):
    """What is known, while tracing, of an array that a branch gives."""

    constant: bool
    zero: bool


def what_is_known(x: Any) -> Known:
    """Whether `x` is known to be full of one number, and whether that is zero."""
    constant = noted_constant(x)
    return Known(constant is not None, constant == 0)


def join_but_for_zeros(slots: Sequence[Slot], zeros: Sequence[bool], aval: Any) -> Slot:
    """The join of slots; some are arrays known to be zero, of which any value can be made.

    Args:
        slots: one for each branch.
        zeros: for each slot whether what passes through is known to be zero.
        aval: the abstract value of the array that passes through.
    """
    present = [s for s, zero in zip(slots, zeros, strict=True) if not (zero and s.tree is None)]
    joined = functools.reduce(join, present) if present else DENSE
    if len(present) == len(slots) or joined.tree is None or not stands_for_zeros(joined):
        return joined if len(present) == len(slots) else DENSE
    own = dense_aval(joined.example)
    same = tuple(own.shape) == tuple(aval.shape) and own.dtype == aval.dtype
    return joined if same else DENSE


def zero_value(slot: Slot) -> Any:
    """A value of this structure with zeros for leaves."""
    return slot.tree.unflatten([jnp.zeros(shape, dtype) for shape, dtype in slot.leaves])


def stands_for_zeros(slot: Slot) -> bool:
    """Whether a value of this structure whose leaves are zero is known to stand for zeros."""
    if any(jnp.issubdtype(dtype, jax.dtypes.extended) for _, dtype in slot.leaves):
        return False
    return tree_is_linear(slot.tree) or _materializes_to_zeros(slot)


@functools.lru_cache(maxsize=1024)
def _materializes_to_zeros(slot: Slot) -> bool:
    leaves = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in slot.leaves]
    try:
        jaxpr = jax.make_jaxpr(lambda *xs: materialize(slot.tree.unflatten(xs)))(*leaves).jaxpr
    except (TypeError, NotImplementedError):  # it refuses to be made dense
        return False
    return all(_zeros_out(jaxpr, [True] * len(leaves)))


def _zeros_out(jaxpr: Any, zeros_in: Sequence[bool]) -> list[bool]:
    """For each result of a jaxpr, whether it is zero given which operands are."""
    zero = dict(zip(jaxpr.invars, zeros_in, strict=True))

    def known(x: Any) -> bool:
        return not np.any(x.val) if hasattr(x, "val") else zero.get(x, False)

    for eqn in jaxpr.eqns:
        rule = _rule(eqn)
        zeros = rule([known(x) for x in eqn.invars])
        zero.update(zip(eqn.outvars, zeros, strict=True))
    return [known(x) for x in jaxpr.outvars]


def _rule(eqn: Any) -> Callable[[list[bool]], list[bool]]:
    if eqn.primitive.name == "jit":
        return lambda zeros: _zeros_out(open_jaxpr(eqn.params["jaxpr"]), zeros)
    return lambda zeros: [gives_zero(eqn.primitive, zeros, eqn.params)] * len(eqn.outvars)
