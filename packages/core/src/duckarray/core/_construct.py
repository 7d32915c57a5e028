"""The constructors of value classes: what sets the fields, and what checks them.

JAX unflattens a value by calling its class with all fields as keywords, among them placeholders;
then the fields are set and nothing is checked. Such a call is told from a user's by the keyword
`OWN_CLASS`, which every class is registered with.

Once a class has been constructed, and its annotations can be read, a plain `__init__` is written
out for it, which takes a third of the time.
"""

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

_NO_MATERIALIZE = """`{cls}(...)`: the class does not say what dense array it stands for.
Give it a method `def materialize(self): ...` that returns that array, or one that raises \
`TypeError` if it should never be made dense."""

_NOT_AN_ARRAY = """`{cls}({field}=...)` takes an array, but got {value!r} of type `{type}`.
Pass `jnp.asarray(...)` of it, or declare the field with `field(static=True)` if it is not data."""

_UNSET = """`{cls}(...)`: the field `{field}` was not set by `{init}`{inherited}.
Set it in an `__init__` of `{cls}`, or give the field a default."""

_INHERITED = """`{cls}(...)`: {error}. `{cls}` has the `__init__` of `{base}`, which does not know \
its field `{field}`.
Write an `__init__` for `{cls}` that takes and sets it."""

# Metadata of each class that is the class itself: without it JAX finds the structures of values of
# two classes with as many fields equal, and now and then runs for one what is compiled for another.
# Metadata are keywords too when JAX unflattens.
OWN_CLASS = "_own_class"

Accepted = set[type]
"""The types of value known to be right for a field; grown as they are met."""

_set_field = object.__setattr__


def install_constructor(cls: Any, missing_materialize: bool) -> None:
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
    accepted: dict[str, Accepted] | None = None
    added = _fields_unknown_to_init(cls)
    names = [f.name for f in dataclasses.fields(cls)]

    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal accepted
        if OWN_CLASS in kwargs:
            for name in names:
                _set_field(self, name, kwargs[name])
            return
        if type(self) is not cls:  # called by the constructor of a subclass, which checks itself
            init(self, *args, **kwargs)
            return
        if missing_materialize:
            raise TypeError(_NO_MATERIALIZE.format(cls=cls.__name__))
        if added:
            _check_call(cls, init, added, self, args, kwargs)
        init(self, *args, **kwargs)
        if cls._has_own_init:
            _check_fields_set(cls, self, names)
        for name, convert in converters:
            _set_field(self, name, convert(getattr(self, name)))
        if accepted is None:
            accepted = _array_fields(cls)
            if cls.__init__ is construct and not converters and not cls._has_own_init:
                written = _write_out(cls, construct, checks, accepted)
                cls.__init__ = _like(init, cls, written) if written else construct
        for name, types_ in accepted.items():
            value = getattr(self, name)
            if type(value) not in types_:
                _check_array(cls, name, value, types_)
        for check in checks:
            check(self)

    cls.__init__ = _like(init, cls, construct)


def accept_own_class(cls: Any) -> None:
    """Has a `__new__` that takes certain keywords only, if `cls` has one, called without ours."""
    new = cls.__new__
    if new is object.__new__ or _takes_any_keyword(new):
        return

    @functools.wraps(new)
    def without_own_class(of: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop(OWN_CLASS, None)
        return new(of, *args, **kwargs)

    cls.__new__ = staticmethod(without_own_class)


def _takes_any_keyword(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_VARKEYWORDS)


def _fields_unknown_to_init(cls: Any) -> list[str]:
    """The fields that a class adds to those of the class whose hand-written `__init__` it has."""
    owner = cls._init_of
    if owner is None or owner is cls:
        return []
    known = {f.name for f in dataclasses.fields(owner)}
    return [f.name for f in dataclasses.fields(cls) if f.name not in known]


def _check_call(
    cls: Any, init: Any, added: Sequence[str], self: Any, args: Any, kwargs: Any
) -> None:
    """Raises if the inherited `__init__` does not take the arguments."""
    try:
        inspect.signature(init).bind(self, *args, **kwargs)
    except TypeError as error:
        base = cls._init_of.__name__
        text = _INHERITED.format(cls=cls.__name__, error=error, base=base, field=added[0])
        raise TypeError(text) from None


def _check_fields_set(cls: Any, self: Any, names: Sequence[str]) -> None:
    for name in names:
        if name not in self.__dict__ and not hasattr(self, name):
            base = cls._init_of.__name__
            inherited = "" if cls._init_of is cls else f", which `{cls.__name__}` inherits"
            text = _UNSET.format(
                cls=cls.__name__, field=name, init=f"{base}.__init__", inherited=inherited
            )
            raise TypeError(text)


def _like(init: Any, cls: type, construct: Any) -> Any:
    """`construct`, which to `inspect.signature` and `help` looks like `init`."""
    construct.__wrapped__ = init
    construct.__name__, construct.__doc__ = "__init__", init.__doc__
    construct.__qualname__ = f"{cls.__qualname__}.__init__"
    return construct


def _write_out(
    cls: Any, construct: Any, checks: Sequence[Any], accepted: dict[str, Accepted]
) -> Callable[..., None] | None:
    """`construct` as one function without loops, or None if the fields are not so simple.

    Its parameters are those of the dataclass and `OWN_CLASS`. What else it uses has a name that
    ends in two underscores, which no field may have.
    """
    fields = dataclasses.fields(cls)
    names = [f.name for f in fields]
    parameters = list(inspect.signature(construct).parameters.values())[1:]
    if (
        not names
        or [p.name for p in parameters] != names
        or any(p.kind is p.KEYWORD_ONLY for p in parameters)
        or any(name == "self" or name.endswith("__") for name in names)
        or any(hasattr(inspect.getattr_static(cls, name, None), "__set__") for name in names)
    ):
        return None
    missing = dataclasses.MISSING
    scope: dict[str, Any] = {"cls__": cls, "construct__": construct, "type__": type}
    scope |= {"check_array__": _check_array, "missing__": missing}
    given, made = [], []
    for i, f in enumerate(fields):
        if f.default is missing and f.default_factory is missing:
            given.append(f.name)
            continue
        scope[f"default{i}__"] = f.default
        given.append(f"{f.name}=default{i}__")
        if f.default_factory is not missing:
            scope[f"make{i}__"] = f.default_factory
            made.append(f"    if {f.name} is missing__: {f.name} = make{i}__()")
    store = [f"fields__[{name!r}] = {name}" for name in names]
    lines = [
        f"def __init__(self, {', '.join(given)}, *, {OWN_CLASS}=None):",
        f"    if {OWN_CLASS} is not None:",
        "        fields__ = self.__dict__",
        *(f"        {line}" for line in store),
        "        return",
        *made,
        "    if type__(self) is not cls__:",
        f"        return construct__(self, {', '.join(names)})",
        "    fields__ = self.__dict__",  # `object.__setattr__` takes twice as long
        *(f"    {line}" for line in store),
    ]
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
        lines += (f"    {name} = self.{name}" for name in accepted)
    for i, (name, types_) in enumerate(accepted.items()):
        scope[f"accepted{i}__"] = types_
        lines.append(f"    if type__({name}) not in accepted{i}__:")
        lines.append(f"        check_array__(cls__, {name!r}, {name}, accepted{i}__)")
    for i, check in enumerate(checks):
        scope[f"check{i}__"] = check
        lines.append(f"    check{i}__(self)")
    exec("\n".join(lines), scope)
    return scope["__init__"]  # type: ignore[no-any-return]


def _array_fields(cls: Any) -> dict[str, Accepted]:
    """The fields annotated as arrays."""
    try:
        hints = typing.get_type_hints(cls)
    except Exception:  # names that cannot be resolved: such a class checks its fields itself
        return {}
    found = {}
    for f in dataclasses.fields(cls):
        members = _members(hints.get(f.name))
        if f.metadata.get("static") or not any(map(_is_array_type, members)):
            continue
        if all(isinstance(m, type) or _is_array_type(m) for m in members):
            plain = {m for m in members if isinstance(m, type) and not _is_array_type(m)}
            found[f.name] = {jax.Array, np.ndarray, *plain}
    return found


def _members(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(m for arg in typing.get_args(hint) for m in _members(arg))
    return (hint,)


def _is_array_type(hint: Any) -> bool:
    if hasattr(hint, "array_type"):  # jaxtyping's `Float[Array, "m n"]` and the like
        return True
    return isinstance(hint, type) and issubclass(hint, jax.Array | np.ndarray)


def _check_array(cls: type, name: str, value: Any, accepted: Accepted) -> None:
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
