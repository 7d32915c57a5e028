"""Checks of shapes and indices that patterns are made of."""

import math
from typing import Any

import jax
import numpy as np

_NOT_INDICES = """`Pattern.{how}(...)`: the indices of axis {axis} are {got}.
Pass a vector of integers, one for each stored entry."""

_TRACED = """`Pattern.{how}(...)` was given indices that are traced, but a pattern is known while \
tracing.
Make the pattern outside the traced function, or pass `DynamicPattern(capacity)`."""

_SHAPE = """`Pattern.{how}(..., shape={shape!r})` is not a shape: {problem}.
Pass a tuple of sizes, one for each axis: `shape=(3, 4)`."""


def checked_shape(shape: Any, how: str, ndim: int) -> tuple[int, ...]:
    """The sizes of the axes, if they are that; `how` is the name of what was called."""
    try:
        sizes = tuple(int(n) for n in shape if int(n) == n)
        problem = "" if len(sizes) == len(tuple(shape)) else "sizes are integers"
    except (TypeError, ValueError):
        sizes, problem = (), "it is no sequence of integers"
    if not problem and any(n < 0 for n in sizes):
        problem = "a size is negative"
    if not problem and len(sizes) != ndim:
        problem = f"it has {len(sizes)} axes, the indices have {ndim}"
    problem = problem or too_large(sizes)
    if problem:
        raise ValueError(_SHAPE.format(how=how, shape=shape, problem=problem))
    return sizes


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
