"""Linear systems solved with Lineax."""

import jax
import jax.numpy as jnp
import lineax as lx
import pytest
from _values import Case, LowRank, Tagged, agree, checks, lowrank, numbers

N = 4


def well_conditioned():
    return 0.3 * numbers(1, N, N) + 4 * jnp.eye(N)


def definite():
    """A positive definite matrix with an update `u uᵀ`."""
    w, u = 0.2 * numbers(1, N, N), numbers(2, N, 1)
    return LowRank(jnp.matmul(w, w.T) + 2 * jnp.eye(N), u, u.T)


def right_hand_side():
    return numbers(3, N)


def run_matrix(solver, make_matrix, *tags):
    def program(a, b):
        operator = lx.MatrixLinearOperator(a, tags)
        return lx.linear_solve(operator, b, solver()).value

    return lambda: Case(program, (make_matrix(), right_hand_side()), rtol=1e-3)


def run_function(solver, make_matrix, *tags):
    """The operator is a function that multiplies by the value."""

    def program(a, b):
        structure = jax.ShapeDtypeStruct((N,), jnp.float32)
        operator = lx.FunctionLinearOperator(lambda x: jnp.matmul(a, x), structure, tags)
        return lx.linear_solve(operator, b, solver()).value

    return lambda: Case(program, (make_matrix(), right_hand_side()), rtol=1e-3)


def run_tagged_side(solver, *tags):
    """The right-hand side is the value."""

    def program(b, a):
        return lx.linear_solve(lx.MatrixLinearOperator(a, tags), b, solver()).value

    matrix = definite() if tags else lowrank(well_conditioned())
    return lambda: Case(program, (Tagged(right_hand_side()), matrix.w), rtol=1e-3)


def run_least_squares():
    def program(a, b):
        return lx.linear_solve(lx.MatrixLinearOperator(a), b, lx.QR()).value

    return Case(program, (lowrank(numbers(4, 6, N)), numbers(5, 6)), rtol=1e-3)


def run_automatic():
    def program(a, b):
        state = lx.AutoLinearSolver(well_posed=True).init(lx.MatrixLinearOperator(a), {})
        solver = lx.AutoLinearSolver(well_posed=True)
        return lx.linear_solve(lx.MatrixLinearOperator(a), b, solver, state=state).value

    return Case(program, (Tagged(well_conditioned()), right_hand_side()), rtol=1e-3)


def run_mapped():
    def program(a, b):
        solve = lambda b: lx.linear_solve(lx.MatrixLinearOperator(a), b, lx.LU()).value
        return jax.vmap(solve)(b)

    return Case(program, (lowrank(well_conditioned()), numbers(3, 3, N)), rtol=1e-3)


def run_diagonal():
    program = lambda d, b: lx.linear_solve(lx.DiagonalLinearOperator(d), b).value
    return Case(program, (Tagged(1 + jnp.abs(numbers(1, N))), right_hand_side()))


def run_jacobian():
    """The operator is the Jacobian of a function that multiplies by the weight."""

    def program(w, x):
        jacobian = lx.JacobianLinearOperator(lambda x, _: x + 0.1 * jnp.sin(jnp.matmul(w, x)), x)
        return lx.linear_solve(jacobian, x, lx.GMRES(1e-6, 1e-6)).value

    return Case(program, (lowrank(well_conditioned()), right_hand_side()), rtol=1e-3)


def cg():
    return lx.CG(1e-6, 1e-6)


def gmres():
    return lx.GMRES(1e-6, 1e-6)


POSITIVE = lx.positive_semidefinite_tag
PROGRAMS = {
    "CG, matrix": run_matrix(cg, definite, POSITIVE),
    "CG, function": run_function(cg, definite, POSITIVE),
    "CG, tagged side": run_tagged_side(cg, POSITIVE),
    "LU": run_matrix(lx.LU, lambda: lowrank(well_conditioned())),
    "LU, tagged": run_matrix(lx.LU, lambda: Tagged(well_conditioned())),
    "LU, tagged side": run_tagged_side(lx.LU),
    "LU, mapped": run_mapped,
    "Cholesky": run_matrix(lx.Cholesky, definite, POSITIVE),
    "QR, least squares": run_least_squares,
    "GMRES, function, tagged": run_function(gmres, lambda: Tagged(well_conditioned())),
    "GMRES, Jacobian": run_jacobian,
    "AutoLinearSolver with a state": run_automatic,
    "Diagonal": run_diagonal,
}
EAGER = {"LU, tagged side"}
# Compiling these takes long.
WITHOUT = {
    "GMRES, Jacobian-gradient outside",
    "GMRES, function, tagged-gradient inside",
    "QR, least squares-gradient inside",
}


@pytest.mark.parametrize(("program", "check"), checks(PROGRAMS, EAGER, WITHOUT, eager_values=False))
def test_agrees_with_the_program_on_dense_arrays(program, check):
    agree(PROGRAMS[program], check)
