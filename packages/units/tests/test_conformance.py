"""What the conformance kit asks: a length in full, a plain number by its contract and economy."""

import pytest

from duckarray.core.testing import conformance
from duckarray.units._subjects import NUMBERS, SUBJECT

pytestmark = pytest.mark.any_jax


@conformance(SUBJECT)
def test_conformance(check):
    check()


@conformance(NUMBERS, families=["contract", "economy"])
def test_a_number_conforms(check):
    check()
