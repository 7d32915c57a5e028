"""The economy of all types, as the conformance kit asks it; `oracles` has the rest of it."""

from dataclasses import replace

import pytest

from duckarray.core.testing import conformance
from duckarray.structured._subjects import OTHERS, SUBJECT

pytestmark = pytest.mark.any_jax

# Of one case, and what costs little.
_FIRST = [replace(subject, cases=subject.cases[:1], expected_failures={}) for subject in OTHERS]
_CHEAP = ["economy/*", "contract/aval/*", "contract/placeholders/*", "contract/linear/*"]


@conformance(SUBJECT, families=["economy"])
def test_conformance(check):
    check()


@conformance(*_FIRST, families=["economy", "contract"], only=_CHEAP)
def test_other_types(check):
    check()
