"""What rules share: registering them, batches as part of a pattern, entries that move."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core import ArrayValue, bind, known_constant, register

from ._dynamic import DynamicPattern
from ._fill import Constant
from ._pattern import Pattern, full_pattern
from ._plans import Moved, repeated
from ._value import Sparse, raw_fill, take, unchecked

F = TypeVar("F", bound=Callable[..., Any])

MOST_ENTRIES = 2**28


class Unstructured(Exception):  # noqa: N818  # not an error: the next rule is asked
    """Raised in a rule whose result would not be sparse."""


# By primitive: what is done with arrays whose places are traced.
_dynamic_rules: dict[str, Callable[..., Any]] = {}


def rule(*primitives: Any, **options: Any) -> Callable[[F], F]:
    """As `register`, for rules about patterns that are known; these may raise `Unstructured`."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        wanted = "primitive" in signature.parameters

        @functools.wraps(function)
        def guarded(*operands: Any, primitive: Any, **params: Any) -> Any:
            try:
                for x in operands:
                    if isinstance(x, Sparse) and isinstance(x.pattern, DynamicPattern):
                        other = _dynamic_rules.get(str(primitive))
                        if other is None:
                            return NotImplemented
                        return other(*operands, primitive=primitive, **params)
                if wanted:
                    return function(*operands, primitive=primitive, **params)
                return function(*operands, **params)
            except Unstructured:
                return NotImplemented

        if not wanted:
            *before, last = signature.parameters.values()
            keyword = inspect.Parameter("primitive", inspect.Parameter.KEYWORD_ONLY)
            guarded.__signature__ = signature.replace(  # type: ignore[attr-defined]
                parameters=[*before, keyword, last]
            )
        register(*primitives, **options)(guarded)
        return function

    return decorate


def dynamic_rule(*primitives: str) -> Callable[[F], F]:
    """Makes a function what the rules for these primitives do with traced places."""

    def decorate(function: F) -> F:
        _dynamic_rules.update(dict.fromkeys(primitives, function))
        return function

    return decorate


def absorb(x: Sparse, ndim: int | None = None) -> Sparse:
    """`x` with its batch axes, or the last so many, as axes of the pattern, which has `ndim`."""
    wanted = x.ndim if ndim is None else ndim
    count = wanted - x.pattern.ndim
    if count <= 0:
        return x
    lead = x.data.ndim - 1 - count
    batch = tuple(x.data.shape[lead:-1])
    fill = raw_fill(x)
    if not isinstance(fill, Constant):
        if int(np.prod(batch)) != 1:
            raise Unstructured
        fill = fill.reshape(fill.shape[:lead])
    check_size(x.pattern.nnz * int(np.prod(batch, dtype=np.int64)))
    pattern = repeated(x.pattern, batch)
    data = x.data.reshape(*x.data.shape[:lead], pattern.nnz)
    return unchecked(data, pattern, fill)


def require(fits: bool, primitive: str, *operands: Any, **params: Any) -> None:
    """Raises what JAX does of such operands, unless they fit together."""
    if not fits:
        structs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in operands]
        jax.eval_shape(lambda *xs: bind(primitive, *xs, **params), *structs)


def check_size(entries: int) -> None:
    """Raises `Unstructured` for patterns that would be too large to plan with."""
    if entries > MOST_ENTRIES:
        raise Unstructured


def rearranged(x: Sparse, plan: Moved) -> Any:
    """`x` with its entries where a plan says."""
    return finished(take(x.data, plan.source), plan.pattern, raw_fill(x))


def finished(data: Any, pattern: Pattern, fill: Any) -> Any:
    """A result; without axes in its pattern it is dense."""
    out = unchecked(data, pattern, fill)
    return out.materialize() if not pattern.ndim else out


def constant_of(x: Any, dtype: Any) -> Constant | None:
    """The number that a dense operand is known to be full of."""
    if isinstance(x, ArrayValue):
        return None
    value = known_constant(x)
    return None if value is None else Constant.of(value, dtype)


def constant_fill(x: Sparse) -> Constant:
    """The fill of `x`, which has to be known."""
    if x.fill_constant is None:
        raise Unstructured
    return x.fill_constant


def as_sparse(x: Any) -> Sparse:
    """A dense array as one of which everything is stored; it is not copied."""
    if isinstance(x, Sparse):
        return x
    array = jnp.asarray(x)
    check_size(array.size)
    fill = Constant.of(0, array.dtype)
    return unchecked(array.reshape(-1), full_pattern(tuple(array.shape)), fill)


def concrete(x: Any) -> Any:
    """The numbers of an operand as NumPy has them, or None if they are traced."""
    if isinstance(x, jax.core.Tracer | ArrayValue):
        return None
    return np.asarray(x)
