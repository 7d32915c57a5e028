"""Linear solves and roots whose functions meet values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, Zero, dense
from jax import lax
from jax.scipy.sparse.linalg import bicgstab, cg, gmres

from duckarray.core import ArrayValue, materialization, materialize, quaxify, register

pytestmark = pytest.mark.usefixtures("own_rules")
D = jnp.array([2.0, 3.0, 4.0])
B = jnp.array([1.0, -2.0, 0.5])
S = jnp.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])


@pytest.fixture
def diag(own_rules):
    """A type for diagonal matrices, and the list in which its rule counts the products."""
    hits = []

    class Diag(ArrayValue):
        diagonal: jax.Array
        materialization = "error"

        def materialize(self):
            return jnp.diag(self.diagonal)

    @register("dot_general")
    def _dot_general_diag_dense(x: Diag, y: jax.Array, *, dimension_numbers, **params):
        assert dimension_numbers == (((1,), (0,)), ((), ()))
        hits.append(y.shape)
        return x.diagonal * y

    @register("dot_general")
    def _dot_general_dense_diag(x: jax.Array, y: Diag, *, dimension_numbers, **params):
        """What the transpose of a product is; the matrix is its own transpose."""
        assert x.ndim == 1
        return x * y.diagonal

    return Diag, hits


@pytest.fixture(params=[False, True], ids=["eager", "jit"])
def run(request):
    """`quaxify`, jitted or not."""
    return (lambda f: jax.jit(quaxify(f))) if request.param else quaxify


@pytest.mark.parametrize("solver", [cg, gmres, bicgstab])
def test_an_iterative_solver_keeps_the_matrix_in_its_products(solver, diag, run):
    make, hits = diag
    got = run(lambda a, b: solver(lambda x: a @ x, b, maxiter=10)[0])(make(D), B)
    np.testing.assert_allclose(got, np.asarray(B) / np.asarray(D), rtol=1e-3, atol=1e-4)
    assert hits


def test_the_gradient_outside_of_an_iterative_solver_keeps_the_matrix(diag):
    make, hits = diag
    loss = lambda a, b: jnp.sum(quaxify(lambda a, b: cg(lambda x: a @ x, b)[0])(a, b))
    of_a, of_b = jax.jit(jax.grad(loss, (0, 1)))(make(D), B)
    np.testing.assert_allclose(of_b, 1 / np.asarray(D), rtol=1e-3)
    np.testing.assert_allclose(of_a.diagonal, -np.asarray(B) / np.asarray(D) ** 2, rtol=1e-3)
    assert hits


def test_the_gradient_inside_of_an_iterative_solver_is_that_of_the_array(diag, run):
    make, _ = diag
    program = lambda a, b: jax.grad(lambda b: jnp.sum(cg(lambda x: a @ x, b)[0]))(b)
    with materialization("allow"):
        np.testing.assert_allclose(run(program)(make(D), B), 1 / np.asarray(D), rtol=1e-3)


def custom_solve(a, b, symmetric=False):
    def solve(matvec, b):
        return b / matvec(jnp.ones(3))  # exact for a diagonal matrix

    return lax.custom_linear_solve(
        lambda x: a @ x, b, solve, transpose_solve=solve, symmetric=symmetric
    )


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_custom_linear_solve_multiplies_by_the_rule(symmetric, diag, run):
    make, hits = diag
    got = run(lambda a, b: custom_solve(a, b, symmetric))(make(D), B)
    np.testing.assert_allclose(got, np.asarray(B) / np.asarray(D), rtol=1e-6)
    assert hits


def test_a_custom_linear_solve_without_transpose_agrees(diag, run):
    make, hits = diag

    def program(a, b):
        return lax.custom_linear_solve(lambda x: a @ x, b, lambda mv, b: b / mv(jnp.ones(3)))

    np.testing.assert_allclose(run(program)(make(D), B), np.asarray(B) / np.asarray(D), rtol=1e-6)
    assert hits


def test_the_gradient_outside_of_a_custom_linear_solve_runs_its_transpose(diag):
    make, _ = diag
    loss = lambda a, b: jnp.sum(quaxify(lambda a, b: custom_solve(a, b, True))(a, b) ** 2)
    of_a, of_b = jax.grad(loss, (0, 1))(make(D), B)
    b, d = np.asarray(B), np.asarray(D)
    np.testing.assert_allclose(of_b, 2 * b / d**2, rtol=1e-5)
    np.testing.assert_allclose(of_a.diagonal, -2 * b**2 / d**3, rtol=1e-5)


@pytest.mark.parametrize("symmetric", [False, True])
def test_what_a_solve_says_beside_the_solution_is_returned(symmetric, diag, run):
    make, hits = diag

    def program(a, b):
        def solve(matvec, b):
            return b / matvec(jnp.ones(3)), {"largest": jnp.max(jnp.abs(b)), "turns": 1}

        return lax.custom_linear_solve(
            lambda x: a @ x, b, solve, solve, symmetric=symmetric, has_aux=True
        )

    x, told = run(program)(make(D), B)
    b, d = np.asarray(B), np.asarray(D)
    np.testing.assert_allclose(x, b / d, rtol=1e-6)
    assert (float(told["largest"]), int(told["turns"])) == (2.0, 1)
    assert hits
    gradient = run(jax.grad(lambda b, a: jnp.sum(program(a, b)[0] ** 2)))(B, make(D))
    np.testing.assert_allclose(gradient, 2 * b / d**2, rtol=1e-5)


def test_the_solve_may_return_a_value_which_is_made_dense():
    def program(a, b):
        return lax.custom_linear_solve(
            lambda x: a @ x, b, lambda mv, b: jnp.multiply(Box(1 / D, "s"), b)
        )

    got = quaxify(program)(Doubled(jnp.diag(D) / 2), B)
    np.testing.assert_allclose(materialize(got), np.asarray(B) / np.asarray(D), rtol=1e-6)


def test_the_right_hand_side_may_be_a_value(run):
    got = run(lambda b: custom_solve(jnp.diag(D), b))(Doubled(B))
    np.testing.assert_allclose(got, 2 * np.asarray(B) / np.asarray(D), rtol=1e-6)


def test_the_right_hand_side_may_be_a_tree(run):
    def program(a, b):
        return lax.custom_linear_solve(
            lambda t: {"x": a @ t["x"], "y": 2.0 * t["y"]},
            b,
            lambda mv, t: {"x": jnp.linalg.inv(S) @ t["x"], "y": t["y"] / 2.0},
        )

    got = run(program)(Doubled(S / 2), {"x": B, "y": Doubled(B)})
    np.testing.assert_allclose(got["x"], np.linalg.solve(S, B), rtol=1e-4)
    np.testing.assert_allclose(got["y"], B, rtol=1e-6)


@pytest.mark.parametrize("make", [Doubled, Box], ids=["doubled", "box"])
def test_solve_agrees_with_numpy(make, run):
    a = make(S)
    want = np.linalg.solve(np.asarray(dense(a)), B)
    np.testing.assert_allclose(run(jnp.linalg.solve)(a, B), want, rtol=1e-4)


def test_the_gradient_outside_of_solve_is_that_of_the_leaves():
    loss = lambda a, b: jnp.sum(quaxify(jnp.linalg.solve)(a, b))
    got = jax.jit(jax.grad(loss))(Doubled(S / 2), B)
    inverse = np.linalg.inv(np.asarray(S))
    # d sum(A⁻¹ b) = -A⁻ᵀ 1 (A⁻¹ b)ᵀ, and A is twice the leaf.
    want = -2 * np.outer(inverse.T @ np.ones(3), inverse @ np.asarray(B))
    np.testing.assert_allclose(got.half, want, rtol=1e-3, atol=1e-5)


def test_the_gradient_inside_of_solve_is_that_of_the_array(run):
    program = lambda a, b: jax.grad(lambda a: jnp.sum(jnp.linalg.solve(a, b)))(a)
    inverse = np.linalg.inv(np.asarray(S))
    want = -np.outer(inverse.T @ np.ones(3), inverse @ np.asarray(B))
    np.testing.assert_allclose(run(program)(Doubled(S / 2), B), want, rtol=1e-3, atol=1e-5)


def test_solve_of_a_stack_agrees_under_vmap_inside(run):
    stack = jnp.stack([S, 2 * S])
    got = run(jax.vmap(jnp.linalg.solve, (0, None)))(Doubled(stack / 2), B)
    want = np.stack([np.linalg.solve(m, np.asarray(B)) for m in np.asarray(stack)])
    np.testing.assert_allclose(got, want, rtol=1e-4)


def root(f, x0):
    """Newton's method in one dimension, with an exact derivative."""

    def solve(f, x):
        derivative = jax.grad(f)
        return lax.fori_loop(0, 12, lambda i, x: x - f(x) / derivative(x), x)

    return lax.custom_root(f, x0, solve, lambda g, y: y / g(1.0))


def test_a_custom_root_of_a_function_that_closes_over_a_value(run):
    program = lambda a: root(lambda x: x**2 - a, jnp.float32(1.0))
    np.testing.assert_allclose(run(program)(Doubled(jnp.float32(1.0))), np.sqrt(2), rtol=1e-5)


def test_the_gradient_outside_of_a_custom_root_is_that_of_the_leaf():
    program = lambda a: root(lambda x: x**2 - a, jnp.float32(1.0))
    got = jax.grad(lambda a: quaxify(program)(a))(Doubled(jnp.float32(1.0)))
    np.testing.assert_allclose(got.half, 2 / (2 * np.sqrt(2)), rtol=1e-5)


def test_the_gradient_inside_of_a_custom_root_is_that_of_the_array(run):
    program = jax.grad(lambda a: root(lambda x: x**2 - a, jnp.float32(1.0)))
    got = run(program)(Doubled(jnp.float32(1.0)))
    np.testing.assert_allclose(got, 1 / (2 * np.sqrt(2)), rtol=1e-5)


def test_a_policy_is_named_with_the_primitive_where_a_right_hand_side_becomes_dense():
    program = lambda b: custom_solve(jnp.diag(D), b)
    with materialization("error"), pytest.raises(TypeError, match="custom_linear_solve"):
        quaxify(program)(Doubled(B))


def test_a_matrix_of_zeros_has_no_gradient_in_a_solver():
    # (0 + 9) y = b; what `Zero` holds does not enter the product, though it does the solver.
    program = lambda x: cg(lambda v: x @ v + 9.0 * v, jnp.arange(3.0), maxiter=3)[0]
    x = Zero(jnp.zeros((3, 3, 0)))
    np.testing.assert_allclose(quaxify(program)(x), np.arange(3) / 9, rtol=1e-5)
    got = jax.jit(jax.grad(lambda x: jnp.sum(quaxify(program)(x))))(x)
    assert got.leaf.shape == (3, 3, 0)
