"""What is done with arrays whose places are traced, in room of a fixed capacity."""

from typing import Any

import jax.numpy as jnp

from duckarray.core import families
from duckarray.sparse._dynamic import DynamicPattern
from duckarray.sparse._fill import apply_to_constants, is_zero
from duckarray.sparse._structure import Unstructured, constant_of, dynamic_rule
from duckarray.sparse._value import Sparse, unchecked


def _names(family: Any) -> list[str]:
    return [str(p) for p in family]


def _zero_filled(*xs: Any) -> None:
    if not all(is_zero(x.fill_constant) and x.data.ndim == 1 for x in xs):
        raise Unstructured


@dynamic_rule(*_names(families.elementwise_unary))
def _unary_dynamic(x: Sparse, *, primitive: Any, **params: Any) -> Any:
    """On the stored entries, and on the fill."""
    if x.fill_constant is None:
        raise Unstructured
    fill = apply_to_constants(primitive, [x.fill_constant], params)
    return unchecked(primitive.bind(x.data, **params), x.pattern, fill)


@dynamic_rule(*_names(families.elementwise_binary))
def _binary_dynamic(x: Any, y: Any, *, primitive: Any, **params: Any) -> Any:
    """With a known number; products with a dense array, sums of two."""
    name = str(primitive)
    for a, b, first in ((x, y, True), (y, x, False)):
        known = None if isinstance(b, Sparse) else constant_of(b, jnp.result_type(b))
        if known is None:
            continue
        if a.fill_constant is None:
            raise Unstructured
        fills = [a.fill_constant, known] if first else [known, a.fill_constant]
        other = jnp.full(a.data.shape, known.value)
        values = (a.data, other) if first else (other, a.data)
        fill = apply_to_constants(primitive, fills, params)
        return unchecked(primitive.bind(*values, **params), a.pattern, fill)
    if isinstance(x, Sparse) and isinstance(y, Sparse):
        return _two(name, x, y)
    if name == "mul" or (name == "div" and isinstance(x, Sparse)):
        a, b = (x, y) if isinstance(x, Sparse) else (y, x)
        _zero_filled(a)
        dense = jnp.broadcast_to(jnp.asarray(b), a.shape)
        at = dense.at[a.pattern.indices].get(mode="fill", fill_value=1)
        values = (a.data, at) if isinstance(x, Sparse) else (at, a.data)
        return unchecked(primitive.bind(*values, **params), a.pattern, a.fill_constant)
    if name in ("add", "add_any", "sub"):
        a, b = (x, y) if isinstance(x, Sparse) else (y, x)
        _zero_filled(a)
        sign = -1 if name == "sub" else 1
        b = jnp.asarray(b)
        if b.shape != a.shape:
            raise Unstructured
        if isinstance(x, Sparse):
            return (sign * b).at[a.pattern.indices].add(a.data, mode="drop")
        return b.at[a.pattern.indices].add(sign * a.data, mode="drop")
    raise Unstructured


def _two(name: str, x: Sparse, y: Sparse) -> Any:
    """The sum has room for the entries of both."""
    if name not in ("add", "add_any", "sub") or x.pattern.shape != y.pattern.shape:
        raise Unstructured
    _zero_filled(x, y)
    data = jnp.concatenate([x.data, -y.data if name == "sub" else y.data])
    pairs = zip(x.pattern.indices, y.pattern.indices, strict=True)
    room = DynamicPattern(x.nnz + y.nnz)
    out, pattern = room.sort(data, *map(jnp.concatenate, pairs), shape=x.pattern.shape)
    return unchecked(out, pattern, x.fill_constant)


@dynamic_rule("transpose")
def _transpose_dynamic(x: Sparse, *, permutation: Any, **params: Any) -> Any:
    """Sorts the entries anew."""
    if x.data.ndim != 1 or x.fill_constant is None:
        raise Unstructured
    indices = [x.pattern.indices[p] for p in permutation]
    shape = tuple(x.shape[p] for p in permutation)
    data, pattern = DynamicPattern(x.nnz).sort(x.data, *indices, shape=shape)
    return unchecked(data, pattern, x.fill_constant)


@dynamic_rule("reduce_sum")
def _reduce_sum_dynamic(x: Sparse, *, axes: Any, **params: Any) -> Any:
    """Adds up the entries; the result is dense."""
    _zero_filled(x)
    data = jnp.where(x.pattern.used, x.data, 0)
    kept = [a for a in range(x.ndim) if a not in axes]
    if not kept:
        return jnp.sum(data)
    out = jnp.zeros([x.shape[a] for a in kept], x.dtype)
    return out.at[tuple(x.pattern.indices[a] for a in kept)].add(data, mode="drop")


@dynamic_rule("dot_general")
def _dot_general_dynamic(
    x: Any, y: Any, *, dimension_numbers: Any, preferred_element_type: Any = None, **params: Any
) -> Any:
    """A matrix times a dense vector or matrix, from either side."""
    (of_x, of_y), batch = dimension_numbers
    left = isinstance(x, Sparse)
    a, dense = (x, y) if left else (y, x)
    if isinstance(dense, Sparse) or batch != ((), ()) or a.ndim != 2 or len(of_x) != 1:
        raise Unstructured
    _zero_filled(a)
    (inner,), (of_dense,) = (of_x, of_y) if left else (of_y, of_x)
    dtype = preferred_element_type or jnp.result_type(a.dtype, dense.dtype)
    rows, cols = a.pattern.indices[1 - inner], a.pattern.indices[inner]
    dense = jnp.moveaxis(jnp.asarray(dense), of_dense, 0).astype(dtype)
    data = jnp.where(a.pattern.used, a.data, 0).astype(dtype)
    data = data.reshape(-1, *[1] * (dense.ndim - 1))
    terms = data * dense.at[cols].get(mode="fill", fill_value=0)
    out = jnp.zeros((a.shape[1 - inner], *dense.shape[1:]), dtype).at[rows].add(terms, mode="drop")
    return out if left else jnp.moveaxis(out, 0, -1)
