"""`x.at[index]` of values."""

from collections.abc import Callable
from typing import Any

from ._engine import engine


class IndexUpdateHelper:
    """`x.at`: to be indexed."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> "IndexUpdateRef":
        return IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"{self.array!r}.at"


def _update(name: str) -> Callable[..., Any]:
    def apply(self: "IndexUpdateRef", *args: Any, **kwargs: Any) -> Any:
        return engine.call(_call_update, self.array, self.index, name, *args, **kwargs)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"As `x.at[index].{name}` of an array of JAX."
    return apply


def _call_update(x: Any, index: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(x.at[index], name)(*args, **kwargs)


class IndexUpdateRef:
    """`x.at[index]`: what is made of `x` by changing, or getting, the entries there."""

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: Any) -> None:
        self.array, self.index = array, index

    def __repr__(self) -> str:
        return f"{self.array!r}.at[{self.index!r}]"

    get = _update("get")
    set = _update("set")
    apply = _update("apply")
    add = _update("add")
    subtract = _update("subtract")
    multiply = mul = _update("multiply")
    divide = _update("divide")
    power = _update("power")
    min = _update("min")
    max = _update("max")
