"""What type checkers are told of functions that take values where JAX's take arrays."""

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, overload

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)


class Quaxified(Protocol[P, R, Q]):
    """A function with the signature of JAX's for arrays, that may be given anything else too."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    @overload
    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> Any: ...


def quaxified(fn: Callable[P, R], of_values: Callable[Q, Any]) -> Quaxified[P, R, Q]:
    """Says that `fn` takes values, by parameters with the names of its own; only stubs call it."""
    raise NotImplementedError
