"""Solves, products and special matrices next to those of SciPy, of random sizes and dtypes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg as sl

from duckarray import structured as s
from duckarray.core import materialization, materialize, quaxify

SEEDS = pytest.mark.parametrize("seed", range(5))
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])


@pytest.fixture(autouse=True)
def _wide_and_never_dense():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with materialization("error"):
        yield
    jax.config.update("jax_enable_x64", before)


def _numbers(rng, dtype, *shape):
    x = rng.normal(size=shape)
    if np.issubdtype(np.dtype(dtype), np.complexfloating):
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def _close(got, want, dtype, factor):
    eps = np.finfo(dtype).eps
    scale = np.abs(want).max(initial=1e-30)
    np.testing.assert_allclose(np.asarray(got) / scale, want / scale, atol=factor * eps)


@SEEDS
@DTYPES
def test_solve_banded(seed, dtype):
    rng = np.random.default_rng(seed)
    lower, upper, n, k = *rng.integers(0, 4, 2), int(rng.integers(5, 30)), int(rng.integers(1, 4))
    ab, b = _numbers(rng, dtype, lower + upper + 1, n), _numbers(rng, dtype, n, k)
    ab[upper] += 4 * (1 + lower + upper)
    a = s.Banded(jnp.asarray(ab), int(lower), int(upper))
    want = sl.solve_banded((lower, upper), ab, b)
    _close(quaxify(jnp.linalg.solve)(a, jnp.asarray(b)), want, dtype, 100)


@SEEDS
@DTYPES
@pytest.mark.parametrize("lower", [False, True])
def test_solveh_banded(seed, dtype, lower):
    rng = np.random.default_rng(seed)
    reach, n = int(rng.integers(1, 4)), int(rng.integers(5, 20))
    ab, b = _numbers(rng, dtype, reach + 1, n), _numbers(rng, dtype, n)
    main = 0 if lower else reach
    ab[main] = np.abs(ab[main]) + 4 * reach + 4
    want = sl.solveh_banded(ab, b, lower=lower)
    dense = sum(
        np.diag(
            ab[k if lower else reach - k][: n - k] if lower else ab[reach - k][k:],
            -k if lower else k,
        )
        for k in range(reach + 1)
    )
    dense = dense + np.conj(np.triu(dense, 1) if not lower else np.tril(dense, -1)).T
    rows = np.zeros((2 * reach + 1, n), dtype)
    for k in range(-reach, reach + 1):
        at = np.diagonal(dense, k)
        rows[reach - k, max(0, k) : max(0, k) + at.size] = at
    a = s.Banded(jnp.asarray(rows), reach, reach)
    _close(quaxify(jnp.linalg.solve)(a, jnp.asarray(b)), want, dtype, 100)
    if not np.issubdtype(np.dtype(dtype), np.complexfloating):
        factor = quaxify(jnp.linalg.cholesky)(a)
        _close(materialize(factor), np.linalg.cholesky(dense), dtype, 100)


@SEEDS
@DTYPES
@pytest.mark.parametrize("method", ["auto", "cg", "levinson"])
def test_solve_toeplitz(seed, dtype, method):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 30)), int(rng.integers(1, 4))
    c, r, b = (_numbers(rng, dtype, n), _numbers(rng, dtype, n), _numbers(rng, dtype, n, k))
    c[0] += 4 * n
    r[0] = c[0]
    a = s.Toeplitz(jnp.asarray(c), jnp.asarray(r))
    _close(
        s.toeplitz_solve(a, jnp.asarray(b), method=method), sl.solve_toeplitz((c, r), b), dtype, 1e3
    )


@SEEDS
@DTYPES
def test_matmul_toeplitz_and_the_matrix_itself(seed, dtype):
    rng = np.random.default_rng(seed)
    m, n, k = (int(x) for x in rng.integers(1, 40, 3))
    c, r, x = _numbers(rng, dtype, m), _numbers(rng, dtype, n), _numbers(rng, dtype, n, k)
    a = s.Toeplitz(jnp.asarray(c), jnp.asarray(r))
    np.testing.assert_array_equal(materialize(a), sl.toeplitz(c, r))
    np.testing.assert_array_equal(materialize(s.Toeplitz(jnp.asarray(c))), sl.toeplitz(c))
    _close(a @ jnp.asarray(x), sl.matmul_toeplitz((c, r), x), dtype, 50 * (m + n))


@SEEDS
@DTYPES
def test_circulant_and_solve_circulant(seed, dtype):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 30)), int(rng.integers(1, 4))
    c, b = _numbers(rng, dtype, n), _numbers(rng, dtype, n, k)
    c[0] += 3 * n
    a = s.Circulant(jnp.asarray(c))
    np.testing.assert_array_equal(materialize(a), sl.circulant(c))
    _close(quaxify(jnp.linalg.solve)(a, jnp.asarray(b)), sl.solve_circulant(c, b), dtype, 100)


@SEEDS
@DTYPES
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_solve_triangular(seed, dtype, trans, lower, unit):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    x, b = _numbers(rng, dtype, n, n) / n, _numbers(rng, dtype, n, 2)
    x += 2 * np.eye(n, dtype=dtype)
    a = s.Triangular(jnp.asarray(x), lower=lower)
    run = quaxify(jax.scipy.linalg.solve_triangular)
    got = run(a, jnp.asarray(b), lower=lower, trans=trans, unit_diagonal=unit)
    want = sl.solve_triangular(x, b, lower=lower, trans=trans, unit_diagonal=unit)
    _close(got, want, dtype, 300)


@SEEDS
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_eigh_tridiagonal(seed, dtype):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    d, e = _numbers(rng, dtype, n), _numbers(rng, dtype, n - 1)
    a = s.Tridiagonal(jnp.asarray(e), jnp.asarray(d), jnp.asarray(e))
    w, v = quaxify(jnp.linalg.eigh)(a)
    _close(w, sl.eigh_tridiagonal(d, e, eigvals_only=True), dtype, 100)
    _close(
        quaxify(jnp.linalg.eigvalsh)(a), sl.eigh_tridiagonal(d, e, eigvals_only=True), dtype, 100
    )
    dense = np.asarray(materialize(a))
    _close(v @ jnp.diag(w) @ v.T, dense, dtype, 500)


@DTYPES
def test_special_matrices_that_scipy_makes(dtype):
    rng = np.random.default_rng(0)
    x, y = _numbers(rng, dtype, 2, 3), _numbers(rng, dtype, 3, 2)
    one, two = jnp.asarray(x), jnp.asarray(y)
    np.testing.assert_array_equal(materialize(s.BlockDiagonal(one, two)), sl.block_diag(x, y))
    _close(materialize(s.Kronecker(one, two)), np.kron(x, y), dtype, 4)
    hankel = sl.hankel(x[0], y[:, 0])  # a Toeplitz matrix, its rows turned round
    values = np.concatenate([x[0], y[1:, 0]])
    toeplitz = s.Toeplitz(jnp.asarray(values[2::-1]), jnp.asarray(values[2:]))
    np.testing.assert_array_equal(np.asarray(materialize(toeplitz))[::-1], hankel)
    np.testing.assert_array_equal(
        materialize(s.detect(sl.companion([1.0, 2, 3]))), sl.companion([1.0, 2, 3])
    )


@SEEDS
@pytest.mark.parametrize("kind", ["tridiagonal", "banded", "toeplitz", "circulant", "woodbury"])
def test_det_and_expm(seed, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    x = [
        jnp.asarray(_numbers(rng, "float64", *shape))
        for shape in [(n,), (n,), (n - 1,), (n - 1,), (3, n), (n, 2)]
    ]
    a = {
        "tridiagonal": s.Tridiagonal(x[2], x[0], x[3]),
        "banded": s.Banded(x[4], 2, 0),
        "toeplitz": s.Toeplitz(x[0], x[1]),
        "circulant": s.Circulant(x[0]),
        "woodbury": s.DiagonalPlusLowRank(x[0], x[5]),
    }[kind]
    dense = np.asarray(materialize(a))
    np.testing.assert_allclose(quaxify(jnp.linalg.det)(a), sl.det(dense), rtol=1e-8, atol=1e-10)
    sign, log = quaxify(jnp.linalg.slogdet)(a)
    np.testing.assert_allclose(sign * jnp.exp(log), sl.det(dense), rtol=1e-8, atol=1e-10)
    if kind == "circulant":
        out = quaxify(jax.scipy.linalg.expm)(a)
        _close(materialize(out), sl.expm(dense), "float64", 1e4)
