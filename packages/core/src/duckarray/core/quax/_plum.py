"""What importing Quax does to Plum, on which libraries over it rely.

`jax.Array` is marked as a type whose instances are known by their class, so that Plum caches what
it finds for functions of arrays; and JAX's numbers with a dtype convert to arrays.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import plum
from jax import lax
from jax.core import Trace
from jax.extend.core import Primitive, set_current_trace


class _Operands(Trace):
    """Gives back the operand of an operation, as it reaches a trace."""

    def process_primitive(
        self, primitive: Primitive, tracers: Sequence[Any], params: Any, /
    ) -> Any:
        return tracers[0]


def _as_array(obj: Any) -> jax.Array:
    return jnp.asarray(obj, dtype=obj.dtype)


jax.Array.__faithful__ = True  # type: ignore[attr-defined]
with set_current_trace(_Operands()):  # type: ignore[no-untyped-call]
    _typed = {type(lax.neg_p.bind(x)) for x in (1, 1.0, 1j)}  # type: ignore[no-untyped-call]
for _type in _typed - {int, float, complex}:
    plum.add_conversion_method(_type, jax.Array, _as_array)
