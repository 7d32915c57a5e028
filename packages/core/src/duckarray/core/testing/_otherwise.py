"""What dense JAX gives for a call in other ways: where these differ, either is right.

XLA answers some calls by how it compiles them. A complex number over zero is not-a-number where the
zero is written into the program and infinite where it is not. In half precision it rounds less
often what it fuses, which a remainder turns into another number.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from duckarray.core._materialize import materialize

from ._compare import Comparison
from ._once import run_once
from ._table import Call

_OF_THE_TYPE = ("x", "z")


def is_right_otherwise(
    call: Call,
    got: Any,
    struct: Any,
    values: dict[str, Any],
    arrays: dict[str, Any],
    comparison: Comparison,
    loose: float,
) -> bool:
    """Whether `got` is what the call gives on dense arrays in another way than the usual one.

    Args:
        call: the call.
        got: what it gave on the values.
        struct: the shapes and dtypes that it has to have, or None if these are not known.
        values: its operands, values among them.
        arrays: the same with dense arrays for the values.
        comparison: what compares.
        loose: how much more than rounding results may differ.
    """
    for way in _ways(call, values, arrays, comparison):
        try:
            comparison.same(got, way(), struct, loose=loose)
        except Exception:  # this way may not work at all
            continue
        return True
    return False


def _ways(
    call: Call, values: dict[str, Any], arrays: dict[str, Any], comparison: Comparison
) -> Iterator[Callable[[], Any]]:
    operands, dense = ({name: of[name] for name in call.parameters} for of in (values, arrays))

    def program(given: Any) -> Any:
        given = materialize(given)
        return given, call(given)

    def materialized(run: Callable[..., Any]) -> Any:
        given, out = run(operands)
        comparison.same(given, dense)
        return out

    yield lambda: materialized(program)
    if call.concrete:
        return
    yield lambda: materialized(lambda given: run_once(program, given))
    yield lambda: jax.jit(call.__call__)(dense)
    written = {name: np.asarray(x) for name, x in dense.items() if name in _OF_THE_TYPE}
    rest = {name: x for name, x in dense.items() if name not in written}
    yield lambda: jax.jit(lambda given: call(written | given))(rest)
