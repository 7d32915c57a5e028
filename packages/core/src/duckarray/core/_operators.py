"""Functions applied to values from anywhere: outside `quaxify`, inside it, inside a rule.

Operators in eager mode go through a compiled call. `w @ x` with a value `w` would otherwise be
`jnp.matmul`, which JAX evaluates in Python because a trace other than its eager one is current. The
same function compiled for the value as a pytree costs about what it costs for arrays.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import tree_util as jtu
from jax.core import Tracer
from jax.extend.core import set_current_trace

from ._compiled import Function, call_with_scalar, compiled
from ._constants import noted_constant
from ._engine import engine
from ._jax import current_trace, is_jit_disabled
from ._lift import inside, is_traced, lift
from ._quaxify import quaxify
from ._trace import DuckTracer
from ._value import Value, is_value


def call(function: Function, /, *args: Any, **kwargs: Any) -> Any:
    """`function` of arguments that hold values, as the program around it would run it.

    Inside `quaxify` values that nobody passed in become arrays of the trace; elsewhere, and inside
    a rule, this is `quaxify(function)(*args, **kwargs)`.
    """
    if inside.noted and is_traced():
        args, kwargs = jtu.tree_map(
            lambda x: lift(x) if is_value(x) else x, (args, kwargs), is_leaf=is_value
        )
        return function(*args, **kwargs)
    return quaxify(function)(*args, **kwargs)


def unary(function: Function, x: Any) -> Any:
    """`function` of a value."""
    if x._eager or (inside.noted and is_traced()):
        return call(function, x)
    return compiled(function)(x)


def binary(function: Function, x: Any, y: Any) -> Any:
    """`function` of two operands, one a value; `NotImplemented` if the other is no array."""
    types = (type(x), type(y))
    way = _ways.get(types)
    if way is None:
        way = _ways[types] = _way(x, y)
    if function is operator.pow and way is not _refuse and _is_number(y):
        return call(function, x, y)  # JAX looks at an exponent that it can read
    if inside.noted and way is not _refuse and (is_traced() or _is_known(x) or _is_known(y)):
        return call(function, x, y)
    if way is _compile:
        return compiled(function)(x, y)
    return way(function, x, y)


def _compile(function: Function, x: Any, y: Any) -> Any:
    return compiled(function)(x, y)


# JAX's arrays refuse these too. Python would repeat a list, or call it different, by itself.
_CONTAINERS = (list, tuple, set, dict)


def _refuse(function: Function, x: Any, y: Any) -> Any:
    if isinstance(x, _CONTAINERS) or isinstance(y, _CONTAINERS):
        types = f"{type(x).__name__!r} and {type(y).__name__!r}"
        raise TypeError(
            f"unsupported operand type(s) for {getattr(function, '__name__', function)}: {types}.\n"
            "Make an array of the other operand: `jnp.asarray(...)`."
        )
    return NotImplemented


def _without_axes(function: Function, x: Any, y: Any) -> Any:
    """Of a NumPy array, which is a number if it has no axes."""
    other = y if isinstance(x, Value) else x
    if other.ndim:
        return compiled(function)(x, y)
    return binary(function, *(np.asarray(a)[()] if a is other else a for a in (x, y)))


# For two types of operands, what is done with them; added to as they are met.
_ways: dict[tuple[type, type], Callable[[Function, Any, Any], Any]] = {}


def _way(x: Any, y: Any) -> Callable[[Function, Any, Any], Any]:
    if (isinstance(x, Value) and x._eager) or (isinstance(y, Value) and y._eager):
        usual: Callable[..., Any] = call
    else:
        usual = _compile
    other = y if isinstance(x, Value) else x
    if isinstance(other, bool | int | float | complex | np.generic):
        return call_with_scalar if usual is _compile else call
    if isinstance(other, np.ndarray):
        return _without_axes if usual is _compile else call
    if type(other) is DuckTracer:
        return call
    if isinstance(other, jax.Array | Value) or hasattr(other, "__jax_array__"):
        return usual
    return _refuse


def _is_number(x: Any) -> bool:
    """Whether `x` is an array or value without axes."""
    if isinstance(x, Value):
        return not x.aval().shape
    return isinstance(x, jax.Array) and not x.ndim


def _is_known(x: Any) -> bool:
    """Whether `x` is an array known to be full of one number; a compiled call would not know."""
    return isinstance(x, jax.Array) and noted_constant(x) is not None


@functools.lru_cache(maxsize=1024, typed=True)
def method(name: str, *args: Any, **kwargs: Any) -> Function:
    """The method `name` of an array, with these arguments, as a function of the array."""
    return lambda x: getattr(x, name)(*args, **kwargs)


_BINARY = ("add", "sub", "mul", "truediv", "matmul", "lt", "le", "gt", "ge", "eq", "ne")


def _apply(function: Function, tracer: DuckTracer, other: Any) -> Any:
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
        or noted_constant(other) is not None  # a compiled call would not know it
    ):
        return NotImplemented
    if current_trace() is not trace:
        return NotImplemented
    with set_current_trace(trace.parent_trace):
        kept = compiled(function)
        if kept.refuses(tracer.value, other):
            return NotImplemented
        return trace.wrap(kept(tracer.value, other))


def _traced_method(name: str) -> Callable[[DuckTracer, Any], Any]:
    function = getattr(operator, name)
    usual = getattr(Tracer, f"__{name}__")

    def method(self: DuckTracer, other: Any) -> Any:
        out = _apply(function, self, other)
        return usual(self, other) if out is NotImplemented else out

    method.__name__ = f"__{name}__"
    return method


for _name in _BINARY:
    setattr(DuckTracer, f"__{_name}__", _traced_method(_name))
DuckTracer.__hash__ = Tracer.__hash__  # type: ignore[method-assign]  # `__eq__` alone would unset it

engine.unary, engine.binary, engine.call, engine.method = unary, binary, call, method
