"""`x.at[index]` of values."""

from collections.abc import Callable
from typing import Any

from ._engine import engine


class IndexUpdateHelper:
    """`x.at`: to be indexed.

    A type that has a better way overrides its property `at`, to return one with an `update`.

    Args:
        array: the value `x`.
        update: is called as `update(x, index, name, *args, **options)` for
            `x.at[index].name(*args, **options)`, where `name` is `"set"`, `"add"`, `"get"` or
            another of those that arrays have. By default, JAX's own with dispatch.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, extend
        >>> class Loud(ArrayValue):
        ...     array: jax.Array
        ...     def materialize(self):
        ...         return self.array
        ...     @property
        ...     def at(self):
        ...         return extend.IndexUpdateHelper(self, lambda x, index, name, *_: (name, index))
        >>> Loud(jnp.ones(2)).at[0].set(3.0)
        ('set', 0)
    """

    __slots__ = ("_update", "array")

    def __init__(self, array: Any, update: Callable[..., Any] | None = None) -> None:
        self.array, self._update = array, update or _updated

    def __getitem__(self, index: Any) -> "IndexUpdateRef":
        return IndexUpdateRef(self.array, index, self._update)

    def __repr__(self) -> str:
        return f"{self.array!r}.at"


def _updated(x: Any, index: Any, name: str, *args: Any, **options: Any) -> Any:
    return engine.call(_call_update, x, index, name, *args, **options)


def _call_update(x: Any, index: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(x.at[index], name)(*args, **kwargs)


def _method(name: str) -> Callable[..., Any]:
    def apply(self: "IndexUpdateRef", *args: Any, **options: Any) -> Any:
        return self._update(self.array, self.index, name, *args, **options)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"As `x.at[index].{name}` of an array of JAX."
    return apply


class IndexUpdateRef:
    """`x.at[index]`: what is made of `x` by changing, or getting, the entries there."""

    __slots__ = ("_update", "array", "index")

    def __init__(self, array: Any, index: Any, update: Callable[..., Any]) -> None:
        self.array, self.index, self._update = array, index, update

    def __repr__(self) -> str:
        return f"{self.array!r}.at[{self.index!r}]"

    get = _method("get")
    set = _method("set")
    apply = _method("apply")
    add = _method("add")
    subtract = _method("subtract")
    multiply = mul = _method("multiply")
    divide = _method("divide")
    power = _method("power")
    min = _method("min")
    max = _method("max")
