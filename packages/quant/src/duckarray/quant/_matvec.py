"""Products of one row, as in generating text: numbers are decoded where they are multiplied.

Some lines of codes at a time are one loop over the columns, and no block is stored. On CPUs that
takes about half the time of a block and a product (measured, 4096 x 4096; with sixteen lines in
place of eight, or for two rows, nothing is gained).
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._format import Format, decode
from ._product import ACCELERATOR, Numbers, Parts, by_platform, product

_LINES = 8
LEAST_BYTES = 1 << 18
"""Of weights that take less than this when dense, the loop costs as much as it saves."""

Product = Callable[[Parts, Any, Numbers], Any]


def applies(parts: Parts, x: Any, numbers: Numbers) -> bool:
    """Whether one row meets the axis of the groups, of an array not too small, in whole bytes."""
    only = numbers.w_summed == (parts.k,) and not numbers.w_batch
    if not only or x.size != parts.shape[parts.k]:
        return False
    is_large = math.prod(parts.shape) * x.dtype.itemsize >= LEAST_BYTES
    return is_large and _lines(parts)[1] >= _LINES // 2


def row_product(parts: Parts, x: Any, numbers: Numbers, precision: Any) -> Any:
    """The product of one row, as `by_platform` gives it, and so its derivative and those of many.

    Args:
        parts: the quantized operand.
        x: the row.
        numbers: which axes go together.
        precision: as of `lax.dot_general`.
    """

    def one(parts: Parts, x: Any, numbers: Numbers) -> Any:
        static = parts.like

        def on_cpu(codes: Any, scale: Any, zero: Any, x: Any) -> Any:
            return row_sum(Parts(codes, scale, zero, static), x)

        def elsewhere(codes: Any, scale: Any, zero: Any, x: Any) -> Any:
            return product(Parts(codes, scale, zero, static), x, numbers, precision, ACCELERATOR)

        args = (parts.codes, parts.scale, parts.zero, x)
        return lax.platform_dependent(*args, cpu=on_cpu, default=elsewhere)

    def many(parts: Parts, x: Any, numbers: Numbers) -> Any:
        return by_platform(parts, x, numbers, precision)

    return with_derivative(batched_by_rows(one, many), many, parts, x, numbers)


def batched_by_rows(one: Product, many: Product) -> Product:
    """`one`, for which `vmap` over rows is `many`, with all rows at once."""

    def run(parts: Parts, x: Any, numbers: Numbers) -> Any:
        static = parts.like

        @jax.custom_batching.custom_vmap
        def call(x: Any, codes: Any, scale: Any, zero: Any) -> Any:
            return one(Parts(codes, scale, zero, static), x, numbers)

        @call.def_vmap
        def call_vmap(size: int, batched: Any, x: Any, codes: Any, scale: Any, zero: Any) -> Any:
            is_row, *rest = batched
            if is_row and not any(jax.tree.leaves(rest)):
                later = numbers._replace(x_summed=tuple([i + 1 for i in numbers.x_summed]))
                return many(Parts(codes, scale, zero, static), x, later), True
            axes = jax.tree.map(lambda b: 0 if b else None, tuple(batched))

            def each(x: Any, codes: Any, scale: Any, zero: Any) -> Any:
                return many(Parts(codes, scale, zero, static), x, numbers)

            return jax.vmap(each, axes, axis_size=size)(x, codes, scale, zero), True

        return call(x, parts.codes, parts.scale, parts.zero)

    return run


def with_derivative(
    compute: Product, linear: Product, parts: Parts, x: Any, numbers: Numbers
) -> Any:
    """`compute(parts, x, numbers)`, with the derivative of `linear` by the row and by scales."""

    @jax.custom_jvp
    def run(x: Any, codes: Any, scale: Any, zero: Any) -> Any:
        return compute(parts._replace(codes=codes, scale=scale, zero=zero), x, numbers)

    @functools.partial(run.defjvp, symbolic_zeros=True)
    def run_jvp(primals: Any, tangents: Any) -> Any:
        x, codes, scale, zero = primals
        dx, _, dscale, dzero = tangents
        out = run(x, codes, scale, zero)
        whole = parts._replace(codes=codes, scale=scale, zero=zero)
        tangent = jnp.zeros_like(out)
        if not _is_zero(dx):
            tangent = tangent + linear(whole, dx, numbers)
        if not _is_zero(dscale) or not (dzero is None or _is_zero(dzero)):
            change = [jnp.zeros_like(a) if _is_zero(d) else d for a, d in ((scale, dscale),)]
            moved = None if dzero is None else jnp.zeros_like(zero) if _is_zero(dzero) else dzero

            def by_scales(scale: Any, zero: Any) -> Any:
                return linear(whole._replace(scale=scale, zero=zero), x, numbers)

            tangent = tangent + jax.jvp(by_scales, (scale, zero), (change[0], moved))[1]
        return out, tangent

    return run(x, parts.codes, parts.scale, parts.zero)


def _is_zero(tangent: Any) -> bool:
    return isinstance(tangent, jax.custom_derivatives.SymbolicZero)


def row_sum(parts: Parts, x: Any, exact: bool = False) -> Any:
    """The product of one row, `[free axes of x, which are all one, free axes of w]`.

    Args:
        parts: the quantized operand.
        x: the row.
        exact: whether `x` holds integers of eight bits, whose sums are kept as integers.
    """
    k, scheme = parts.k, parts.like.scheme
    per_line, lines = _lines(parts)
    per_byte = 8 // scheme.bits
    steps = parts.codes.shape[k] // lines
    # [units, codes in a byte, steps in a unit, lines] -> [steps, codes in a byte, lines]
    rows = x.reshape(-1, per_byte, per_line // lines, lines)
    rows = jnp.swapaxes(rows, 1, 2).reshape(steps, per_byte, lines)
    groups = parts.scale.shape[k]
    points = None if parts.zero is None else jnp.sum(rows, (1, 2))
    shape = tuple([n for i, n in enumerate(parts.shape) if i != k])

    def scaled(out: Any, point: Any, index: Any) -> Any:
        """The sum over one group, or over all, with its scale and zero point."""
        of_group = _at(parts.scale, index, k)
        if point is None:
            return out * of_group
        point = point * _at(parts.zero, index, k)
        return out * of_group + point if scheme.offset else (out - point) * of_group

    def step(index: Any, total: Any) -> Any:
        index = lax.convert_element_type(index, jnp.uint32)
        terms, row = [], _at(rows, index, 0)
        for line in range(lines):
            codes = _at(parts.codes, index * np.uint32(lines) + np.uint32(line), k)
            numbers = _numbers_in(codes, scheme.format, row.dtype)
            terms += [row[i, line] * each for i, each in enumerate(numbers)]
        out = _sum(terms)
        if groups > 1:
            point = None if points is None else _at(points, index, 0)
            out = scaled(out, point, lax.div(index, np.uint32(steps // groups)))
        return total + out.astype(total.dtype)

    start = jnp.zeros(shape, jnp.int32 if exact and groups == 1 else x.dtype)
    out = lax.fori_loop(0, steps, step, start).astype(x.dtype)
    if groups == 1:
        out = scaled(out, None if points is None else jnp.sum(points), np.uint32(0))
    return out.reshape(*(1,) * (x.ndim - 1), *shape)


def _at(array: Any, index: Any, axis: int) -> Any:
    """An entry along `axis`; indices without a sign are taken as they are, without a comparison."""
    start = [index if i == axis else np.uint32(0) for i in range(array.ndim)]
    sizes = [1 if i == axis else n for i, n in enumerate(array.shape)]
    return lax.squeeze(lax.dynamic_slice(array, start, sizes), [axis])


def _lines(parts: Parts) -> tuple[int, int]:
    """How many lines of bytes are one unit, and how many of them are done in one step."""
    scheme, layout = parts.like.scheme, parts.like.layout
    if scheme.bits not in (2, 4, 8) or (layout.unit * scheme.bits % 8 and scheme.bits < 8):
        return 0, 0
    per_line = layout.unit * scheme.bits // 8
    if scheme.bits == 8:
        per_line = scheme.group_size or parts.shape[parts.k]
    return per_line, math.gcd(per_line, _LINES // 2 if scheme.format.kind == "table" else _LINES)


def _numbers_in(codes: Any, fmt: Format, dtype: Any) -> list[Any]:
    """The numbers that the bytes `codes` hold, one array for each place in a byte."""
    if fmt.bits == 8:
        return [decode(codes, fmt, dtype)]
    if fmt.kind == "table":  # one look-up for each place is quicker here than selections
        every, places = np.arange(256), codes.astype(jnp.int32)
        tables = [np.asarray(fmt.table, dtype)[every >> shift & 15] for shift in (0, 4)]
        return [jnp.asarray(t).at[places].get(mode="promise_in_bounds") for t in tables]
    mask = np.uint8((1 << fmt.bits) - 1)
    shifts = range(0, 8, fmt.bits)
    return [decode((codes >> np.uint8(shift)) & mask, fmt, dtype) for shift in shifts]


def _sum(terms: list[Any]) -> Any:
    while len(terms) > 1:
        terms = [sum(terms[i : i + 2][1:], terms[i]) for i in range(0, len(terms), 2)]
    return terms[0]
