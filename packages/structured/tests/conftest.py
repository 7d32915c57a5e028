"""While the tests run, each rule is compared with its primitive."""

import pytest

from duckarray.core import checking_rules


@pytest.fixture(autouse=True)
def _rules_are_checked():
    with checking_rules():
        yield
