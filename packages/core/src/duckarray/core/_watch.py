"""By what `explain` sees what happens: asked at each operation whether anybody watches.

Nearly always nobody does; that costs the reading of one attribute of this module.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ._value import is_value

# How many watchers there are, in all threads.
active = 0


class _Here(threading.local):
    watcher: Any = None


here = _Here()


@contextmanager
def watching(watcher: Any) -> Iterator[None]:
    """Tells `watcher` meanwhile of all that happens in this thread."""
    global active  # noqa: PLW0603
    before, here.watcher = here.watcher, watcher
    active += 1
    try:
        yield
    finally:
        active -= 1
        here.watcher = before


def body(program: Any) -> AbstractContextManager[None]:
    """Says that what happens meanwhile does so in a program that the operation carries."""
    watcher = here.watcher if active else None
    return nullcontext() if watcher is None else watcher.body(program)  # type: ignore[no-any-return]


def mark() -> Any:
    """A point of what is recorded, to which `back_to` goes back."""
    return here.watcher.mark() if active and here.watcher is not None else None


def back_to(point: Any) -> None:
    """Forgets what was recorded since `mark`: it was only tried."""
    if point is not None:
        here.watcher.back_to(point)


def watched(call: Callable[..., Any], primitive: Any, operands: Sequence[Any]) -> Any:
    """`call`, which answers `primitive` without dispatch, recorded as an operation."""
    if not active or here.watcher is None or not any(map(is_value, operands)):
        return call

    def recorded(*args: Any) -> Any:
        with here.watcher.operation(str(primitive), operands, {}) as record:
            record.outcome = "structural"
            return call(*args)

    return recorded


def answered_by(function: Any) -> None:
    """Says that a rule for a whole library function answered."""
    if active and here.watcher is not None:
        here.watcher.answered_by(function)
