"""Making one operand dense where the result has no structure, subject to the policy."""

from typing import Any

from duckarray.core.extend import densify


def dense_under_policy(x: Any, what: Any, operands: tuple[Any, ...]) -> Any:
    """The dense array, with the warning or the error that `materialization` asks for."""
    return densify(x, what, operands)
