"""What programs kept for later depend on besides their operands: the rules, the policy, modes.

A package whose rules depend on a mode of its own, such as a context variable, adds it.
"""

from collections.abc import Callable, Hashable

from ._checking import checking
from ._constants import notes_almost_zeros
from ._materialize import current_policy
from ._registry import registry_version

_modes: list[Callable[[], Hashable]] = []


def add_mode(read: Callable[[], Hashable]) -> None:
    """Keeps programs apart by a mode of a package, such as a context variable, that rules read.

    Else a program rewritten while the mode was one would be used again where it is another.

    Args:
        read: returns what is in force in this thread, which can be hashed.

    Example:
        >>> from contextvars import ContextVar
        >>> from duckarray.core import extend
        >>> exact = ContextVar("exact", default=True)
        >>> extend.add_mode(exact.get)
    """
    _modes.append(read)


def current_state() -> tuple[Hashable, ...]:
    """What is in force in this thread; a part of every key that programs are kept by."""
    modes = [read() for read in _modes]
    return (current_policy(), registry_version(), checking.get(), notes_almost_zeros(), *modes)
