"""Where the operators and methods of values find what computes them."""

from collections.abc import Callable
from typing import Any


class Engine:
    """What computes; `_operators` puts it here, since it needs more of the package than this."""

    unary: Callable[[Callable[..., Any], Any], Any]
    binary: Callable[[Callable[..., Any], Any, Any], Any]
    call: Callable[..., Any]
    method: Callable[..., Callable[..., Any]]


engine = Engine()
