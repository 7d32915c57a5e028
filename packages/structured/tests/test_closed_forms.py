"""Matrices whose determinants, inverses and spectra are known in closed form."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from duckarray.core import materialization, materialize, quaxify
from duckarray.structured import (
    Banded,
    Circulant,
    DiagonalPlusLowRank,
    Kronecker,
    Permutation,
    Toeplitz,
    Tridiagonal,
    toeplitz_solve,
)

pytestmark = pytest.mark.any_jax

_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


@pytest.fixture(autouse=True)
def _nothing_is_made_dense():
    with materialization("error"):
        yield


def _run(program, *args):
    return jax.jit(quaxify(program), compiler_options=_QUICKLY)(*args)


def _second_difference(n):
    return Tridiagonal(-jnp.ones(n - 1), jnp.full(n, 2.0), -jnp.ones(n - 1))


def test_the_second_difference():
    n = 9
    i = np.arange(1, n + 1)

    def program(a):
        return jnp.linalg.det(a), jnp.linalg.inv(a), jnp.linalg.eigvalsh(a), jnp.linalg.cholesky(a)

    det, inverse, values, factor = _run(program, _second_difference(n))
    np.testing.assert_allclose(det, n + 1, rtol=1e-5)
    green = np.minimum(i[:, None], i) * (n + 1 - np.maximum(i[:, None], i)) / (n + 1)
    np.testing.assert_allclose(inverse, green, rtol=1e-5)
    np.testing.assert_allclose(values, 2 - 2 * np.cos(np.pi * i / (n + 1)), rtol=1e-4)
    np.testing.assert_allclose(jnp.diagonal(materialize(factor)), np.sqrt((i + 1) / i), rtol=1e-5)


def test_the_largest_eigenvalue_of_wilkinsons_matrix():
    d = jnp.abs(jnp.arange(-10.0, 11.0))
    values = _run(jnp.linalg.eigvalsh, Tridiagonal(jnp.ones(20), d, jnp.ones(20)))
    np.testing.assert_allclose(values[-1], 10.746194182903393, rtol=1e-6)


def test_the_eigenvalues_of_kac_and_clement_are_whole_numbers():
    n = 10
    k = jnp.arange(1.0, n + 1)
    off = jnp.sqrt(k * (n + 1 - k))
    values = _run(jnp.linalg.eigvalsh, Tridiagonal(off, jnp.zeros(n + 1), off))
    np.testing.assert_allclose(values, np.arange(-n, n + 1, 2), atol=2e-5)


def test_the_toeplitz_matrix_of_kac_murdock_and_szego():
    n, rho = 8, 0.5
    a = Toeplitz(rho ** jnp.arange(n, dtype=float))

    def program(a):
        return jnp.linalg.det(a), jnp.linalg.solve(a, jnp.eye(n))

    det, inverse = _run(program, a)
    np.testing.assert_allclose(det, (1 - rho**2) ** (n - 1), rtol=1e-4)
    want = np.diag(np.full(n, 1 + rho**2)) - rho * (np.eye(n, k=1) + np.eye(n, k=-1))
    want[0, 0] = want[-1, -1] = 1
    np.testing.assert_allclose(inverse, want / (1 - rho**2), atol=1e-4)


@pytest.mark.parametrize(
    ("c", "r"),
    [
        ([0, 1, 2], [0, 1, 5]),  # its leading entry is zero
        ([1, 1, 3, 0], [1, 1, 0, 2]),  # its leading 2 x 2 block is singular
        ([0, 0, 1], [0, 1, 0]),  # a cyclic shift
        ([1, 2, 4], [1, 0.5, 0.25]),  # singular
        ([1j, 2, 3], [1j, -1, 1 + 1j]),
    ],
    ids=["corner", "block", "shift", "singular", "complex"],
)
def test_the_determinant_of_a_toeplitz_matrix_needs_no_regular_blocks(c, r):
    dtype = jnp.complex64 if isinstance(c[0], complex) else jnp.float32
    a = Toeplitz(jnp.array(c, dtype), jnp.array(r, dtype))
    want = np.linalg.det(scipy.linalg.toeplitz(c, r))
    np.testing.assert_allclose(_run(jnp.linalg.det, a), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", ["cg", "levinson"])
def test_complex_toeplitz_systems_are_solved_as_by_scipy_though_promotion_is_strict(method):
    c, r, b = np.array([9.0, 1j, 2 - 1j]), np.array([9.0, 1 + 1j, -2j]), np.array([1.0, 1j, 2.0])
    a = Toeplitz(jnp.asarray(c, jnp.complex64), jnp.asarray(r, jnp.complex64))
    got = toeplitz_solve(a, jnp.asarray(b, jnp.complex64), method=method)
    np.testing.assert_allclose(got, scipy.linalg.solve_toeplitz((c, r), b), rtol=1e-5)


def test_a_diagonal_with_zeros_may_be_a_part_of_a_regular_matrix():
    rng = np.random.default_rng(0)
    d = np.array([0, 1e-12, 2, 3, 0.5])
    u, v = rng.normal(size=(2, 5, 2))
    a = DiagonalPlusLowRank(*(jnp.asarray(x, jnp.float32) for x in (d, u, v)))
    dense, b = np.diag(d) + u @ v.T, np.arange(1.0, 6)

    def program(a, b):
        return jnp.linalg.solve(a, b), jnp.linalg.det(a), jnp.linalg.inv(a)

    solved, det, inverse = _run(program, a, jnp.asarray(b, jnp.float32))
    np.testing.assert_allclose(solved, np.linalg.solve(dense, b), rtol=1e-4)
    np.testing.assert_allclose(det, np.linalg.det(dense), rtol=1e-4)
    assert isinstance(inverse, DiagonalPlusLowRank)
    scale = np.abs(np.linalg.inv(dense)).max()
    np.testing.assert_allclose(
        materialize(inverse) / scale, np.linalg.inv(dense) / scale, atol=1e-5
    )
    gradient = jax.grad(lambda a: quaxify(jnp.linalg.slogdet)(a)[1])(a)
    np.testing.assert_allclose(gradient.diagonal, np.diagonal(np.linalg.inv(dense)), rtol=1e-3)


def test_spectra_and_determinants_of_products_and_cycles():
    c = np.array([4.0, 1.0, 0.5, 2.0])
    x, y = np.array([[2.0, 1.0], [0.0, 3.0]]), np.diag([1.0, 2.0, 4.0])

    def program(circulant, kronecker, permutation):
        return (
            jnp.linalg.det(circulant),
            jnp.linalg.det(kronecker),
            jnp.linalg.det(permutation),
        )

    dets = _run(
        program,
        Circulant(jnp.asarray(c, jnp.float32)),
        Kronecker(jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32)),
        Permutation(jnp.array([1, 2, 0, 4, 3])),  # a cycle of three and one of two: odd
    )
    want = [np.fft.fft(c).prod().real, 6.0**3 * 8.0**2, -1.0]
    np.testing.assert_allclose(dets, want, rtol=1e-5)


def test_systems_that_need_pivoting_are_solved_as_accurately_as_by_lapack():
    rng = np.random.default_rng(1)
    n = 60
    low, d, up = rng.normal(size=n), 1e-3 * rng.normal(size=n), rng.normal(size=n)
    ab = np.stack([np.roll(up, 1), d, np.roll(low, -1)]).astype(np.float32)
    ab[0, 0] = ab[2, -1] = 0
    a = Banded(jnp.asarray(ab), 1, 1)
    b = rng.normal(size=n).astype(np.float32)
    exact = scipy.linalg.solve_banded((1, 1), ab.astype(np.float64), b.astype(np.float64))
    lapack = scipy.linalg.solve_banded((1, 1), ab, b)
    ours = _run(jnp.linalg.solve, a, jnp.asarray(b))
    assert np.abs(ours - exact).max() <= 4 * np.abs(lapack - exact).max()


@pytest.mark.parametrize(
    "a",
    [
        Tridiagonal(jnp.array([0.0, 1.0]), jnp.ones(3), jnp.array([2.0, 1.0])),
        Banded(jnp.array([[0.0, 1, 2, 3], [1, 2, 3, 0]]), 0, 1),
        Banded(jnp.array([[0.0, 2, 3, 1], [1, 0, 3, 0]]), 1, 0),
    ],
    ids=["tridiagonal", "upper", "lower"],
)
def test_a_singular_system_has_no_finite_solution(a):
    got = np.asarray(_run(jnp.linalg.solve, a, jnp.arange(1.0, a.shape[0] + 1)))
    assert not np.isnan(got).any()
    assert np.isinf(got).any()


@pytest.mark.parametrize("batch", [(), (2,)], ids=["one", "batch"])
@pytest.mark.parametrize("sides", [(3,), (2, 3), (3, 2, 3)], ids=len)
def test_right_hand_sides_may_have_batch_axes_of_their_own(batch, sides):
    rng = np.random.default_rng(2)
    *more, columns = sides
    if batch and more and more[-1] != 2:
        pytest.skip("does not broadcast")
    ab = rng.normal(size=(*batch, 4, 5)).astype(np.float32)
    ab[..., 2, :] += 4
    a = Banded(jnp.asarray(ab), 1, 2)
    b = rng.normal(size=(*more, 5, columns)).astype(np.float32)
    dense = np.asarray(materialize(a), np.float64)
    with jax.numpy_rank_promotion("allow"):
        got = _run(jnp.linalg.solve, a, jnp.asarray(b))
    np.testing.assert_allclose(got, np.linalg.solve(dense, b), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_transformed_in_single_though_promotion_is_strict(dtype):
    c, r, y = ([1.0, 2, 3], [1.0, 5, 4], [1.0, -1, 2])
    toeplitz = Toeplitz(jnp.array(c, dtype), jnp.array(r, dtype))
    got = _run(lambda t, y: t @ y, toeplitz, jnp.array(y, dtype))
    assert got.dtype == dtype
    np.testing.assert_allclose(got.astype("float32"), scipy.linalg.toeplitz(c, r) @ y, atol=0.1)
