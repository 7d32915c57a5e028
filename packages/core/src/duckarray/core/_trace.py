"""`DuckTrace` and `DuckTracer`: how an operation that JAX binds reaches `dispatch`.

Only values are wrapped in tracers. An operation without one goes to the parent trace as it is
and its result comes back raw, so dense code costs nothing, stays concrete and keeps JAX's own
caches.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import tree_util as jtu
from jax.core import Trace, Tracer
from jax.extend.core import Primitive, TraceTag, set_current_trace

from . import _composite, _watch
from ._checking import checking, result_types
from ._concrete import Concrete
from ._constants import (
    Constants,
    note_all,
    note_constant,
    note_created,
    noted_constant,
    pass_on,
    passing_on,
)
from ._dispatch import dispatch, handler_of, say_where
from ._jax import bind_under, binds_plainly, current_trace, is_eager, jit_p
from ._lift import contains_lift, inside, lift_p
from ._materialize import is_or_holds_value, plain_types
from ._mesh import in_manual_mesh, varying_like
from ._placement import Placed
from ._registry import answering
from ._small_jit import small_jit
from ._summary import summarize
from ._value import Value


def _with_members_of(*mixins: type) -> Callable[[type], Any]:
    """Gives a class what these bases would give it, but no bases.

    JAX asks for the type of an operand several times in each operation, and looks for what answers
    through the bases, one by one.
    """

    def decorate(cls: Any) -> Any:
        for mixin in mixins:
            for name, member in vars(mixin).items():
                if name not in vars(cls) and name not in vars(_Empty):
                    setattr(cls, name, member)
        return cls

    return decorate


class _Empty:
    __slots__ = ()


@_with_members_of(Placed, Concrete)
class DuckTracer(Tracer):  # type: ignore[type-arg]
    """What the traced program sees in place of a value."""

    __slots__ = ("_lazy_aval", "value")

    def __init__(self, trace: "DuckTrace", value: Value) -> None:
        # The base class would store an aval, and many tracers are never asked for theirs.
        self._trace = trace
        self.value = value
        self._lazy_aval: Any = None

    @property
    def aval(self) -> Any:  # type: ignore[override]
        aval = self._lazy_aval
        if aval is None:
            try:
                aval = self.value.aval()
            except Exception:
                # Where JAX asks, it has no current trace, without which nothing can be computed.
                with set_current_trace(self._trace.parent_trace):
                    try:
                        aval = self.value.aval()
                    except AttributeError as error:  # which Python would take for a missing `aval`
                        name = type(self.value).__name__
                        raise ValueError(f"`{name}.aval` raised: {error}") from error
            if self._trace.in_manual_mesh:  # what leaves vary over is rarely said by hand
                aval = varying_like(aval, jtu.tree_leaves(self.value))
            self._lazy_aval = aval
        return aval

    @property
    def _line_info(self) -> None:
        return None

    @_line_info.setter
    def _line_info(self, value: Any) -> None:
        pass

    def _contents(self) -> list[tuple[str, Any]]:
        # `jax.closure_convert` looks here for what an outer transform may differentiate.
        return [(f"leaf {i}", x) for i, x in enumerate(jtu.tree_leaves(self.value))]

    def __getattr__(self, name: str) -> Any:
        if name in vars(Placed):  # which has raised an error, for the caller to see
            return vars(Placed)[name].__get__(self)
        return super().__getattr__(name)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f"DuckTracer<{summarize(self.value)}>"


class DuckTrace(Trace):
    """Dispatches every primitive that meets a value; all others go to `parent_trace`."""

    __slots__ = (
        "_context",
        "in_manual_mesh",
        "is_over_eager",
        "parent_requires_low",
        "parent_trace",
        "tag",
    )

    def __init__(self, parent: Trace, tag: TraceTag) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.parent_trace = parent
        self.parent_requires_low = parent.requires_low
        self.is_over_eager = is_eager(parent)
        self.in_manual_mesh = in_manual_mesh()
        self.tag = tag
        # Making one for each operation costs more than anything else here; None while it is used.
        self._context: Any = set_current_trace(parent)
        # Else JAX would take its composite primitives apart before an outer `grad` has seen them.
        self.requires_low = False

    def owns(self, x: Any) -> bool:
        return type(x) is DuckTracer and x._trace.tag is self.tag

    def wrap(self, x: Any) -> Any:
        return DuckTracer(self, x) if isinstance(x, Value) else x

    def unwrap(self, x: Any) -> Any:
        return x.value if type(x) is DuckTracer and x._trace.tag is self.tag else x

    def process_primitive(
        self, primitive: Primitive, tracers: Sequence[Any], params: Any, /
    ) -> Any:
        tag, found, nested, several = self.tag, False, False, primitive.multiple_results
        operands: list[Any] = []
        for x in tracers:
            if type(x) is DuckTracer and x._trace.tag is tag:
                found = True
                value = x.value
                operands.append(value)
                for child in value.__dict__.values():  # `has_nested`, without the call
                    if type(child) not in plain_types and is_or_holds_value(child):
                        nested = True
            else:
                operands.append(x)
        if not found:
            return self._process_dense(primitive, tracers, params)
        if primitive.name == _composite.NAME:
            return self._dispatch(primitive, operands, params)
        context = self._context or set_current_trace(self.parent_trace)
        self._context = None
        with context:
            rules = answering.get((primitive, *map(type, operands)))
            if not rules or nested or several or _watch.active or checking.get():
                out = dispatch(primitive, operands, params, nested)
            else:  # what `dispatch` does where the first rule answers, without the call
                rule, wants_primitive = rules[0]
                try:
                    if wants_primitive:
                        out = rule(*operands, primitive=primitive, **params)
                    else:
                        out = rule(*operands, **params)
                except Exception as error:
                    say_where(error, primitive, operands)
                    raise
                if type(out) not in result_types:
                    out = dispatch(primitive, operands, params, nested, first=out)
        self._context = context
        if several:
            return [DuckTracer(self, x) if isinstance(x, Value) else x for x in out]
        return DuckTracer(self, out) if isinstance(out, Value) else out

    def _dispatch(self, primitive: Primitive, operands: Sequence[Any], params: Any) -> Any:
        with set_current_trace(self.parent_trace), _composite.met_by(self.tag):
            out = dispatch(primitive, operands, params)
        if primitive.multiple_results:
            return [DuckTracer(self, x) if isinstance(x, Value) else x for x in out]
        return DuckTracer(self, out) if isinstance(out, Value) else out

    def _process_dense(self, primitive: Primitive, operands: Sequence[Any], params: Any) -> Any:
        """An operation without a value among its operands."""
        if _watch.active and _watch.here.watcher is not None:
            _watch.here.watcher.passed += 1
        if primitive is lift_p:
            return DuckTracer(self, params["structure"].unflatten(operands))
        if (primitive.name == _composite.NAME and not _composite.is_checkpoint(params)) or (
            inside.ever_lifted and contains_lift(params) and handler_of(primitive) is not None
        ):  # the rules of a composite primitive may close over values
            return self._dispatch(primitive, operands, params)
        out = self._bind_dense(primitive, operands, params)
        if primitive in passing_on:
            pass_on(primitive, operands[0], params, out)
        elif not operands:
            note_created(primitive, out)
        return out

    def _bind_dense(self, primitive: Primitive, operands: Sequence[Any], params: Any) -> Any:
        if not self.parent_requires_low and binds_plainly(primitive):
            return self.parent_trace.process_primitive(primitive, operands, params)
        jitted = small_jit(params) if primitive is jit_p and self.is_over_eager else None
        if jitted is None:
            return bind_under(self.parent_trace, primitive, operands, params)
        context = self._context or set_current_trace(self.parent_trace)
        self._context = None
        with context:
            out = jitted(*operands)
        self._context = context
        return out

    def stage_value(self, value: Any) -> Any:
        if self.owns(value):
            return value
        staged = self.parent_trace.stage_value(value)
        constant = noted_constant(value)
        if constant is not None and isinstance(staged, jax.Array):
            note_constant(staged, constant)
        return staged

    def process_custom_jvp_call(
        self,
        primitive: Primitive,
        fun: Any,
        jvp: Any,
        tracers: Sequence[Any],
        /,
        *,
        symbolic_zeros: bool,
    ) -> list[Any]:
        from ._rules.custom_jvp import custom_jvp_call

        operands = [self.unwrap(t) for t in tracers]
        call = _watch.watched(custom_jvp_call, primitive, operands)
        outs = call(self, primitive, fun, jvp, operands, symbolic_zeros)
        return [self.wrap(x) for x in outs]

    def process_custom_vjp_call(
        self,
        primitive: Primitive,
        fun: Any,
        fwd: Any,
        bwd: Any,
        tracers: Sequence[Any],
        /,
        *,
        out_trees: Callable[[], Any],
        symbolic_zeros: bool,
    ) -> list[Any]:
        from ._rules.custom_vjp import custom_vjp_call

        operands = [self.unwrap(t) for t in tracers]
        call = _watch.watched(custom_vjp_call, primitive, operands)
        outs = call(self, primitive, fun, fwd, bwd, operands, out_trees, symbolic_zeros)
        return [self.wrap(x) for x in outs]

    def process_call(
        self, primitive: Primitive, fun: Any, tracers: Sequence[Any], params: Any, /
    ) -> Any:
        # Only some of JAX 0.10's rematerialisation still comes this way; the call means nothing.
        with set_current_trace(self):
            return fun.call_wrapped(*tracers)

    def process_shard_map(
        self,
        primitive: Primitive,
        fun: Any,
        tracers: Sequence[Any],
        /,
        *,
        in_specs: Sequence[Any],
        **params: Any,
    ) -> Any:
        from ._rules.shard_map import shard_map

        operands = [self.unwrap(t) for t in tracers]
        call = _watch.watched(shard_map, primitive, operands)
        return call(self, primitive, fun, operands, in_specs, params)


class _ThisThread(threading.local):
    eager_trace: DuckTrace | None = None


_this_thread = _ThisThread()


def trace_over(parent: Trace) -> DuckTrace:
    """A trace above `parent`; above the eager one always the same, for each thread.

    JAX's cache of compiled calls has the current trace in its key: with a new trace for each eager
    call, every jitted function called inside would gain a dead entry each time.
    """
    if not is_eager(parent):
        return DuckTrace(parent, TraceTag())
    trace = _this_thread.eager_trace
    if trace is None or trace.parent_trace is not parent:
        trace = _this_thread.eager_trace = DuckTrace(parent, TraceTag())
    return trace


def run(
    tag: TraceTag,
    function: Callable[..., Sequence[Any]],
    operands: Sequence[Any],
    constants: Constants = (),
) -> list[Any]:
    """Calls `function` with values wrapped, under a trace above the current one; unwraps."""
    with inside:
        note_all(operands, constants)
        trace = DuckTrace(current_trace(), tag)
        inner = [DuckTracer(trace, x) if isinstance(x, Value) else x for x in operands]
        with set_current_trace(trace):
            outs = function(*inner)
        return [trace.unwrap(x) for x in outs]


def value_of(x: Any) -> Any:
    """The value behind an array seen inside `quaxify`; anything else as it is.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, quaxify, value_of
        >>> class Wrapped(ArrayValue):
        ...     array: jax.Array
        ...     def materialize(self):
        ...         return self.array
        >>> quaxify(lambda x: type(value_of(x)).__name__)(Wrapped(jnp.ones(2)))
        'Wrapped'
    """
    return x.value if isinstance(x, DuckTracer) else x
