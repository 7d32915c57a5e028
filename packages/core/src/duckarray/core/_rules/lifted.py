"""A value made inside the traced program, some of whose parts are values of their own.

Only the parts are operands: the whole is put together of them, whatever they are.
"""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core._dispatch import handles
from duckarray.core._lift import lift_p


@handles(lift_p)
def _lift(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    return params["structure"].unflatten(operands)
