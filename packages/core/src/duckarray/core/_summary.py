"""Short descriptions of arrays and values, for messages and `repr`; nothing is computed."""

from typing import Any

import jax
import jax.numpy as jnp

_SHORT = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf"}


def summarize(x: Any) -> str:
    """Describes an operand as in `LoraArray f32[4,8]` or `f32[8]`.

    Example:
        >>> summarize(jnp.ones((4, 8)))
        'f32[4,8]'
        >>> summarize(3.0)
        'float'
    """
    from ._value import Value

    if isinstance(x, Value):
        try:
            aval: Any = x.aval()
        except Exception:  # a message must not fail because the value it describes is broken
            return type(x).__name__
        return f"{type(x).__name__}{x._origin()} {_array(aval)}"
    return _array(x)


def _array(x: Any) -> str:
    if not (hasattr(x, "shape") and hasattr(x, "dtype")):
        return type(x).__name__
    return f"{short_dtype(x.dtype)}[{','.join(map(str, x.shape))}]"


def short_dtype(dtype: Any) -> str:
    """The abbreviation JAX prints for a dtype: `f32`, `bf16`, `i8`, `bool`, `key<fry>`."""
    if jnp.issubdtype(dtype, jax.dtypes.extended):
        return str(dtype)
    name: str = jnp.dtype(dtype).name
    letters = name.rstrip("0123456789")
    return _SHORT[letters] + name[len(letters) :] if letters in _SHORT else name


def nbytes(aval: Any) -> int:
    """The size in bytes of a dense array like `aval`."""
    size = 1
    for n in aval.shape:
        size *= n
    return size * int(getattr(aval.dtype, "itemsize", 0))
