"""`check`: errors, rather than infinities, where a matrix has no inverse."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import equinox as eqx
import jax.numpy as jnp

_checked: ContextVar[bool] = ContextVar("duckarray_structured_check", default=False)

_SINGULAR = """`solve` met a matrix that is singular, or nearly so: the solution is not finite.
Leave out `structured.check()` to get the infinities of `jnp.linalg.solve`, or use `pinv`."""


@contextmanager
def check() -> Iterator[None]:
    """Makes solves with singular structured matrices errors, in what is traced meanwhile.

    Without it they give infinities and not-a-numbers, as `jnp.linalg.solve` does.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray import structured
        >>> a = structured.Diagonal(jnp.array([1.0, 0.0]))
        >>> quaxify(jnp.linalg.solve)(a, jnp.ones(2))
        Array([ 1., inf], dtype=float32)
        >>> with structured.check():
        ...     try:
        ...         quaxify(jnp.linalg.solve)(a, jnp.ones(2))
        ...     except RuntimeError as error:
        ...         print("singular" in str(error))
        True
    """
    token = _checked.set(True)
    try:
        yield
    finally:
        _checked.reset(token)


def checked(out: Any, *given: Any) -> Any:
    """`out`, an array, with an error if it is not finite although what was given is."""
    if not _checked.get():
        return out
    bad = ~jnp.isfinite(out).all()
    for x in given:
        bad &= jnp.isfinite(x).all()
    return eqx.error_if(out, bad, _SINGULAR)
