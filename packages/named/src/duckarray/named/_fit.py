"""What the names of a value still say after JAX has changed its leaf without asking.

`vmap` and `scan` around `quaxify` take an axis off the leaf, or put one on, and leave what is
static as it is. The sizes that the names were given for tell which axis it was.
"""

import functools
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import jax
from jax.core import Tracer

from ._names import AxisNameError, Dims

Sizes = tuple[int, ...]
Gone = tuple[tuple[str | None, int], ...]
"""Names and sizes of axes that were taken off."""


class Stated(NamedTuple):
    """What an array was named by."""

    names: Dims
    sizes: Sizes
    gone: Gone
    """What had been taken off before, the outermost first."""


_STALE = """the array of shape {shape} has not the axes {stated} that it was named by: something \
changed it without its names, as `jax.tree.map` does.
Name it anew: `NamedArray(x.array, ...)`, or work with `x.array` alone."""


# Those that are equal are one object, so that JAX compares them at once.
stated = functools.lru_cache(maxsize=4096)(Stated)


def fit(given: Stated, array: object) -> tuple[Dims, Gone]:
    """The names of the axes that the array has now, and those that were taken off.

    None stands for an axis that cannot be told.

    Args:
        given: what it was named by.
        array: the leaf.

    Raises:
        AxisNameError: if it cannot have come about by taking axes off or putting axes on.
    """
    names, sizes, gone = given
    shape: Sizes = tuple(array.shape)  # type: ignore[attr-defined]
    if shape == sizes:
        return names, gone
    found: list[tuple[Dims, Gone]] = []
    if len(shape) > len(sizes):
        found = list(_with_more(names, sizes, gone, shape))
    elif len(shape) < len(sizes) and _is_traced(array):
        found = list(_with_fewer(names, sizes, gone, shape))
    if not found:
        axes = ", ".join(f"{name}={size}" for name, size in zip(names, sizes, strict=True))
        raise AxisNameError(_STALE.format(shape=shape, stated=f"({axes})"), names)
    dims = tuple(_agreed(of_axis) for of_axis in zip(*(dims for dims, _ in found), strict=True))
    return dims, found[0][1] if len(found) == 1 else ()


def _with_fewer(names: Dims, sizes: Sizes, gone: Gone, shape: Sizes) -> Iterator[tuple[Dims, Gone]]:
    for places in combinations(range(len(sizes)), len(shape)):
        if tuple(sizes[i] for i in places) == shape:
            others = [i for i in range(len(sizes)) if i not in places]
            taken = tuple((names[i], sizes[i]) for i in others)
            yield tuple(names[i] for i in places), taken + gone


def _with_more(names: Dims, sizes: Sizes, gone: Gone, shape: Sizes) -> Iterator[tuple[Dims, Gone]]:
    """Axes that are new are those taken off before, if their sizes tell which, or unnamed."""
    by_size = {size: name for name, size in gone}
    for places in combinations(range(len(shape)), len(sizes)):
        if tuple(shape[i] for i in places) != sizes:
            continue
        others = [i for i in range(len(shape)) if i not in places]
        dims: list[str | None] = [None] * len(shape)
        for i, name in zip(places, names, strict=True):
            dims[i] = name
        new = sorted(shape[i] for i in others)
        if len(by_size) == len(gone) and new == sorted(by_size):
            for i in others:
                dims[i] = by_size[shape[i]]
        yield tuple(dims), ()


def _agreed(names: tuple[str | None, ...]) -> str | None:
    return names[0] if len(set(names)) == 1 else None


def _is_traced(array: object) -> bool:
    return any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(array))
