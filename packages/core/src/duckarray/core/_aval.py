"""What a hand-written `aval` may give: an abstract value, or what says a shape and a dtype."""

import functools
from collections.abc import Callable
from typing import Any

from jax.core import AbstractValue, ShapedArray

_NO_AVAL = """`{name}.aval` returned {got}, which has no shape and dtype.
Return `jax.core.ShapedArray(shape, dtype)`, or a `jax.ShapeDtypeStruct`."""


def giving_aval(aval: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The method `aval` of a class, which gives an abstract value of JAX whatever it was to give.

    Raises:
        ValueError: on a call, if `aval` gives something without a shape and a dtype.
    """
    if getattr(aval, "_gives_aval", False):
        return aval

    @functools.wraps(aval)
    def giving(self: Any) -> Any:
        out = aval(self)
        return out if isinstance(out, AbstractValue) else _shaped(type(self), out)

    giving._gives_aval = True  # type: ignore[attr-defined]
    return giving


def _shaped(cls: type, out: Any) -> ShapedArray:
    if not (hasattr(out, "shape") and hasattr(out, "dtype")):
        # Not a TypeError: JAX would put an explanation of its own in the place of that.
        raise ValueError(_NO_AVAL.format(name=cls.__name__, got=f"a `{type(out).__name__}`"))
    weak_type = bool(getattr(out, "weak_type", False))
    return ShapedArray(tuple(out.shape), out.dtype, weak_type=weak_type)
