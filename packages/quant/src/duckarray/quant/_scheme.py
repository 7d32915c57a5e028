"""`Scheme`: how an array is quantized, everything about it that is known before the numbers."""

import dataclasses
import functools
from typing import Any, Literal

import jax.numpy as jnp

from ._format import FORMATS, Format

_UNKNOWN = """there is no scheme {name!r}.
Pass one of {known}."""

_FIXED_GROUP = """`{name}` has groups of {fixed} by definition, but `group_size={given!r}` was \
given.
Leave `group_size` out."""

_BAD_GROUP = """`group_size={given!r}` is no number of entries that share a scale.
Pass a positive integer, such as `group_size=64`, or None for one scale along the whole axis."""

_ASYMMETRIC = """`{name}` has no zero point, it is symmetric.
Leave out `symmetric=False`, or quantize to integers: `"int4"`."""

_DOUBLE = """`{name}` has scales of eight bits already.
Leave out `double_quant=True`."""

_SCALE_DTYPE = """`scale_dtype={given!r}` is no dtype for scales.
Pass "float32", "float16" or "bfloat16"."""

_ACTIVATIONS = """`activations={given!r}` needs symmetric integers of at most eight bits, but the \
scheme is {name}.
Use `"w8a8"` or `"w4a8"`."""


@dataclasses.dataclass(frozen=True)
class Scheme:
    """How an array is quantized.

    It is static: part of the tree structure, hashable, and compared by value.

    Args:
        name: `"int8"`, `"int4"`, `"int3"`, `"int2"`, `"nf4"`, `"fp4"` (e2m1), `"fp8"` or `"e4m3"`,
            `"e5m2"`, `"mxfp4"`, `"mxfp8"`, `"nvfp4"`; `"w8a8"` and `"w4a8"` for products of
            integers; `"uint4"` and its like for asymmetric ones.
        group_size: how many entries along the axis share a scale; None for all of them.
        symmetric: whether zero is code zero. Otherwise a zero point is stored for each group.
        scale_dtype: the dtype of scales.
        double_quant: whether scales are quantized to eight bits, in blocks of 256.
        activations: `"int8"` to quantize the other operand of a product as it comes, and multiply
            integers.
        outliers: with `activations`, how many entries along the summed axis, those where the other
            operand is largest, are multiplied as floating-point numbers.
        table: the sixteen numbers of the scheme `"table"`.
        offset: whether what is stored as the zero point is added after scaling, `scale * code +
            zero_point`, as in files of GGUF, and not subtracted before, `scale * (code -
            zero_point)`.

    Raises:
        ValueError: if there is no such scheme, or the options do not belong together.

    Example:
        >>> from duckarray.quant import Scheme
        >>> Scheme("nf4", group_size=64, double_quant=True).bits
        4

    References:
        Dettmers et al., "LLM.int8()", 2022, for `outliers`. Rouhani et al., "Microscaling Data
        Formats for Deep Learning", 2023, for mxfp4 and mxfp8.
    """

    name: str
    group_size: int | None = None
    symmetric: bool = True
    scale_dtype: str = "float32"
    double_quant: bool = False
    activations: Literal["int8"] | None = None
    outliers: int = 0
    table: tuple[float, ...] = ()
    offset: bool = False

    def __post_init__(self) -> None:
        given: Any = self.name
        name: Any = _ALIASES.get(given, given) if isinstance(given, str) else given
        if isinstance(name, str) and name in _ACTIVATION_SCHEMES:
            name = _ACTIVATION_SCHEMES[name]
            object.__setattr__(self, "activations", "int8")
        if isinstance(name, str) and name.startswith("uint") and name[4:] in ("2", "3", "4", "8"):
            name = name[1:]
            object.__setattr__(self, "symmetric", False)
        known_name = isinstance(name, str) and name in SCHEMES
        if not known_name and not (name == "table" and len(self.table) == 16):
            known = ", ".join(f'"{x}"' for x in (*SCHEMES, *_ACTIVATION_SCHEMES))
            raise ValueError(_UNKNOWN.format(name=self.name, known=known))
        object.__setattr__(self, "name", name)
        fixed = _FIXED.get(name)
        if fixed is not None and self.group_size not in (None, fixed):
            raise ValueError(_FIXED_GROUP.format(name=name, fixed=fixed, given=self.group_size))
        size: Any = self.group_size if fixed is None else fixed
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            raise ValueError(_BAD_GROUP.format(given=self.group_size))
        object.__setattr__(self, "group_size", size)
        self._check_options()

    def _check_options(self) -> None:
        is_integer = self.name.startswith("int")
        if not self.symmetric and not is_integer:
            raise ValueError(_ASYMMETRIC.format(name=self.name))
        if self.double_quant and self.name in _FIXED:
            raise ValueError(_DOUBLE.format(name=self.name))
        try:
            fine = jnp.issubdtype(jnp.dtype(self.scale_dtype), jnp.floating)
        except TypeError:
            fine = False
        if not fine:
            raise ValueError(_SCALE_DTYPE.format(given=self.scale_dtype))
        object.__setattr__(self, "scale_dtype", jnp.dtype(self.scale_dtype).name)
        activations: Any = self.activations
        if activations is not None and (
            activations != "int8" or not is_integer or not self.symmetric
        ):
            raise ValueError(_ACTIVATIONS.format(given=self.activations, name=self.name))

    @property
    def bits(self) -> int:
        """The bits of one code."""
        return self.format.bits

    @property
    def format(self) -> Format:
        """What one code is."""
        return _format_of(self.name, self.symmetric, self.table)

    @property
    def scale_code(self) -> str | None:
        """How scales are coded where the scheme says so: `"e8m0"`, `"e4m3"`, or None."""
        return {"mxfp4": "e8m0", "mxfp8": "e8m0", "nvfp4": "e4m3"}.get(self.name)


@functools.lru_cache
def _format_of(name: str, symmetric: bool, table: tuple[float, ...]) -> Format:
    if name == "table":
        return Format("table", 4, "table", table)
    if name.startswith("int") and not symmetric:
        return FORMATS[f"u{name}"]
    return FORMATS[SCHEMES[name]]


SCHEMES = {
    "int8": "int8",
    "int6": "int6",
    "int5": "int5",
    "int4": "int4",
    "int3": "int3",
    "int2": "int2",
    "nf4": "nf4",
    "fp4": "e2m1",
    "e4m3": "e4m3",
    "e5m2": "e5m2",
    "mxfp4": "e2m1",
    "mxfp8": "e4m3",
    "nvfp4": "e2m1",
}
"""The names of schemes, and of the formats of their codes."""

_ALIASES = {
    "fp8": "e4m3",
    "fp8_e4m3": "e4m3",
    "fp8_e5m2": "e5m2",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "e2m1": "fp4",
    "fp4_e2m1": "fp4",
}
_ACTIVATION_SCHEMES = {"w8a8": "int8", "w4a8": "int4"}
_FIXED = {"mxfp4": 32, "mxfp8": 32, "nvfp4": 16}


def as_scheme(scheme: Any, **options: Any) -> Scheme:
    """A `Scheme`, from one or from its name, with these options."""
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(scheme, Scheme):
        return dataclasses.replace(scheme, **given) if given else scheme
    return Scheme(scheme, **given)
