"""Rules are checked against their primitives, and programs against NumPy and plain JAX."""

import jax
import numpy as np
import pytest

from duckarray.core import checking_rules, materialize, quaxify
from duckarray.zeros import is_zero


@pytest.fixture(autouse=True)
def _rules_are_checked():
    with checking_rules():
        yield


@pytest.fixture
def agrees():
    """Runs a program on values: as NumPy in values, as plain JAX in dtype and weak type."""

    def check(program, oracle, *args, zero):
        want = oracle(*map(np.asarray, materialize(args)))
        plain = jax.typeof(program(*materialize(args)))
        for run in (quaxify(program), jax.jit(quaxify(program))):
            out = run(*args)
            assert is_zero(out) is zero
            dense = materialize(out)
            assert jax.typeof(dense).str_short() == plain.str_short()
            assert dense.weak_type == plain.weak_type
            np.testing.assert_array_equal(np.asarray(dense), want)

    return check
