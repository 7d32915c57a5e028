"""Operators on traced values in eager mode, by a compiled call instead of JAX's Python path.

`w @ x` with a value `w` would go through `jnp.matmul`, which JAX evaluates in Python because a
trace other than its eager one is current. The same function compiled for the value as a pytree
costs about what it costs for arrays. Whatever is not two arrays or values takes the usual way.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax
from jax.core import Tracer
from jax.extend.core import set_current_trace, take_current_trace

from ._checking import checking
from ._constants import look_up
from ._jax import is_jit_disabled
from ._materialize import current_policy, recorded_warnings, warn_dense
from ._quaxify import quaxify
from ._registry import registry_version
from ._trace import DuckTracer

_BINARY = ("add", "sub", "mul", "truediv", "matmul", "lt", "le", "gt", "ge", "eq", "ne")


class _Compiled:
    """One operator compiled for one state of the rules, with what compiling it warned of."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.call = jax.jit(quaxify(function))
        self.warnings: dict[Any, list[str]] = {}

    def __call__(self, *operands: Any) -> Any:
        types = tuple(map(type, operands))
        with recorded_warnings() as recorded:
            out = self.call(*operands)
        if recorded:
            self.warnings[types] = recorded
        else:
            for warning in self.warnings.get(types, ()):
                warn_dense(warning)
        return out


@functools.lru_cache(maxsize=256)
def _compiled(function: Callable[..., Any], *state: Any) -> _Compiled:
    return _Compiled(function)


def _apply(function: Callable[..., Any], tracer: DuckTracer, other: Any) -> Any:
    """`function` of both, or `NotImplemented` where the usual way has to be taken."""
    trace = tracer._trace
    if not trace.is_over_eager or is_jit_disabled() or tracer.value._eager:
        return NotImplemented
    if type(other) is DuckTracer and other._trace is trace:
        other = other.value
        if other._eager:
            return NotImplemented
    elif (
        not isinstance(other, jax.Array)
        or isinstance(other, Tracer)
        or look_up(other) is not None  # a compiled call would not know it
    ):
        return NotImplemented
    with take_current_trace() as current:
        if current is not trace:
            with set_current_trace(current):
                return NotImplemented
        with set_current_trace(trace.parent_trace):
            state = (current_policy(), registry_version(), checking.get())
            compiled = _compiled(function, *state)
            return trace.wrap(compiled(tracer.value, other))


def _method(name: str) -> Callable[[DuckTracer, Any], Any]:
    function = getattr(operator, name)
    usual = getattr(Tracer, f"__{name}__")

    def method(self: DuckTracer, other: Any) -> Any:
        out = _apply(function, self, other)
        return usual(self, other) if out is NotImplemented else out

    method.__name__ = f"__{name}__"
    return method


for _name in _BINARY:
    setattr(DuckTracer, f"__{_name}__", _method(_name))
DuckTracer.__hash__ = Tracer.__hash__  # type: ignore[method-assign]  # `__eq__` alone would unset it
