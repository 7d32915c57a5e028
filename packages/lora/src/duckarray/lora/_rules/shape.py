"""Rearrangements of axes: done to the weight, and to whichever factor has the axes concerned."""

import math
from collections.abc import Sequence
from typing import Any

from jax import lax

from duckarray.core import bind, materialize, register
from duckarray.lora._layout import RANK, Label, Labels, arrange
from duckarray.lora._parts import change_each, put_together, take_apart
from duckarray.lora._value import LoraArray, derived


@register("transpose")
def _transpose_lora(x: LoraArray, *, permutation: Any, **params: Any) -> Any:
    """Only the weight is transposed, unless the order within a factor's axes changes."""
    if x.magnitude is not None:
        out = bind(lax.transpose_p, derived(x, magnitude=None), permutation=permutation, **params)
        return derived(out, magnitude=lax.transpose(x.magnitude, permutation))
    parts = take_apart(x)
    w = bind(lax.transpose_p, x.w, permutation=permutation, **params)
    return put_together(parts._replace(w=w, of_w=tuple(permutation)))


@register("squeeze")
def _squeeze_lora(x: LoraArray, *, dimensions: Any, **params: Any) -> Any:
    """An axis of size one goes; where the last row or column went, the result is dense."""
    parts = take_apart(x)
    w = bind(lax.squeeze_p, parts.w, dimensions=dimensions, **params)
    gone = {axis % x.ndim for axis in dimensions}

    def squeeze(array: Any, labels: Labels) -> tuple[Any, Labels]:
        axes = [i for i, label in enumerate(labels) if label in gone]
        kept = tuple(label for label in labels if label not in gone)
        return (lax.squeeze(array, axes) if axes else array), kept

    return put_together(change_each(parts, w, _without(parts.of_w, gone), squeeze))


@register("broadcast_in_dim")
def _broadcast_in_dim_lora(
    x: LoraArray, *, shape: Any, broadcast_dimensions: Any, **params: Any
) -> Any:
    """New axes in front are batch axes; others go with the factor that has the axis before them."""
    parts = take_apart(x)
    w = bind(
        lax.broadcast_in_dim_p,
        parts.w,
        shape=shape,
        broadcast_dimensions=broadcast_dimensions,
        **params,
    )
    of_w: Labels = tuple(
        broadcast_dimensions.index(i) if i in broadcast_dimensions else ("new", i)
        for i in range(len(shape))
    )
    sizes: dict[Label, int] = dict(zip(of_w, shape, strict=True))

    def broadcast(array: Any, labels: Labels) -> tuple[Any, Labels]:
        wanted: list[Label] = []
        belongs = RANK in labels  # an axis in front: the scale is repeated at the end
        for label in of_w:
            belongs = label in labels if isinstance(label, int) else belongs
            if belongs:
                wanted.append(label)
        ordered = [label for label in wanted if label in labels]
        rank = [label for label in labels if not isinstance(label, int)]
        if len(ordered) == len(wanted) and all(
            sizes[label] == array.shape[labels.index(label)] for label in ordered
        ):
            return array, labels
        array = arrange(array, labels, [*ordered, *rank])
        new_shape = [sizes[label] for label in wanted] + list(array.shape[len(ordered) :])
        dims = [i for i, label in enumerate([*wanted, *rank]) if label in labels]
        return lax.broadcast_in_dim(array, new_shape, dims), (*wanted, *rank)

    return put_together(change_each(parts, w, of_w, broadcast))


@register("reshape")
def _reshape_lora(x: LoraArray, *, new_sizes: Any, dimensions: Any, **params: Any) -> Any:
    """Rows may be split or merged, and columns, and batch axes; not one kind with another."""
    if dimensions is not None:
        return NotImplemented
    params = {"new_sizes": new_sizes, "dimensions": None, **params}
    if math.prod(new_sizes) <= 1:  # no axis to tell the kind of a new one by
        return bind(lax.reshape_p, materialize(x), **params)
    parts = take_apart(x)
    kinds = [(label in parts.of_a, label in parts.of_b) for label in parts.of_w]
    of_w: Labels = tuple(("new", i) for i in range(len(new_sizes)))
    became: dict[Label, list[Label]] = {label: [] for label in parts.of_w}
    for old, new in _groups(x.shape, new_sizes):
        if len({kinds[axis] for axis in old}) > 1:
            return NotImplemented
        became[old[0]] = [of_w[i] for i in new]
    sizes: dict[Label, int] = {("new", i): n for i, n in enumerate(new_sizes)}

    def reshape(array: Any, labels: Labels) -> tuple[Any, Labels]:
        in_order = tuple(sorted(labels, key=_rank_last))
        array, labels = arrange(array, labels, in_order), in_order
        sizes.update(zip(labels, array.shape, strict=True))
        new = tuple(n for label in labels for n in became.get(label, [label]))
        return lax.reshape(array, [sizes[label] for label in new]), new

    w = bind(lax.reshape_p, parts.w, **params)
    return put_together(change_each(parts, w, of_w, reshape))


def _rank_last(label: Any) -> Any:
    return label if isinstance(label, int) else math.inf


def _groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The smallest groups of axes that a reshape turns into one another.

    Axes of size one are in no group before the reshape, and after it in that of the axis in front.
    """
    rest_old = [i for i, n in enumerate(old) if n != 1]
    rest_new = [i for i, n in enumerate(new) if n != 1]
    groups: list[tuple[list[int], list[int]]] = []
    while rest_old:
        before, after = [rest_old.pop(0)], [rest_new.pop(0)]
        size_before, size_after = old[before[0]], new[after[0]]
        while size_before != size_after:
            if size_before < size_after:
                before.append(rest_old.pop(0))
                size_before *= old[before[-1]]
            else:
                after.append(rest_new.pop(0))
                size_after *= new[after[-1]]
        groups.append((before, after))
    starts = [0, *(after[0] for _, after in groups[1:]), len(new)]
    return [
        (before, list(range(start, stop)))
        for (before, _), start, stop in zip(groups, starts[:-1], starts[1:], strict=True)
    ]


def _without(labels: Labels, gone: set[int]) -> Labels:
    return tuple(label for label in labels if label not in gone)
