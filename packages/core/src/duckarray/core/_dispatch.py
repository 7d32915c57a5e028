"""From a primitive and its operands to the rule that answers: the one place where that is decided.

Rules by specificity, then the structural handler of a primitive that carries a program, then the
types' `default` hooks, then the dense arrays.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import tree_util as jtu
from jax.core import Tracer
from jax.extend.core import Primitive, TraceTag, set_current_trace, take_current_trace

from . import _checking
from ._jax import find_primitive
from ._materialize import densify, has_nested, replace_children
from ._registry import resolve
from ._value import Value

Handler = Callable[[Primitive, Sequence[Any], dict[str, Any]], Any]

# What primitives that carry programs do; filled by the modules in `_rules`.
handlers: dict[Primitive, Handler] = {}


def handles(*primitives: Primitive) -> Callable[[Handler], Handler]:
    """Makes a function the structural handler of these primitives."""

    def decorate(handler: Handler) -> Handler:
        handlers.update(dict.fromkeys(primitives, handler))
        return handler

    return decorate


def bind(primitive: Primitive | str, *operands: Any, **params: Any) -> Any:
    """Applies a primitive, dispatching on its operands; what a rule calls to pass something on.

    Args:
        primitive: the primitive or its name.
        *operands: arrays or values.
        **params: all parameters of the primitive, as a rule receives them.

    Returns:
        What the primitive gives: an array or value, or a list for a primitive of several results.

    Raises:
        ValueError: if JAX has no primitive of that name.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import bind
        >>> bind("neg", jnp.ones(2))
        Array([-1., -1.], dtype=float32)
    """
    from ._trace import bind_inside

    primitive = find_primitive(primitive)
    if any(isinstance(x, Value) for x in operands):
        if any(isinstance(x, Tracer) for x in operands):
            return bind_inside(primitive, operands, params)
        return dispatch(primitive, operands, params)
    return primitive.bind(*operands, **params)


def dispatch(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """Answers `primitive`, at least one of whose operands is a value; runs under the parent trace."""
    types = tuple([type(x) if isinstance(x, Value) else jax.Array for x in operands])
    rules = resolve(primitive, types)
    for i, rule in enumerate(rules.functions):
        out = _call_rule(rule, operands, params)
        if out is not NotImplemented:
            if _checking.enabled:
                _checking.check_output(primitive, rules.names[i], operands, params, out)
            return out
    handler = handlers.get(primitive)
    if handler is not None:
        out = handler(primitive, operands, params)
        if out is not NotImplemented:
            return out
    asked: list[Any] = []
    for x in operands:
        hook = type(x).default if isinstance(x, Value) else Value.default
        if hook is not Value.default and hook not in asked:
            asked.append(hook)
            out = hook(primitive, list(operands), params)
            if out is not NotImplemented:
                return out
    return primitive.bind(*[densify(x, primitive, operands) for x in operands], **params)


def _call_rule(rule: Callable[..., Any], operands: Sequence[Any], params: dict[str, Any]) -> Any:
    for x in operands:
        if isinstance(x, Value) and has_nested(x):
            return _call_rule_on_nested(rule, operands, params)
    return rule(*operands, **params)


def _call_rule_on_nested(
    rule: Callable[..., Any], operands: Sequence[Any], params: dict[str, Any]
) -> Any:
    """Runs a rule quaxified one level down: values among its operands' children become tracers."""
    from ._trace import DuckTrace

    with take_current_trace() as parent:
        trace = DuckTrace(parent, TraceTag())
        with set_current_trace(trace):
            inner = [replace_children(x, trace.wrap) if isinstance(x, Value) else x for x in operands]
            out = rule(*inner, **params)
        return out if out is NotImplemented else jtu.tree_map(trace.unwrap, out)
