"""What the tests have of values, and compiled programs that are dropped again."""

import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # for `_entries`


@pytest.fixture(autouse=True, scope="module")
def _programs_are_dropped():
    yield
    jax.clear_caches()
