"""What type checkers are told of functions that take values where JAX's take arrays."""

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, overload

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class Quaxified(Protocol[P, R]):
    """A function with the signature of JAX's for arrays, that may be given anything else too."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


def quaxified(fn: Callable[P, R]) -> Quaxified[P, R]:
    """Says that `fn` takes values; only stubs call it."""
    raise NotImplementedError
