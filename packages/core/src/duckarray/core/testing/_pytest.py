"""`conformance`: the checks of subjects as items of pytest."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._run import FAMILIES, Check, checks_of
from ._subject import Subject


def conformance(
    *subjects: Subject,
    families: Sequence[str] = FAMILIES,
    against: Iterable[Subject] | None = None,
    only: Sequence[str] = (),
) -> Callable[[Any], Any]:
    """Parametrizes a test by the checks of subjects; its parameter is called `check`.

    Args:
        *subjects: the types under test.
        families: which of `"contract"`, `"agreement"`, `"economy"`, `"transforms"`, `"pairs"`.
        against: the types for `"pairs"`; by default those of all installed distributions.
        only: patterns of ids, `family/check/case`, of which each check has to match one.

    Raises:
        ImportError: if pytest is not installed.

    Example:
        >>> from duckarray.core.testing import conformance, subjects
        >>> @conformance(*subjects().values())
        ... def test_conformance(check):
        ...     check()
    """
    import pytest

    other = None if against is None else tuple(against)
    checks = [c for subject in subjects for c in checks_of(subject, families, other, only)]
    items = [pytest.param(_Item(c), id=f"{c.subject.name}/{c.id}") for c in checks]
    return pytest.mark.parametrize("check", items)


class _Item:
    """A check that tells pytest of an expected failure, and of one that does not apply."""

    def __init__(self, check: Check) -> None:
        self._check = check

    def __call__(self) -> None:
        __tracebackhide__ = True
        import pytest

        result = self._check.result(raising=True)
        if result.outcome == "expected":
            pytest.xfail(result.message)
        if result.outcome == "skipped":
            pytest.skip(result.message)

    def __repr__(self) -> str:
        return f"<{self._check.subject.name}/{self._check.id}>"
