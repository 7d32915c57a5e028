"""While the tests run, each rule is compared with its primitive."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `_entries`, under any import mode of pytest

from duckarray.core import checking_rules


@pytest.fixture(autouse=True)
def _rules_are_checked():
    with checking_rules():
        yield
