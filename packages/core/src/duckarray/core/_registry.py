"""`register`, and finding the rules for a primitive and the types of its operands.

Plum says which signature is more specific; it is asked once for each combination of operand types.
The answer, all rules that fit from the most specific to the least, is kept by type tuple.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import jax
from jax.extend.core import Primitive

from . import _watch
from ._errors import AmbiguousRuleError
from ._primitives import find_primitive
from ._rule import Answer, Rule, RuleFunction, count_optional, operands_of
from ._value import Value

if TYPE_CHECKING:
    import plum

F = TypeVar("F", bound=Callable[..., Any])

_NOT_BINARY = """rule `{name}` is registered with `commutative=True`, but takes ({operands}).
Only a rule of two operands can be mirrored: leave `commutative` out."""


# Keyed by name where JAX does not export the primitive.
_rules: dict[Primitive | str, list[Rule]] = {}
# For a primitive and operand types, the rules that fit, the most specific first.
resolved: dict[tuple[Primitive | str, tuple[type, ...]], tuple[Answer, ...]] = {}
# The same by the types as they are met, with those of arrays, tracers and numbers told apart.
answering: dict[tuple[Any, ...], tuple[Answer, ...]] = {}
_version = [0]


def register(
    *primitives: Primitive | str, precedence: int = 0, commutative: bool = False
) -> Callable[[F], F]:
    """Makes a function the rule for what a primitive does with operands of certain types.

    The annotations of the positional parameters are the operand types: a subclass of `ArrayValue`,
    `ArrayLike` or `jax.Array` for a dense operand of any kind, a union, `object` for anything;
    `except_for(A, B)` for a class but not another; `*xs: T` takes any
    number. The parameters of the primitive arrive as keywords; JAX adds some
    from time to time, so a rule ends in `**params`. A rule with a keyword `primitive` is given it.
    A rule that returns `NotImplemented` passes to the next most specific one.

    Args:
        *primitives: one or more primitives, or their names (`"dot_general"`).
        precedence: decides between rules of which neither is more specific; the greater wins.
        commutative: whether a rule for `(A, B)` serves `(B, A)` too, its operands exchanged.

    Returns:
        A decorator that returns the function as it is.

    Raises:
        ValueError: if JAX has no primitive of that name.
        TypeError: if the function has no annotated operands, or is `commutative` and not binary.

    Example:
        >>> import jax
        >>> from jax.typing import ArrayLike
        >>> from duckarray.core import ArrayValue, register
        >>> class Scaled(ArrayValue):
        ...     array: jax.Array
        ...     factor: jax.Array
        ...     def materialize(self):
        ...         return self.factor * self.array
        >>> @register("mul", commutative=True)
        ... def _mul_scaled_dense(x: Scaled, y: ArrayLike, **params):
        ...     return Scaled(x.array * y, x.factor)
    """
    if not primitives:
        raise TypeError(
            "`register()` was given no primitive.\n"
            'Name one or more, as in `@register("add", "sub")`.'
        )
    found = [find_primitive(p) for p in primitives]

    def decorate(function: F) -> F:
        positional = operands_of(function)
        if commutative and (
            len(positional) != 2 or any(p.kind is p.VAR_POSITIONAL for p in positional)
        ):
            listing = ", ".join(map(str, positional))
            raise TypeError(_NOT_BINARY.format(name=function.__qualname__, operands=listing))
        add_rules(found, function, precedence, commutative)
        return function

    return decorate


def add_rules(
    keys: Iterable[Primitive | str],
    function: RuleFunction,
    precedence: int,
    commutative: bool = False,
) -> None:
    """Makes `function` a rule for primitives, or for something that is not one."""
    omissible = range(count_optional(function) + 1)
    rules = [Rule(function, precedence, omitted=n) for n in omissible]
    if commutative:
        rules.append(Rule(function, precedence, mirrored=True))
    for key in keys:
        _rules.setdefault(key, []).extend(rules)
    _changed()


def registry_version() -> int:
    """A number that grows with each rule registered; a part of every cache key."""
    return _version[0]


def add_rule(key: str, function: RuleFunction, precedence: int) -> None:
    """Makes `function` a rule for something that is not a primitive."""
    operands_of(function)
    add_rules([key], function, precedence)


def call_rules(
    key: str,
    operands: Sequence[Any],
    call: Callable[..., Any] = lambda rule, *xs, **given: rule(*xs, **given),
) -> Any:
    """What the first of the rules for `key` that answers gives, or `NotImplemented`.

    `call` is what calls them, if they are not just to be called.
    """
    types = tuple([type(x) if isinstance(x, Value) else jax.Array for x in operands])
    found = resolved.get((key, types))
    if found is None:
        found = resolved[key, types] = _resolve(key, _rules.get(key, []), types)
    for function, wants_primitive in found:
        given = {"primitive": key} if wants_primitive else {}
        out = call(function, *operands, **given)
        if out is not NotImplemented:
            _watch.answered_by(function)
            return out
    return NotImplemented


def resolve(primitive: Primitive, types: tuple[type, ...]) -> tuple[Answer, ...]:
    """The rules for operands of these types; a dense operand's type is given as `jax.Array`."""
    key = (primitive, types)
    found = resolved.get(key)
    if found is None:
        rules = [*_rules.get(primitive, ()), *_rules.get(primitive.name, ())]
        found = resolved[key] = _resolve(primitive, rules, types)
    return found


def save_rules() -> Callable[[], None]:
    """Remembers all rules; calling what it returns restores them (for tests)."""
    saved = {primitive: list(rules) for primitive, rules in _rules.items()}

    def restore() -> None:
        _rules.clear()
        _rules.update({primitive: list(rules) for primitive, rules in saved.items()})
        _changed()

    return restore


def _changed() -> None:
    _version[0] += 1
    resolved.clear()
    answering.clear()


def _resolve(
    primitive: Primitive | str, rules: Sequence[Rule], types: tuple[type, ...]
) -> tuple[Answer, ...]:
    import plum

    target = plum.Signature(*types)
    remaining: list[Rule] = []
    for rule in rules:
        if rule.fits(target, types):  # the later of two equal ones replaces the earlier
            remaining = [r for r in remaining if not r.same_as(rule)]
            remaining.append(rule)
    answers: list[Answer] = []
    while remaining:
        best = [r for r in remaining if not any(o.is_below(r) for o in remaining if o is not r)]
        best = _greatest(best, lambda r: r.precedence)
        best = _greatest(best, lambda r: _priority(r.signature, len(types)))
        if len(best) > 1:
            answers.append((_ambiguity(primitive, types, best), False))
            break
        answers.append(best[0].answer)
        remaining.remove(best[0])
    return tuple(answers)


def _greatest(rules: list[Rule], key: Callable[[Rule], int]) -> list[Rule]:
    if len(rules) < 2:
        return rules
    top = max(map(key, rules))
    return [r for r in rules if key(r) == top]


def _priority(signature: "plum.Signature", count: int) -> int:
    """The greatest `array_priority` among the value types a rule names."""
    hints: Iterable[Any] = signature.expand_varargs(count)
    return max(
        (h.array_priority for h in hints if isinstance(h, type) and issubclass(h, Value)),
        default=-1,
    )


def _ambiguity(
    primitive: Primitive | str, types: tuple[type, ...], rules: list[Rule]
) -> RuleFunction:
    """A rule that raises; the error appears only where dispatch gets as far as this."""
    operands = ["dense" if t is jax.Array else t.__name__ for t in types]
    candidates = [f"{r.name}{str(r.signature).removeprefix('Signature')}" for r in rules]

    def ambiguous(*operands_: Any, **params: Any) -> Any:
        raise AmbiguousRuleError(str(primitive), operands, candidates)

    return ambiguous
