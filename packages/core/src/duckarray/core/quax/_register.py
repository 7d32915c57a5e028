"""`register` with Quax's arguments."""

from collections.abc import Callable
from typing import Any, TypeVar

from jax.extend.core import Primitive

from duckarray.core._dispatch import sees_values
from duckarray.core._registry import add_rules

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
        sees_values.add(rule)
        add_rules([primitive], rule, precedence)
        return rule

    return decorate
