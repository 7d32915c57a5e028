"""All checks of a subject, and running them without pytest."""

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import jax

from duckarray.core._checking import checking_rules
from duckarray.core._materialize import materialization

from . import _agreement, _contract, _economy, _pairs, _transforms
from ._compare import Mismatch
from ._discover import subjects
from ._economy import NotApplicable
from ._results import Result, Results
from ._subject import Subject

FAMILIES = ("contract", "agreement", "economy", "transforms", "pairs")

_UNEXPECTED_PASS = """it passes, although the subject expects it to fail: {reason}
Take it off `expected_failures`."""

_STALE = """no check of `Subject({name!r}, ...)` is called so.
Correct or remove it; ids are made as in `agreement/sin/f32-4x4`."""

_NO_FAMILY = """{family!r} is not a family of checks.
Pass some of {families}."""


@dataclass(frozen=True)
class Check:
    """One check of one subject, to be called; it raises if something is wrong.

    Args:
        subject: the type under test.
        id: `family/check/case`.
        run: the check itself.
        reason: why it is expected to fail, if it is.

    Raises:
        Mismatch: when called, if the type is wrong, or right although it is expected to fail.

    Example:
        >>> from duckarray.core.testing import Check, Subject
        >>> Check(Subject("none", make=None, dense=None), "contract/copy/f32-4", print).result()
        <BLANKLINE>
        passed   none/contract/copy/f32-4
    """

    subject: Subject
    id: str
    run: Callable[[], None]
    reason: str | None = None

    def __call__(self) -> None:
        self.result(raising=True)

    def result(self, raising: bool = False) -> Result:
        """Runs it; with `raising`, what is wrong is raised with the error that led to it."""
        name = f"{self.subject.name}/{self.id}"
        try:
            with _settings():
                self.run()
        except NotApplicable as why:
            return Result(name, "skipped", str(why))
        except Exception as error:
            if self.reason is not None:
                return Result(name, "expected", self.reason)
            if raising:
                raise
            kind = "" if isinstance(error, Mismatch) else f"{type(error).__name__}: "
            return Result(name, "failed", f"{kind}{error}")
        if self.reason is None:
            return Result(name, "passed")
        text = _UNEXPECTED_PASS.format(reason=self.reason)
        if raising:
            raise Mismatch(text)
        return Result(name, "failed", text)


@contextmanager
def _settings() -> Iterator[None]:
    """What holds during a check, whatever the program around it has set."""
    with ExitStack() as stack:
        for context in (
            jax.numpy_dtype_promotion("standard"),
            jax.numpy_rank_promotion("allow"),
            materialization("allow"),
            checking_rules(),
            warnings.catch_warnings(),
        ):
            stack.enter_context(context)
        warnings.filterwarnings("ignore", message="Some donated buffers were not usable")
        yield


def checks_of(
    subject: Subject,
    families: Sequence[str] = FAMILIES,
    against: Iterable[Subject] | None = None,
    only: Sequence[str] = (),
) -> list[Check]:
    """The checks of a subject; see `check` for the arguments."""
    for family in families:
        if family not in FAMILIES:
            raise ValueError(_NO_FAMILY.format(family=family, families=FAMILIES))
    against = tuple(subjects().values()) if against is None else tuple(against)
    found = [
        Check(subject, f"{family}/{name}/{case}", run, _reason(subject, f"{family}/{name}/{case}"))
        for family, name, case, run in _all(subject, against)
    ]
    stale = _stale_patterns(subject, against, {c.id for c in found})
    found = [
        *(c for c in found if c.id.partition("/")[0] in families),
        *(Check(subject, f"expected_failures/{p}", _stale(subject)) for p in stale),
    ]
    return [c for c in found if not only or any(fnmatchcase(c.id, p) for p in only)]


def _all(subject: Subject, against: Iterable[Subject]) -> Iterator[tuple[str, str, str, Any]]:
    for case in subject.cases:
        run = dict(_contract.ALWAYS)
        if case.is_inexact:
            run.update(_contract.INEXACT)
        if case.is_real:
            run.update(_contract.REAL)
        for name, check in run.items():
            yield "contract", name, case.name, functools.partial(check, subject, case)
    for family, module in (
        ("agreement", _agreement),
        ("economy", _economy),
        ("transforms", _transforms),
    ):
        for name, case, run in module.checks(subject):
            yield family, name, case.name, run
    for name, other, run in _pairs.checks(subject, against):
        yield "pairs", name, other, run


def _reason(subject: Subject, id: str) -> str | None:  # noqa: A002
    patterns = subject.expected_failures.items()
    return next((reason for pattern, reason in patterns if fnmatchcase(id, pattern)), None)


def _stale_patterns(subject: Subject, against: Iterable[Subject], ids: set[str]) -> list[str]:
    """The patterns that fit no check, not even one that is made only if `thorough`."""
    patterns = [p for p in subject.expected_failures if not _fits_any(p, ids)]
    if patterns and not subject.thorough:
        every = _all(replace(subject, thorough=True), against)
        ids = {f"{family}/{name}/{case}" for family, name, case, _ in every}
    return [p for p in patterns if not _fits_any(p, ids)]


def _fits_any(pattern: str, ids: set[str]) -> bool:
    if pattern.startswith("pairs/"):  # the other type need not be installed
        return True
    return any(fnmatchcase(name, pattern) for name in ids)


def _stale(subject: Subject) -> Callable[[], None]:
    def fail() -> None:
        raise Mismatch(_STALE.format(name=subject.name))

    return fail


def check(
    subject: Subject,
    *,
    families: Sequence[str] = FAMILIES,
    against: Iterable[Subject] | None = None,
    only: Sequence[str] = (),
) -> Results:
    """Runs the checks of a subject.

    Args:
        subject: the type under test.
        families: which of `"contract"`, `"agreement"`, `"economy"`, `"transforms"`, `"pairs"`.
        against: the types for `"pairs"`; by default those of all installed distributions.
        only: patterns of ids, `family/check/case`, of which each check has to match one.

    Returns:
        A list of results, which prints as a table.

    Raises:
        ValueError: if a family does not exist.

    Example:
        >>> from duckarray.core.testing import check, subjects
        >>> for subject in subjects().values():
        ...     assert check(subject, only=["contract/aval/*"]).ok
    """
    return Results(c.result() for c in checks_of(subject, families, against, only))
