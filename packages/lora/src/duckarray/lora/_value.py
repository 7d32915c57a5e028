"""`LoraArray`: a weight and the low-rank update that is being trained on top of it."""

import dataclasses
import functools
from typing import Any, ClassVar, Literal, Self

import jax
import jax.numpy as jnp
from jax.core import ShapedArray

from duckarray.core import ArrayValue, field, materialize, value_of
from duckarray.core.extend import with_dtype

from ._layout import RANK, arrange, axes_of, contract

_COMPLEX = """`LoraArray(w, a, b)`: `{name}` is {dtype}, but `w` is {w}, which cannot hold the sum.
Pass `w` as complex numbers too, or real factors."""

_SHAPE = """`LoraArray(w, a, b)` with w of shape {w}, a of shape {a} and b of shape {b}: {problem}.
For `w [m, n]` pass `a [m, r]` and `b [r, n]`; leading axes of `w` are leading axes of both."""

_DTYPE = """`LoraArray(...)` was given `{name}` of dtype {dtype}, which no gradient can change.
Convert it: `{name}.astype(jnp.float32)`."""

_AXES = """`LoraArray(..., rows={rows}, columns={columns})` does not divide the {ndim} axes of `w` \
between the factors: {problem}.
Count axes from the end, as in `rows=(-3,), columns=(-2, -1)`; the others are batch axes."""

_MAGNITUDE = """`LoraArray(..., magnitude=...)` was given a magnitude of shape {magnitude} for a \
weight of shape {w}.
Pass one number for each column, of shape {columns}, or for each row, of shape {rows}."""

_DROPOUT = """`LoraArray(..., dropout={dropout!r})`: that is the share of entries left out.
Pass a number that is at least 0 and less than 1: `dropout=0.1`."""

_SCALE = """`LoraArray(..., scale=...)` was given a scale of shape {scale}, but `w` is a batch of \
shape {batch}.
Pass a number, or an array with one for each matrix: `scale.reshape({batch})`."""


class LoraArray(ArrayValue):
    """Stands for `w + scale * a @ b`: a weight and an update to it of rank at most `r`.

    Products with it are computed as `x @ w + scale * (x @ a) @ b`, so that neither the sum nor
    `a @ b` is ever built: whatever has no such form raises a `MaterializeError`, unless
    `with materialization("allow")` permits it or `materialize(x)` asks for it.

    With a `magnitude` it stands for `magnitude * v / norm(v)`, `v = w + scale * a @ b` (DoRA): the
    norms are those of the columns, or of the rows, one for each number in `magnitude`. They are
    constants to a gradient, as the paper has it.

    `w` may be a value itself, quantized for example. The dtype is that of `w`; factors of another
    floating-point dtype are converted where they meet other arrays.

    A weight may have several axes on either side, as that of attention heads does: with
    `w [d, heads, k]`, `rows=(-3,)` and `columns=(-2, -1)`, `b` is `[r, heads, k]`.

    Args:
        w: the weight, `[*batch, m, n]`.
        a: the left factor, `[*batch, m, r]`, or `[*batch, *rows, r]` in the order they have in `w`.
        b: the right factor, `[*batch, r, n]`, or `[*batch, r, *columns]`.
        scale: what multiplies the product: a number, or one for each matrix, `[*batch]`. It is kept
            as an array, so that it may change without a new compilation.
        magnitude: the norm of each column, `[*batch, 1, n]` or `[n]`, or of each row,
            `[*batch, m, 1]`; by default there is none, and the sum is used as it is.
        rows: the axes of `w` that are axes of `a`, counted from the end.
        columns: the axes of `w` that are axes of `b`, counted from the end.
        dropout: the share of the entries of the other operand that the update does not see, when
            there is a `seed`.
        seed: whole numbers `[*batch]` that say which; `with_dropout` sets them. None leaves out
            nothing.

    Raises:
        TypeError: if `w`, `a` or `b` is not an array, or does not hold floating-point numbers.
        ValueError: if the shapes do not belong together.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import materialize, quaxify
        >>> from duckarray.lora import LoraArray
        >>> weight = LoraArray(jnp.eye(2), jnp.ones((2, 1)), jnp.ones((1, 2)), 0.5)
        >>> materialize(weight)
        Array([[1.5, 0.5],
               [0.5, 1.5]], dtype=float32)
        >>> quaxify(jnp.matmul)(weight, jnp.array([1.0, 2.0]))
        Array([2.5, 3.5], dtype=float32)

    References:
        Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.1.
        Liu et al., "DoRA: Weight-Decomposed Low-Rank Adaptation", 2024, equation 5, section 4.3.
    """

    materialization: ClassVar[Literal["allow", "warn", "error"]] = "error"

    w: jax.Array | ArrayValue
    a: jax.Array
    b: jax.Array
    scale: jax.Array | float = 1.0
    magnitude: jax.Array | None = None
    rows: tuple[int, ...] = field(static=True, default=(-2,))
    columns: tuple[int, ...] = field(static=True, default=(-1,))
    dropout: float = field(static=True, default=0.0)
    seed: jax.Array | None = None

    def __check_init__(self) -> None:
        for name in ("w", "a", "b"):
            dtype = getattr(self, name).dtype
            if not jnp.issubdtype(dtype, jnp.inexact):
                raise TypeError(_DTYPE.format(name=name, dtype=dtype))
            if dtype.kind == "c" and self.w.dtype.kind != "c":
                raise TypeError(_COMPLEX.format(name=name, dtype=dtype, w=self.w.dtype))
        batch = self._check_shapes()
        scale: Any = self.scale
        if isinstance(scale, int | float | complex):
            scale = jnp.full(batch, scale, self.a.dtype)
        elif scale.shape != batch:
            if scale.shape:
                raise ValueError(_SCALE.format(scale=scale.shape, batch=batch))
            scale = jnp.broadcast_to(scale, batch)
        if scale.dtype != self.a.dtype:
            scale = scale.astype(self.a.dtype)
        object.__setattr__(self, "scale", scale)
        if self.magnitude is not None:
            object.__setattr__(self, "magnitude", self._checked_magnitude())
        dropout: Any = self.dropout
        if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
            raise ValueError(_DROPOUT.format(dropout=dropout))

    def _checked_magnitude(self) -> Any:
        """The magnitude with as many axes as `w`, those its norms are taken over of size one."""
        magnitude: Any = self.magnitude
        w, given = self.w.shape, jnp.shape(magnitude)
        batch, rows, columns = axes_of(len(w), self.rows, self.columns)
        shapes = [
            tuple(1 if axis in over else n for axis, n in enumerate(w)) for over in (rows, columns)
        ]
        full = (1,) * (len(w) - len(given)) + given
        for shape in shapes:
            if len(full) == len(w) and all(
                n in (1, m) if axis in batch else n == m
                for axis, (n, m) in enumerate(zip(full, shape, strict=True))
            ):
                return jnp.broadcast_to(jnp.reshape(magnitude, full), shape)
        raise ValueError(_MAGNITUDE.format(magnitude=given, w=w, columns=shapes[0], rows=shapes[1]))

    def _check_shapes(self) -> tuple[int, ...]:
        w, a, b = self.w.shape, self.a.shape, self.b.shape
        self._check_axes(len(w))
        batch, rows, columns = (
            tuple([w[i] for i in axes]) for axes in axes_of(len(w), self.rows, self.columns)
        )
        expected_a, expected_b = (*batch, *rows), (*batch, *columns)
        k = len(batch)
        if a[:-1] != expected_a:
            wanted = ", ".join([*map(str, expected_a), "r"])
            raise ValueError(_SHAPE.format(w=w, a=a, b=b, problem=f"a should be [{wanted}]"))
        if b[:k] + b[k + 1 :] != expected_b or len(b) != len(expected_b) + 1:
            wanted = ", ".join([*map(str, batch), "r", *map(str, columns)])
            raise ValueError(_SHAPE.format(w=w, a=a, b=b, problem=f"b should be [{wanted}]"))
        if a[-1] != b[k]:
            problem = f"the rank is {a[-1]} by `a` and {b[k]} by `b`"
            raise ValueError(_SHAPE.format(w=w, a=a, b=b, problem=problem))
        return batch

    def _check_axes(self, ndim: int) -> None:
        given: list[Any] = [self.rows, self.columns]
        both = [axis for axes in given if isinstance(axes, tuple) for axis in axes]
        problem = ""
        if not all(isinstance(axes, tuple) for axes in given):
            problem = "both are tuples"
        elif not all(isinstance(axis, int) for axis in both):
            problem = "axes are integers"
        elif not self.rows or not self.columns:
            problem = "each needs at least one"
        elif len(set(both)) != len(both):
            problem = "an axis is named twice"
        elif any(not -ndim <= axis < 0 for axis in both):
            problem = f"not all are between {-ndim} and -1"
        if problem:
            raise ValueError(
                _AXES.format(rows=self.rows, columns=self.columns, ndim=ndim, problem=problem)
            )

    def aval(self) -> ShapedArray:
        w = self.w
        if isinstance(w, ArrayValue):
            return w.aval()
        if isinstance(w, jax.ShapeDtypeStruct):
            return ShapedArray(w.shape, w.dtype)
        aval: ShapedArray = jax.typeof(w)
        return aval

    def materialize(self) -> Any:
        batch, rows, columns = axes_of(self.w.ndim, self.rows, self.columns)
        w = materialize(self.w)
        # In the wider of the two dtypes, so that the sum is rounded once.
        dtype = w.dtype if w.dtype.itemsize >= self.a.dtype.itemsize else self.a.dtype
        a, b, scale = (x.astype(dtype) for x in (self.a, self.b, jnp.asarray(self.scale)))
        a = a * scale.reshape(scale.shape + (1,) * (len(rows) + 1))
        update = contract(
            a,
            (*batch, *rows, "rank"),
            b,
            (*batch, "rank", *columns),
            range(w.ndim),
            precision=jax.lax.Precision.HIGHEST,
        )
        total = w.astype(dtype) + update
        if self.magnitude is not None:
            total = total * normalizer(self).astype(dtype)
        return with_dtype(total, w.dtype, jax.typeof(w).weak_type)

    def __repr__(self) -> str:
        text = super().__repr__()
        for unused in (", magnitude=None", ", dropout=0.0", ", seed=None"):
            text = text.replace(unused, "")
        return text

    @property
    def rank(self) -> int:
        """The rank of the update, `r`."""
        return int(self.a.shape[-1])

    def drop_leading(self) -> Self | None:
        if not self._leads_with_batch(self.ndim):
            return None
        if isinstance(self.w, ArrayValue):
            w = self.w.drop_leading()
            return None if w is None else derived(self, w=w)
        return self

    def add_leading(self, n: int) -> Self | None:
        if isinstance(self.w, ArrayValue):
            w = self.w.add_leading(n)
            return None if w is None else derived(self, w=w)
        return self

    def join(self, other: Any) -> Self | None:
        """Two that differ only in which factor has the rows have a common layout, that of one."""
        if not isinstance(other, LoraArray) or (self.rows, self.columns) == (
            other.rows,
            other.columns,
        ):
            return None
        if not (is_plain(self) and is_plain(other)):
            return None
        mine = (self.a, self.b, self.scale, self.columns, self.rows)
        its = (other.b, other.a, other.scale, other.rows, other.columns)
        w, other_w = map(_structure, (self.w, other.w))
        alike = _kinds(self.w) == _kinds(other.w) and _kinds(mine, sizes=False) == _kinds(
            its, sizes=False
        )
        swapped = mine[3:] == its[3:] and self.rank == other.rank
        return self if w == other_w and alike and swapped else None

    def coerce_like(self, template: Any) -> Any:
        from ._parts import with_layout_of

        if not isinstance(template, LoraArray):
            return NotImplemented
        swapped = with_layout_of(template, self)
        same = swapped is not None and _structure(swapped) == _structure(template)
        return swapped if same else NotImplemented

    def _leads_with_batch(self, ndim: int) -> bool:
        return -ndim not in (*self.rows, *self.columns)


def _structure(tree: Any) -> Any:
    return jax.tree.structure(tree)


def _kinds(tree: Any, sizes: bool = True) -> list[Any]:
    """The dtypes of all arrays in `tree`, and their shapes or numbers of axes."""
    arrays = [x for x in jax.tree.leaves(tree) if hasattr(x, "dtype")]
    return [(tuple(x.shape) if sizes else len(x.shape), x.dtype) for x in arrays]


def is_plain(x: LoraArray) -> bool:
    """Whether `x` is a weight and its update, without a magnitude or anything about the rows."""
    return type(x) is LoraArray and x.magnitude is None and x.seed is None


def derived(x: Any, **parts: Any) -> Any:
    """`x` with other parts, which are known to belong together."""
    cls: Any = type(x)
    out = object.__new__(cls)
    out.__dict__.update({name: getattr(x, name) for name in _field_names(cls)}, **parts)
    return out


@functools.cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls))


def normalizer(x: LoraArray) -> Any:
    """`magnitude / norm(w + scale * a @ b)`, with the axes of `magnitude`; no gradient of the norm.

    The square of the sum is multiplied out, so that the sum is not built.
    """
    magnitude: Any = x.magnitude
    batch, rows, columns = axes_of(x.w.ndim, x.rows, x.columns)
    # In a rule a weight that is a value itself, quantized for example, is multiplied as such.
    w = jax.lax.stop_gradient(x.w if isinstance(x.w, jax.core.Tracer) else materialize(x.w))
    a, b, scale = (jax.lax.stop_gradient(part) for part in (x.a, x.b, jnp.asarray(x.scale)))
    dtype = jnp.promote_types(jnp.promote_types(w.dtype, a.dtype), jnp.float32)
    w, a, b, scale = (part.astype(dtype) for part in (w, a, b, scale))
    of_w, of_a, of_b = tuple(range(w.ndim)), (*batch, *rows, RANK), (*batch, RANK, *columns)
    kept, near, of_near, far, of_far = (rows, a, of_a, b, of_b)
    over = columns
    if magnitude.shape != tuple(1 if i in columns else n for i, n in enumerate(w.shape)):
        kept, near, of_near, far, of_far, over = columns, b, of_b, a, of_a, rows
    wanted = (*batch, *kept)
    squares = arrange(_squares(w, over), [i for i in of_w if i not in over], wanted)
    of_mixed = (*wanted, RANK)
    mixed = contract(w, of_w, far.conj(), of_far, of_mixed, precision="highest")
    labels = tuple("other" if label == RANK else label for label in of_far)
    gram = contract(far, of_far, far.conj(), labels, (*batch, RANK, "other"), precision="highest")
    of_gram = (*batch, RANK, "other")
    again = contract(near, of_near, gram, of_gram, (*wanted, "other"), precision="highest")
    near = arrange(near, of_near, of_mixed)
    scale = scale.reshape(scale.shape + (1,) * len(kept))
    cross = jnp.sum(near * mixed.conj(), -1)
    quadratic = jnp.sum((again * near.conj()).real, -1)
    # [*batch, *kept] in this order; `magnitude` has the axes of the weight.
    total = squares + 2 * (scale * cross).real + jnp.square(jnp.abs(scale)) * quadratic
    norm = jnp.sqrt(jnp.maximum(total, 0))
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    norm = norm.transpose(order).reshape(magnitude.shape)
    safe = jnp.where(norm > 0, norm, 1)
    return jnp.where(norm > 0, magnitude.astype(dtype) / safe, 0)


def _squares(w: Any, over: tuple[int, ...]) -> Any:
    """The sums of the squares of a weight, by its own method where it has one."""
    value = value_of(w)
    if hasattr(value, "sum_of_squares"):
        return value.sum_of_squares(over)
    return jnp.sum(jnp.square(jnp.abs(materialize(w))), over)
