"""The conformance kit in full for each type but `Tridiagonal`, which the tests run it for."""

from duckarray.core.testing import conformance
from duckarray.structured._subjects import OTHERS


@conformance(*OTHERS, families=["contract", "economy", "agreement", "transforms"])
def test_conformance(check):
    check()
