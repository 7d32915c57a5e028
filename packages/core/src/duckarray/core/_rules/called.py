"""Calls with a rule of their own for one transform: `custom_vmap`, `linear_call`, `composite`.

Where no transform outside can ask for that rule the program is simply run, with dispatch. Elsewhere
the call is kept whole and given dense arrays, so that the rule stays the rule.
"""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core._dispatch import handles
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import current_trace

_PROGRAM = {"custom_vmap_call": "call", "linear_call": "callee", "composite": "call_jaxpr"}


@handles(*_PROGRAM)
def _called(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    if not current_trace().requires_low:
        return NotImplemented
    program = params.get(_PROGRAM[primitive.name])
    return NotImplemented if program is None else run_jaxpr(program, operands)
