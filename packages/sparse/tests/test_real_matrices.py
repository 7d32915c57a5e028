"""Matrices of a flow and of waves, that pyamg ships, next to SciPy's; its oracle takes all."""

import importlib.util
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from duckarray import sparse
from duckarray.core import materialization, quaxify

pytestmark = [pytest.mark.any_jax, pytest.mark.filterwarnings("ignore:.*`spmatrix`")]

# What is compiled runs once.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def _matrix(name):
    """Read from its file: importing pyamg takes seconds."""
    (folder,) = importlib.util.find_spec("pyamg").submodule_search_locations
    file = Path(folder, "gallery", "example_data", f"{name}.mat")
    return scipy.sparse.csr_array(scipy.io.loadmat(file)["A"])


def _largest(x):
    return np.abs(x).max()


@pytest.mark.parametrize(
    ("name", "dtype", "nnz"),
    [
        ("recirc_flow", "float32", 1849),
        ("helmholtz_2D", "complex64", 52016),
    ],
)
def test_a_real_matrix_is_multiplied_and_solved_as_by_scipy(name, dtype, nnz):
    s = _matrix(name).astype(dtype)
    a, x = sparse.from_scipy(s), np.random.default_rng(0).standard_normal(s.shape[0]).astype(dtype)
    assert a.nnz == nnz

    def program(a, x):
        return a @ x, x @ a, (a @ a.T) @ x, (a + a.T).sum(0), a.max(1)

    with materialization("error"):
        got = jax.jit(quaxify(program), compiler_options=QUICK)(a, jnp.asarray(x))
    wide = s.astype("complex128" if dtype == "complex64" else "float64")
    want = [wide @ x, wide.T @ x, wide @ (wide.T @ x), (wide + wide.T).sum(0)]
    for one, other in zip(got, want, strict=False):
        assert _largest(one - other) < 1e-5 * _largest(other)
    # NumPy orders complex numbers by their real parts, those alike by their imaginary ones.
    np.testing.assert_array_equal(got[-1], s.toarray().max(1))
    solution = np.asarray(sparse.solve(a, jnp.asarray(wide @ x, dtype)))
    assert _largest(wide @ solution - wide @ x) < 1e-3 * _largest(wide @ x)
