"""`register` with Quax's arguments."""

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

import jax
from jax.extend.core import Primitive

from duckarray.core._annotations import array_type, hints_of
from duckarray.core._dispatch import sees_values
from duckarray.core._registry import add_rules
from duckarray.core._value import Value

_SCALARS = frozenset({bool, int, float, complex})
_UNIONS = (typing.Union, types.UnionType)

F = TypeVar("F", bound=Callable[..., Any])


def register(primitive: Primitive, /, *, precedence: int = 0) -> Callable[[F], F]:
    """Makes a function the rule for a primitive on operands of the annotated types.

    As in Quax, values inside an operand are seen as they are, not as arrays. A rule that computes
    on them calls `quaxify`, or plain `jax.numpy`, which works here.

    Args:
        primitive: the primitive.
        precedence: decides between rules of which neither is more specific; the greater wins.

    Returns:
        A decorator that returns the function as it is.

    Example:
        >>> import jax
        >>> from jax import lax
        >>> from jax.typing import ArrayLike
        >>> import duckarray.core.quax as quax
        >>> class Scaled(quax.ArrayValue):
        ...     array: jax.Array
        ...     def aval(self):
        ...         return jax.typeof(self.array)
        ...     def materialise(self):
        ...         return self.array
        >>> @quax.register(lax.mul_p)
        ... def _(x: Scaled, y: ArrayLike, **params):
        ...     return Scaled(quax.quaxify(lax.mul)(x.array, y))
    """

    def decorate(rule: F) -> F:
        registered = _for_numbers(rule)
        sees_values.add(registered)
        add_rules([primitive], registered, precedence)
        return rule

    return decorate


def _for_numbers(rule: Callable[..., Any]) -> Callable[..., Any]:
    """`rule`; if it is for Python numbers, one for arrays too that passes on what is no number.

    Dense operands of all kinds count as arrays where rules are found, so that they are found by the
    types of the values alone.
    """
    signature, hints = inspect.signature(rule), hints_of(rule)
    numbers = {
        i: tuple(scalars)
        for i, p in enumerate(signature.parameters.values())
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        and (scalars := _SCALARS.intersection(_members(hints.get(p.name))))
        and not any(issubclass(jax.Array, m) for m in _members(hints[p.name]))
    }
    if not numbers:
        return rule

    @functools.wraps(rule)
    def for_numbers(*operands: Any, **params: Any) -> Any:
        for i, scalars in numbers.items():
            if i < len(operands) and not isinstance(operands[i], (Value, *scalars)):
                return NotImplemented
        return rule(*operands, **params)

    del for_numbers.__wrapped__
    parameters = [
        p.replace(annotation=hints[p.name] | jax.Array)
        if i in numbers
        else p.replace(annotation=hints.get(p.name, p.empty))
        for i, p in enumerate(signature.parameters.values())
    ]
    for_numbers.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    for_numbers.__annotations__ = {
        p.name: p.annotation for p in parameters if p.annotation is not p.empty
    }
    return for_numbers


def _members(hint: Any) -> tuple[type, ...]:
    """The classes of a union, or the one class."""
    hint = array_type(hint)
    found = typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)
    return tuple(m for m in found if isinstance(m, type))
