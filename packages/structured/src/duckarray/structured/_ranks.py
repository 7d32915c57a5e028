"""`free_ranks`: code that broadcasts, whatever a program forbids for itself."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import jax

F = TypeVar("F", bound=Callable[..., Any])


def free_ranks(function: F) -> F:
    """Lets arrays of different ranks broadcast in `function`, though the user may forbid it.

    A program that sets `jax_numpy_rank_promotion` to "raise" means its own arrays, not ours.
    """

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with jax.numpy_rank_promotion("allow"):
            return function(*args, **kwargs)

    return run  # type: ignore[return-value]
