"""What the conformance kit asks of every array type."""

from duckarray.core.testing import conformance
from duckarray.quant._subjects import SUBJECT


@conformance(SUBJECT, families=["contract", "economy"])
def test_conformance(check):
    check()
