"""`QuantArray`: what it stores, and which array it stands for."""

from typing import Any, ClassVar, Literal, Self

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import ShapedArray

from duckarray.core import ArrayValue, field

from ._format import decode, pack, packed_size, unpack
from ._layout import Layout, layout_for, length_of, unit_for
from ._scales import ScaleCodes, plain
from ._scheme import Scheme, as_scheme

_CODES = """`QuantArray(codes, ...)` with the scheme {name} takes codes of dtype {wanted}, but got \
{dtype} of shape {shape}.
To quantize an array of numbers call `quantize(array, "{name}")`."""

_SCALE = """`QuantArray(codes, scale, ...)`: for codes of shape {codes}, which are {length} along \
the axis of the groups, {what} has shape {shape}, not {wanted} or 1 in places.
Call `quantize(array, ...)`, which makes them fit."""

_SCALE_DTYPE = """`QuantArray(codes, scale, ...)`: `scale` is {dtype}, which is no floating-point \
dtype.
Convert it: `scale.astype(jnp.float32)`."""

_LAYOUT = """`QuantArray(codes, ..., layout={layout})`: codes with {ndim} axes have no such layout.
Leave it out, or call `quantize(array, ...)`, which makes one."""

_ZERO = """`QuantArray(..., zero_point, scheme)`: the scheme {name} {what}.
Pass {advice}."""


class QuantArray(ArrayValue):
    """Stands for an array of numbers of which codes of 2 to 8 bits are stored, and scales.

    The entries along one axis share a scale, all of them or groups of `scheme.group_size`. An entry
    is `scale * code`, `scale * (code - zero_point)` or, with `scheme.offset`, `scale * code +
    zero_point`, where the scheme says which number a code is. `quantize` makes one of an array.

    Products walk through the codes in blocks and never hold the whole array. Transposing it costs
    nothing.

    Args:
        codes: the codes, `[*lead, K, *trail]`, signed or unsigned bytes, several codes to a byte
            where they have less than eight bits. `K` is the axis along which scales are shared.
        scale: the scales, `[*lead, groups, *trail]`, of size 1 where they are shared along other
            axes too; or scales that are quantized themselves.
        zero_point: the zero points, like `scale`, or None.
        scheme: the name of a scheme, or a `Scheme`.
        layout: the order of axes and the dtype of the array; by default that of the codes, with
            the second axis from the end as `K`, and the dtype of the scales.

    Raises:
        TypeError: if the dtype of codes or scales does not belong to the scheme.
        ValueError: if the shapes do not belong together, or a zero point is missing.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import materialize
        >>> from duckarray.quant import QuantArray
        >>> codes = jnp.array([[1, 2], [3, -4]], jnp.int8)
        >>> w = QuantArray(codes, jnp.array([0.5, 2.0]), None, "int8")
        >>> materialize(w)
        Array([[ 0.5,  4. ],
               [ 1.5, -8. ]], dtype=float32)
    """

    materialization: ClassVar[Literal["allow", "warn", "error"]] = "warn"

    codes: jax.Array
    scale: Any
    zero_point: Any
    scheme: Scheme = field(static=True)
    layout: Layout = field(static=True, default=None)

    def __check_init__(self) -> None:
        scheme = as_scheme(self.scheme)
        object.__setattr__(self, "scheme", scheme)
        codes, fmt = self.codes, scheme.format
        if codes.dtype != fmt.stored_dtype or codes.ndim == 0:
            got = {"dtype": codes.dtype, "shape": tuple(codes.shape)}
            raise TypeError(_CODES.format(name=scheme.name, wanted=fmt.stored_dtype, **got))
        self._fill_in()
        if not isinstance(self.scale, ScaleCodes) and not jnp.issubdtype(
            self.scale.dtype, jnp.floating
        ):
            raise TypeError(_SCALE_DTYPE.format(dtype=self.scale.dtype))
        needs = (not scheme.symmetric) or scheme.offset
        if needs != (self.zero_point is not None):
            what = "needs a zero point" if needs else "is symmetric, without a zero point"
            advice = "`jnp.zeros_like(scale)`" if needs else "None"
            raise ValueError(_ZERO.format(name=scheme.name, what=what, advice=advice))
        for what, array in (("`scale`", self.scale), ("`zero_point`", self.zero_point)):
            self._check_shape(what, array)

    def _fill_in(self) -> None:
        """The layout and the missing axes of scales, where they were left out."""
        codes, scheme = self.codes, self.scheme
        ndim, given = codes.ndim, getattr(self, "layout", None)
        if given is None:
            axis = max(ndim - 2, 0)
            stored = codes.shape[axis]
            whole = stored if scheme.bits == 8 else stored * 8 // scheme.bits
            unit = scheme.group_size or (unit_for(whole, None, 8) if scheme.bits == 8 else whole)
            dtype = getattr(self.scale, "dtype", jnp.dtype("float32"))
            layout = layout_for(ndim, axis, max(unit, 1), dtype.name, trail=ndim - 1 - axis)
            object.__setattr__(self, "layout", layout)
        elif not given.fits(ndim):
            raise ValueError(_LAYOUT.format(layout=given, ndim=ndim))
        for name in ("scale", "zero_point"):
            array = getattr(self, name)
            if array is None or isinstance(array, ScaleCodes) or array.ndim == ndim:
                continue
            if array.ndim == 0:
                array = jnp.reshape(array, (1,) * ndim)
            elif array.ndim == ndim - 1:
                array = jnp.expand_dims(array, ndim + self.layout.k)
            object.__setattr__(self, name, array)

    def _check_shape(self, what: str, array: Any) -> None:
        if array is None:
            return
        codes, layout, scheme = self.codes.shape, self.layout, self.scheme
        stored = codes[layout.k]
        length = length_of(stored, layout.unit, scheme.bits)
        groups = 1 if scheme.group_size is None else length // scheme.group_size
        wanted = list(codes)
        wanted[layout.k] = groups
        whole = stored % packed_size(scheme.bits, layout.unit) == 0
        fits = len(array.shape) == len(wanted) and all(
            n in (1, m) for n, m in zip(array.shape, wanted, strict=True)
        )
        if not fits or not whole or (groups != 1 and array.shape[layout.k] != groups):
            raise ValueError(
                _SCALE.format(
                    codes=tuple(codes),
                    length=length,
                    what=what,
                    shape=tuple(array.shape),
                    wanted=tuple(wanted),
                )
            )

    @property
    def canonical_shape(self) -> tuple[int, ...]:
        """The shape of the array in the order in which it is stored."""
        shape = list(self.codes.shape)
        shape[self.layout.k] = length_of(shape[self.layout.k], self.layout.unit, self.scheme.bits)
        return tuple(shape)

    def aval(self) -> ShapedArray:
        shape = self.canonical_shape
        permutation = self.layout.permutation(len(shape))
        return ShapedArray(
            tuple([shape[axis] for axis in permutation]), jnp.dtype(self.layout.dtype)
        )

    def materialize(self) -> jax.Array:
        layout = self.layout
        compute = compute_dtype(layout.dtype)
        out = dequantize_codes(
            self.codes, plain(self.scale, compute), plain(self.zero_point, compute), self
        )
        permutation = layout.permutation(out.ndim)
        if permutation != tuple(range(out.ndim)):
            out = lax.transpose(out, permutation)
        numbers: jax.Array = out.astype(layout.dtype)
        return numbers

    @property
    def nbytes(self) -> int:
        """The bytes that codes, scales and zero points take."""
        leaves = jax.tree.leaves((self.codes, self.scale, self.zero_point))
        return sum(x.size * x.dtype.itemsize for x in leaves)

    @property
    def bits_per_parameter(self) -> float:
        """The bits that an entry of the array takes, scales included."""
        return 8 * self.nbytes / self.size if self.size else float(self.scheme.bits)

    def sum_of_squares(self, axes: tuple[int, ...]) -> jax.Array:
        """The sums of the squares over `axes`, counted from the front, a block at a time.

        The norms of rows or columns are their square roots; DoRA, in `duckarray.lora`, asks for
        them.

        Example:
            >>> import jax.numpy as jnp
            >>> from duckarray.quant import quantize
            >>> quantize(jnp.array([[3.0, 0.0], [-3.0, 1.0]]), "int8").sum_of_squares((0,))
            Array([18.,  1.], dtype=float32)
        """
        from ._squares import sum_of_squares

        sums: jax.Array = sum_of_squares(self, axes)
        return sums

    def _origin(self) -> str:
        return "".join(f"#{i}" for i in self.layout.origins)

    def drop_leading(self) -> Self | None:
        if self.codes.ndim <= len(self.layout.axes):
            return None
        n = self.codes.shape[0]
        same = all(x.shape[0] == n for x in jax.tree.leaves((self.scale, self.zero_point)))
        return self if same else None

    def add_leading(self, n: int) -> Self | None:
        return self

    def __repr__(self) -> str:
        if not hasattr(self.codes, "shape") or not isinstance(self.layout, Layout):
            return f"QuantArray(codes={self.codes!r}, scheme={self.scheme!r})"
        group = self.scheme.group_size
        every = "" if group is None else f", group_size={group}"
        shape = ",".join(map(str, self.shape))
        return f"QuantArray({self.layout.dtype}[{shape}], {self.scheme.name}{every})"


def compute_dtype(dtype: Any) -> Any:
    """The dtype to dequantize in: single precision, or double if the array has that."""
    return jnp.float64 if jnp.dtype(dtype) == jnp.float64 else jnp.float32


def unpacked(codes: jax.Array, layout: Layout, bits: int) -> jax.Array:
    """Codes one a byte, in canonical order."""
    if bits == 8:
        return codes
    axis = codes.ndim + layout.k
    per_unit = packed_size(bits, layout.unit)
    units = codes.shape[axis] // per_unit
    before, after = codes.shape[:axis], codes.shape[axis + 1 :]
    apart = codes.reshape(*before, units, per_unit, *after)
    out = unpack(apart, bits, layout.unit, axis + 1)
    return out.reshape(*before, units * layout.unit, *after)


def packed(codes: jax.Array, layout: Layout, bits: int) -> jax.Array:
    """The inverse of `unpacked`."""
    if bits == 8:
        return codes
    axis = codes.ndim + layout.k
    units = codes.shape[axis] // layout.unit
    before, after = codes.shape[:axis], codes.shape[axis + 1 :]
    apart = codes.reshape(*before, units, layout.unit, *after)
    out = pack(apart, bits, axis + 1)
    return out.reshape(*before, units * packed_size(bits, layout.unit), *after)


def dequantize_codes(codes: Any, scale: Any, zero: Any, like: Any) -> Any:
    """The numbers, in canonical order; what is shared is repeated along the axis of the groups."""
    layout, scheme = like.layout, like.scheme
    fmt, k = scheme.format, layout.k
    numbers = decode(unpacked(codes, layout, fmt.bits), fmt, scale.dtype)
    return apply_scale(numbers, scale, zero, k, scheme.offset)


def apply_scale(numbers: Any, scale: Any, zero: Any, k: int, offset: bool) -> Any:
    """`numbers` scaled, where `scale` and `zero` have an entry for each group along `k`."""
    axis = numbers.ndim + k
    groups = scale.shape[axis]
    grouped = groups not in (1, numbers.shape[axis]) or numbers.shape[axis] == 0
    shape = numbers.shape
    if grouped and numbers.size:
        numbers = numbers.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])
        scale = lax.expand_dims(scale, [axis + 1])
        zero = None if zero is None else lax.expand_dims(zero, [axis + 1])
    elif not numbers.size:
        return numbers
    if zero is not None and not offset:
        numbers = numbers - zero
    numbers = numbers * scale
    if zero is not None and offset:
        numbers = numbers + zero
    return numbers.reshape(shape)


def unchecked(codes: Any, scale: Any, zero_point: Any, scheme: Scheme, layout: Layout) -> Any:
    """A `QuantArray` of parts that are known to belong together."""
    out = object.__new__(QuantArray)
    out.__dict__.update(
        codes=codes, scale=scale, zero_point=zero_point, scheme=scheme, layout=layout
    )
    return out
