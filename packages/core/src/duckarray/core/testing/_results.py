"""What the checks of a subject found, as a list that prints as a table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failed", "expected", "skipped"]


@dataclass(frozen=True)
class Result:
    """The outcome of one check.

    Args:
        id: `subject/family/check/case`.
        outcome: `"passed"`, `"failed"`, `"expected"` for a failure that the subject foresees, or
            `"skipped"` where the check does not apply.
        message: what was wrong, or the reason.

    Example:
        >>> from duckarray.core.testing import Result
        >>> Result("zeros/contract/repr/f32-4x4", "passed")
        passed   zeros/contract/repr/f32-4x4
    """

    id: str
    outcome: Outcome
    message: str = ""

    def __repr__(self) -> str:
        head = f"{self.outcome:9}{self.id}"
        return "\n".join([head, *(f"         {line}" for line in self.message.splitlines())])


class Results(list[Result]):
    """The results of many checks; prints those that did not simply pass, if they are many.

    Args:
        iterable: the results, each a `Result`.

    Example:
        >>> from duckarray.core.testing import Result, Results
        >>> Results([Result("a/contract/copy/f32-4", "failed", "other numbers")])
        failed   a/contract/copy/f32-4
                 other numbers
        1 failed
    """

    @property
    def failed(self) -> "Results":
        """Those that failed, unexpected passes among them."""
        return Results(r for r in self if r.outcome == "failed")

    @property
    def ok(self) -> bool:
        """Whether none failed."""
        return not self.failed

    def __repr__(self) -> str:
        shown: Sequence[Result] = self
        if len(self) > 20:
            shown = [r for r in self if r.outcome in ("failed", "expected")]
        counts = Counter(r.outcome for r in self)
        summary = ", ".join(f"{n} {outcome}" for outcome, n in counts.items()) or "no checks"
        return "\n".join([*map(repr, shown), summary])
