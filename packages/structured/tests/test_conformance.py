"""What the conformance kit asks of every array type."""

from duckarray.core.testing import conformance
from duckarray.structured._subjects import SUBJECT


@conformance(SUBJECT)
def test_conformance(check):
    check()
