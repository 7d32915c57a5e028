"""What holds for the programs of other libraries: results of our rules are checked."""

import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `_values`, under any import mode of pytest
jax.config.update("jax_num_cpu_devices", 4)  # two by two, for data and for models
jax.config.update("jax_disable_most_optimizations", True)  # programs here are compiled and run once

from duckarray.core import checking_rules  # noqa: E402


@pytest.fixture(autouse=True)
def _rules_are_checked():
    with checking_rules():
        yield


@pytest.fixture(autouse=True)
def _promotion_is_the_default():
    """Optax and others rely on it."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield
