"""Unmodified `jnp.linalg` programs take the algorithm of the structure; nothing is made dense."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, materialize, quaxify
from duckarray.structured import (
    Banded,
    BlockDiagonal,
    Circulant,
    Diagonal,
    DiagonalPlusLowRank,
    Identity,
    Kronecker,
    Permutation,
    Symmetric,
    Toeplitz,
    Triangular,
    Tridiagonal,
)

pytestmark = pytest.mark.any_jax


@pytest.fixture(autouse=True)
def _nothing_is_made_dense():
    with materialization("error"):
        yield


_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def _run(program, *args):
    """Compiled once, quickly: op by op each of its operations would be."""
    return jax.jit(quaxify(program), compiler_options=_QUICKLY)(*args)


def _numbers(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), jnp.float32)


def _spd(n, seed=0):
    a = _numbers(n, n, seed=seed)
    return a @ a.T + n * jnp.eye(n)


def _dense(x):
    return np.asarray(materialize(x), np.float64)


_N = 6
INVERTIBLE = {
    "identity": Identity(_N),
    "diagonal": Diagonal(jnp.array([1.0, -2.0, 3.0, 0.5, 4.0, -1.0])),
    "tridiagonal": Tridiagonal(_numbers(5), _numbers(6, seed=1), _numbers(5, seed=2)),
    "banded": Banded(_numbers(4, 6).at[2].add(3), 1, 2),
    "triangular": Triangular(_numbers(6, 6) + 3 * jnp.eye(6), lower=True),
    "symmetric": Symmetric(_numbers(6, 6)),
    "permutation": Permutation(jnp.array([3, 0, 1, 5, 4, 2])),
    "toeplitz": Toeplitz(_numbers(6).at[0].add(4), _numbers(6, seed=1)),
    "circulant": Circulant(_numbers(6).at[0].add(4)),
    "kronecker": Kronecker(_numbers(2, 2), _numbers(3, 3, seed=1)),
    "block diagonal": BlockDiagonal(_numbers(2, 2), _numbers(4, 4, seed=1)),
    "diagonal plus low rank": DiagonalPlusLowRank(
        _numbers(6) + 5, _numbers(6, 2, seed=1), _numbers(6, 2, seed=2)
    ),
}
POSITIVE = {
    "diagonal": Diagonal(jnp.arange(1.0, 7)),
    "tridiagonal": Tridiagonal(-jnp.ones(5), jnp.full(6, 2.0), -jnp.ones(5)),
    "banded": Banded(jnp.array([[1.0], [-4.0], [7.0], [-4.0], [1.0]]) * jnp.ones((5, 6)), 2, 2),
    "symmetric": Symmetric(_spd(6)),
    "block diagonal": BlockDiagonal(_spd(2), _spd(4, seed=1)),
}


@pytest.mark.parametrize("name", list(INVERTIBLE)[:7])
def test_solve_inv_det_slogdet_trace_and_diagonal_agree_with_numpy(name):
    a, b = INVERTIBLE[name], _numbers(_N, 2, seed=7)
    matrix, close = _dense(a), {"rtol": 2e-3, "atol": 2e-4}

    def program(a, b):
        solved = jnp.linalg.solve(a, b), jnp.linalg.solve(a, b[:, 0]), jnp.linalg.inv(a)
        return *solved, jnp.linalg.det(a), jnp.linalg.slogdet(a), jnp.trace(a), jnp.diagonal(a)

    many, one, inverse, det, slogdet, trace, diagonal = _run(program, a, b)
    np.testing.assert_allclose(many, np.linalg.solve(matrix, b), **close)
    np.testing.assert_allclose(one, np.linalg.solve(matrix, b[:, 0]), **close)
    np.testing.assert_allclose(materialize(inverse), np.linalg.inv(matrix), **close)
    np.testing.assert_allclose(det, np.linalg.det(matrix), rtol=1e-3)
    np.testing.assert_allclose(slogdet, np.linalg.slogdet(matrix), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(trace, np.trace(matrix), rtol=1e-4)
    np.testing.assert_allclose(diagonal, np.diagonal(matrix), rtol=1e-5)
