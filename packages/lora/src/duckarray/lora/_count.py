"""Counting parameters: how many are trained, of how many."""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core import ArrayValue

from ._trainable import Trainable
from ._value import LoraArray

_HALF = """`trainable_parameters` was given {what}, half of what `partition` returns.
Put the halves together first: `trainable_parameters(equinox.combine(trainable, frozen))`; for the \
entries of one, `sum(x.size for x in jax.tree.leaves(half))`."""


class ParameterCount(NamedTuple):
    """How many parameters of a model are trained, and how many the model has without adapters.

    Args:
        trainable: the number of parameters that are trained.
        total: the number of all of the model, adapters left out.

    Example:
        >>> from duckarray.lora import ParameterCount
        >>> print(ParameterCount(331_776, 22_713_216))
        331,776 trainable of 22.7M, 1.46%
    """

    trainable: int
    total: int

    def __str__(self) -> str:
        percent = 100 * self.trainable / self.total if self.total else 0.0
        return f"{self.trainable:,} trainable of {_short(self.total)}, {percent:.2f}%"


def trainable_parameters(model: Any) -> ParameterCount:
    """Counts the parameters of the adapters of a model, and those of the model without them.

    A parameter is an entry of an array of floating-point numbers; an array in several places counts
    once. The tree may hold `jax.ShapeDtypeStruct`s, as `jax.eval_shape` gives them.

    Args:
        model: a tree with `LoraArray`s.

    Raises:
        ValueError: if it is one half of what `partition` returns.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify
        >>> model = {"w": jnp.ones((64, 64)), "bias": jnp.ones(64)}
        >>> count = trainable_parameters(loraify(model, rank=2, key=jax.random.key(0)))
        >>> count.trainable, count.total
        (256, 4160)
    """
    seen: set[int] = set()
    trainable = total = 0
    leaves: list[Any] = jtu.tree_leaves(model, is_leaf=lambda x: isinstance(x, ArrayValue))
    for x in leaves:
        if isinstance(x, LoraArray):
            _refuse_half(x.w, x.a)
        if isinstance(x, LoraArray) and id(x.a) not in seen:
            seen.add(id(x.a))
            trainable += x.a.size + x.b.size + (0 if x.magnitude is None else x.magnitude.size)
        if isinstance(x, Trainable):
            _refuse_half(x.before, x.array)
            trainable += 0 if id(x.before) in seen else x.array.size
            x = x.before
        while isinstance(x, LoraArray):
            x = x.w
        if id(x) in seen or not _is_parameter(x):
            continue
        seen.add(id(x))
        total += x.size
    return ParameterCount(trainable, total)


def _refuse_half(w: Any, a: Any) -> None:
    if w is None or a is None:
        half = "the trainable arrays" if w is None else "the frozen arrays"
        raise ValueError(_HALF.format(what=half))


def print_trainable_parameters(model: Any) -> None:
    """Prints what `trainable_parameters` counts, as `331,776 trainable of 22.7M, 1.46%`.

    Args:
        model: a tree with `LoraArray`s.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify
        >>> model = {"w": jnp.ones((64, 64)), "bias": jnp.ones(64)}
        >>> print_trainable_parameters(loraify(model, rank=2, key=jax.random.key(0)))
        256 trainable of 4,160, 6.15%
    """
    print(trainable_parameters(model))  # noqa: T201


def _is_parameter(x: Any) -> bool:
    return hasattr(x, "dtype") and hasattr(x, "size") and jnp.issubdtype(x.dtype, jnp.inexact)


def _short(n: int) -> str:
    for size, letter in ((10**9, "B"), (10**6, "M")):
        if n >= size:
            return f"{n / size:.1f}{letter}"
    return f"{n:,}"
