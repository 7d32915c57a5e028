"""All array types of this repository next to each other, and found where they are declared."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from duckarray.core.testing import check, subjects

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
SUBJECTS = subjects()
# Of each kind of operation some, for one shape: `nox -s pairs` takes all.
OPERATIONS = ["add", "mul", "less", "where", "concatenate"]
OPERATIONS += ["matmul", "tensordot", "cond", "scan", "grad"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "core"])
def test_each_package_of_a_type_ships_a_subject(name):
    modules = {subject.make.__module__ for subject in SUBJECTS.values()}
    assert any(module.startswith(f"duckarray.{name}.") for module in modules)


def _small(subject, other):
    """With one case, a matrix that fits that of the others."""
    fits = [c for c in subject.cases if (c.shape, c.dtype, c.variant) == ((4, 4), "float32", "")]
    ids = [f"pairs/{operation}/{other.name}" for operation in OPERATIONS]
    failures = {k: v for k, v in subject.expected_failures.items() if k in ids}
    cases = tuple(fits[:1]) or subject.cases[:1]
    return replace(subject, cases=cases, expected_failures=failures)


@pytest.mark.parametrize(("one", "other"), list(combinations(sorted(SUBJECTS), 2)))
def test_two_types_give_the_right_answer_or_a_clear_error(one, other):
    a, b = SUBJECTS[one], SUBJECTS[other]
    only = [f"pairs/{operation}/*" for operation in OPERATIONS]
    results = check(_small(a, b), families=["pairs"], against=[_small(b, a)], only=only)
    assert len(results) == len(OPERATIONS)
    assert results.ok, str(results)


@pytest.mark.long  # all packages are imported once more
def test_pairs_are_items_of_pytest_as_whoever_has_two_types_runs_it(tmp_path):
    """Outside of this repository, so with none of its settings."""
    command = [sys.executable, "-m", "pytest", "--pyargs", "duckarray.core.testing", "-q"]
    options = ["-c", os.devnull, f"--rootdir={tmp_path}", "-k", "lora/pairs/add/zeros"]
    run = subprocess.run(
        [*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    assert "1 passed" in run.stdout
