"""Every exception and warning of `duckarray.core`; all keep what they report as attributes.

```
TypeError
├── NoRuleError           a primitive has no rule and its operand has no dense form to fall back on
├── MaterializeError      making a value dense is forbidden by the policy in force
├── AmbiguousRuleError    two rules fit equally well
├── BranchTypeError       branches of `cond` give what no type stands for both of
├── CarryTypeError        a loop carry does not settle on one type
└── RuleOutputError       a rule returned something other than the primitive does
UserWarning
└── MaterializeWarning    a value was made dense
```
"""

from collections.abc import Iterable, Sequence
from typing import Any

_MOST_LISTED = 8


class Informative:
    """Makes an exception that keeps data survive pickling, as process pools need."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)  # type: ignore[attr-defined]


def _rebuild(cls: type, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    error = cls.__new__(cls, *args)
    error.__dict__.update(attributes)
    return error


def listing(operands: Iterable[str]) -> str:
    """The operands in one line; of many only the first, since an operation may have thousands."""
    operands = list(operands)
    if len(operands) > _MOST_LISTED:
        operands[_MOST_LISTED:] = [f"and {len(operands) - _MOST_LISTED:,} more"]
    return ", ".join(operands)


def is_primitive(asked_by: str) -> bool:
    """Whether what made something dense is a primitive, for which there can be a rule."""
    return " " not in asked_by and asked_by != "cotangent"


class NoRuleError(Informative, TypeError):
    """A primitive met a value that has no rule for it and that cannot be made dense.

    Attributes:
        primitive: the name of the primitive.
        operands: one summary, such as `"Units f32[3]"`, for each operand.
        reason: why there is no dense form to fall back on.
    """

    def __init__(self, primitive: str, operands: Sequence[str], reason: str, where: str) -> None:
        self.primitive, self.operands, self.reason = primitive, tuple(operands), reason
        super().__init__(
            f"`{primitive}` on ({listing(operands)}) has no rule, and {reason}{where}.\n"
            + (
                f'Write a rule for it: `@register("{primitive}")` on a function annotated with '
                "these types, or give the type a `materialize`."
                if is_primitive(primitive)
                else "Leave it out, or give the type a `materialize`."
            )
        )


class MaterializeError(Informative, TypeError):
    """An operation would make a value dense while that is forbidden.

    Attributes:
        primitive: the name of the primitive that asked, or of what else asked.
        operands: one summary for each operand.
        value: the summary of the value that would be made dense.
        nbytes: the size of the dense array, in bytes.
    """

    def __init__(
        self, primitive: str, operands: Sequence[str], value: str, nbytes: int, where: str
    ) -> None:
        self.primitive, self.operands, self.value, self.nbytes = (
            primitive,
            tuple(operands),
            value,
            nbytes,
        )
        make = "Make"
        if is_primitive(primitive):
            make = f'Add a rule with `@register("{primitive}")`, make'
        super().__init__(
            f"`{primitive}` on ({listing(operands)}) would make {value} dense "
            f"({nbytes:,} bytes){where}.\n"
            f"{make} it dense yourself with `materialize(x)`, or permit it with "
            '`with materialization("allow"):`.'
        )


class AmbiguousRuleError(Informative, TypeError):
    """Several rules fit the operands and none is more specific than the others.

    Attributes:
        primitive: the name of the primitive.
        operands: the operand types.
        candidates: one line for each rule that fits, with the place where it is defined.
    """

    def __init__(self, primitive: str, operands: Sequence[str], candidates: Sequence[str]) -> None:
        self.primitive, self.operands, self.candidates = (
            primitive,
            tuple(operands),
            tuple(candidates),
        )
        rules = "".join(f"\n  {line}" for line in candidates)
        super().__init__(
            f"`{primitive}` on ({listing(operands)}) fits several rules, none more specific "
            f"than the others:{rules}\n"
            f"Add a rule for ({listing(operands)}), annotate an operand of one with "
            "`except_for(A, B)` (an `A` but not a `B`), pass `precedence=` to `register`, or set "
            "`array_priority` on the type that should win."
        )


class BranchTypeError(Informative, TypeError):
    """The branches of `cond` or `switch` give values of types that cannot be joined.

    Attributes:
        primitive: `"cond"`.
        path: which of the results, such as `result['x']`.
        branches: what each branch gives there.
    """

    def __init__(self, primitive: str, path: str, branches: Iterable[str], reason: str) -> None:
        self.primitive, self.path, self.branches = primitive, path, tuple(branches)
        each = " and ".join(f"{x} in branch {i}" for i, x in enumerate(self.branches))
        super().__init__(
            f"`{primitive}` {path} is {each}: {reason}.\n"
            "Convert it inside the branches so that they give the same, or give the type a `join` "
            "hook that says what both can become."
        )


class CarryTypeError(Informative, TypeError):
    """A loop carry enters the body as one type and leaves it as another that cannot be joined.

    Attributes:
        primitive: `"scan"` or `"while"`.
        path: which part of the carry, such as `carry[1]`.
        enters: what goes into the body.
        leaves: what comes out of it.
    """

    def __init__(self, primitive: str, path: str, enters: str, leaves: str, reason: str) -> None:
        self.primitive, self.path, self.enters, self.leaves = primitive, path, enters, leaves
        super().__init__(
            f"`{primitive}` {path} enters as {enters} and leaves as {leaves}: {reason}.\n"
            "Convert it inside the body so that it leaves as it came, or give the type a "
            "`join` hook that says what both can become."
        )


class RuleOutputError(Informative, TypeError):
    """A rule returned a shape, dtype or number of results other than its primitive would.

    Attributes:
        primitive: the name of the primitive.
        rule: the name of the rule.
    """

    def __init__(self, primitive: str, rule: str, got: Any, expected: Any) -> None:
        self.primitive, self.rule = primitive, rule
        super().__init__(
            f"rule `{rule}` for `{primitive}` returned {got}, but `{primitive}` gives {expected}.\n"
            "A rule returns what its primitive would, with values in place of arrays; to pass to "
            "the next rule, return `NotImplemented`."
        )


class MaterializeWarning(UserWarning):
    """A value was made dense because no rule covers the operation."""
