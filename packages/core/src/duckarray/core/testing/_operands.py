"""The operands of the calls in the table, made for a case by the names of their parameters."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._subject import Case, Subject

_UNKNOWN = """the call `{name}` has a parameter `{parameter}`, for which there is no operand.
Name its parameters after what they take: {known}."""

OPERANDS: dict[str, str] = {
    "x": "the value",
    "z": "another value of the same case",
    "y": "a dense array of the same shape and dtype, without zeros",
    "positive": "the same, of positive numbers",
    "special": "the same, with not-a-number, infinities and zero among its entries",
    "row": "a dense array with the last axis of `x` only",
    "col": "a dense array like `x`, its last axis of size one, without zeros",
    "w": "a dense matrix with as many rows as the last axis of `x` has entries",
    "u": "a dense matrix with as many columns as the last axis but one of `x` has entries",
    "scalar": "a dense array without axes, of the same dtype",
    "mask": "a dense array of booleans, of the same shape",
    "flag": "one boolean, an array without axes",
    "i": "an integer, an array without axes, 0",
    "indices": "an array of two integers, 0 and -1",
    "key": "a random key",
}
"""What a parameter of a call in the table is given, by its name."""


def parameters(name: str, call: Callable[..., Any]) -> tuple[str, ...]:
    """The operands that a call takes.

    Raises:
        TypeError: if there is none of such a name.
    """
    found = tuple(inspect.signature(call).parameters)
    for parameter in found:
        if parameter not in OPERANDS:
            known = ", ".join(f"`{key}`" for key in OPERANDS)
            raise TypeError(_UNKNOWN.format(name=name, parameter=parameter, known=known))
    return found


def operands(subject: Subject, case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """All operands for a case: with values, and with the arrays that these stand for."""
    dense = dict(plain_operands(case))
    values = {"x": subject.value(case), "z": subject.value(case, 1)}
    arrays = {"x": subject.array(case), "z": subject.array(case, 1)}
    return {**dense, **values}, {**dense, **arrays}


@functools.lru_cache(maxsize=256)
def plain_operands(case: Case) -> dict[str, Any]:
    """The dense operands for a case."""
    case = Case(case.shape, case.dtype)  # the numbers of the operands do not depend on the type
    shape = case.shape
    last = shape[-1] if shape else 1
    rows = shape[-2] if len(shape) > 1 else last
    # Of another seed than the value, which may be made of the first numbers of this.
    other = Case(shape, case.dtype, variant="operands")
    y, row, col, w, u, scalar = other.arrays(
        shape, shape[-1:], (*shape[:-1], 1) if shape else (), (last, 2), (2, rows), ()
    )
    if not case.is_inexact:
        y, col = _without_zeros(y), _without_zeros(col)
    special = np.array(y)
    if case.is_inexact and special.size:
        numbers = [np.nan, np.inf, -np.inf, 0.0]
        special.reshape(-1)[: len(numbers)] = numbers[: special.size]
    n = shape[0] if shape else 1
    return {
        "y": y,
        "positive": jnp.asarray(np.abs(np.asarray(y))),
        "special": jnp.asarray(special),
        "row": row,
        "col": col,
        "w": w,
        "u": u,
        "scalar": scalar,
        "mask": jnp.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3 != 0),
        "flag": jnp.asarray(True),
        "i": jnp.int32(0),
        "indices": jnp.array([0, max(n - 1, 0)], "int32"),
        "key": jax.random.key(0),
    }


def _without_zeros(x: Any) -> Any:
    return jnp.asarray(np.where(np.asarray(x) == 0, 1, np.asarray(x)).astype(x.dtype))
