"""Rules for library functions: `register_function(jnp.linalg.solve)`.

By the time its primitives are met, `solve` is an LU factorisation and nothing is left of a
structured matrix. But a function that JAX jits arrives as one equation first, and the program it
holds says which function it was traced from. That of a derivative does not name its arguments: it
is left alone.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
from jax import tree_util as jtu

from ._dispatch import call_one_level_down
from ._jax import debug_info_of
from ._materialize import has_nested
from ._registry import add_rule, call_rules
from ._value import Value

F = TypeVar("F", bound=Callable[..., Any])

_NOT_JITTED = """`register_function({name})`: JAX does not jit it, so it is never seen whole.
Register a rule for the jitted function it calls, or for the primitives it runs."""

_NOT_A_FUNCTION = """`register_function({function!r})` takes a function, but got a `{type}`.
Pass the library's function itself: `register_function(jnp.linalg.solve)`."""

_names: set[str] = set()
# By what JAX says of a function: its parameters, in order.
_parameters: dict[str, list[str]] = {}


def register_function(function: Callable[..., Any], *, precedence: int = 0) -> Callable[[F], F]:
    """Makes a function the rule for what a jitted library function does with values.

    The rule is given the function's array arguments, in order, and dispatched on like a rule of
    `register`. It returns what the function does, with values where it gives them, or
    `NotImplemented`, whereupon the function's own primitives are dispatched on. Other arguments are
    not known to it. Inside a derivative taken within `quaxify` the function is no longer whole,
    and its primitives are dispatched on.

    Args:
        function: a function jitted by its library, such as `jnp.linalg.solve`, or one that passes
            its arguments to a jitted `_function` of the same module (`jax.scipy.linalg.solve`).
        precedence: as in `register`.

    Raises:
        ValueError: if the function is not jitted.
        TypeError: if it is not a function; else as `register` does.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from jax.typing import ArrayLike
        >>> from duckarray.core import ArrayValue, quaxify, register_function
        >>> class Diag(ArrayValue):
        ...     diagonal: jax.Array
        ...     def materialize(self):
        ...         return jnp.diag(self.diagonal)
        >>> @register_function(jnp.linalg.solve)
        ... def _solve_diag_dense(a: Diag, b: ArrayLike):
        ...     return b / a.diagonal
        >>> quaxify(jnp.linalg.solve)(Diag(jnp.array([2.0, 4.0])), jnp.ones(2))
        Array([0.5 , 0.25], dtype=float32)
    """
    if not callable(function):
        raise TypeError(_NOT_A_FUNCTION.format(function=function, type=type(function).__name__))
    key = _source(function)
    _parameters[key] = list(inspect.signature(_jitted(function) or function).parameters)

    def decorate(rule: F) -> F:
        add_rule(key, rule, precedence)
        _names.add(key.split(" at ")[0])
        return rule

    return decorate


def call_function_rule(params: dict[str, Any], operands: Sequence[Any]) -> Any:
    """What a rule gives for the function a `jit` equation holds, as a list, or `NotImplemented`."""
    if params["name"] not in _names:
        return NotImplemented
    debug_info = debug_info_of(params["jaxpr"])
    if debug_info.arg_names is None or len(debug_info.arg_names) != len(operands):
        return NotImplemented
    key = debug_info.func_src_info
    given = _in_order(key, debug_info.arg_names, operands)
    nested = any(isinstance(x, Value) and has_nested(x) for x in given)
    out = call_rules(key, given, call_one_level_down) if nested else call_rules(key, given)
    if out is NotImplemented:
        return NotImplemented
    outs = jtu.tree_leaves(out, is_leaf=lambda x: isinstance(x, Value))
    expected = params["jaxpr"].out_avals
    same = len(outs) == len(expected) and all(
        tuple(x.shape) == tuple(want.shape) and x.dtype == want.dtype
        for x, want in zip(outs, expected, strict=True)
    )
    return outs if same else NotImplemented


def _in_order(key: str, names: Sequence[str], operands: Sequence[Any]) -> list[Any]:
    """Operands in the order of the function's parameters; JAX sorts those passed by name."""
    parameters = _parameters.get(key, [])

    def position(i: int) -> int:
        name = re.split(r"[.[]", names[i])[0]  # of a leaf of an argument: the argument
        return parameters.index(name) if name in parameters else i

    return [operands[i] for i in sorted(range(len(operands)), key=position)]


def _source(function: Callable[..., Any]) -> str:
    """What JAX says a program was traced from: name, file and line."""
    jitted = _jitted(function)
    if jitted is None:
        raise ValueError(_NOT_JITTED.format(name=getattr(function, "__name__", repr(function))))
    code = inspect.unwrap(jitted).__code__
    return f"{inspect.unwrap(jitted).__name__} at {code.co_filename}:{code.co_firstlineno}"


def _jitted(function: Callable[..., Any]) -> Callable[..., Any] | None:
    if hasattr(function, "lower"):
        return function
    plain = inspect.unwrap(function)
    inner = getattr(plain, "__globals__", {}).get(f"_{plain.__name__}")
    if isinstance(inner, jax.custom_jvp):
        inner = inner.fun
    return inner if hasattr(inner, "lower") else None
