"""What a product with a symbolic zero does with an infinity or a NaN on the other side."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, get_args

import jax
import jax.numpy as jnp
from jax import lax

from duckarray.core import Value
from duckarray.core.extend import add_mode

Semantics = Literal["strong", "ieee", "check"]

_BAD_MODE = """`semantics({mode!r})` is none of the ways to treat `0 * nan`.
Pass one of {modes}."""

_DROPPED = (
    "a symbolic zero absorbed a number that is not finite, or divided zero by zero: the dense "
    'program gives NaN there. `with zeros.semantics("ieee"):` computes it.'
)

_mode: ContextVar[Semantics] = ContextVar("duckarray_zeros_semantics", default="strong")
add_mode(_mode.get)


@contextmanager
def semantics(mode: Semantics) -> Iterator[None]:
    """Decides what `0 * nan`, `0 * inf` and `0 / 0` give where a zero is symbolic.

    It matters for floating-point and complex dtypes only: integers and booleans are exact in any
    case, and so is everything next to a number that is known while tracing, such as `jnp.inf`. It
    is looked at while a function is traced, so a function already compiled by `jax.jit`
    around `quaxify` is not asked again.

    Args:
        mode: `"strong"` (the default), zero; `"ieee"`, what the dense program gives: the other
            operand is computed with, unless it is a constant; `"check"`, zero, and an error at run
            time if the dense program would have given NaN. Inside `jax.jit` that error comes when
            the program is waited for, at the latest by `jax.effects_barrier()`.

    Raises:
        ValueError: if `mode` is none of these.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import materialize, quaxify
        >>> from duckarray.zeros import Zeros, semantics
        >>> bad = jnp.array([1.0, jnp.nan])
        >>> quaxify(jnp.multiply)(Zeros(2), bad)
        Zeros((2,), float32)
        >>> with semantics("ieee"):
        ...     print(materialize(quaxify(jnp.multiply)(Zeros(2), bad)))
        [ 0. nan]
    """
    if mode not in get_args(Semantics):
        modes = ", ".join(map(repr, get_args(Semantics)))
        raise ValueError(_BAD_MODE.format(mode=mode, modes=modes))
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


def current_semantics() -> Semantics:
    """The mode in force in this thread."""
    return _mode.get()


def may_absorb(dtype: Any, dropped: Any, divides: bool = False) -> bool:
    """Whether zeros of `dtype` may stand for their product with `dropped`, which is not computed.

    Args:
        dtype: that of the result.
        dropped: the other operand, an array or value.
        divides: whether zeros are divided by it, so that it must not be zero either.
    """
    mode = _mode.get()
    if mode == "strong" or not jnp.issubdtype(dtype, jnp.inexact):
        return True
    if mode == "check":
        for leaf in jax.tree.leaves(dropped) if isinstance(dropped, Value) else [dropped]:
            _check(leaf, divides and not isinstance(dropped, Value))
        return True
    return False


def _check(x: Any, divides: bool) -> None:
    """Raises, when the program runs, if `x` is not finite."""
    x = lax.stop_gradient(jnp.asarray(x))
    if not x.size or not jnp.issubdtype(x.dtype, jnp.inexact):
        return
    bad = ~jnp.isfinite(x)
    bad = jnp.any(bad | (x == 0) if divides else bad)
    if isinstance(bad, jax.core.Tracer):
        jax.debug.callback(_raise, bad)  # not `error_if`, since nothing depends on what it gives
    else:
        _raise(bad)


def _raise(bad: Any) -> None:
    if bad:
        raise FloatingPointError(_DROPPED)
