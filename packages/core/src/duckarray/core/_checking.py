"""Checking mode: compares what a rule returned with what its primitive would have.

It is off by default, since it evaluates each primitive once more abstractly; the environment
variable `DUCKARRAY_CHECK_RULES=1` or `checking_rules()` turn it on.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax
from jax.extend.core import Primitive

from ._errors import RuleOutputError
from ._jax import struct
from ._summary import summarize
from ._value import ArrayValue, Value, dense_aval

_WRONG_AVAL = """`{name}.aval` says {said}, but `materialize` gives {given}.
Correct one of the two, or leave `aval` out: it is then derived from `materialize`."""

checking: ContextVar[bool] = ContextVar(
    "duckarray_checking", default=os.environ.get("DUCKARRAY_CHECK_RULES", "") not in ("", "0")
)
"""Whether rules are checked, in this thread."""


@contextmanager
def checking_rules(on: bool = True) -> Iterator[None]:
    """Compares the result of every rule with the abstract evaluation of its primitive.

    Also what a type says by an `aval` of its own with what its `materialize` gives. It is in force
    in the thread, or the asynchronous task, that turned it on.

    Raises:
        RuleOutputError: inside, where a rule returns another shape, dtype or number of results.
        ValueError: inside, where an operand's `aval` is not that of its `materialize`.

    Example:
        >>> from duckarray.core import checking_rules
        >>> with checking_rules():
        ...     pass  # a rule that returns the wrong shape raises here
    """
    token = checking.set(on)
    try:
        yield
    finally:
        checking.reset(token)


def check_avals(operands: Sequence[Any]) -> None:
    """Raises a `ValueError` if a value's own `aval` is not that of what it stands for."""
    for x in operands:
        if not isinstance(x, ArrayValue) or type(x).aval is ArrayValue.aval:
            continue
        try:
            given = ArrayValue.aval(x)
        except ValueError:  # it refuses to be made dense
            continue
        said = x.aval()
        if tuple(said.shape) != tuple(given.shape) or said.dtype != given.dtype:
            texts = {"said": summarize(said), "given": summarize(given)}
            raise ValueError(_WRONG_AVAL.format(name=type(x).__name__, **texts))


def check_output(
    primitive: Primitive, function: Any, operands: Sequence[Any], params: dict[str, Any], out: Any
) -> None:
    """Raises a `RuleOutputError` if `out` is not what `primitive` gives for these operands."""
    rule = _name(function)
    outs = out if primitive.multiple_results else [out]
    expected = _expected(primitive, operands, params)
    if expected is None:
        return
    if len(outs) != len(expected):
        raise RuleOutputError(
            str(primitive), rule, f"{len(outs)} results", f"{len(expected)} results"
        )
    for got, want in zip(outs, expected, strict=True):
        if not (hasattr(got, "shape") and hasattr(got, "dtype")):
            got_type = type(got).__name__
            raise RuleOutputError(str(primitive), rule, f"a {got_type}", summarize(want))
        shapes = tuple(got.shape) == tuple(want.shape) and got.dtype == want.dtype
        if not shapes or _is_weak(got) != _is_weak(want):
            raise RuleOutputError(str(primitive), rule, _describe(got), _describe(want))


def _is_weak(x: Any) -> bool:
    if isinstance(x, jax.ShapeDtypeStruct):
        return bool(x.weak_type)
    return bool(getattr(dense_aval(x), "weak_type", False))


def _describe(x: Any) -> str:
    return f"weak {summarize(x)}" if _is_weak(x) else summarize(x)


def wrong_kind(primitive: Primitive, function: Any, out: Any) -> RuleOutputError:
    """The error for a rule that returned a list for one result, something else for several."""
    got = "None" if out is None else f"a {type(out).__name__}"
    expected = "a list of results" if primitive.multiple_results else "one array or value"
    return RuleOutputError(str(primitive), _name(function), got, expected)


# Types that rules have returned and that are right to return.
result_types: set[type] = {bool, int, float, complex}


def accept_result(primitive: Primitive, function: Any, out: Any) -> None:
    """Raises a `RuleOutputError` unless `out` is an array or value; it is not asked again then."""
    if not (isinstance(out, Value) or (hasattr(out, "shape") and hasattr(out, "dtype"))):
        raise wrong_kind(primitive, function, out)
    result_types.add(type(out))


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _expected(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    avals = [_struct(x) for x in operands]
    if any(a is None for a in avals):
        return None
    out = jax.eval_shape(lambda *xs: primitive.bind(*xs, **params), *avals)
    return out if primitive.multiple_results else [out]


def _struct(x: Any) -> Any:
    aval = dense_aval(x)
    if not (hasattr(aval, "shape") and hasattr(aval, "dtype")):
        return None
    return struct(aval)
