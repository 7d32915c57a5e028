"""Rules for library functions: `register_function(jnp.linalg.solve)`.

By the time its primitives are met, `solve` is an LU factorisation and nothing is left of a
structured matrix. But a function that JAX jits arrives as one equation first, and the program it
holds says which function it was traced from. That of a derivative does not name its arguments: it
is left alone.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import jax

from ._recognise import Function
from ._registry import add_rule

F = TypeVar("F", bound=Callable[..., Any])

_NOT_JITTED = """`register_function({name})`: JAX does not jit it, so it is never seen whole.
Register a rule for the jitted function it calls, or for the primitives it runs."""

_NOT_A_FUNCTION = """`register_function({function!r})` takes a function, but got a `{type}`.
Pass the library's function itself: `register_function(jnp.linalg.solve)`."""

_NO_PARAMETER = """`register_function({name}, arguments=...)`: `{name}` has no parameter {unknown}.
Its parameters are {parameters}."""

# Functions that have rules, by name and by the key of their rules.
_functions: dict[str, dict[str, Function]] = {}


def register_function(
    function: Callable[..., Any],
    *,
    arguments: Mapping[str, Any] | None = None,
    precedence: int = 0,
) -> Callable[[F], F]:
    """Makes a function the rule for what a jitted library function does with values.

    The rule is given the function's array arguments, in order, and dispatched on like a rule of
    `register`. It returns what the function does, with values where it gives them, or
    `NotImplemented`, whereupon the function's own primitives are dispatched on. So they are where
    the other arguments are not those the rule is for (`UPLO="U"`). Under `vmap` inside `quaxify`
    the rule is given the operands of one call, if what is mapped over is their leading axis. Inside
    a derivative taken within `quaxify` the function is no longer whole, and its primitives are
    dispatched on. A function that has a derivative of its own (`pinv`) keeps it, unless the rule
    answers with a value that is not `leaf_linear`: then what the rule does is differentiated.

    Args:
        function: a function jitted by its library, such as `jnp.linalg.solve`, or one that passes
            its arguments to a jitted `_function` of the same module (`jax.scipy.linalg.solve`).
        arguments: the other arguments, by name, that the rule is for: those that are no arrays.
            Where none is given here, it is for their defaults.
        precedence: as in `register`.

    Raises:
        ValueError: if the function is not jitted, or has no parameter of a name in `arguments`.
        TypeError: if it is not a function; else as `register` does.

    Cost:
        Where the function is met on values for the first time, it is traced once more, to tell
        with what other arguments it was called.

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
    met = _seen_as(function, dict(arguments or {}))
    key = key_of(met)

    def decorate(rule: F) -> F:
        add_rule(key, rule, precedence)
        _functions.setdefault(met.source.split(" at ")[0], {}).setdefault(key, met)
        return rule

    return decorate


def functions_named(name: str) -> Iterable[Function]:
    """The functions with rules that JAX calls by this name."""
    return _functions[name].values() if name in _functions else ()


def key_of(function: Function) -> str:
    """What the rules for a function are registered for."""
    others = sorted(function.arguments.items())
    return f"{function.source} with {others}" if others else function.source


def _seen_as(function: Callable[..., Any], arguments: dict[str, Any]) -> Function:
    name = getattr(function, "__name__", repr(function))
    jitted = _jitted(function)
    if jitted is None:
        raise ValueError(_NOT_JITTED.format(name=name))
    own = tuple(inspect.signature(jitted).parameters)
    known = dict.fromkeys([*own, *inspect.signature(function).parameters])
    unknown = [f"`{other}`" for other in arguments if other not in known]
    if unknown:
        text = ", ".join(unknown), ", ".join(f"`{p}`" for p in known)
        raise ValueError(_NO_PARAMETER.format(name=name, unknown=text[0], parameters=text[1]))
    plain = inspect.unwrap(jitted)
    code = plain.__code__
    source = f"{plain.__name__} at {code.co_filename}:{code.co_firstlineno}"
    return Function(function, jitted, own, source, arguments)


def _jitted(function: Callable[..., Any]) -> Callable[..., Any] | None:
    if hasattr(function, "lower"):
        return function
    plain = inspect.unwrap(function)
    inner = getattr(plain, "__globals__", {}).get(f"_{plain.__name__}")
    if isinstance(inner, jax.custom_jvp):
        inner = inner.fun
    return inner if hasattr(inner, "lower") else None
