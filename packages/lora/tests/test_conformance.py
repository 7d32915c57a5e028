"""What the conformance kit asks of every array type."""

import pytest

from duckarray.core.testing import conformance
from duckarray.lora._subjects import SUBJECT

pytestmark = pytest.mark.any_jax


@conformance(SUBJECT)
def test_conformance(check):
    check()
