"""`Subject` and `Case`: what the kit has to be told of an array type, as data."""

import functools
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from duckarray.core._dtypes import with_dtype
from duckarray.core._summary import short_dtype
from duckarray.core._value import ArrayValue

_NO_VALUE = """`Subject({name!r}).make(...)` returned {got} for the case `{case}`.
It returns a value, one that stands for an array of shape {shape} and dtype {dtype}."""

_BAD_NAME = """`Subject({name!r}, ...)` needs a name without `/` and spaces, for the ids of checks.
Call it as its package or class is called: `"diagonal"`."""

_NO_CASES = """`Subject({name!r}, cases=())` has nothing to make values of.
Leave `cases` out, or name some: `cases=(Case((4, 4)),)`."""

_SAME_CASES = """`Subject({name!r}, cases=...)` has two cases called `{case}`.
Give one of them a `variant`: `Case((4, 4), variant="transposed")`."""


@dataclass(frozen=True)
class Case:
    """One array that a value of the type under test is made to stand for.

    Args:
        shape: its shape.
        dtype: the name of its dtype.
        weak_type: whether it adapts its dtype to other operands, as a Python scalar does.
        variant: anything else that `make` tells apart: another layout, another rank.
        seed: which numbers `arrays` gives.

    Example:
        >>> from duckarray.core.testing import Case
        >>> Case((2, 3)).name, Case((), "int32", variant="big").name
        ('f32-2x3', 'i32-scalar-big')
    """

    shape: tuple[int, ...]
    dtype: str = "float32"
    weak_type: bool = False
    variant: str = ""
    seed: int = 0

    @property
    def name(self) -> str:
        """How check ids call it."""
        shape = "x".join(map(str, self.shape)) or "scalar"
        weak = "weak-" if self.weak_type else ""
        variant = f"-{self.variant}" if self.variant else ""
        return f"{weak}{short_dtype(jnp.dtype(self.dtype))}-{shape}{variant}"

    @property
    def is_inexact(self) -> bool:
        """Whether the array holds floating-point or complex numbers, which have gradients."""
        return bool(jnp.issubdtype(self.dtype, jnp.inexact))

    @property
    def is_real(self) -> bool:
        """Whether the array holds real floating-point numbers."""
        return bool(jnp.issubdtype(self.dtype, jnp.floating))

    def arrays(self, *shapes: tuple[int, ...], dtype: Any = None) -> list[jax.Array]:
        """Arrays of reproducible numbers, between a half and two in size, of either sign.

        Args:
            *shapes: the shape of each.
            dtype: that of the case, by default.

        Example:
            >>> from duckarray.core.testing import Case
            >>> (left, right) = Case((4, 4)).arrays((4, 2), (2, 4))
            >>> left.shape, right.dtype
            ((4, 2), dtype('float32'))
        """
        dtype = jnp.dtype(self.dtype if dtype is None else dtype)
        key = f"{self.shape} {self.variant} {self.seed}".encode()
        rng = np.random.default_rng(zlib.crc32(key))
        return [jnp.asarray(_numbers(rng, shape, dtype)) for shape in shapes]


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    if np.issubdtype(dtype, np.bool_):
        return rng.integers(0, 2, shape).astype(bool)
    if jnp.issubdtype(dtype, jnp.integer):
        low = 0 if jnp.issubdtype(dtype, jnp.unsignedinteger) else -5
        return rng.integers(low, 6, shape).astype(dtype)
    sign = 2 * rng.integers(0, 2, shape) - 1
    numbers = np.asarray(sign * rng.uniform(0.5, 2.0, shape))
    if jnp.issubdtype(dtype, jnp.complexfloating):
        numbers = numbers + 1j * rng.uniform(-1.0, 1.0, shape)
    return numbers.astype(dtype)


DEFAULT_CASES = (
    Case((4, 4)),
    Case((3, 4)),
    Case((2, 4, 4)),
    Case((4,)),
    Case(()),
    Case((0, 4)),
    Case((4, 4), "int32"),
    Case((4, 4), "bfloat16"),
)
"""The cases of a `Subject` that names none."""


@dataclass(frozen=True)
class Subject:
    """An array type, described so that the kit can test it.

    Args:
        name: the name of the type in check ids.
        make: gives the value for a case. For another `seed` it gives other numbers in the same tree
            structure.
        dense: gives the NumPy array that a value stands for, in any precision, by other means than
            `materialize`. It is called with every value of the type that a check meets, whose
            children are arrays.
        cases: what values to make. With the first all calls of the table are made, some eagerly
            too; with the others those whose answers depend on dtype or shape.
        keeps: calls that give values of the same type and never build the dense array: names, or
            patterns of names, from the table of calls and from `operations`.
        without_dense: calls that never build the dense array, whatever they give.
        operations: more calls for the table. The names of their parameters say which operands they
            take: `x` is the value, `y` a dense array alike; see `duckarray.core.testing.OPERANDS`.
        refuses: exceptions that are an answer, where a type has no dense form to fall back on. They
            count wherever the same call on the dense array works.
        expected_failures: for the id of a check, or a pattern of ids, the reason why it fails.
            A check that passes nevertheless is a failure.
        rtol: the relative tolerance for numbers of single precision. Others are scaled with it.
        thorough: makes all calls of the table for all cases, eagerly too. It takes minutes.

    Raises:
        ValueError: if there is no case, two have one name, or the name cannot be part of an id.

    Example:
        >>> import jax, jax.numpy as jnp, numpy as np
        >>> from duckarray.core import ArrayValue
        >>> from duckarray.core.testing import Case, Subject, check
        >>> class Twice(ArrayValue):
        ...     half: jax.Array
        ...     def materialize(self):
        ...         return self.half + self.half
        >>> subject = Subject(
        ...     name="twice",
        ...     make=lambda case: Twice(*case.arrays(case.shape)),
        ...     dense=lambda x: 2 * np.asarray(x.half),
        ...     cases=(Case((2, 3)),),
        ... )
        >>> check(subject, only=["contract/aval/*", "agreement/sin/*"])
        passed   twice/contract/aval/f32-2x3
        passed   twice/agreement/sin/f32-2x3
        2 passed
    """

    name: str
    make: Callable[[Case], Any]
    dense: Callable[[Any], Any]
    cases: tuple[Case, ...] = DEFAULT_CASES
    keeps: tuple[str, ...] = ()
    without_dense: tuple[str, ...] = ()
    operations: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    refuses: tuple[type[Exception], ...] = ()
    expected_failures: Mapping[str, str] = field(default_factory=dict)
    rtol: float = 2e-5
    thorough: bool = False

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name or " " in self.name:
            raise ValueError(_BAD_NAME.format(name=self.name))
        if not self.cases:
            raise ValueError(_NO_CASES.format(name=self.name))
        names = [case.name for case in self.cases]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(_SAME_CASES.format(name=self.name, case=name))

    def __hash__(self) -> int:
        return hash(self.name)

    def value(self, case: Case, seed: int = 0) -> Any:
        """The value for a case, with the numbers of `seed`; made once."""
        return _made(self, replace(case, seed=case.seed + seed))

    def array(self, case: Case, seed: int = 0) -> jax.Array:
        """The dense array of such a value, by `dense`."""
        return _dense(self, replace(case, seed=case.seed + seed))


def make_value(subject: Subject, case: Case) -> Any:
    """A new value for a case.

    Raises:
        TypeError: if `make` returns something else.
    """
    value = subject.make(case)
    if not isinstance(value, ArrayValue):
        names = {"name": subject.name, "case": case.name, "got": f"a `{type(value).__name__}`"}
        raise TypeError(_NO_VALUE.format(**names, shape=case.shape, dtype=case.dtype))
    return value


def stacked(subject: Subject, case: Case) -> Any:
    """Two values as one with a leading axis on each leaf."""
    structure: Any
    leaves, structure = jtu.tree_flatten(subject.value(case))
    pairs = zip(leaves, jtu.tree_leaves(subject.value(case, 1)), strict=True)
    return structure.unflatten([jnp.stack(pair) for pair in pairs])


@functools.lru_cache(maxsize=1024)
def _made(subject: Subject, case: Case) -> Any:
    return make_value(subject, case)


@functools.lru_cache(maxsize=1024)
def _dense(subject: Subject, case: Case) -> jax.Array:
    numbers = np.asarray(subject.dense(_made(subject, case)))
    return of_case(numbers, case)


def of_case(numbers: Any, case: Case) -> jax.Array:
    """`numbers` as an array of the dtype and weak type of a case."""
    array = jnp.asarray(np.asarray(numbers).astype(jnp.dtype(case.dtype)))
    out: jax.Array = with_dtype(array, array.dtype, case.weak_type)
    return out
