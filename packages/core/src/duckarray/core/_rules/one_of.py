"""`OneOf`: what the branches of a differentiated `cond` keep for its backward pass.

JAX gives residuals of different branches one place if they have the same shape and dtype, so there
a quantity may meet a plain array, or another quantity, that no type stands for both of. The
backward pass is a `cond` by the same index, each of whose branches gets what its own branch kept.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core._bind import bind
from duckarray.core._derivatives import is_of_derivative
from duckarray.core._fields import field
from duckarray.core._jax import debug_info_of
from duckarray.core._materialize import densify
from duckarray.core._structure import DENSE, Slot, Tree, flatten, unflatten, width
from duckarray.core._value import ArrayValue, dense_aval

from .any_zero import AnyZero
from .tangents import is_inexact


class OneOf(ArrayValue):
    """One of several values or arrays, chosen by the branch that ran.

    Args:
        branch: the number of that branch.
        leaves: those of all alternatives; only the chosen one's mean anything.
        trees: the structure that each branch gives, None for an array.
    """

    branch: jax.Array
    leaves: tuple[jax.Array, ...]
    trees: tuple[Tree, ...] = field(static=True)

    materialization = "allow"  # the alternatives are asked
    _only_inside = True

    def aval(self) -> Any:
        return dense_aval(self.alternatives()[0])

    def alternatives(self) -> list[Any]:
        """What each branch gave, had it run."""
        return unflatten(self.trees, self.leaves)

    def materialize(self) -> Any:
        dense = [densify(x, "cond") for x in self.alternatives()]
        branch = jax.lax.broadcast_in_dim(self.branch, self.shape, range(self.branch.ndim))
        return jax.lax.select_n(branch, *dense)

    @staticmethod
    def default(primitive: Any, values: list[Any], params: dict[str, Any]) -> Any:
        """Passes the array on, so that other operands, which may have rules, stay as they are."""
        dense = [densify(x, primitive, values) if isinstance(x, OneOf) else x for x in values]
        return bind(primitive, *dense, **params)

    def of_branch(self, number: int, count: int) -> Any:
        """What the branch of this number, of `count`, gave; not a number if another one ran."""
        if count != len(self.trees):
            return self
        start = sum(map(width, self.trees[:number]))
        tree = self.trees[number]
        ran = self.branch == number
        leaves = [
            jnp.where(ran, x, jnp.asarray(jnp.nan, x.dtype)) if is_inexact(x) else x
            for x in self.leaves[start : start + width(tree)]
        ]
        return unflatten([tree], leaves)[0]

    def drop_leading(self) -> "OneOf | None":
        return self._each(lambda value: value.drop_leading())

    def add_leading(self, n: int) -> "OneOf | None":
        return self._each(lambda value: value.add_leading(n))

    def _each(self, hook: Any) -> "OneOf | None":
        values = [
            x if tree is None else hook(x)
            for x, tree in zip(self.alternatives(), self.trees, strict=True)
        ]
        if any(x is None for x in values):
            return None
        leaves, trees = flatten(values)
        return OneOf(self.branch, tuple(leaves), trees)


class Split:
    """In place of a slot, where what branches give stays apart."""

    def __init__(self, slots: Sequence[Slot], zeros: Sequence[bool], aval: Any) -> None:
        self._aval = aval
        self._zeros = [z and s.tree is None for s, z in zip(slots, zeros, strict=True)]
        any_zero = Slot(AnyZero.like(aval)) if any(self._zeros) else DENSE
        slots = [any_zero if z else s for s, z in zip(slots, self._zeros, strict=True)]
        self._trees = tuple(slot.tree for slot in slots)
        dense = ((tuple(aval.shape), aval.dtype),)
        self._leaves = [dense if slot.tree is None else slot.leaves for slot in slots]

    def value(self, number: int, x: Any) -> OneOf:
        """The value `x` that the branch of this number gives, among what others would give."""
        leaves: list[Any] = []
        x = AnyZero.like(self._aval) if self._zeros[number] else x
        for i, avals in enumerate(self._leaves):
            own = i == number
            leaves += flatten([x])[0] if own else [jnp.zeros(*shape_dtype) for shape_dtype in avals]
        return OneOf(jnp.asarray(number, jnp.int32), tuple(leaves), self._trees)


def are_differentiated(branches: Sequence[Any]) -> bool:
    """Whether branches are not as they were written, but what JAX made of them for a derivative.

    JAX then forgets what their arguments were called, but not what their results were. Where it
    forgets both (under `vmap`, and JAX 0.10.0 does always) as it does of written ones that close
    over arrays, it is asked whether there is a derivative around them.
    """
    known = [debug_info_of(jaxpr) for jaxpr in branches]
    if any(info.arg_names is not None for info in known):
        return False
    return any(info.result_paths is not None for info in known) or is_of_derivative()
