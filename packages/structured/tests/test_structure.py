"""Where structure comes from: Jacobians, entries of dense matrices, lineax."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from duckarray import structured as s
from duckarray.core import materialization, materialize, quaxify

pytestmark = pytest.mark.any_jax


def _second_difference(x):
    return jnp.pad(x, 1)[2:] - 2 * x + jnp.pad(x, 1)[:-2]


def _burgers(u):
    inner = u[1:-1] * (u[2:] - u[:-2]) + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.at[1:-1].set(inner)


_FUNCTIONS = {
    "each entry": (lambda x: jnp.sin(x) * x, s.Diagonal),
    "a choice": (lambda x: jnp.where(x > 0, x**2, 3 * x), s.Diagonal),
    "relu": (jax.nn.relu, s.Diagonal),
    "differences": (jnp.diff, s.Banded),
    "second differences": (_second_difference, s.Tridiagonal),
    "a product of neighbours": (lambda x: x[1:] * x[:-1], s.Banded),
    "a part": (lambda x: x[2:5] ** 3, s.Banded),
    "a stencil of an equation": (_burgers, None),
    "everything": (lambda x: x * jnp.sum(x**2), None),
    "running sums": (lambda x: jnp.cumsum(x**2), None),
    "the other way round": (lambda x: jnp.exp(x[::-1]), None),
    "a matrix": (lambda x: jnp.arange(12.0).reshape(2, 6) @ jnp.tanh(x), None),
}


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_a_jacobian_is_that_of_jax_with_the_structure_of_the_function(name):
    f, kind = _FUNCTIONS[name]
    x = jnp.array([0.5, -1.0, 2.0, 0.25, -0.75, 1.5])
    out = s.jacobian(f, x)
    np.testing.assert_allclose(materialize(out), jax.jacrev(f)(x), rtol=1e-5, atol=1e-6)
    if kind is not None:
        assert isinstance(out, kind)


def test_what_has_a_derivative_of_its_own_keeps_the_structure_and_is_differentiated():
    rng = np.random.default_rng(1)

    def numbers(*shape):
        return jnp.asarray(rng.normal(size=shape), jnp.float32)

    values = [
        s.Diagonal(numbers(3)),
        s.Tridiagonal(numbers(2), numbers(3), numbers(2)),
        s.Banded(numbers(3, 4), 1, 1, rows=3),
        s.Symmetric(numbers(3, 3)),
        s.Toeplitz(numbers(3), numbers(4)),
        s.Circulant(numbers(3)),
        s.BlockDiagonal(numbers(2, 2, 2)),
    ]

    def outs(values):
        return [2 * jax.nn.relu(x) for x in values]

    def loss(run, values):
        return sum(jnp.sum(materialize(y) ** 2) for y in run(outs)(values))

    kept = jax.eval_shape(quaxify(outs), values)
    assert [type(y) for y in kept] == [type(x) for x in values]
    got = jax.jit(jax.grad(lambda values: loss(quaxify, values)))(values)
    want = jax.jit(jax.grad(lambda values: loss(lambda f: f, [*map(materialize, values)])))(values)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6)


_PULLED = [
    s.Banded(jnp.ones((3, 4)), 1, 1, rows=3),
    s.Symmetric(jnp.arange(9.0).reshape(3, 3)),
    s.Toeplitz(jnp.arange(3.0), jnp.arange(4.0)),
    s.Circulant(jnp.arange(3.0)),
]


@pytest.mark.parametrize("value", _PULLED, ids=lambda x: type(x).__name__)
def test_a_cotangent_with_structure_is_pulled_back_as_a_dense_one_is(value):
    told = value.to_cotangent(value)
    want = jax.vjp(materialize, value)[1](materialize(value))[0]
    for g, w in zip(jax.tree.leaves(told), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-6)


_N = 8
_DETECTED = {
    "identity": (np.eye(_N), s.Identity),
    "diagonal": (np.diag(np.arange(1.0, _N + 1)), s.Diagonal),
    "permutation": (np.eye(_N)[[2, 0, 1, 3, 5, 4, 7, 6]], s.Permutation),
    "second difference": (scipy.linalg.toeplitz([2.0, -1] + [0] * (_N - 2)), s.Tridiagonal),
    "circulant": (scipy.linalg.circulant(np.arange(1.0, _N + 1)), s.Circulant),
    "toeplitz": (scipy.linalg.toeplitz(np.arange(1.0, 5), np.arange(1.0, 7) ** 2), s.Toeplitz),
    "band": (np.triu(np.tril(np.arange(1.0, 65).reshape(8, 8), 2)), s.Banded),
    "pascal, lower": (scipy.linalg.pascal(_N, kind="lower").astype(float), s.Triangular),
    "hilbert": (scipy.linalg.hilbert(_N), s.Symmetric),
    "companion": (scipy.linalg.hadamard(4) @ np.diag([1.0, 2, 3, 4]), jax.Array),
    "rectangular": (np.arange(1.0, 7).reshape(2, 3) ** 2, jax.Array),
    "one entry": (np.array([[3.0]]), s.Diagonal),
    "empty": (np.zeros((0, 3)), jax.Array),
}


@pytest.mark.parametrize("name", _DETECTED)
def test_detect_finds_the_narrowest_type_and_changes_nothing(name):
    matrix, kind = _DETECTED[name]
    out = s.detect(matrix)
    assert isinstance(out, kind)
    np.testing.assert_array_equal(materialize(out), matrix.astype(np.float32))


def test_detect_looks_at_entries():
    with pytest.raises(TypeError, match=r"known while tracing[^$]*before `jax\.jit`"):
        jax.jit(s.detect)(jnp.eye(2))


def _matrices():
    rng = np.random.default_rng(0)

    def numbers(*shape):
        return jnp.asarray(rng.normal(size=shape), jnp.float32)

    spd = numbers(4, 4)
    return {
        "identity": s.Identity(4),
        "diagonal": s.Diagonal(jnp.array([1.0, -2.0, 3.0, 4.0])),
        "tridiagonal": s.Tridiagonal(numbers(3), numbers(4) + 4, numbers(3)),
        "triangular": s.Triangular(numbers(4, 4) + 3 * jnp.eye(4), lower=True),
        "symmetric": s.Symmetric(spd @ spd.T + 4 * jnp.eye(4)),
        "banded": s.Banded(numbers(4, 4).at[2].add(4), 1, 2),
        "circulant": s.Circulant(numbers(4).at[0].add(4)),
        "kronecker": s.Kronecker(numbers(2, 2) + 2 * jnp.eye(2), s.Diagonal(jnp.array([1.0, 2.0]))),
        "woodbury": s.DiagonalPlusLowRank(jnp.full(4, 3.0), numbers(4, 1), numbers(4, 1)),
    }


@pytest.mark.parametrize("name", ["identity", "triangular", "banded", "kronecker"])
def test_lineax_solves_with_a_structured_matrix_and_with_its_operator(name):
    lx = pytest.importorskip("lineax")
    a, b = _matrices()[name], jnp.array([1.0, -1.0, 2.0, 0.5])
    want = np.linalg.solve(np.asarray(materialize(a), np.float64), b)
    solver = s.structured_solver()
    with materialization("error"):
        operator = s.to_lineax(a)
        outs = [lx.linear_solve(x, b, solver).value for x in (a, operator.T.T)]
        np.testing.assert_allclose(operator.mv(b), np.asarray(materialize(a)) @ b, rtol=1e-4)
    with materialization("allow"):
        outs.append(lx.linear_solve(a, b).value)
    for out in outs:
        np.testing.assert_allclose(out, want, rtol=1e-3, atol=1e-5)
    found = s.from_lineax(operator)
    np.testing.assert_array_equal(materialize(found), materialize(a))


def test_lineax_differentiates_and_maps_a_solve():
    lx = pytest.importorskip("lineax")
    a, b = _matrices()["tridiagonal"], jnp.array([1.0, -1.0, 2.0, 0.5])

    def loss(a, solve):
        return jnp.sum(jnp.sin(solve(a, b)))

    got = jax.grad(loss)(a, lambda a, b: lx.linear_solve(a, b, s.structured_solver()).value)
    want = jax.grad(loss)(a, lambda a, b: jnp.linalg.solve(materialize(a), b))
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-3, atol=1e-5)
    batch = jax.tree.map(lambda x: jnp.stack([x, 2 * x]), a)
    many = jax.vmap(lambda a: lx.linear_solve(a, b, s.structured_solver()).value)(batch)
    once = np.linalg.solve(np.asarray(materialize(a), np.float64), b)
    np.testing.assert_allclose(many, [once, once / 2], rtol=1e-3, atol=1e-5)


def test_what_lineax_knows_of_an_operator_is_kept():
    lx = pytest.importorskip("lineax")
    dense = jnp.array([[2.0, 0.0], [1.0, 3.0]])
    operator = lx.MatrixLinearOperator(dense, lx.lower_triangular_tag)
    found = s.from_lineax(operator)
    assert isinstance(found, s.Triangular)
    assert found.lower
    assert lx.is_lower_triangular(s.to_lineax(found))
    assert lx.is_symmetric(s.to_lineax(_matrices()["symmetric"]))
    assert not lx.is_symmetric(s.to_lineax(_matrices()["circulant"]))
    with pytest.raises(TypeError, match=r"MatrixLinearOperator[^$]*as_matrix"):
        s.from_lineax(lx.MatrixLinearOperator(dense))


def test_an_unmodified_program_solves_with_a_kronecker_product_of_structured_factors():
    a = _matrices()["kronecker"]
    with materialization("error"):
        out = quaxify(jnp.linalg.solve)(a, jnp.arange(4.0))
    np.testing.assert_allclose(out, np.linalg.solve(materialize(a), np.arange(4.0)), rtol=1e-4)
