"""Turns a subclass of `Value` into a frozen dataclass and a pytree, as cheaply as both can be.

Construction runs the checks (`__post_init__`, array fields, `__check_init__`); unflattening, which
JAX does with placeholders for leaves, runs nothing.
"""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax import tree_util as jtu

_NO_MATERIALIZE = """`{cls}(...)`: the class does not say what dense array it stands for.
Give it a method `def materialize(self): ...` that returns that array, or one that raises \
`TypeError` if it should never be made dense."""

_NOT_AN_ARRAY = """`{cls}({field}=...)` takes an array, but got {value!r} of type `{type}`.
Pass `jnp.asarray(...)` of it, or declare the field with `field(static=True)` if it is not data."""


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
    if issubclass(cls, eqx.Module):  # Equinox's metaclass does all this itself
        return
    annotations = inspect.get_annotations(cls)
    hiding = [n for n in annotations if _is_inherited_property(cls, n)]
    for name in hiding:
        if name not in cls.__dict__:  # else dataclasses take the base's property for the default
            setattr(cls, name, dataclasses.field())
    cls._has_own_init = "__init__" in cls.__dict__ or getattr(cls, "_has_own_init", False)
    dataclasses.dataclass(frozen=True, eq=False, repr=False, init=not cls._has_own_init)(cls)
    for name in ("__setattr__", "__delattr__"):
        if name in cls.__dict__:  # `Value`'s own let a hand-written `__init__` set each field once
            delattr(cls, name)
    for name in hiding:
        if name not in cls.__dict__:
            setattr(cls, name, _InstanceAttribute(name))
    _install_checks(cls, missing_materialize)
    _register_pytree(cls)


def _is_inherited_property(cls: type, name: str) -> bool:
    inherited = [c.__dict__[name] for c in cls.__mro__[1:] if name in c.__dict__]
    return bool(inherited) and isinstance(inherited[0], property)


class _InstanceAttribute:
    """Hides a property of a base class, so that the instance's own attribute is read instead."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise AttributeError(f"the field `{self.name}` is not set")


def _install_checks(cls: Any, missing_materialize: bool) -> None:
    """Wraps `cls.__init__` so that its checks run once, after the outermost constructor."""
    init = cls.__init__
    converters = [
        (f.name, f.metadata["converter"])
        for f in dataclasses.fields(cls)
        if f.metadata.get("converter") is not None
    ]
    checks = [
        c.__dict__["__check_init__"] for c in cls.__mro__[::-1] if "__check_init__" in c.__dict__
    ]
    array_fields: list[tuple[str, set[type]]] | None = None
    set_field = object.__setattr__

    plain = not (converters or checks or missing_materialize)

    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal array_fields
        if type(self) is not cls:  # called by the constructor of a subclass, which checks itself
            init(self, *args, **kwargs)
            return
        if missing_materialize:
            raise TypeError(_NO_MATERIALIZE.format(cls=cls.__name__))
        init(self, *args, **kwargs)
        if plain and array_fields is not None:
            for name, accepted in array_fields:
                value = getattr(self, name)
                if type(value) not in accepted:
                    _check_array(cls, name, value, accepted)
            return
        for name, convert in converters:
            set_field(self, name, convert(getattr(self, name)))
        if array_fields is None:
            array_fields = _array_fields(cls)
        values = self.__dict__
        for name, accepted in array_fields:
            if type(values[name]) not in accepted:
                _check_array(cls, name, values[name], accepted)
        for check in checks:
            check(self)

    # `inspect.signature` looks here and shows the fields.
    construct.__wrapped__ = init  # type: ignore[attr-defined]
    construct.__name__, construct.__doc__ = "__init__", init.__doc__
    construct.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = construct


def _array_fields(cls: Any) -> list[tuple[str, set[type]]]:
    """The fields annotated as arrays, each with the types known to be right (grown as met)."""
    try:
        hints = typing.get_type_hints(cls)
    except Exception:  # names that cannot be resolved: such a class checks its fields itself
        return []
    found = []
    for f in dataclasses.fields(cls):
        members = _members(hints.get(f.name))
        if f.metadata.get("static") or not any(map(_is_array_type, members)):
            continue
        if all(isinstance(m, type) or _is_array_type(m) for m in members):
            plain = {m for m in members if isinstance(m, type) and not _is_array_type(m)}
            found.append((f.name, {jax.Array, np.ndarray, *plain}))
    return found


def _members(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(m for arg in typing.get_args(hint) for m in _members(arg))
    return (hint,)


def _is_array_type(hint: Any) -> bool:
    if hasattr(hint, "array_type"):  # jaxtyping's `Float[Array, "m n"]` and the like
        return True
    return isinstance(hint, type) and issubclass(hint, jax.Array | np.ndarray)


def _check_array(cls: type, name: str, value: Any, accepted: set[type]) -> None:
    scalar = isinstance(value, bool | int | float | complex) and accepted & {int, float, complex}
    if scalar or isinstance(value, tuple(accepted - {jax.Array})):
        return
    if not (hasattr(value, "shape") and hasattr(value, "dtype")):
        raise TypeError(
            _NOT_AN_ARRAY.format(
                cls=cls.__name__, field=name, value=value, type=type(value).__name__
            )
        )
    accepted.add(type(value))


def _register_pytree(cls: Any) -> None:
    fields = dataclasses.fields(cls)
    cls._static_fields = tuple(f.name for f in fields if f.metadata.get("static"))
    cls._dynamic_fields = tuple(f.name for f in fields if not f.metadata.get("static"))
    dynamic, static = cls._dynamic_fields, cls._static_fields
    keys = tuple(jtu.GetAttrKey(name) for name in dynamic)
    get_dynamic, get_static = _getter(dynamic), _getter(static)
    new, set_field = object.__new__, object.__setattr__

    # JAX calls this for each value among the arguments of each jitted call.
    if static:

        def flatten(value: Any) -> tuple[Any, Any]:
            return get_dynamic(value), get_static(value)

    elif len(dynamic) == 1:
        get_one = attrgetter(*dynamic)

        def flatten(value: Any) -> tuple[Any, Any]:
            return (get_one(value),), ()

    else:

        def flatten(value: Any) -> tuple[Any, Any]:
            return get_dynamic(value), ()

    def flatten_with_keys(value: Any) -> tuple[Any, Any]:
        return tuple(zip(keys, get_dynamic(value), strict=True)), get_static(value)

    def unflatten(aux: Any, children: Any) -> Any:
        value = new(cls)
        for name, child in zip(dynamic, children, strict=True):
            set_field(value, name, child)
        for name, datum in zip(static, aux, strict=True):
            set_field(value, name, datum)
        return value

    jtu.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads several attributes as a tuple; at C speed where there are two or more."""
    if not names:
        return lambda value: ()
    get: Callable[[Any], Any] = attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)
