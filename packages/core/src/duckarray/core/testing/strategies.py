"""Strategies of Hypothesis for shapes, dtypes, cases and values; Hypothesis has to be installed.

Example:
    >>> from duckarray.core.testing import strategies
    >>> sorted(name for name in vars(strategies) if name in ("cases", "dtypes", "shapes", "values"))
    ['cases', 'dtypes', 'shapes', 'values']
"""

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ._subject import Case, Subject

_MISSING = """`duckarray.core.testing.strategies` needs Hypothesis, which is not installed.
Install it: `python -m pip install hypothesis`."""

_DTYPES = ("float32", "float16", "bfloat16", "int32", "int8", "uint8", "bool", "complex64")


def shapes(*, min_ndim: int = 0, max_ndim: int = 3, min_side: int = 0, max_side: int = 4) -> Any:
    """A strategy for shapes, empty ones among them.

    Args:
        min_ndim: the fewest axes.
        max_ndim: the most axes.
        min_side: the smallest size of an axis.
        max_side: the largest size of an axis.

    Raises:
        ImportError: if Hypothesis is not installed.
    """
    st = _strategies()
    sides = st.integers(min_side, max_side)
    return st.lists(sides, min_size=min_ndim, max_size=max_ndim).map(tuple)


def dtypes(names: Sequence[str] = _DTYPES) -> Any:
    """A strategy for names of dtypes, those of `names`.

    Raises:
        ImportError: if Hypothesis is not installed.
    """
    return _strategies().sampled_from(list(names))


def cases(subject: Subject) -> Any:
    """A strategy for the cases of a subject, each with any numbers.

    Raises:
        ImportError: if Hypothesis is not installed.
    """
    st = _strategies()

    def seeded(case: Case, seed: int) -> Case:
        return replace(case, seed=seed)

    return st.builds(seeded, st.sampled_from(list(subject.cases)), st.integers(0, 2**16))


def values(subject: Subject) -> Any:
    """A strategy for values of a subject, each with the dense array it stands for.

    Raises:
        ImportError: if Hypothesis is not installed.
    """
    return cases(subject).map(lambda case: (subject.value(case), subject.array(case)))


def _strategies() -> Any:
    try:
        strategies = importlib.import_module("hypothesis.strategies")
    except ImportError as error:
        raise ImportError(_MISSING) from error
    return strategies
