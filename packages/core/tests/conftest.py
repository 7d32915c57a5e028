"""What holds for the tests of core: rules are checked, and nothing is promoted silently."""

import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `_core_types`, under any import mode of pytest
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_num_cpu_devices", 2)
jax.config.update("jax_disable_most_optimizations", True)  # programs here are compiled and run once

import _core_rules  # noqa: E402, F401
from _core_types import MORE_VALUES, VALUES  # noqa: E402

from duckarray.core import checking_rules  # noqa: E402
from duckarray.core._registry import save_rules  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")


@pytest.fixture(autouse=True)
def _rules_are_checked():
    with checking_rules():
        yield


@pytest.fixture
def own_rules():
    """Forgets at the end the rules that the test registers."""
    restore = save_rules()
    yield
    restore()


@pytest.fixture(params=VALUES)
def value(request):
    """A value of each kind; all stand for a 3 by 3 matrix of floats."""
    return VALUES[request.param]()


@pytest.fixture(params=MORE_VALUES)
def any_value(request):
    """A value of still more kinds."""
    return MORE_VALUES[request.param]()
