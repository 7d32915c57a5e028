"""A rule: a function, and the types of the operands it is for."""

import functools
import inspect
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._annotations import (
    array_type,
    exceptions,
    has_exceptions,
    hints_of,
    is_type,
    is_unresolved,
    permits,
    without_exceptions,
)

if TYPE_CHECKING:
    import plum

RuleFunction = Callable[..., Any]
Answer = tuple[RuleFunction, bool]

_NO_ANNOTATIONS = """rule `{name}` has no annotations, so there is nothing to dispatch on.
Annotate each operand, as in `def {name}(x: MyArray, y: ArrayLike, **params): ...`."""

_NOT_A_TYPE = """rule `{name}` is annotated with `{parameter}`, which is not a type.
Annotate an operand with a class, `ArrayLike`, or a union of such: `x: MyArray | OtherArray`."""

_UNKNOWN_NAME = """rule `{name}` is annotated with names that cannot be looked up: {error}
Define or import the type before the rule."""

_NO_OPERANDS = """rule `{name}` takes no positional operands, so there is nothing to dispatch on.
Write it as `def {name}(x: MyArray, **params): ...`."""


class Rule:
    """A function, what it is called by, and the operand types it is for."""

    def __init__(
        self, function: RuleFunction, precedence: int, mirrored: bool = False, omitted: int = 0
    ) -> None:
        primitive = inspect.signature(function).parameters.get("primitive")
        self.wants_primitive = primitive is not None and primitive.kind is primitive.KEYWORD_ONLY
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.precedence, self.mirrored, self._function = precedence, mirrored, function
        self._omitted = omitted  # so many of the last operands, which have defaults, are not given
        parameters = inspect.signature(function).parameters.values()
        if any(isinstance(p.annotation, str) for p in parameters):
            # Names local to the caller can be looked up only now.
            try:
                unknown = [
                    getattr(t, "__name__", str(t)) for t in self.signature.types if is_unresolved(t)
                ]
            except NameError as error:
                unknown = [str(error)]
            if unknown:
                raise TypeError(_UNKNOWN_NAME.format(name=self.name, error=", ".join(unknown)))

    @functools.cached_property
    def signature(self) -> "plum.Signature":
        """The operand types, found out when they are first needed."""
        import plum  # takes longer to import than all else here

        whole = plum.Signature.from_callable(self._plain())
        types = [array_type(t) for t in whole.types[: len(whole.types) - self._omitted]]
        varargs = {"varargs": array_type(whole.varargs)} if whole.has_varargs else {}
        return plum.Signature(*(reversed(types) if self.mirrored else types), **varargs)

    def _plain(self) -> RuleFunction:
        """The function, annotated with types that Plum knows."""
        hints = hints_of(self._function)
        if not any(map(has_exceptions, hints.values())):
            return self._function
        original = self._function
        copy = types.FunctionType(
            original.__code__, original.__globals__, original.__name__, original.__defaults__
        )
        copy.__kwdefaults__ = original.__kwdefaults__
        copy.__annotations__ = {name: without_exceptions(hint) for name, hint in hints.items()}
        return copy

    @functools.cached_property
    def excepting(self) -> dict[int | str, Any]:
        """By the position of an operand (`"*"` for the rest), hints made by `except_for`."""
        hints = hints_of(self._function)
        operands = _positional(self._function)
        ordered = list(reversed(operands)) if self.mirrored else operands
        return {
            "*" if p.kind is p.VAR_POSITIONAL else i: hints[p.name]
            for i, p in enumerate(ordered)
            if has_exceptions(hints.get(p.name))
        }

    def fits(self, target: "plum.Signature", operands: tuple[type, ...]) -> bool:
        """Whether the rule is for operands of these types, which are those of `target`."""
        if not target <= self.signature:
            return False
        excepting, fixed = self.excepting, len(self.signature.types)
        return not excepting or all(
            permits(excepting[key], t)
            for i, t in enumerate(operands)
            if (key := i if i < fixed else "*") in excepting
        )

    def same_as(self, other: "Rule") -> bool:
        """Whether both are for the same operands."""
        return self.signature == other.signature and self._left_out() == other._left_out()

    def is_below(self, other: "Rule") -> bool:
        """Whether this rule is the more specific one."""
        if self.signature == other.signature:
            mine, its = self._left_out(), other._left_out()
            return mine > its
        return bool(self.signature < other.signature)

    def _left_out(self) -> frozenset[Any]:
        return frozenset(
            (key, base, c)
            for key, hint in self.excepting.items()
            for base, classes in exceptions(hint)
            for c in classes
        )

    @property
    def answer(self) -> Answer:
        """The function to call with the operands, and whether it is given the primitive too."""
        function = _exchanged(self._function) if self.mirrored else self._function
        return function, self.wants_primitive


def operands_of(function: RuleFunction) -> list[inspect.Parameter]:
    """The parameters of a rule that are dispatched on; raises if there are none."""
    positional = [
        p for p in _positional(function) if p.default is p.empty or p.annotation is not p.empty
    ]
    name = function.__qualname__
    if not positional:
        raise TypeError(_NO_OPERANDS.format(name=name))
    if all(p.annotation is p.empty for p in positional):
        raise TypeError(_NO_ANNOTATIONS.format(name=name))
    for p in positional:
        if not is_type(p.annotation):
            raise TypeError(_NOT_A_TYPE.format(name=name, parameter=p))
    return positional


def count_optional(function: RuleFunction) -> int:
    """How many operands have defaults, so that they may come as parameters or not at all."""
    return sum(p.default is not p.empty for p in _positional(function))


def _positional(function: RuleFunction) -> list[inspect.Parameter]:
    kinds = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
    )
    return [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]


def _exchanged(function: RuleFunction) -> RuleFunction:
    @functools.wraps(function)
    def exchanged(x: Any, y: Any, **params: Any) -> Any:
        return function(y, x, **params)

    return exchanged
