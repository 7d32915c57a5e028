"""Products with quantized arrays, a block at a time, so that the whole is never dequantized.

What is dequantized stays below `Budget.whole` bytes, or is done in blocks of about `Budget.block`:
a `scan` over blocks of the axis of the groups, or over another axis first where even the smallest
such block is too large. Bodies are checkpointed: a gradient dequantizes again and stores no block.
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ._format import decode, packed_size
from ._scales import plain
from ._value import QuantArray, apply_scale, compute_dtype, unpacked


class Budget(NamedTuple):
    """How much may be dequantized at once, in bytes."""

    whole: int
    block: int


# Measured on CPUs with 32 MB of cache; accelerators want larger products. What is dequantized whole
# is so by XLA before it is needed, all layers of a model at once: only small weights may be.
CPU = Budget(whole=1 << 18, block=1 << 20)
ACCELERATOR = Budget(whole=64 << 20, block=32 << 20)


class Numbers(NamedTuple):
    """Which axes of the dense operand and which canonical axes of the quantized one go together."""

    x_summed: tuple[int, ...]
    w_summed: tuple[int, ...]
    x_batch: tuple[int, ...]
    w_batch: tuple[int, ...]


class Parts(NamedTuple):
    """The arrays of a `QuantArray`, scales as plain numbers, and what is static about it."""

    codes: Any
    scale: Any
    zero: Any
    like: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The canonical shape."""
        layout, bits = self.like.layout, self.like.scheme.bits
        shape = list(self.codes.shape)
        per_unit = packed_size(bits, layout.unit)
        shape[layout.k] = shape[layout.k] // per_unit * layout.unit
        return tuple(shape)

    @property
    def k(self) -> int:
        """The axis of the groups, from the front."""
        return int(self.codes.ndim + self.like.layout.k)


class _Static(NamedTuple):
    scheme: Any
    layout: Any


def dot_general(
    w: QuantArray, x: Any, numbers: Any, w_on_left: bool, precision: Any, out_dtype: Any
) -> jax.Array:
    """`lax.dot_general` of a quantized and a dense array.

    Args:
        w: the quantized operand.
        x: the dense one.
        numbers: as of `lax.dot_general`, for the operands in their order.
        w_on_left: whether `w` is the left one.
        precision: as of `lax.dot_general`.
        out_dtype: the dtype of the result.
    """
    (left, right), (left_batch, right_batch) = numbers
    ndim = w.codes.ndim
    permutation = w.layout.permutation(ndim)
    of_w, of_x = (left, right) if w_on_left else (right, left)
    w_batch, x_batch = (left_batch, right_batch) if w_on_left else (right_batch, left_batch)
    canonical = Numbers(
        tuple(of_x),
        tuple([permutation[i] for i in of_w]),
        tuple(x_batch),
        tuple([permutation[i] for i in w_batch]),
    )
    from . import _integer as integer
    from . import _matvec as matvec

    compute = compute_dtype(jnp.promote_types(x.dtype, w.dtype))
    parts = parts_of(w, compute)
    x = x.astype(compute)
    if w.scheme.activations is not None and integer.applies(parts, x, canonical):
        out = integer.integer_product(parts, x, canonical, precision)
    elif matvec.applies(parts, x, canonical):
        out = matvec.row_product(parts, x, canonical, precision)
    else:
        out = by_platform(parts, x, canonical, precision)
    # [batch, free axes of x, free axes of w in canonical order], to be put as `dot_general` does.
    free_w = [i for i in range(ndim) if i not in canonical.w_summed + canonical.w_batch]
    logical = [i for i in permutation if i in free_w]
    n_batch, n_x = len(x_batch), x.ndim - len(of_x) - len(x_batch)
    axes_w = [n_batch + n_x + free_w.index(i) for i in logical]
    axes_x = list(range(n_batch, n_batch + n_x))
    order = [*range(n_batch), *(axes_w + axes_x if w_on_left else axes_x + axes_w)]
    if order != list(range(out.ndim)):
        out = lax.transpose(out, order)
    result: jax.Array = out.astype(out_dtype)
    return result


def parts_of(w: QuantArray, dtype: Any) -> Parts:
    """The parts of a `QuantArray`, to be dequantized in the precision of `dtype`."""
    compute = compute_dtype(dtype)
    static = _Static(w.scheme, w.layout)
    return Parts(w.codes, plain(w.scale, compute), plain(w.zero_point, compute), static)


def by_platform(parts: Parts, x: Any, numbers: Numbers, precision: Any) -> Any:
    """Decides the formulation: how large blocks are, on each platform."""
    size = math.prod(parts.shape) * x.dtype.itemsize
    if size <= CPU.whole:
        return product(parts, x, numbers, precision, CPU)
    static = parts.like

    def run(budget: Budget) -> Any:
        def formulation(codes: Any, scale: Any, zero: Any, x: Any) -> Any:
            return product(Parts(codes, scale, zero, static), x, numbers, precision, budget)

        return formulation

    return lax.platform_dependent(
        parts.codes, parts.scale, parts.zero, x, cpu=run(CPU), default=run(ACCELERATOR)
    )


def product(parts: Parts, x: Any, numbers: Numbers, precision: Any, budget: Budget) -> Any:
    """The product, `[batch, free axes of x, free axes of w in canonical order]`."""
    shape, itemsize = parts.shape, x.dtype.itemsize
    size = math.prod(shape) * itemsize
    if size <= budget.whole:
        return _whole(parts, x, numbers, precision)
    k, step = parts.k, step_of(parts)
    least = size // shape[k] * step
    if shape[k] > step and least <= 2 * budget.block:
        count = blocks_of(shape[k] // step, max(budget.block // least, 1))
        if count > 1:
            return _over(k, count, parts, x, numbers, precision, budget)
    others = [i for i in range(len(shape)) if i != k and shape[i] > 1]
    if not others:
        count = shape[k] // step
        return (
            _over(k, count, parts, x, numbers, precision, budget)
            if count > 1
            else _whole(parts, x, numbers, precision)
        )
    axis = max(others, key=lambda i: shape[i])
    count = blocks_of(shape[axis], max(budget.whole // 2 * shape[axis] // size, 1))
    return _over(axis, count, parts, x, numbers, precision, budget)


def step_of(parts: Parts) -> int:
    """The least number of entries along the axis of the groups that a block can have."""
    group = parts.like.scheme.group_size
    return int(parts.like.layout.unit if group is None else group)


def blocks_of(n: int, most: int) -> int:
    """Into how many equal blocks to cut `n`, so that none has more than `most`."""
    size = next(size for size in range(min(most, n), 0, -1) if n % size == 0)
    return n // size


def _whole(parts: Parts, x: Any, numbers: Numbers, precision: Any) -> Any:
    """Dequantizes all of it."""

    def run(codes: Any, scale: Any, zero: Any, x: Any) -> Any:
        w = dense_parts(Parts(codes, scale, zero, parts.like))
        return dot(x, w, numbers, precision)

    codes = lax.optimization_barrier(parts.codes)  # else XLA folds the weight, if it is a constant
    return jax.checkpoint(run)(codes, parts.scale, parts.zero, x)


def dense_parts(parts: Parts) -> Any:
    scheme, layout = parts.like.scheme, parts.like.layout
    numbers = decode(unpacked(parts.codes, layout, scheme.bits), scheme.format, parts.scale.dtype)
    return apply_scale(numbers, parts.scale, parts.zero, layout.k, scheme.offset)


def dot(x: Any, w: Any, numbers: Numbers, precision: Any) -> Any:
    n = ((numbers.x_summed, numbers.w_summed), (numbers.x_batch, numbers.w_batch))
    return lax.dot_general(x, w, n, precision=precision, preferred_element_type=x.dtype)


def _over(
    axis: int,
    count: int,
    parts: Parts,
    x: Any,
    numbers: Numbers,
    precision: Any,
    budget: Budget,
) -> Any:
    """A `scan` over `count` blocks of one canonical axis of `w`."""
    summed, batch = axis in numbers.w_summed, axis in numbers.w_batch
    x_axis = None
    if summed:
        x_axis = numbers.x_summed[numbers.w_summed.index(axis)]
    elif batch:
        x_axis = numbers.x_batch[numbers.w_batch.index(axis)]
    blocks = None
    if x_axis is not None:
        n = x.shape[x_axis]
        apart = x.reshape(*x.shape[:x_axis], count, n // count, *x.shape[x_axis + 1 :])
        blocks = jnp.moveaxis(apart, x_axis, 0)
    inner = parts.shape[axis] // count
    later = summed and axis == parts.k and len(numbers.w_summed) == 1
    later = later and _one_scale(parts, inner)

    def block(index: Any, x_block: Any) -> Any:
        cut = cut_parts(parts, axis, index, count)
        x_block = x if x_block is None else x_block
        if later:
            return _scaled_later(cut, x_block, numbers, precision, parts.scale.shape[axis] > 1)
        if axis == parts.k:
            return dot(x_block, dense_parts(cut), numbers, precision)
        return product(cut, x_block, numbers, precision, budget)

    run = jax.checkpoint(block, prevent_cse=False)
    indices = jnp.arange(count, dtype=jnp.int32)
    if summed:
        shape = jax.eval_shape(block, indices[0], None if blocks is None else blocks[0])
        zero = jnp.zeros(shape.shape, shape.dtype)

        def add(total: Any, given: Any) -> tuple[Any, None]:
            return total + run(*given), None

        out, _ = lax.scan(add, zero, (indices, blocks))
        if later and parts.scale.shape[axis] == 1:
            out = _times_scale(out, parts, x, numbers)
        return out
    _, stacked = lax.scan(lambda _, given: (None, run(*given)), None, (indices, blocks))
    at = _result_axis(axis, x.ndim, parts, numbers)
    moved = jnp.moveaxis(stacked, 0, at)
    return moved.reshape(*moved.shape[:at], -1, *moved.shape[at + 2 :])


def _one_scale(parts: Parts, size: int) -> bool:
    """Whether a block of `size` entries along the axis of the groups is scaled by one number."""
    if parts.scale.shape[parts.k] == 1:
        return parts.zero is None
    return bool(parts.like.scheme.group_size == size)


def _result_axis(axis: int, x_ndim: int, parts: Parts, numbers: Numbers) -> int:
    """Where a canonical axis of `w` that is not summed over is in the product."""
    if axis in numbers.w_batch:
        return numbers.w_batch.index(axis)
    taken = numbers.w_summed + numbers.w_batch
    free = [i for i in range(len(parts.shape)) if i not in taken]
    return x_ndim - len(numbers.x_summed) + free.index(axis)


def cut_parts(parts: Parts, axis: int, index: Any, count: int) -> Parts:
    """A block of a `QuantArray` along one canonical axis."""

    def cut(array: Any) -> Any:
        if array is None or array.shape[axis] == 1:
            return array
        size = array.shape[axis] // count
        return lax.dynamic_slice_in_dim(array, index * size, size, axis)

    return parts._replace(codes=cut(parts.codes), scale=cut(parts.scale), zero=cut(parts.zero))


def _scaled_later(parts: Parts, x: Any, numbers: Numbers, precision: Any, by_block: bool) -> Any:
    """The product with the codes, scaled after the sum where the block has scales of its own."""
    scheme, layout = parts.like.scheme, parts.like.layout
    codes = unpacked(parts.codes, layout, scheme.bits)
    out = dot(x, decode(codes, scheme.format, x.dtype), numbers, precision)
    return _times_scale(out, parts, x, numbers) if by_block else out


def _times_scale(out: Any, parts: Parts, x: Any, numbers: Numbers) -> Any:
    n_x = x.ndim - len(numbers.x_summed) - len(numbers.x_batch)
    scale = _like_result(parts.scale, parts, numbers, n_x)
    if parts.zero is None:
        return out * scale
    zero = _like_result(parts.zero, parts, numbers, n_x)
    total = jnp.sum(x, numbers.x_summed)
    batch = [i - sum(j < i for j in numbers.x_summed) for i in numbers.x_batch]
    total = jnp.moveaxis(total, batch, range(len(batch)))
    total = lax.expand_dims(total, range(total.ndim, out.ndim))
    if parts.like.scheme.offset:
        return out * scale + total * zero
    return (out - total * zero) * scale


def _like_result(scale: Any, parts: Parts, numbers: Numbers, n_x: int) -> Any:
    """Scales of one group, with the axes of a product."""
    free = [i for i in range(scale.ndim) if i not in numbers.w_batch and i != parts.k]
    scale = lax.transpose(scale, [*numbers.w_batch, parts.k, *free])
    n = len(numbers.w_batch)
    return scale.reshape(*scale.shape[:n], *(1,) * n_x, *scale.shape[n + 1 :])
