"""Whether what is being traced is the derivative of a program, as JAX names its operations."""

import threading

from jax.extend.source_info_util import current_name_stack


class _Call(threading.local):
    """A context for a call of `quaxify`, which may be entered many times.

    What transforms outside do makes none of the operations of its program those of a derivative.
    """

    outside = 0  # how many names there were where `quaxify` was called
    within = False  # whether a body, whose names begin anew, is of a derivative

    def __init__(self) -> None:
        self.before: list[tuple[int, bool]] = []

    def __enter__(self) -> None:
        self.before.append((self.outside, self.within))
        self.outside, self.within = len(current_name_stack().stack), False

    def __exit__(self, *exception: object) -> None:
        self.outside, self.within = self.before.pop()


class _Body(threading.local):
    """A context for an operation that has a body, which may be entered many times."""

    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(call.within)
        call.within = is_of_derivative()

    def __exit__(self, *exception: object) -> None:
        call.within = self.before.pop()


call, body = _Call(), _Body()


def is_of_derivative() -> bool:
    """Whether a transform inside `quaxify` differentiates what is being traced."""
    return call.within or any(
        type(name).__name__ == "Transform" and name.name in ("jvp", "transpose")
        for name in current_name_stack().stack[call.outside :]
    )
