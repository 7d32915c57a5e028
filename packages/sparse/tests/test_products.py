"""Products with vectors, matrices and other sparse matrices, in every orientation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse

from duckarray import sparse
from duckarray.core import materialize, quaxify
from duckarray.sparse._products import Rows, _best_width

pytestmark = pytest.mark.any_jax


def _laplacian(n):
    line = scipy.sparse.diags_array(
        [-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]
    )
    eye = scipy.sparse.eye_array(n)
    return (scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr().astype("float32")


def _power_law(n):
    """Rows of very different lengths, empty ones among them."""
    rng = np.random.default_rng(1)
    degree = np.minimum((rng.pareto(1.0, n) * 2).astype(int), n // 2)
    rows = np.repeat(np.arange(n), degree)
    data = rng.standard_normal(rows.size)
    cols = rng.integers(0, n, rows.size)
    return scipy.sparse.coo_array((data, (rows, cols)), shape=(n, n)).tocsr().astype("float32")


def _random(shape, density, seed):
    """SciPy's own function for it takes a generator by another name before 1.15."""
    rng = np.random.default_rng(seed)
    entries = rng.random(shape, dtype="float32") * (rng.random(shape) < density)
    return scipy.sparse.csr_array(entries)


def _rectangular():
    return _random((30, 50), 0.2, 2)


MATRICES = {
    "laplacian": _laplacian(7),
    "power law": _power_law(60),
    "rectangular": _rectangular(),
    "one long row": scipy.sparse.csr_array(np.eye(1, 40, dtype="float32") + 1),
    "nothing stored": scipy.sparse.csr_array((4, 3), dtype="float32"),
    "no rows": scipy.sparse.csr_array((0, 3), dtype="float32"),
    "tall diagonals": scipy.sparse.diags_array(
        [np.ones(5), np.ones(5)], offsets=[0, -3], shape=(9, 5)
    )
    .tocsr()
    .astype("float32"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_products_are_those_of_scipy(name):
    s = MATRICES[name]
    a = sparse.from_scipy(s)
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((n, 3)).astype("float32") for n in s.shape[::-1])

    @jax.jit
    @quaxify
    def program(a, x, y):
        return a @ x[:, 0], y[:, 0] @ a, a @ x, y.T @ a, a.T @ y[:, 0], a.T @ y

    want = s @ x[:, 0], s.T @ y[:, 0], s @ x, (s.T @ y).T, s.T @ y[:, 0], s.T @ y
    for got, expected in zip(program(a, x, y), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_an_unstored_zero_absorbs_and_a_stored_entry_does_not():
    a = sparse.from_dense(jnp.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    x = jnp.array([np.inf, 3.0])
    np.testing.assert_array_equal(quaxify(jnp.matmul)(a, x), [np.inf, 6, 0])
    tri = sparse.diags([1.0, 2.0, 1.0], [-1, 0, 1], (5, 5))
    bad = jnp.array([1.0, 1.0, np.nan, 1.0, 1.0])
    np.testing.assert_array_equal(np.isnan(quaxify(jnp.matmul)(tri, bad)), [0, 1, 1, 1, 0])
    for s in (0.0, np.nan):
        traced = jax.jit(quaxify(lambda a, s: (a / s, a * (1 / s))))
        assert all(x.fill_constant.is_zero for x in traced(a, s))
        assert np.isnan(quaxify(lambda a, s=s: a / s)(a).fill)


@pytest.mark.parametrize(
    ("spec", "shapes"),
    [
        ("ij,j->i", "am"),
        ("ij,i->ij", "am"),
        ("kij,kj->ki", "tm"),
        ("kij,kjl->kil", "tm"),
        ("kij,l->kijl", "tm"),
        ("kij,ki->j", "tm"),
        ("ij,kj->ki", "am"),
        ("ij,kj->ik", "aa"),
        ("kij,klj->kil", "tt"),
        ("kij,kij->", "tt"),
        ("kij,kil->jl", "tt"),
    ],
)
def test_einsum_of_any_orientation(spec, shapes):
    rng = np.random.default_rng(5)
    sizes = {"i": 4, "j": 5, "k": 3, "l": 2}
    inputs = spec.split("->")[0].split(",")
    dense = [rng.standard_normal([sizes[c] for c in axes]).astype("float32") for axes in inputs]
    mask = rng.random(dense[0].shape[-2:]) < 0.5
    operands = []
    batch = len(spec) % 2 == 0  # of some the leading axis is a batch, of others of the pattern
    for i, x in enumerate(dense):
        if i == 0 or shapes[i] != "m":
            x *= mask if x.shape[-2:] == mask.shape else rng.random(x.shape) < 0.5
            stored = sparse.from_dense(mask).pattern if batch and x.ndim == 3 else None
            alike = stored is not None and x.shape[-2:] == mask.shape
            operands.append(sparse.from_dense(x, pattern=stored if alike else None))
        else:
            operands.append(jnp.asarray(x))
    got = quaxify(lambda *xs: jnp.einsum(spec, *xs))(*operands)
    np.testing.assert_allclose(materialize(got), np.einsum(spec, *dense), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "bool", "complex64", "bfloat16"])
def test_dtypes_of_products(dtype):
    rng = np.random.default_rng(9)
    dense = jnp.asarray(rng.integers(0, 3, (4, 4))).astype(dtype)
    x = jnp.asarray(rng.integers(0, 3, 4)).astype(dtype)
    a = sparse.from_dense(dense)

    def program(a, x):
        return (
            a @ x,
            x @ a,
            a @ a,
            jnp.matmul(a, x, preferred_element_type="float32")
            if (dtype == "bfloat16")
            else a.T @ x,
        )

    for got, want in zip(quaxify(program)(a, x), program(dense, x), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(np.asarray(materialize(got)), np.asarray(want))


def test_a_fill_other_than_zero_takes_part():
    a = sparse.from_dense(jnp.array([[1.0, 2.0, 2.0], [2.0, 2.0, 5.0]]), fill=2)
    dense = a.to_dense()
    x = jnp.arange(3.0)
    assert a.nnz == 2
    np.testing.assert_allclose(quaxify(jnp.matmul)(a, x), dense @ x)
    np.testing.assert_allclose(quaxify(lambda a: a @ a.T)(a), dense @ dense.T)


# With respect to both operands; of all expressions of the table `test_table` has those of one.
PROGRAMS = {
    "a @ matrix": lambda a, x: jnp.sin(a @ jnp.outer(x, x[:3])),
    "(a @ a) @ x": lambda a, x: jnp.sin((a @ a) @ x),
    "a.T * a": lambda a, x: (a.T * a) @ x,
    "a + a.T": lambda a, x: jnp.tanh(a + 0.5 * a.T).sum(0) * x,
    "a * row": lambda a, x: (a * x[None] * a).sum(),
    "a / column": lambda a, x: (a / x[:, None]).sum(0),
    "max": lambda a, x: a.max(0) * x + a.min(1),
    "gather": lambda a, x: a[jnp.array([1, 3, 3])] @ x,
    "entries": lambda a, x: (a[jnp.arange(9), jnp.arange(9)] ** 2 * x).sum(),
    "scan": lambda a, x: jax.lax.scan(lambda c, _: (a @ c, c.sum()), x, None, length=3)[0],
}


def _graded():
    rng = np.random.default_rng(4)
    dense = (rng.standard_normal((9, 9)) * (rng.random((9, 9)) < 0.4)).astype("float32")
    return (
        sparse.from_dense(dense),
        jnp.asarray(dense),
        jnp.asarray(rng.uniform(1, 2, 9), "float32"),
    )


def test_gradients_are_those_of_the_dense_program():
    a, dense, x = _graded()
    names = list(PROGRAMS)

    @jax.jit
    def ours(a, x):
        losses = {n: lambda a, x, n=n: jnp.sum(quaxify(PROGRAMS[n])(a, x)) for n in names}
        return {n: jax.grad(f, argnums=(0, 1))(a, x) for n, f in losses.items()}

    @jax.jit
    def plain(a, x):
        losses = {n: lambda a, x, n=n: jnp.sum(PROGRAMS[n](a, x)) for n in names}
        return {n: jax.grad(f, argnums=(0, 1))(a, x) for n, f in losses.items()}

    got, want = ours(a, x), plain(dense, x)
    for n in names:
        of_data, of_x = got[n][0].data, got[n][1]
        np.testing.assert_allclose(
            of_data, want[n][0][a.pattern.indices], rtol=1e-3, atol=1e-4, err_msg=n
        )
        np.testing.assert_allclose(of_x, want[n][1], rtol=1e-3, atol=1e-4, err_msg=n)


def test_forward_mode_and_second_derivatives():
    a, dense, x = _graded()

    def loss(a, x):
        return jnp.sum(jnp.sin(a @ x) * (x @ a))

    hessian = jax.jit(jax.hessian(lambda x: quaxify(loss)(a, x)))(x)
    np.testing.assert_allclose(
        hessian, jax.hessian(lambda x: loss(dense, x))(x), rtol=1e-3, atol=1e-4
    )
    _, tangent = jax.jvp(quaxify(loss), (a, x), (a, x))
    _, want = jax.jvp(loss, (dense, x), (dense, x))
    np.testing.assert_allclose(tangent, want, rtol=1e-3)


def test_vmap_over_the_data_shares_the_pattern():
    a, dense, x = _graded()
    stack = sparse.Sparse(jnp.stack([a.data, 2 * a.data]), a.pattern)
    assert stack.shape == (2, 9, 9)
    got = jax.vmap(quaxify(lambda a: a @ x))(stack)
    np.testing.assert_allclose(got, jnp.stack([dense @ x, 2 * dense @ x]), rtol=1e-4, atol=1e-5)
    product = jax.vmap(quaxify(lambda a: a @ a))(stack)
    assert product.pattern.ndim == 2
    np.testing.assert_allclose(product.to_dense()[1], 4 * dense @ dense, rtol=1e-4, atol=1e-4)


def test_the_scratch_of_a_matrix_product_is_a_fraction_of_the_products():
    s = _random((2000, 2000), 0.005, 0)
    a, x = sparse.from_scipy(s), jnp.ones((2000, 64))
    memory = jax.jit(quaxify(jnp.matmul)).lower(a, x).compile().memory_analysis()
    assert memory.temp_size_in_bytes < 0.3 * s.nnz * 64 * 4


def test_the_product_of_two_sparse_matrices_needs_no_more_than_its_terms():
    a = sparse.random(jax.random.key(1), (2000, 2000), density=0.002)
    memory = jax.jit(quaxify(jnp.matmul)).lower(a, a).compile().memory_analysis()
    assert memory.temp_size_in_bytes < 2**20


def test_a_product_reads_neither_matrix_densely():
    a = sparse.random(jax.random.key(2), (500, 500), density=0.01)
    text = str(jax.make_jaxpr(quaxify(lambda a, x: a @ x + x @ a))(a, jnp.ones(500)))
    assert "dot_general" not in text
    assert "500,500" not in text


def test_rows_are_cut_where_that_is_least_work():
    assert _best_width(np.full(100, 5)) == 5
    assert _best_width(np.array([1] * 99 + [1000])) < 16
    assert Rows.__hash__ is not None
