"""`Sparse`: an array most of whose entries are one and the same, stored as the others."""

from typing import Any, ClassVar, Literal, Self

import jax
import jax.numpy as jnp
from jax.core import ShapedArray

from duckarray.core import ArrayValue, field, materialize
from duckarray.core.extend import (
    IndexUpdateHelper,
    dense_aval,
    in_manual_mesh,
    vary,
    varying_axes,
    with_dtype,
)

from ._dynamic import DynamicPattern
from ._fill import Constant
from ._pattern import Pattern
from ._picture import describe, picture
from ._plans import locate, union

_NO_PATTERN = """`Sparse(data, pattern)` takes a `Pattern`, but got a `{type}`.
Make one, `Pattern.coo(rows, cols, shape)`, or the array at once: `sparse.from_scipy(matrix)`, \
`sparse.from_dense(array)`."""

_NO_DATA = """`Sparse(data, pattern)` takes an array of numbers for `data`, but got {got}.
Pass the {nnz} stored entries, as a vector or a batch of vectors."""

_NNZ = """`Sparse(data, pattern)`: data of shape {shape} for a pattern that stores {nnz} entries.
The last axis of `data` has one entry for each that is stored; pass shape ({nnz},), or a batch."""

_FILL = """`Sparse(..., fill=...)` was given a fill of shape {fill}, but `data` is a batch of \
shape {batch}.
Pass a number, or one for each array of the batch."""


class Sparse(ArrayValue):
    """Stands for an array by its stored entries; all others are `fill`, zero by default.

    The pattern is known while tracing; the data is one array, with respect to which programs are
    differentiated. Leading axes of `data` are a batch of arrays of one pattern. An operation that
    would have to build a dense array of more than `dense_limit` entries raises a
    `MaterializeError`; for a smaller one it warns. Unstored zeros stay zero whatever array, or
    traced number, they are multiplied with or divided by, `nan`, infinities and zero too; with a
    number known while tracing they are computed, so that `a / 0` has the fill `nan`.

    Args:
        data: the stored entries, in the order in which the indices of the pattern were given,
            `[*batch, nnz]`.
        pattern: where they are, a `Pattern`; or a `DynamicPattern`, if that is computed.
        fill: the value of all other entries: a number, or an array `[*batch]`.

    Raises:
        TypeError: if `data` is not numbers, or `pattern` is no pattern.
        ValueError: if the number of entries is another than that of the pattern.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.sparse import Pattern, Sparse
        >>> a = Sparse(jnp.array([1.0, 2.0]), Pattern.coo([0, 1], [2, 0], (2, 3)))
        >>> a
        Sparse(f32[2,3], nnz=2, 33.3%)
        . . x
        x . .
        >>> quaxify(jnp.matmul)(a, jnp.array([1.0, 2.0, 3.0]))
        Array([3., 2.], dtype=float32)
        >>> (a + 1).fill
        Array(1., dtype=float32)
    """

    dense_limit: ClassVar[int] = 2**20
    """Up to how many entries an array is made dense, with a warning, where there is no rule."""

    data: Any
    pattern: Any
    fill_array: Any  # [*batch], or None where the fill is known
    fill_constant: Constant | None = field(static=True)

    def __init__(self, data: Any, pattern: Any, fill: Any = 0) -> None:
        if not isinstance(pattern, Pattern | DynamicPattern):
            raise TypeError(_NO_PATTERN.format(type=type(pattern).__name__))
        if not isinstance(data, ArrayValue):
            data = _as_numbers(data, pattern.nnz)
        if not data.ndim or data.shape[-1] != pattern.nnz:
            raise ValueError(_NNZ.format(shape=data.shape, nnz=pattern.nnz))
        if isinstance(pattern, Pattern) and pattern.order is not None:
            data, pattern = data[..., pattern.order], pattern.canonical
        constant, array = as_fill(fill, data)
        self.data = data
        self.pattern = pattern
        self.fill_array = array
        self.fill_constant = constant

    def aval(self) -> ShapedArray:
        data = self.data.aval() if isinstance(self.data, ArrayValue) else self.data
        shape = (*data.shape[:-1], *self.pattern.shape)
        return ShapedArray(shape, data.dtype, weak_type=bool(getattr(data, "weak_type", False)))

    def materialize(self) -> Any:
        data = materialize(self.data)
        if isinstance(self.pattern, DynamicPattern):
            return weak_like(self.pattern.spread(data, self.fill), data)
        batch = data.shape[:-1]
        out = spread_fill(self.fill, batch, self.pattern.ndim, self.shape, data)
        if not self.pattern.nnz or not out.size:
            return out
        if not self.pattern.ndim:
            return data[..., 0]
        return out.at[(..., *self.pattern.indices)].set(
            data, indices_are_sorted=True, unique_indices=True, mode="promise_in_bounds"
        )

    def to_dense(self) -> jax.Array:
        """The dense array, whatever its size."""
        dense: jax.Array = materialize(self)
        return dense

    @property
    def materialization(self) -> Literal["allow", "warn", "error"]:  # type: ignore[override]
        """What happens where there is no rule: an error for large arrays, else a warning."""
        return "error" if self.size > self.dense_limit else "warn"

    @property
    def leaf_linear(self) -> bool:  # type: ignore[override]
        """Whether the array is linear in the data: a known fill other than zero is added to it."""
        return self.fill_constant is None or self.fill_constant.is_zero

    def to_cotangent(self, cotangent: Any) -> Any:
        """Of entries stored at the same places: those of the cotangent."""
        alike = isinstance(self.pattern, Pattern) and isinstance(cotangent, Sparse)
        if not alike or self.fill_array is not None or isinstance(self.data, ArrayValue):
            return NotImplemented
        own: Any = jax.tree.structure(self)
        same = own == jax.tree.structure(cotangent)
        return cotangent if same and self.leaf_linear else NotImplemented

    @property
    def fill(self) -> Any:
        """The value of the entries that are not stored, an array `[*batch]` or without axes."""
        if self.fill_constant is None:
            return self.fill_array
        return jnp.asarray(self.fill_constant.value)

    @property
    def nnz(self) -> int:
        """The number of stored entries, of one array of the batch."""
        return int(self.pattern.nnz)

    nse = nnz

    @property
    def density(self) -> float:
        """The fraction of the entries that is stored."""
        return float(self.nnz / max(self.pattern.size, 1))

    @property
    def indices(self) -> Any:
        """The columns of the stored entries of a matrix, by rows, `int32[nnz]`."""
        return self.pattern.indices[-1]

    @property
    def indptr(self) -> Any:
        """Where each row of a matrix begins, `int32[rows + 1]`."""
        return self.pattern.indptr

    def to_scipy(self, format: str = "csr") -> Any:  # noqa: A002
        """This array as one of `scipy.sparse`: see `sparse.to_scipy`."""
        from ._exchange import to_scipy

        return to_scipy(self, format)

    def to_bcoo(self) -> Any:
        """This array as a `jax.experimental.sparse.BCOO`; its fill has to be zero."""
        from ._exchange import to_bcoo

        return to_bcoo(self)

    def to_bcsr(self) -> Any:
        """This matrix as a `jax.experimental.sparse.BCSR`; its fill has to be zero."""
        from ._exchange import to_bcsr

        return to_bcsr(self)

    @property
    def at(self) -> Any:
        """`x.at[index]`, as of arrays of JAX; places that are not stored join the pattern.

        Within `quaxify`, where an index is traced, they are an error when the program runs.
        """
        from ._at import update

        return IndexUpdateHelper(self, update)

    def __index__(self) -> int:
        if self.ndim:
            raise TypeError("only an integer array without axes can be an index")
        return super().__index__()

    def drop_leading(self) -> Self | None:
        return self if jnp.ndim(self.data) > 1 else None

    def add_leading(self, n: int) -> Self | None:
        return self

    def join(self, other: Any) -> Any:
        """Two arrays of one shape are arrays of the union of their patterns."""
        mine = self.pattern
        if not isinstance(other, Sparse) or not isinstance(mine, Pattern):
            return None
        alike = isinstance(other.pattern, Pattern) and mine.shape == other.pattern.shape
        if not alike or self.data.shape[:-1] != other.data.shape[:-1]:
            return None
        if self.dtype != other.dtype:
            return None
        pattern = union((mine, other.pattern))
        batch = self.data.shape[:-1]
        data = jnp.zeros((*batch, pattern.nnz), self.dtype)
        if self.fill_constant is not None and self.fill_constant == other.fill_constant:
            return unchecked(data, pattern, self.fill_constant)
        return unchecked(data, pattern, jnp.zeros(batch, self.dtype))

    def coerce_like(self, template: Any) -> Any:
        if not isinstance(template, Sparse) or not isinstance(template.pattern, Pattern):
            return NotImplemented
        if not isinstance(self.pattern, Pattern) or self.pattern.shape != template.pattern.shape:
            return NotImplemented
        constant: Any = template.fill_constant
        if constant is not None and constant != self.fill_constant:
            return NotImplemented
        if not locate(self.pattern, template.pattern).contained:
            return NotImplemented
        fill = constant if constant is not None else self.fill_of_batch()
        return unchecked(values_at(self, template.pattern), template.pattern, fill)

    def fill_of_batch(self) -> Any:
        """The fill as an array `[*batch]`."""
        return jnp.broadcast_to(self.fill, self.data.shape[:-1])

    def __repr__(self) -> str:
        try:
            aval = self.aval()
        except (AttributeError, TypeError):  # placeholders for leaves
            return f"Sparse(data={self.data!r}, pattern={self.pattern!r})"
        text = describe(aval, self.pattern, self.fill_constant, self.fill_array)
        return f"{text}{picture(self.pattern, aval.shape)}"


def unchecked(data: Any, pattern: Any, fill: Any) -> Sparse:
    """A `Sparse` of parts that belong together; `fill` is a `Constant` or an array `[*batch]`."""
    out = object.__new__(Sparse)
    known = isinstance(fill, Constant)
    out.__dict__.update(
        data=data,
        pattern=pattern,
        fill_array=None if known else fill,
        fill_constant=fill if known else None,
    )
    return out


def raw_fill(x: Sparse) -> Any:
    """The fill of `x` as `unchecked` takes it."""
    return x.fill_array if x.fill_constant is None else x.fill_constant


def as_fill(fill: Any, data: Any) -> tuple[Constant | None, Any]:
    """A fill as a user gives it: known while tracing where it can be, or an array `[*batch]`."""
    if isinstance(fill, Constant):
        return fill, None
    batch = tuple(data.shape[:-1])
    if jnp.shape(fill) not in ((), batch):
        raise ValueError(_FILL.format(fill=jnp.shape(fill), batch=batch))
    concrete = not isinstance(fill, jax.core.Tracer)
    if concrete and not jnp.shape(fill) and not isinstance(fill, ArrayValue):
        return Constant.of(fill, data.dtype), None
    return None, jnp.broadcast_to(jnp.asarray(fill).astype(data.dtype), batch)


def spread_fill(fill: Any, batch: Any, ndim: int, shape: Any, like: Any) -> Any:
    """A dense array of the fill."""
    fill = jnp.asarray(fill, like.dtype)
    if fill.ndim:
        fill = fill.reshape(*batch, *[1] * ndim)
    return weak_like(varying_like(jnp.broadcast_to(fill, shape), like), like)


def weak_like(x: Any, like: Any) -> Any:
    """`x`, of a weak type, as of Python numbers, if and only if `like` is."""
    return with_dtype(x, x.dtype, dense_aval(like).weak_type)


def varying_like(x: Any, like: Any) -> Any:
    """`x`, said to vary over a mesh, inside `shard_map`, as the data does."""
    return vary(x, varying_axes(like)) if in_manual_mesh() else x


def values_at(x: Sparse, target: Pattern) -> Any:
    """The entries of `x` at the places of another pattern, `[*batch, nnz of target]`."""
    if x.pattern == target:
        return x.data
    batch = x.data.shape[:-1]
    plan = locate(x.pattern, target)
    if plan.complete:
        return take(x.data, plan.entry)
    fill = jnp.asarray(x.fill, x.dtype)
    fill = jnp.broadcast_to(fill[..., None] if fill.ndim else fill, (*batch, target.nnz))
    fill = weak_like(varying_like(fill, x.data), x.data)
    if not plan.stored.any():
        return fill
    if plan.contained and 2 * x.pattern.nnz < target.nnz * 1.5:
        return fill.at[..., plan.inverse].set(
            x.data, indices_are_sorted=True, unique_indices=True, mode="promise_in_bounds"
        )
    return jnp.where(plan.stored, take(x.data, plan.entry), fill)


def take(data: Any, index: Any) -> Any:
    """Entries of the last axis, by an index known to be in bounds; None for all."""
    if index is None:
        return data
    if isinstance(data, ArrayValue):
        return data[..., index]
    return data.at[..., index].get(mode="promise_in_bounds")


def _as_numbers(data: Any, nnz: int) -> Any:
    try:
        array = jnp.asarray(data)
    except (TypeError, ValueError) as error:
        raise TypeError(_NO_DATA.format(got=f"a `{type(data).__name__}`", nnz=nnz)) from error
    if not (jnp.issubdtype(array.dtype, jnp.number) or array.dtype == bool):
        raise TypeError(_NO_DATA.format(got=f"dtype {array.dtype}", nnz=nnz))
    return array
