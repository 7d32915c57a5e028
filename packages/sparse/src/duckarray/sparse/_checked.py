"""Checks of shapes and indices that patterns are made of."""

import math
import operator
from collections.abc import Mapping, MappingView
from collections.abc import Set as AbstractSet
from typing import Any

import jax
import numpy as np

_NOT_INDICES = """`Pattern.{how}(...)`: the indices of axis {axis} are {got}.
Pass a vector of integers, one for each stored entry."""

_TRACED = """`Pattern.{how}(...)` was given indices that are traced, but a pattern is known while \
tracing.
Make the pattern outside the traced function, or pass `DynamicPattern(capacity)`."""

_SHAPE = """`{call}(..., shape={shape!r})` is not a shape: {problem}.
Pass a tuple of sizes, one for each axis: `shape=(3, 4)`."""

_NOT_AN_INTEGER = """`{call}(..., {name}={value!r})` takes {what}, but this is none.
Pass an integer that is known while tracing, such as `x.shape[0]`."""


def checked_shape(shape: Any, call: str, ndim: int | None = None) -> tuple[int, ...]:
    """The sizes of the axes, if they are that; `call` is the name of what was called."""
    sizes: tuple[int, ...] = ()
    problem = ""
    try:
        # Bytes have integers for entries, and of sets and mappings the order says nothing.
        if isinstance(shape, bytes | bytearray | AbstractSet | Mapping | MappingView):
            raise TypeError
        sizes = tuple(map(operator.index, shape))
    except TypeError:
        problem = "it is no sequence of integers"
    if not problem and any(n < 0 for n in sizes):
        problem = "a size is negative"
    if not problem and ndim is not None and len(sizes) != ndim:
        problem = f"it has {len(sizes)} axes, the indices have {ndim}"
    problem = problem or too_large(sizes)
    if problem:
        raise ValueError(_SHAPE.format(call=call, shape=shape, problem=problem))
    return sizes


def checked_integer(value: Any, call: str, name: str, what: str) -> int:
    """An integer argument of a function, if it is one."""
    try:
        return operator.index(value)
    except TypeError as error:
        text = _NOT_AN_INTEGER.format(call=call, name=name, value=value, what=what)
        raise TypeError(text) from error


def too_large(shape: tuple[int, ...]) -> str:
    """Why places in an array of this shape have no numbers, or nothing."""
    if any(n > 2**31 - 1 for n in shape):
        return "a size does not fit into 32 bits"
    if math.prod(shape) > 2**63 - 1:
        return "places in it cannot be counted with 63 bits"
    return ""


def checked_index(x: Any, axis: int, how: str) -> Any:
    """The indices of an axis as a vector of integers, if they are that."""
    if isinstance(x, jax.core.Tracer):
        raise TypeError(_TRACED.format(how=how))
    array = np.asarray(x)
    if array.size == 0 and array.ndim == 1:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        got = f"of shape {array.shape} and dtype {array.dtype}"
        error = TypeError if array.dtype.kind not in "iu" else ValueError
        raise error(_NOT_INDICES.format(how=how, axis=axis, got=got))
    return array.astype(np.int64)
