"""`bind`: how a rule passes an operation on."""

from collections.abc import Sequence
from typing import Any

from jax import tree_util as jtu
from jax.extend.core import Primitive

from ._dispatch import dispatch
from ._jax import binds_plainly, current_trace
from ._primitives import find_primitive
from ._trace import DuckTrace, DuckTracer
from ._value import Value


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
    if isinstance(primitive, str):
        primitive = _exported(primitive)
    if operands and hasattr(operands[0], "_trace") and binds_plainly(primitive):
        trace = current_trace()
        for x in operands:  # `takes_unchanged`, without the call
            if getattr(x, "_trace", None) is not trace:
                break
        else:
            if not trace.requires_low:
                return trace.process_primitive(primitive, operands, params)
    if not any(isinstance(x, Value) for x in operands):
        return primitive.bind(*operands, **params)
    if any(type(x) is DuckTracer for x in operands):
        return _bind_inside(primitive, operands, params)
    return dispatch(primitive, operands, params)


def _exported(name: str) -> Primitive:
    primitive = find_primitive(name)
    if isinstance(primitive, str):
        raise ValueError(
            f"`bind({name!r}, ...)`: JAX does not export this primitive.\n"
            "Pass the primitive itself: a rule with a keyword `primitive` is given it."
        )
    return primitive


def _bind_inside(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """Binds operands some of which are values and some tracers, in the trace that is current."""
    trace = current_trace()
    if isinstance(trace, DuckTrace):
        # A value that the rule made of traced parts becomes one with the values in them.
        whole = [jtu.tree_map(trace.unwrap, x) if isinstance(x, Value) else x for x in operands]
        return trace.process_primitive(primitive, list(map(trace.wrap, whole)), params)
    return dispatch(primitive, operands, params)
