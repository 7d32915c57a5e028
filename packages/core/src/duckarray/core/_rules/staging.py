"""Staging bodies: from a function on values to a jaxpr on their leaves, traced exactly once.

JAX's public control flow functions would trace a body once more to see what it returns, and spend
about a millisecond each on what the program's own call has already checked. Here the body is staged
directly and bound with the parameters of the equation it came from; the public functions remain the
way for what that does not cover (constants, effects, weak types to be promoted).
"""

from typing import Any, NamedTuple


class Staged(NamedTuple):
    """A body on leaves; `jaxpr` is None where it cannot be bound as it is."""

    jaxpr: Any
    out_avals: tuple[Any, ...]
