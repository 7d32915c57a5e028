"""Parts of a weight: slices of it are low-rank again, rows picked from it are dense."""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, materialize, register
from duckarray.lora._layout import RANK, Label, Labels, as_dtype, contract, spread
from duckarray.lora._multi import MultiLora, refuse_dense
from duckarray.lora._parts import Parts, change_each, put_together, take_apart
from duckarray.lora._path import gated
from duckarray.lora._value import LoraArray, derived, normalizer


@register("slice")
def _slice_lora(
    x: LoraArray, *, start_indices: Any, limit_indices: Any, strides: Any, **params: Any
) -> Any:
    """Cuts the weight and the factors that have the axis."""
    bounds = {"start_indices": start_indices, "limit_indices": limit_indices, "strides": strides}
    parts = take_apart(x)
    w = bind(lax.slice_p, parts.w, **bounds, **params)
    steps = strides or (1,) * x.ndim
    cut = dict(enumerate(zip(start_indices, limit_indices, steps, strict=True)))

    def slice_factor(array: Any, labels: Labels) -> Any:
        each = [cut.get(label, (0, n, 1)) for label, n in zip(labels, array.shape, strict=True)]
        return lax.slice(array, *zip(*each, strict=True)) if each else array

    return put_together(_on_each(parts, w, slice_factor))


@register("dynamic_slice")
def _dynamic_slice_lora(x: LoraArray, *starts: ArrayLike, slice_sizes: Any, **params: Any) -> Any:
    """Cuts the weight and the factors that have the axis."""
    parts = take_apart(x)
    w = bind(lax.dynamic_slice_p, parts.w, *starts, slice_sizes=slice_sizes, **params)

    def slice_factor(array: Any, labels: Labels) -> Any:
        for axis, label in enumerate(labels):
            if isinstance(label, int) and slice_sizes[label] != array.shape[axis]:
                start = starts[label]
                array = lax.dynamic_slice_in_dim(array, start, slice_sizes[label], axis)
        return array

    return put_together(_on_each(parts, w, slice_factor))


@register("split")
def _split_lora(x: LoraArray, *, sizes: Any, axis: Any, **params: Any) -> Any:
    """Cuts the weight and the factors that have the axis."""
    parts = take_apart(x)
    pieces = []
    stop = 0
    for w in bind(lax.split_p, parts.w, sizes=sizes, axis=axis, **params):
        start, stop = stop, stop + w.shape[axis]

        def cut(array: Any, labels: Labels, start: int = start, stop: int = stop) -> Any:
            if axis not in labels:
                return array
            return lax.slice_in_dim(array, start, stop, axis=labels.index(axis))

        pieces.append(put_together(_on_each(parts, w, cut)))
    return pieces


@register("rev")
def _rev_lora(x: LoraArray, *, dimensions: Any, **params: Any) -> Any:
    """Turns the weight round and the factors that have the axis."""
    parts = take_apart(x)
    w = bind(lax.rev_p, parts.w, dimensions=dimensions, **params)

    def reverse(array: Any, labels: Labels) -> Any:
        return lax.rev(array, [i for i, label in enumerate(labels) if label in dimensions])

    return put_together(_on_each(parts, w, reverse))


@register("gather")
def _gather_lora_dense(
    x: LoraArray, indices: ArrayLike, *, dimension_numbers: Any, slice_sizes: Any, **params: Any
) -> Any:
    """Picking from batch axes gives matrices of low rank; from rows or columns a dense array.

    The latter is what an embedding does: `w[i] + s a[i] b`, for the rows `i` that are picked.
    """
    kwargs = {"dimension_numbers": dimension_numbers, "slice_sizes": slice_sizes, **params}
    if x.magnitude is not None:
        return _gather_normalized(x, indices, kwargs)
    parts = take_apart(x)
    w = bind(
        lax.gather_p,
        x.w,
        indices,
        dimension_numbers=dimension_numbers,
        slice_sizes=slice_sizes,
        **params,
    )
    numbers = dimension_numbers
    whole = [n == size for n, size in zip(slice_sizes, x.shape, strict=True)]
    gone = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    kept = [label for label in parts.of_w if label not in gone]
    n_picked = jnp.ndim(indices) - 1
    picked: Labels = tuple(("picked", i) for i in range(n_picked))
    rest, offsets = iter(picked), dict(zip(numbers.offset_dims, kept, strict=True))
    of_w = tuple(offsets[i] if i in offsets else next(rest) for i in range(w.ndim))
    cut = {i for i in parts.of_w if i in gone or not whole[i]}

    def gather(array: Any, labels: Labels) -> tuple[Any, Labels]:
        if not cut.intersection(labels):
            return array, labels
        of_kept = tuple(label for label in labels if label not in gone)
        out = _gather_factor(array, labels, indices, numbers, slice_sizes, params)
        return out, (*picked, *of_kept)

    if not cut <= set(parts.of_scale):
        found = change_each(parts._replace(others=()), w, of_w, gather)
        return _dense(
            _gate_picked(x, found, picked, w.shape) if isinstance(x, MultiLora) else found
        )
    return put_together(change_each(parts, w, of_w, gather))


def _gather_normalized(x: LoraArray, indices: Any, params: Any) -> Any:
    """`g[i] * v[i]`; what `g` has one of along rows or columns it has for all that are picked."""
    plain = bind(lax.gather_p, derived(x, magnitude=None), indices, **params)
    factor = as_dtype(normalizer(x), x.dtype)
    shape = x.shape
    if isinstance(plain, LoraArray):  # from batch axes, so that rows and columns are left whole
        own = {i % x.ndim for i in (*x.rows, *x.columns)}
        shape = tuple(factor.shape[i] if i in own else n for i, n in enumerate(shape))
    sizes = tuple(map(min, params["slice_sizes"], shape))
    # What is out of bounds has its value already.
    params = {**params, "slice_sizes": sizes, "fill_value": 1}
    factor = lax.gather_p.bind(jnp.broadcast_to(factor, shape), jnp.asarray(indices), **params)
    return bind(lax.mul_p, plain, factor)


def _gate_picked(x: MultiLora, found: Parts, picked: Labels, shape: tuple[int, ...]) -> Parts:
    """The parts with the gate of each row applied to the factor from which the rows were picked."""
    if found.of_scale:
        refuse_dense(x)
    name = "a" if picked and set(picked) <= set(found.of_a) else "b"
    factor, labels = getattr(found, name), getattr(found, f"of_{name}")
    return found._replace(**{name: gated(x, factor, labels, shape)})


def _gather_factor(
    array: Any, labels: Labels, indices: Any, numbers: Any, slice_sizes: Any, params: Any
) -> Any:
    """Gathers from one factor; what is picked comes first, then what is left of the factor."""
    position: dict[Label, int] = {label: i for i, label in enumerate(labels)}
    used = [i for i, axis in enumerate(numbers.start_index_map) if axis in position]
    if len(used) < len(numbers.start_index_map):
        indices = jnp.asarray(indices)[..., jnp.array(used, int)]
    batching = [
        (position[axis], at)
        for axis, at in zip(
            numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
        )
        if axis in position
    ]
    collapsed = tuple(sorted(position[i] for i in numbers.collapsed_slice_dims if i in position))
    n_picked = jnp.ndim(indices) - 1
    n_kept = array.ndim - len(collapsed) - len(batching)
    own = lax.GatherDimensionNumbers(
        offset_dims=tuple(range(n_picked, n_picked + n_kept)),
        collapsed_slice_dims=collapsed,
        start_index_map=tuple(position[numbers.start_index_map[i]] for i in used),
        operand_batching_dims=tuple(axis for axis, _ in batching),
        start_indices_batching_dims=tuple(at for _, at in batching),
    )
    sizes = tuple(
        n if label == RANK else slice_sizes[label]
        for label, n in zip(labels, array.shape, strict=True)
    )
    # What is out of bounds gets its value from the weight, and no update.
    params = {**params, "fill_value": 0, "dimension_numbers": own, "slice_sizes": sizes}
    return lax.gather_p.bind(array, indices, **params)


def _dense(parts: Parts) -> Any:
    """The array that these parts stand for; what was picked from both factors is matched up."""
    dtype = parts.w.dtype
    sizes = dict(zip(parts.of_w, parts.w.shape, strict=True))
    a, b, scale = (as_dtype(x, dtype) for x in (parts.a, parts.b, parts.scale))
    sizes |= dict(zip(parts.of_a, a.shape, strict=True))
    if set(parts.of_scale) <= set(parts.of_a):
        a = lax.mul(a, spread(scale, parts.of_scale, parts.of_a, sizes))
    else:
        sizes |= dict(zip(parts.of_b, b.shape, strict=True))
        b = lax.mul(b, spread(scale, parts.of_scale, parts.of_b, sizes))
    return lax.add(materialize(parts.w), contract(a, parts.of_a, b, parts.of_b, parts.of_w))


def _on_each(parts: Parts, w: Any, change: Any) -> Parts:
    return change_each(parts, w, parts.of_w, lambda x, labels: (change(x, labels), labels))
