"""While the tests run, each rule is compared with its primitive."""

import jax
import numpy as np
import pytest
import scipy.sparse

from duckarray import sparse
from duckarray.core import checking_rules, materialize, quaxify


@pytest.fixture(autouse=True)
def _rules_are_checked():
    with checking_rules():
        yield


@pytest.fixture
def agrees():
    """Runs a program on sparse arrays: as NumPy or SciPy says; sparse or dense as told."""

    def check(program, want, *args, kind, jit=True, rtol=2e-5):
        for run in (quaxify(program), jax.jit(quaxify(program))) if jit else (quaxify(program),):
            out = run(*args)
            assert ("sparse" if isinstance(out, sparse.Sparse) else "dense") == kind
            got = np.asarray(materialize(out))
            assert got.shape == np.shape(want)
            np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-5)

    return check


@pytest.fixture(scope="session")
def matrices():
    """Two random matrices, 5 x 6, as sparse arrays and as NumPy's."""
    rng = np.random.default_rng(7)

    def make():
        dense = rng.uniform(0.5, 2, (5, 6)) * rng.choice([-1, 1], (5, 6))
        return (dense * (rng.random((5, 6)) < 0.4)).astype("float32")

    a, b = make(), make()
    return sparse.from_dense(a), sparse.from_dense(b), a, b


@pytest.fixture(scope="session")
def system():
    """A sparse matrix that can be solved, 20 x 20, and SciPy's of it."""
    rng = np.random.default_rng(3)
    entries = rng.random((20, 20), dtype="float32") * (rng.random((20, 20)) < 0.15)
    s = scipy.sparse.csr_array(entries + 3 * np.eye(20, dtype="float32"))
    return sparse.from_scipy(s), s
