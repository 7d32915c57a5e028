"""From a primitive and its operands to the rule that answers: the one place where that is decided.

Rules by specificity, then the structural handler of a primitive that carries a program, then the
types' `default` hooks, then the dense arrays.
"""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from jax import Array
from jax import tree_util as jtu
from jax.extend.core import Primitive, TraceTag, set_current_trace

from . import _derivatives, _watch
from ._checking import (
    accept_result,
    check_avals,
    check_output,
    checking,
    result_types,
    wrong_kind,
)
from ._errors import Informative, listing
from ._jax import current_trace
from ._materialize import densify, has_nested, replace_children
from ._registry import answering, resolve
from ._source import user_location
from ._summary import summarize
from ._value import Value

Handler = Callable[[Primitive, Sequence[Any], dict[str, Any]], Any]

# What primitives that carry programs do; filled by the modules in `_rules`. Some of JAX's are not
# exported: those are known by their names.
_handlers: dict[Primitive | str, Handler] = {}

# Rules that see the values inside their operands as they are; others see arrays.
sees_values: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet()
# `default` hooks that stand for there being none.
fallbacks: list[Callable[..., Any]] = [Value.default]

_NOT_ASKED = object()


def handles(*primitives: Primitive | str) -> Callable[[Handler], Handler]:
    """Makes a function the structural handler of these primitives."""

    def decorate(handler: Handler) -> Handler:
        _handlers.update(dict.fromkeys(primitives, handler))
        return handler

    return decorate


def handler_of(primitive: Primitive) -> Handler | None:
    """The structural handler of a primitive, if it has one."""
    return _handlers.get(primitive) or _handlers.get(primitive.name)


def dispatch(
    primitive: Primitive,
    operands: Sequence[Any],
    params: dict[str, Any],
    nested: bool | None = None,
    record: Any = None,
    first: Any = _NOT_ASKED,
) -> Any:
    """Answers `primitive`, some of whose operands are values; runs under the parent trace.

    `nested` says whether there are values within an operand, if the caller knows. `record` is told
    who answered, where a program is being explained. `first` is what the first rule has given, if
    the caller has asked it.
    """
    if _watch.active and record is None and _watch.here.watcher is not None:
        return _watch.here.watcher.dispatch(primitive, operands, params)
    if nested is None:
        nested = any(isinstance(x, Value) and has_nested(x) for x in operands)
    key = (primitive, *map(type, operands))
    rules = answering.get(key)
    if rules is None:
        types = tuple([type(x) if isinstance(x, Value) else Array for x in operands])
        rules = answering[key] = resolve(primitive, types)
    checked = checking.get()
    if checked:
        check_avals(operands)
    if rules:
        try:
            for rule, wants_primitive in rules:
                if first is not _NOT_ASKED:
                    out, first = first, _NOT_ASKED
                elif nested:
                    given = {"primitive": primitive} if wants_primitive else {}
                    out = call_one_level_down(rule, *operands, **given, **params)
                elif wants_primitive:  # a `functools.partial` would take longer
                    out = rule(*operands, primitive=primitive, **params)
                else:
                    out = rule(*operands, **params)
                if out is NotImplemented:
                    continue
                if type(out) not in result_types or primitive.multiple_results:
                    several = type(out) is list or type(out) is tuple
                    if out is None or several is not primitive.multiple_results:
                        raise wrong_kind(primitive, rule, out)
                    if not several:
                        accept_result(primitive, rule, out)
                if checked:
                    check_output(primitive, rule, operands, params, out)
                if record is not None:
                    record.by_rule(rule)
                return out
        except Exception as error:
            say_where(error, primitive, operands)
            raise
    handler = handler_of(primitive)
    if handler is not None:
        with _derivatives.body:
            out = handler(primitive, operands, params)
        if out is not NotImplemented:
            if record is not None:
                record.by_handler()
            return out
    asked: list[Any] = []
    for x in operands:
        hook = type(x).default if isinstance(x, Value) else Value.default
        if hook not in fallbacks and hook not in asked:
            asked.append(hook)
            try:
                out = hook(primitive, list(operands), params)
            except Exception as error:
                say_where(error, primitive, operands)
                raise
            if out is not NotImplemented:
                if record is not None:
                    record.by_default(hook)
                return out
    return primitive.bind(*[densify(x, primitive, operands) for x in operands], **params)


def say_where(error: Exception, primitive: Primitive, operands: Sequence[Any]) -> None:
    """Adds to what a rule raises, once, the operation it was asked for and the user's line."""
    if not isinstance(error, Informative) and not hasattr(error, "_duckarray_operation"):
        operation = f"in `{primitive}` on ({listing(map(summarize, operands))}){user_location()}"
        error.add_note(operation)
        error._duckarray_operation = operation  # type: ignore[attr-defined]


def call_one_level_down(rule: Callable[..., Any], /, *operands: Any, **params: Any) -> Any:
    """Runs a rule quaxified: values among the children of its operands become tracers."""
    from ._trace import DuckTrace

    trace = DuckTrace(current_trace(), TraceTag())
    with set_current_trace(trace):
        if rule not in sees_values:
            operands = tuple(
                replace_children(x, trace.wrap) if isinstance(x, Value) else x for x in operands
            )
        out = rule(*operands, **params)
    return out if out is NotImplemented else jtu.tree_map(trace.unwrap, out)
