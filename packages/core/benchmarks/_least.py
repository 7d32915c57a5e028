"""What the same would cost with nothing of this package: the least that ours can come to.

A trace of JAX's that only hands on what it is given, and a frozen dataclass that JAX knows.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.core import Trace, Tracer
from jax.extend.core import (
    Primitive,
    jaxpr_as_fun,
    primitives,
    set_current_trace,
    take_current_trace,
)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Record:
    """A dataclass of one array."""

    array: jax.Array


class _Box(Tracer):
    """A tracer of one array."""

    __slots__ = ("array",)

    def __init__(self, trace: "_HandingOn", array: Any) -> None:
        self._trace, self.array = trace, array

    @property
    def aval(self) -> Any:  # type: ignore[override]
        return self.array.aval

    @property
    def _line_info(self) -> None:
        return None

    @_line_info.setter
    def _line_info(self, value: Any) -> None:
        pass


class _HandingOn(Trace):
    """Does every operation on what the boxes hold, a `jit` by a compiled function."""

    def __init__(self, parent: Trace) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.parent, self.requires_low = parent, False
        self._jitted: dict[int, tuple[Any, Any]] = {}

    def process_primitive(
        self, primitive: Primitive, tracers: Sequence[Any], params: Any, /
    ) -> Any:
        operands = [x.array if type(x) is _Box else x for x in tracers]
        with set_current_trace(self.parent):  # a rule may run any program there
            if primitive is primitives.jit_p:
                return self._compiled(params["jaxpr"])(*operands)
            with take_current_trace() as parent:
                out = parent.process_primitive(primitive, operands, params)
        return _Box(self, Record(out).array)

    def _compiled(self, jaxpr: Any) -> Any:
        if id(jaxpr) not in self._jitted:
            self._jitted[id(jaxpr)] = jaxpr, jax.jit(jaxpr_as_fun(jaxpr))
        return self._jitted[id(jaxpr)][1]


_kept: list[_HandingOn] = []


def handing_on(program: Callable[..., Any]) -> Callable[..., Any]:
    """`program` under a trace that only hands on; of its operands, `Record`s are boxed."""

    def call(*operands: Any) -> Any:
        with take_current_trace() as parent:
            trace = next((t for t in _kept if t.parent is parent), None) or _HandingOn(parent)
            if type(parent).__name__ == "EvalTrace" and not _kept:
                _kept.append(trace)
            inner = [_Box(trace, x.array) if type(x) is Record else x for x in operands]
            with set_current_trace(trace):
                out = program(*inner)
            return out.array if type(out) is _Box else out

    return call
