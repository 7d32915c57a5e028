"""Whether what is being traced is the derivative of a program, as JAX names its operations."""

import operator
import threading
from typing import Any

from jax.extend.source_info_util import current_name_stack


class _Calls(threading.local):
    """A context for a call of `quaxify`, which may be entered many times.

    What transforms outside do makes none of the operations of its program those of a derivative.
    """

    def __init__(self) -> None:
        # Of each call that runs: the names that there were where `quaxify` was called, and whether
        # a body, whose names begin anew, is of a derivative.
        self.running: list[list[Any]] = [[(), False]]

    def __enter__(self) -> None:
        self.running.append([current_name_stack().stack, False])

    def __exit__(self, *exception: object) -> None:
        self.running.pop()


class _Body(threading.local):
    """A context for an operation that has a body, which may be entered many times."""

    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        running = call.running[-1]
        self.before.append(running[1])
        running[1] = is_of_derivative()

    def __exit__(self, *exception: object) -> None:
        call.running[-1][1] = self.before.pop()


call, body = _Calls(), _Body()


def is_of_derivative() -> bool:
    """Whether a transform inside `quaxify` differentiates what is being traced."""
    outside, within = call.running[-1]
    if within:
        return True
    names = current_name_stack().stack
    if names[: len(outside)] == outside and all(map(operator.is_, names, outside)):
        names = names[len(outside) :]  # else they have begun anew, as in what `jit` traces
    return any(
        type(name).__name__ == "Transform" and name.name in ("jvp", "transpose") for name in names
    )
