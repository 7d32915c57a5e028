"""What the conformance kit asks: everything of `Tridiagonal`, the cheap part of the others."""

import pytest

from duckarray.core.testing import check, conformance
from duckarray.structured._subjects import OTHERS, SUBJECT

pytestmark = pytest.mark.any_jax


@conformance(SUBJECT)
def test_conformance(check):
    check()


@pytest.mark.parametrize("subject", OTHERS, ids=lambda subject: subject.name)
def test_other_types_keep_their_promises(subject):
    results = check(subject, families=["contract", "economy"])
    assert not [r for r in results if r.outcome == "failed"], results
