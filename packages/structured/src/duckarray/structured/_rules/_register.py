"""`register` and `register_function` for rules that broadcast arrays of different ranks."""

from collections.abc import Callable
from typing import Any, TypeVar

from duckarray import core
from duckarray.structured._ranks import free_ranks

F = TypeVar("F", bound=Callable[..., Any])


def register(*primitives: Any, **options: Any) -> Callable[[F], F]:
    """As in `duckarray.core`."""

    def decorate(function: F) -> F:
        core.register(*primitives, **options)(free_ranks(function))
        return function

    return decorate


def register_function(function: Callable[..., Any]) -> Callable[[F], F]:
    """As in `duckarray.core`."""

    def decorate(rule: F) -> F:
        core.register_function(function)(free_ranks(rule))
        return rule

    return decorate
