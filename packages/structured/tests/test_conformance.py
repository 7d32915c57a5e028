"""The economy of `Tridiagonal`, as the conformance kit asks it."""

import pytest

from duckarray.core.testing import conformance
from duckarray.structured._subjects import SUBJECT

pytestmark = pytest.mark.any_jax


@conformance(SUBJECT, families=["economy"])
def test_conformance(check):
    check()
