"""Turns a subclass of `Value` into a frozen dataclass and a pytree, as cheaply as both can be."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import equinox as eqx
from jax import tree_util as jtu

from ._construct import OWN_CLASS, accept_own_class, install_constructor

_IS_A_HOOK = """`{cls}` has a field `default`, which is what the class itself is asked for by that \
name: `Value.default` answers the operations without a rule.
Call the field something else."""


def field(
    *, static: bool = False, converter: Callable[[Any], Any] | None = None, **kwargs: Any
) -> Any:
    """Describes a field of a `Value`; a static one is part of the tree structure, not a leaf.

    Args:
        static: whether the field is metadata: hashable, compared by `==`, and a reason to compile
            anew when it changes.
        converter: a function applied to what the constructor is given.
        **kwargs: passed to `dataclasses.field` (`default`, `default_factory`, `metadata` …).

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, field
        >>> class Tagged(ArrayValue):
        ...     array: jax.Array
        ...     tag: str = field(static=True, default="m")
        ...     def materialize(self):
        ...         return self.array
        >>> jax.tree.leaves(Tagged(jnp.ones(2)))
        [Array([1., 1.], dtype=float32)]
    """
    metadata = dict(kwargs.pop("metadata", None) or {})
    if static:
        metadata["static"] = True
    if converter is not None:
        metadata["converter"] = converter
    return dataclasses.field(metadata=metadata, **kwargs)


def make_value_class(cls: Any, missing_materialize: bool) -> None:
    """Makes `cls` a frozen dataclass and a pytree; its fields may hide properties of its bases."""
    hiding = [n for n in inspect.get_annotations(cls) if _hides_inherited(cls, n)]
    if "default" in hiding:
        raise TypeError(_IS_A_HOOK.format(cls=cls.__name__))
    for name in hiding:
        if name not in cls.__dict__:  # else dataclasses take what is inherited for the default
            setattr(cls, name, dataclasses.field())
    if issubclass(cls, eqx.Module):  # Equinox's metaclass does all else itself
        return
    # The class whose hand-written `__init__` this one has.
    cls._init_of = cls if "__init__" in cls.__dict__ else getattr(cls, "_init_of", None)
    cls._has_own_init = cls._init_of is not None
    dataclasses.dataclass(frozen=True, eq=False, repr=False, init=not cls._has_own_init)(cls)
    for name in ("__setattr__", "__delattr__"):
        if name in cls.__dict__:  # `Value`'s own let a hand-written `__init__` set each field once
            delattr(cls, name)
    for name in hiding:
        if name not in cls.__dict__:
            setattr(cls, name, _InstanceAttribute(name))
    _register_pytree(cls)
    install_constructor(cls, missing_materialize)


def _hides_inherited(cls: type, name: str) -> bool:
    """Whether a field has the name of a property of a base, or of a method of `ArrayValue`."""
    if "ClassVar" in str(inspect.get_annotations(cls)[name]):
        return False
    owner = next((c for c in cls.__mro__[1:] if name in c.__dict__), object)
    if owner.__module__.rpartition(".")[0] == __name__.rpartition(".")[0]:
        return True
    return isinstance(owner.__dict__.get(name), property) and not issubclass(cls, eqx.Module)


class _InstanceAttribute:
    """Hides a property of a base class, so that the instance's own attribute is read instead."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise AttributeError(f"the field `{self.name}` is not set")


def _register_pytree(cls: Any) -> None:
    """Registers `cls` as JAX registers dataclasses: the fields are read in C++, not in Python."""
    fields = dataclasses.fields(cls)
    dynamic = [f.name for f in fields if not f.metadata.get("static")]
    static = [f.name for f in fields if f.metadata.get("static")] + [OWN_CLASS]
    setattr(cls, OWN_CLASS, cls)
    accept_own_class(cls)
    own = cls.__dataclass_fields__
    # JAX compares the names with the fields of a dataclass: here is one that has just these.
    stated = dataclasses.make_dataclass(
        "Stated", [*dynamic, *static], init=False, repr=False, eq=False
    )
    cls.__dataclass_fields__ = stated.__dict__["__dataclass_fields__"]
    try:
        jtu.register_dataclass(cls, dynamic, static)
    finally:
        cls.__dataclass_fields__ = own
