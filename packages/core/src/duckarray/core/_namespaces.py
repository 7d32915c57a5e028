"""Modules of JAX in which every function is quaxified: `duckarray.core.numpy` and its like.

They are made of JAX's own at the first use of each name, so they have all that the installed JAX
has. What is no function (dtypes, constants, classes) is JAX's.
"""

import functools
import importlib
import pkgutil
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from ._operators import call
from ._trace import DuckTracer
from ._value import ArrayValue, Value, is_value

# What reads an array's memory, which no trace sees: a value is made dense for it.
_READING = frozenset({"array_repr", "array_str", "from_dlpack", "save", "savez"})


class Function:
    """A function of JAX that takes values where it takes arrays.

    Called without any, it costs little more than JAX's. Attributes are those of JAX's function.
    """

    def __init__(self, fn: Callable[..., Any], module: str, name: str) -> None:
        # It says to be of JAX's module, else doctest would take JAX's examples for ours.
        functools.update_wrapper(self, fn, updated=())
        self.__name__ = self.__qualname__ = name
        self._module = module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.__name__ in _READING:
            args, kwargs = jtu.tree_map(_dense, (args, kwargs), is_leaf=is_value)
        return _call(self.__wrapped__, args, kwargs)  # type: ignore[attr-defined]

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        fn = self.__wrapped__  # type: ignore[attr-defined]
        attribute = getattr(fn, name)
        if isinstance(fn, jnp.ufunc) and callable(attribute):  # `jnp.add.reduce` and its like
            return functools.partial(_call_method, fn, name)
        return attribute

    def __reduce__(self) -> Any:
        return _look_up, (self._module, self.__qualname__)

    def __repr__(self) -> str:
        return f"<function {self._module}.{self.__qualname__}>"


class Indexed:
    """An object of JAX that is indexed, such as `jax.numpy.r_`; what it is given may hold values.

    Attributes are those of JAX's object.
    """

    def __init__(self, original: Any, module: str, name: str) -> None:
        self.__wrapped__, self._module, self._name = original, module, name
        self.__doc__ = original.__doc__

    def __getitem__(self, index: Any) -> Any:
        return _call(self.__wrapped__.__getitem__, (index,), {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> Any:
        return _look_up, (self._module, self._name)

    def __repr__(self) -> str:
        return f"<object {self._module}.{self._name}>"


def _look_up(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _call(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    leaves = jtu.tree_leaves((args, kwargs), is_leaf=is_value)
    # A function among the arguments may hold values, or meet those that another argument holds.
    dispatched = any(isinstance(x, Value) or _is_function(x) for x in leaves)
    out = call(fn, *args, **kwargs) if dispatched else fn(*args, **kwargs)
    if _is_function(out):  # `vectorize`, initializers
        return Function(out, fn.__module__, getattr(out, "__name__", type(out).__name__))
    return out


def _call_method(fn: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    return call(getattr(fn, name), *args, **kwargs)


def _dense(x: Any) -> Any:
    if type(x) is DuckTracer:
        x = x.value
    return x._dense() if isinstance(x, ArrayValue) else x


def _is_indexed(x: Any) -> bool:
    """Whether `x` is an object whose `[]` makes an array; `s_` and its like make no array."""
    return type(x).__module__.startswith("jax.") and hasattr(type(x), "__getitem__")


def _is_function(x: Any) -> bool:
    if isinstance(x, jax.Array | Value) or not callable(x):
        return False
    return not isinstance(x, type) and type(x).__module__ not in ("typing", "types")


def mirror(name: str, original_name: str) -> None:
    """Makes the module `name`, and modules inside it, of JAX's module `original_name`.

    Example:
        >>> from duckarray.core import numpy as dnp
        >>> dnp.sin
        <function duckarray.core.numpy.sin>
    """
    original = importlib.import_module(original_name)
    module = sys.modules[name]
    for child in _children(original):
        inner = sys.modules[f"{name}.{child}"] = types.ModuleType(f"{name}.{child}")
        setattr(module, child, inner)
        inner.__package__ = inner.__name__
        mirror(inner.__name__, f"{original_name}.{child}")

    def find(attribute: str) -> Any:
        if attribute == "__all__":
            return names()
        public = not attribute.startswith("_") or attribute.startswith("__array_")
        if not public or not hasattr(original, attribute):
            raise AttributeError(
                f"module {name!r} has no attribute {attribute!r}: {original_name!r} has none"
            )
        found = getattr(original, attribute)
        if _is_function(found):
            found = Function(found, name, attribute)
        elif _is_indexed(found):
            found = Indexed(found, name, attribute)
        setattr(module, attribute, found)
        return found

    def names() -> list[str]:
        return sorted(n for n in dir(original) if not n.startswith("_"))

    def listing() -> list[str]:
        return sorted({*names(), *(n for n in vars(module) if n.startswith("__"))})

    module.__doc__ = f"`{original_name}`, every function of which takes values for arrays."
    vars(module).update(__getattr__=find, __dir__=listing)


def _children(module: types.ModuleType) -> Iterator[str]:
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not found.name.startswith("_"):
            yield found.name
