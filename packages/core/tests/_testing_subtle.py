"""Array types like `Scaled` that are wrong in few of the circumstances that a program can be in."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from _testing_types import Scaled
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, field, register


class WrongWhenTraced(Scaled):
    pass


@register("neg")
def _neg_wrong_when_traced(x: WrongWhenTraced, **params):
    sign = 1 if isinstance(x.array, jax.core.Tracer) else -1
    return WrongWhenTraced(sign * x.array, x.factor)


class WrongForIntegers(Scaled):
    pass


@register("neg")
def _neg_wrong_for_integers(x: WrongForIntegers, **params):
    sign = -1 if jnp.issubdtype(x.dtype, jnp.inexact) else 1
    return WrongForIntegers(sign * x.array, x.factor)


class WrongForScalars(Scaled):
    pass


@register("exp")
def _exp_wrong_for_scalars(x: WrongForScalars, **params):
    return lax.exp(x.materialize()) + (x.ndim == 0)


class WrongForTheLastAxis(Scaled):
    pass


@register("reduce_max")
def _reduce_max_wrong_for_the_last_axis(x: WrongForTheLastAxis, *, axes, **params):
    out = jnp.max(x.materialize(), axis=axes)
    return -out if axes == (x.ndim - 1,) and x.ndim > 1 else out


class Forward(Scaled):
    pass


@register("cumsum")
def _cumsum_forward(x: Forward, *, axis, **params):
    return lax.cumsum(x.materialize(), axis=axis)


class AlwaysFirst(Scaled):
    """Takes the entry at 0, whatever the index."""


@register("dynamic_slice")
def _dynamic_slice_always_first(x: AlwaysFirst, *starts: ArrayLike, slice_sizes, **params):
    return lax.dynamic_slice(x.materialize(), [0] * x.ndim, slice_sizes)


class AlwaysTrue(Scaled):
    pass


@register("select_n")
def _select_n_always_true(which: ArrayLike, x: ArrayLike, y: AlwaysTrue, **params):
    array = y.materialize()
    return array if np.ndim(which) == 0 else lax.select_n(which, x, array)


class BranchesSwapped(Scaled):
    pass


@register("cond")
def _cond_branches_swapped(index: ArrayLike, x: BranchesSwapped, *more: Any, branches, **params):
    return bind("cond", index, x.materialize(), *more, branches=branches[::-1], **params)


class GradientOfOne(Scaled):
    """Right, save that the derivative of its sine is 1."""


@register("sin")
def _sin_gradient_of_one(x: GradientOfOne, **params):
    array = x.materialize()
    return array + lax.stop_gradient(lax.sin(array) - array)


class Mutating(Scaled):
    pass


@register("sub")
def _sub_mutating(x: Mutating, y: ArrayLike, **params):
    out = lax.sub(x.materialize(), y)
    object.__setattr__(x, "array", x.array + 1)
    return out


class KeepsWhatIsNoField(Scaled):
    """Its `extra` is neither a field nor part of the structure: JAX does not hand it on."""

    def __check_init__(self):
        object.__setattr__(self, "extra", 1.0)

    def materialize(self):
        return super().materialize() * jnp.asarray(getattr(self, "extra", 3.0), self.array.dtype)


class _NotComparable:
    def __hash__(self):
        return 0

    def __eq__(self, other):
        raise ValueError("the truth value is ambiguous")


class NotComparable(Scaled):
    note: Any = field(static=True, default_factory=_NotComparable)
