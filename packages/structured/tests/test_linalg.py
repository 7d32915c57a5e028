"""Unmodified `jnp.linalg` programs take the algorithm of the structure; nothing is made dense."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import pytest
import scipy.linalg

from duckarray.core import ArrayValue, materialization, materialize, quaxify
from duckarray.structured import (
    Banded,
    BlockDiagonal,
    Circulant,
    Diagonal,
    DiagonalPlusLowRank,
    Identity,
    Kronecker,
    LowRank,
    Permutation,
    Symmetric,
    Toeplitz,
    Triangular,
    Tridiagonal,
    toeplitz_solve,
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


@pytest.mark.parametrize("name", INVERTIBLE)
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


@pytest.mark.parametrize("name", [n for n in INVERTIBLE if n not in ("identity", "permutation")])
def test_gradients_of_solve_and_slogdet_are_those_of_the_dense_program(name):
    a, b = INVERTIBLE[name], _numbers(_N, seed=7)

    def loss(a):
        return jnp.sum(jnp.sin(jnp.linalg.solve(a, b))) + jnp.linalg.slogdet(a)[1]

    got = jax.jit(jax.grad(quaxify(loss)), compiler_options=_QUICKLY)(a)
    dense = jax.grad(lambda a: loss(materialize(a)))
    want = jax.jit(dense, compiler_options=_QUICKLY)(a)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(g, w, rtol=5e-3, atol=1e-3)


@pytest.mark.parametrize("name", POSITIVE)
def test_cholesky_cho_solve_and_eigvalsh_agree_with_numpy(name):
    a, b = POSITIVE[name], _numbers(_N, seed=3)
    matrix = _dense(a)

    def program(a, b):
        factor = jsl.cho_factor(a, lower=True)
        values = jnp.zeros(_N) if name == "banded" else jnp.linalg.eigvalsh(a)
        return jnp.linalg.cholesky(a), jsl.cho_solve(factor, b), values

    factor, solved, values = _run(program, a, b)
    assert isinstance(factor, ArrayValue)
    np.testing.assert_allclose(
        materialize(factor), np.linalg.cholesky(matrix), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(solved, np.linalg.solve(matrix, b), rtol=1e-3, atol=1e-4)
    if name != "banded":
        np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), rtol=1e-4)


@pytest.mark.parametrize("name", ["diagonal", "tridiagonal", "symmetric"])
def test_eigh_gives_orthonormal_eigenvectors(name):
    a = POSITIVE[name]
    w, v = _run(jnp.linalg.eigh, a)
    v = np.asarray(materialize(v), np.float64)
    np.testing.assert_allclose(v.T @ v, np.eye(_N), atol=1e-5)
    np.testing.assert_allclose(_dense(a) @ v, v * np.asarray(w), atol=2e-5 * float(w[-1]))


@pytest.mark.parametrize("name", ["diagonal", "circulant", "block diagonal"])
def test_matrix_power_keeps_the_structure(name):
    a, powers = INVERTIBLE[name], (-2, 1, 3)
    outs = _run(lambda a: [jnp.linalg.matrix_power(a, p) for p in powers], a)
    for out, power in zip(outs, powers, strict=True):
        assert isinstance(out, type(a))
        want = np.linalg.matrix_power(_dense(a), power)
        np.testing.assert_allclose(materialize(out), want, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["diagonal", "tridiagonal", "banded", "triangular"])
def test_norms_agree_with_numpy(name):
    a, orders = INVERTIBLE[name], (None, "fro", 1, -1, np.inf)
    got = _run(lambda a: [jnp.linalg.norm(a, order) for order in orders], a)
    np.testing.assert_allclose(got, [np.linalg.norm(_dense(a), o) for o in orders], rtol=1e-5)


@pytest.mark.parametrize("name", ["diagonal", "permutation", "circulant", "kronecker"])
def test_the_spectral_norm_agrees_with_numpy(name):
    a = INVERTIBLE[name]
    got = _run(lambda a: jnp.linalg.norm(a, 2), a)
    np.testing.assert_allclose(got, np.linalg.norm(_dense(a), 2), rtol=1e-5)


@pytest.mark.parametrize(
    "a",
    [
        Diagonal(jnp.array([2.0, 0.0, 1e-9])),
        Permutation(jnp.array([2, 0, 1])),
        Circulant(jnp.ones(4)),
        Kronecker(_numbers(2, 3), _numbers(3, 2, seed=1)),
        BlockDiagonal(_numbers(3, 2), _numbers(3, 2, seed=1)),
        LowRank(_numbers(5, 2), _numbers(4, 2, seed=1)),
        Symmetric(jnp.ones((3, 3))),
    ],
    ids=lambda a: type(a).__name__,
)
def test_pinv_agrees_with_numpy_and_keeps_the_structure(a):
    # In a compiled program core makes what a function with a derivative of its own gives dense,
    # unless the matrix is linear in what is stored.
    run = _run if a.leaf_linear else lambda program, a: quaxify(program)(a)
    out = run(jnp.linalg.pinv, a)
    assert isinstance(out, type(a))
    np.testing.assert_allclose(
        materialize(out), np.linalg.pinv(_dense(a), rcond=1e-5), rtol=1e-3, atol=1e-5
    )


@pytest.mark.parametrize(
    "a",
    [
        Diagonal(jnp.array([1.0, -2.0])),
        Circulant(jnp.array([0.5, 0.1, -0.3])),
        BlockDiagonal(_numbers(2, 3, 3) / 3),
        Triangular(_numbers(4, 4) / 2, lower=True),
        Symmetric(_numbers(4, 4) / 2),
        LowRank(_numbers(5, 2) / 2, _numbers(5, 2, seed=1) / 2),
    ],
    ids=lambda a: type(a).__name__,
)
def test_expm_agrees_with_scipy(a):
    out = _run(jsl.expm, a)
    assert isinstance(out, ArrayValue)
    np.testing.assert_allclose(materialize(out), scipy.linalg.expm(_dense(a)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["triangular", "banded", "tridiagonal"])
def test_solve_triangular_takes_the_triangle_that_is_asked_for(name):
    a, b = INVERTIBLE[name], _numbers(_N, 2)
    ways = [{"lower": lower, "trans": trans} for lower in (False, True) for trans in (0, 1)]
    outs = _run(lambda a, b: [jsl.solve_triangular(a, b, **way) for way in ways], a, b)
    for out, way in zip(outs, ways, strict=True):
        want = scipy.linalg.solve_triangular(_dense(a), b, **way)
        scale = np.abs(want).max()
        np.testing.assert_allclose(out / scale, want / scale, atol=1e-4)


def test_batches_are_solved_at_once():
    a = Tridiagonal(_numbers(3, 5), _numbers(3, 6, seed=1) + 4, _numbers(3, 5, seed=2))
    b = _numbers(3, 6, 2, seed=3)
    want = np.linalg.solve(_dense(a), np.asarray(b))
    np.testing.assert_allclose(_run(jnp.linalg.solve, a, b), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        jax.jit(jax.vmap(quaxify(jnp.linalg.solve)))(a, b), want, rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("batch", "columns"), [((149,), 1), ((2, 90), 2)], ids=["a prime number", "two axes"]
)
def test_large_batches_are_solved_in_groups(batch, columns):
    ab = _numbers(*batch, 4, 5).at[..., 2, :].add(6)
    values = Tridiagonal(*(ab[..., k, : 5 - k % 2] for k in (1, 2, 3))), Banded(ab, 1, 2)
    b = _numbers(*batch, 5, columns, seed=1)
    outs = _run(lambda values, b: [jnp.linalg.solve(a, b) for a in values], values, b)
    for out, a in zip(outs, values, strict=True):
        want = np.linalg.solve(_dense(a), np.asarray(b, np.float64))
        np.testing.assert_allclose(out, want, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("apart", ["matrices", "sides"])
def test_over_a_mesh_matrices_may_be_apart_and_sides_together_or_the_other_way_round(apart):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))
    each, all_ = jax.sharding.PartitionSpec("i"), jax.sharding.PartitionSpec()
    specs = (each, all_) if apart == "matrices" else (all_, each)
    a, b = Banded(_numbers(2, 4, 5).at[:, 2].add(6), 1, 2), _numbers(2, 5, 1, seed=1)
    run = jax.shard_map(quaxify(jnp.linalg.solve), mesh=mesh, in_specs=specs, out_specs=each)
    got = jax.jit(run, compiler_options=_QUICKLY)(a, b)
    np.testing.assert_allclose(got, np.linalg.solve(_dense(a), b), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("a", [Identity(8), Diagonal(jnp.arange(8.0))], ids=["ones", "numbers"])
def test_a_product_with_a_diagonal_compiles_to_no_matrix_product(a):
    text = jax.jit(quaxify(jnp.matmul)).lower(a, jnp.ones((8, 4))).compile().as_text()
    assert " dot(" not in text
    assert "custom-call" not in text


def test_integers_are_promoted_as_jax_does():
    a = Tridiagonal(jnp.array([1, 1]), jnp.array([4, 4, 4]), jnp.array([1, 1]))
    out = _run(jnp.linalg.solve, a, jnp.array([5, 6, 5]))
    np.testing.assert_allclose(out, [1, 1, 1], rtol=1e-6)


@pytest.mark.parametrize("n", [0, 1])
def test_empty_and_one_by_one_systems(n):
    values = [
        Tridiagonal(jnp.ones(0), jnp.full(n, 2.0), jnp.ones(0)),
        Diagonal(jnp.full(n, 2.0)),
        Banded(jnp.full((1, n), 2.0), 0, 0),
        Circulant(jnp.full(n, 2.0)),
        Toeplitz(jnp.full(n, 2.0)),
    ]
    b = jnp.full(n, 3.0)
    solved, dets = _run(
        lambda values: (
            [jnp.linalg.solve(a, b) for a in values],
            [jnp.linalg.det(a) for a in values],
        ),
        values,
    )
    for x, det in zip(solved, dets, strict=True):
        np.testing.assert_allclose(x, np.full(n, 1.5), rtol=1e-5)
        np.testing.assert_allclose(det, 2.0**n, rtol=1e-5)


def test_a_singular_system_gives_infinities_or_an_error_if_checked():
    from duckarray import structured

    a = Tridiagonal(jnp.ones(1), jnp.ones(2), jnp.ones(1))
    assert not np.isfinite(quaxify(jnp.linalg.solve)(a, jnp.array([1.0, 2.0]))).all()
    with structured.check(), pytest.raises(Exception, match="singular"):
        quaxify(jnp.linalg.solve)(a, jnp.array([1.0, 2.0]))


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigenvalues_of_one_triangle_are_those_numpy_gives(triangle):
    d = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    low, up = np.array([-0.2, -0.4, 0.3], np.float32), np.array([0.3, 0.6, 0.9], np.float32)
    matrix = np.diag(d) + np.diag(low, -1) + np.diag(up, 1)

    def program(a):
        return jnp.linalg.eigvalsh(a, UPLO=triangle, symmetrize_input=False)

    with materialization("allow"):
        got = quaxify(program)(Tridiagonal(jnp.asarray(low), jnp.asarray(d), jnp.asarray(up)))
    np.testing.assert_allclose(got, np.linalg.eigvalsh(matrix, triangle), rtol=1e-5)


def test_a_toeplitz_solve_inside_a_program():
    a, b = Toeplitz(jnp.array([4.0, 1.0, 0.5]), jnp.array([4.0, 2.0, 0.1])), jnp.arange(1.0, 4)
    dense = np.array([[4, 2, 0.1], [1, 4, 2], [0.5, 1, 4]])
    got = quaxify(lambda a, b: 2 * toeplitz_solve(a, b))(a, b)
    np.testing.assert_allclose(got, 2 * np.linalg.solve(dense, b), rtol=1e-4)
