"""What the operands of a rule are annotated with: which hints are types, and `except_for`."""

import inspect
import types
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar

_NOT_CLASSES = """`except_for({arguments})` takes the class that a rule is for and the classes \
that it is not for, but got {problem}.
Write it as in `x: except_for(ArrayValue, LoraArray)`."""


class _Excluded:
    """The mark that `except_for` leaves on a class."""

    def __init__(self, classes: tuple[type, ...]) -> None:
        self.classes = frozenset(classes)

    def __repr__(self) -> str:
        return f"except_for {', '.join(sorted(c.__name__ for c in self.classes))}"


def except_for(base: Any, *excluded: type) -> Any:
    """Annotates an operand of a rule: a `base`, but none of the classes `excluded`.

    It is how two rules that would fit the same operands are kept apart. A rule for
    `except_for(A, B)` is more specific than one for `A`.

    Args:
        base: the class that the operand is of, or a union of classes.
        *excluded: the classes, most often subclasses of `base`, that the rule is not for.

    Returns:
        A type hint, which may be part of a union: `except_for(A, B) | jax.Array`.

    Raises:
        TypeError: if these are not classes, or none is excluded.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, except_for, quaxify, register
        >>> class Scaled(ArrayValue):
        ...     array: jax.Array
        ...     def materialize(self):
        ...         return 2 * self.array
        >>> class Half(Scaled):
        ...     def materialize(self):
        ...         return self.array / 2
        >>> @register("neg")
        ... def _neg_scaled(x: except_for(Scaled, Half), **params):
        ...     return Scaled(-x.array)
        >>> quaxify(jnp.negative)(Scaled(jnp.ones(2)))
        Scaled(array=f32[2])
    """
    members = list(_members(base)) if base is not None else [None]
    wrong = [x for x in (*members, *excluded) if not isinstance(x, type)]
    if wrong or not excluded:
        problem = f"{wrong[0]!r}" if wrong else "no class to leave out"
        arguments = ", ".join(getattr(x, "__name__", repr(x)) for x in (base, *excluded))
        raise TypeError(_NOT_CLASSES.format(arguments=arguments, problem=problem))
    return Annotated[base, _Excluded(excluded)]


def without_exceptions(hint: Any) -> Any:
    """The type hint, with what `except_for` leaves out put in again."""
    if typing.get_origin(hint) is Annotated:
        return without_exceptions(typing.get_args(hint)[0])
    if not has_exceptions(hint):
        return hint
    return typing.Union[tuple(map(without_exceptions, typing.get_args(hint)))]  # noqa: UP007


def has_exceptions(hint: Any) -> bool:
    """Whether a type hint was made by `except_for`, or is a union of which a part was."""
    if typing.get_origin(hint) is Annotated:
        return any(isinstance(x, _Excluded) for x in typing.get_args(hint)[1:])
    return _is_union(hint) and any(map(has_exceptions, typing.get_args(hint)))


def exceptions(hint: Any) -> frozenset[tuple[Any, frozenset[type]]]:
    """The parts of a hint made by `except_for`, each as its class and what it leaves out."""
    return frozenset(part for part in _parts(hint) if part[1])


def permits(hint: Any, operand: type) -> bool:
    """Whether an operand type is one that `except_for` does not leave out of a hint that fits."""
    return any(
        not isinstance(member, type)  # it fits, as far as is known
        or (issubclass(operand, member) and not issubclass(operand, tuple(excluded)))
        for member, excluded in _parts(hint)
    )


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function with what `except_for` says, those in strings looked up.

    Raises:
        NameError: if a name in one cannot be looked up.
    """
    annotations = inspect.get_annotations(function)
    if any(isinstance(a, str) and "except_for" in a for a in annotations.values()):
        return typing.get_type_hints(function, include_extras=True)
    return annotations


def is_type(annotation: Any) -> bool:
    """Whether it can be dispatched on; a string stands for a type to be looked up."""
    special = annotation in (inspect.Parameter.empty, Any)
    typed = isinstance(annotation, type | str | TypeVar) or hasattr(annotation, "array_type")
    return special or typed or typing.get_origin(annotation) is not None


def is_unresolved(hint: Any) -> bool:
    """Whether a name in an annotation was not found; Plum leaves a stand-in for its type."""
    return isinstance(hint, str) or type(hint).__module__.startswith("beartype")


def array_type(hint: Any) -> Any:
    """What an annotation is compared as: the shapes jaxtyping states are not dispatched on."""
    if is_unresolved(hint):
        return hint
    if _is_union(hint):  # as jaxtyping makes of `Float[ArrayLike, "n"]`
        return typing.Union[tuple(array_type(h) for h in typing.get_args(hint))]  # noqa: UP007
    return getattr(hint, "array_type", hint)


def _parts(hint: Any, excluded: frozenset[type] = frozenset()) -> Iterator[Any]:
    if typing.get_origin(hint) is Annotated:
        inner, *marks = typing.get_args(hint)
        found = [mark.classes for mark in marks if isinstance(mark, _Excluded)]
        yield from _parts(inner, excluded.union(*found))
    elif _is_union(hint):
        for member in typing.get_args(hint):
            yield from _parts(member, excluded)
    else:
        yield array_type(hint), excluded


def _members(hint: Any) -> Iterator[Any]:
    yield from typing.get_args(hint) if _is_union(hint) else (hint,)


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)
