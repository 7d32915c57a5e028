"""Operations of each entry by itself, of any number of operands.

They are applied to the stored entries and, once, to the fills. Next to a dense operand the result
is dense, unless the fill decides it alone, as a zero does a product.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, families, materialize
from duckarray.sparse._fill import Constant, apply_to_constants, is_zero
from duckarray.sparse._pattern import Pattern
from duckarray.sparse._plans import intersection, locate, union
from duckarray.sparse._structure import Unstructured, absorb, constant_of, finished, rule
from duckarray.sparse._value import Sparse, raw_fill, spread_fill, unchecked, values_at, weak_like

# With a zero for one operand the result is zero, whatever the other one is.
_ABSORBED_BY_ANY = frozenset({"mul", "and"})
# With a zero for the first operand.
_ABSORBED_BY_FIRST = frozenset(
    {"div", "rem", "shift_left", "shift_right_arithmetic", "shift_right_logical"}
)


@rule(*families.elementwise_unary)
def _unary_sparse(x: Sparse, *, primitive: Any, **params: Any) -> Any:
    """On the stored entries, and on the fill."""
    return elementwise(primitive, [x], params)


@rule(*families.elementwise_binary)
def _binary_sparse(
    x: Sparse | ArrayLike, y: Sparse | ArrayLike, *, primitive: Any, **params: Any
) -> Any:
    """On the entries stored by either, or by both where the others are zero."""
    return elementwise(primitive, [x, y], params)


@rule(*families.elementwise_ternary)
def _ternary_sparse(*xs: Sparse | ArrayLike, primitive: Any, **params: Any) -> Any:
    """On the entries stored by any."""
    return elementwise(primitive, list(xs), params)


@rule("bitcast_convert_type")
def _bitcast_convert_type_sparse(x: Sparse, *, new_dtype: Any, **params: Any) -> Any:
    """On the stored entries and the fill, if none is split or joined with another."""
    if jnp.dtype(new_dtype).itemsize != x.dtype.itemsize:
        return NotImplemented
    return elementwise(lax.bitcast_convert_type_p, [x], {"new_dtype": new_dtype, **params})


def elementwise(primitive: Any, operands: list[Any], params: dict[str, Any]) -> Any:
    """`primitive` of operands of one shape, up to axes of size one, and of scalars."""
    operands = [x if jnp.ndim(x) else materialize(x) for x in operands]  # those are numbers
    if not any(isinstance(x, Sparse) for x in operands):
        return bind(primitive, *operands, **params)
    shapes = [tuple(jnp.shape(x)) if not isinstance(x, Sparse) else x.shape for x in operands]
    shape = np.broadcast_shapes(*[s for s in shapes if s])
    sparse = [x for x in operands if isinstance(x, Sparse)]
    ndim = max(x.pattern.ndim for x in sparse)
    prepared: list[Any] = []
    for x in operands:
        if isinstance(x, Sparse):
            prepared.append(absorb(_spread(x, shape), ndim))
        else:
            if jnp.ndim(x) and jnp.size(x) == 1 and shape != jnp.shape(x):
                x = jnp.reshape(x, ())
            known = constant_of(x, jnp.result_type(x))
            prepared.append(x if known is None or not jnp.ndim(x) else _Full(known, x))
    batch = shape[: len(shape) - ndim]
    fill = _fill(primitive, prepared, params, batch)
    pattern = _pattern(str(primitive), prepared, fill)
    if str(primitive) in ("add", "add_any") and is_zero(fill) and pattern.nnz:
        data = _sum(prepared, pattern)
        if data is not None:
            return unchecked(data, pattern, fill)
    values = [_values(x, pattern, batch) for x in prepared]
    if fill is not None:
        return finished(bind(primitive, *values, **params), pattern, fill)
    if not any(
        tuple(s) == shape
        for x, s in zip(operands, shapes, strict=True)
        if not isinstance(x, Sparse)
    ):
        raise Unstructured  # the result would be the only dense array of its size
    data = bind(primitive, *values, **params)
    dense = [_dense(x, batch, shape) for x in prepared]
    off = bind(primitive, *dense, **params)
    if not pattern.nnz:
        return off
    return off.at[(..., *pattern.indices)].set(
        data, indices_are_sorted=True, unique_indices=True, mode="promise_in_bounds"
    )


def _sum(operands: list[Any], pattern: Pattern) -> Any:
    """Adds the entries of the second to those of the first in place, if few are in both."""
    if not all(isinstance(x, Sparse) and x.pattern.ndim and x.nnz for x in operands):
        return None
    x, y = operands
    if x.nnz + y.nnz > 1.5 * pattern.nnz or x.data.shape[:-1] != y.data.shape[:-1]:
        return None
    return (
        values_at(x, pattern)
        .at[..., locate(y.pattern, pattern).inverse]
        .add(y.data, indices_are_sorted=True, unique_indices=True, mode="promise_in_bounds")
    )


def _spread(x: Sparse, shape: tuple[int, ...]) -> Sparse:
    """An operand with its axes of size one as long as those of the others."""
    if x.shape == shape:
        return x
    out: Sparse = bind(
        lax.broadcast_in_dim_p,
        x,
        shape=shape,
        broadcast_dimensions=tuple(range(len(shape))),
        sharding=None,
    )
    return out


class _Full:
    """A dense operand that is known to be full of one number."""

    def __init__(self, constant: Constant, array: Any) -> None:
        self.constant, self.array = constant, array

    def spread(self, shape: Any) -> Any:
        """An array of the same dtype, weak or not, full of the number."""
        return weak_like(jnp.full(shape, self.constant.value), self.array)


def _values(x: Any, pattern: Pattern, batch: Any) -> Any:
    """The entries of an operand at the places of the result."""
    if isinstance(x, Sparse):
        return values_at(x, pattern)
    if isinstance(x, _Full):
        return x.spread((*batch, pattern.nnz))
    if not jnp.ndim(x):
        return x
    x = jnp.asarray(x)
    sizes = x.shape[x.ndim - pattern.ndim :]
    batch = x.shape[: x.ndim - pattern.ndim]
    if not pattern.nnz or not x.size:
        return jnp.broadcast_to(x[:0].reshape(-1).sum(), (*batch, pattern.nnz)).astype(x.dtype)
    if all(n == 1 for n in sizes):
        return x.reshape(*batch, 1)
    if pattern.nnz == pattern.size and sizes == pattern.shape:
        return x.reshape(*batch, pattern.nnz)
    # Axes of size one are left out: they say nothing of where to read.
    kept = [a for a, n in enumerate(sizes) if n > 1]
    x = x.reshape(*batch, *[sizes[a] for a in kept])
    whole = len(kept) == pattern.ndim
    return x.at[(..., *[pattern.indices[a] for a in kept])].get(
        mode="promise_in_bounds",
        indices_are_sorted=kept == list(range(len(kept))),
        unique_indices=whole,
    )


def _dense(x: Any, batch: Any, shape: Any) -> Any:
    """An operand with its fill everywhere."""
    if isinstance(x, Sparse):
        return spread_fill(x.fill, batch, x.pattern.ndim, shape, x.data)
    return x.array if isinstance(x, _Full) else x


def _fill(primitive: Any, operands: list[Any], params: Any, batch: Any) -> Any:
    """What the unstored entries of the result are, or None if they differ."""
    name = str(primitive)
    fills = [_fill_of(x) for x in operands]
    if all(isinstance(f, Constant) for f in fills):
        return apply_to_constants(primitive, fills, params)
    if name in _ABSORBED_BY_ANY and any(map(is_zero, fills)):
        return Constant.of(0, operands[0].dtype)
    # Of integers 0 / 0 is no zero but -1.
    exact = name == "div" and not jnp.issubdtype(operands[0].dtype, jnp.inexact)
    if name in _ABSORBED_BY_FIRST and is_zero(fills[0]) and not exact:
        return fills[0]
    if not any(f is None for f in fills):
        scalars = [
            jnp.broadcast_to(f.value if isinstance(f, Constant) else f, batch)
            if isinstance(x, Sparse | _Full) or jnp.ndim(x)
            else f
            for f, x in zip(fills, operands, strict=True)
        ]
        scalars = [f.value if isinstance(f, Constant) else f for f in scalars]
        return primitive.bind(*scalars, **params)
    if name == "select_n":
        return _chosen(fills)
    return None


def _fill_of(x: Any) -> Any:
    if isinstance(x, Sparse):
        return raw_fill(x)
    if isinstance(x, _Full):
        return x.constant
    if not jnp.ndim(x):
        known = constant_of(x, jnp.result_type(x))
        return x if known is None else known
    return None


def _chosen(fills: list[Any]) -> Any:
    """The fill that is chosen: the only one there is, or that of a known case."""
    which, *cases = fills
    if isinstance(which, Constant):
        chosen = cases[int(which.value)]
        return chosen if isinstance(chosen, Constant) else None
    same = all(isinstance(c, Constant) and c == cases[0] for c in cases)
    return cases[0] if same else None


def _pattern(name: str, operands: list[Any], fill: Any) -> Pattern:
    """The places where the result may differ from its fill."""
    sparse = [x for x in operands if isinstance(x, Sparse)]
    zero = tuple(x.pattern for x in sparse if is_zero(raw_fill(x)))
    if name in _ABSORBED_BY_ANY and zero and is_zero(fill):
        return intersection(zero)
    first = operands[0]
    if name in _ABSORBED_BY_FIRST and isinstance(first, Sparse) and is_zero(raw_fill(first)):
        return first.pattern if is_zero(fill) else union(tuple(x.pattern for x in sparse))
    return union(tuple(x.pattern for x in sparse))
