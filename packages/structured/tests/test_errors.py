"""Bad input raises where the matrix is made, and says what to pass."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray import structured as s
from duckarray.core import materialization, materialize, quaxify

pytestmark = pytest.mark.any_jax

_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}

_CASES = {
    "Identity": (lambda: s.Identity(-1), r"-1 is none[^$]*non-negative"),
    "Diagonal": (lambda: s.Diagonal(2.0), r"shape \(\)[^$]*atleast_1d"),
    "Tridiagonal": (
        lambda: s.Tridiagonal(jnp.ones(3), jnp.ones(3), jnp.ones(2)),
        r"\(3,\), \(3,\) and \(2,\)[^$]*lower\[\.\.\., :-1\]",
    ),
    "Tridiagonal, batches": (
        lambda: s.Tridiagonal(jnp.ones((2, 2)), jnp.ones((3, 3)), jnp.ones((2, 2))),
        r"\(2, 2\), \(3, 3\), \(2, 2\) do not broadcast[^$]*same leading axes",
    ),
    "Banded": (lambda: s.Banded(jnp.ones((2, 4)), 1, 1), r"3 diagonals[^$]*\(2, 4\)[^$]*ab\["),
    "Banded, offsets": (lambda: s.Banded(jnp.ones((1, 4)), 1, -2), r"lower=1, upper=-2[^$]*>= 0"),
    "Banded, above": (
        lambda: s.Banded(jnp.ones((3, 4)), -7, 9),
        r"from 7 to 9, none of which is in a matrix of shape \(4, 4\)[^$]*main diagonal",
    ),
    "Banded, below": (
        lambda: s.Banded(jnp.ones((2, 4)), 4, -3, rows=3),
        r"from -4 to -3, none[^$]*\(3, 4\)[^$]*lower=1",
    ),
    "Triangular": (lambda: s.Triangular(jnp.ones((2, 3))), r"\(2, 3\)[^$]*matrix\["),
    "Symmetric": (lambda: s.Symmetric(jnp.ones(3)), r"\(3,\)[^$]*matrix\["),
    "Permutation": (lambda: s.Permutation(jnp.array([0, 0])), r"0 \.\.\. 1 once, but got \[0 0\]"),
    "Toeplitz": (lambda: s.Toeplitz(jnp.ones(())), r"shape \(\)[^$]*atleast_1d\(c\)"),
    "Circulant": (lambda: s.Circulant(jnp.ones(())), r"shape \(\)[^$]*atleast_1d\(c\)"),
    "Kronecker": (lambda: s.Kronecker(jnp.ones(3)), r"shape \(3,\)[^$]*Kronecker\(a, b\)"),
    "Kronecker, none": (lambda: s.Kronecker(), r"got none[^$]*Kronecker\(a, b\)"),
    "BlockDiagonal": (lambda: s.BlockDiagonal(jnp.ones(3)), r"shape \(3,\)[^$]*one by one"),
    "LowRank": (
        lambda: s.LowRank(jnp.ones((3, 1)), jnp.ones((1, 3))),
        r"\(3, 1\) and \(1, 3\)[^$]*w\.mT",
    ),
    "DiagonalPlusLowRank": (
        lambda: s.DiagonalPlusLowRank(jnp.ones(4), jnp.ones((3, 1))),
        r"\(4,\), \(3, 1\)[^$]*as a vector",
    ),
    "jacobian": (lambda: s.jacobian(jnp.sin, jnp.ones((2, 2))), r"x has shape \(2, 2\)[^$]*ravel"),
    "detect": (lambda: s.detect(jnp.ones(3)), r"shape \(3,\)[^$]*batch"),
    "toeplitz_solve": (
        lambda: s.toeplitz_solve(s.Toeplitz(jnp.ones(3)), jnp.ones(2)),
        r"\(3, 3\) and \(2,\)[^$]*Pass `b`",
    ),
    "toeplitz_solve, method": (
        lambda: s.toeplitz_solve(s.Toeplitz(jnp.ones(3)), jnp.ones(3), method="lu"),
        r"method='lu'[^$]*levinson",
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_bad_input_is_refused_and_told_what_to_do(name):
    make, message = _CASES[name]
    with pytest.raises(ValueError, match=message):
        make()


def test_integers_have_no_jacobian():
    with pytest.raises(TypeError, match=r"dtype int32[^$]*x\.astype\(float\)"):
        s.jacobian(jnp.sin, jnp.arange(3))


_N = {shape: jnp.ones(shape) for shape in [(3,), (4,), (2, 4, 1), (3, 4, 1)]}
_FOUR = s.Tridiagonal(jnp.ones(3), jnp.ones(4), jnp.ones(3))
_TWO = s.Tridiagonal(jnp.ones((2, 3)), jnp.ones((2, 4)), jnp.ones((2, 3)))
_WIDE = s.Banded(jnp.ones((2, 4)), 0, 1, rows=3)
# What is asked of matrices that do not fit: JAX's own error, as for dense ones.
_PROGRAMS = {
    "a system that is not square": (jnp.linalg.solve, (_WIDE, _N[3,])),
    "a side of another length": (jnp.linalg.solve, (_FOUR, _N[3,])),
    "no side": (jnp.linalg.solve, (_FOUR, jnp.float32(1))),
    "sides in another batch": (jnp.linalg.solve, (_TWO, _N[3, 4, 1])),
    "an inverse of what is not square": (jnp.linalg.inv, (_WIDE,)),
    "a determinant of it": (jnp.linalg.det, (_WIDE,)),
    "its logarithm": (jnp.linalg.slogdet, (s.Toeplitz(_N[3,], _N[4,]),)),
    "its eigenvalues": (jnp.linalg.eigvalsh, (_WIDE,)),
    "a factor of it": (jnp.linalg.cholesky, (_WIDE,)),
    "its exponential": (jax.scipy.linalg.expm, (_WIDE,)),
    "a product with another length": (jnp.matmul, (_FOUR, _N[3,])),
    "a product with another batch": (jnp.matmul, (_TWO, _N[3, 4, 1])),
    "a sum with another size": (jnp.add, (_FOUR, s.Diagonal(_N[3,]))),
    "a product by entry with another size": (jnp.multiply, (_FOUR, _N[3,])),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_what_does_not_fit_is_the_error_that_it_is_for_dense_matrices(name):
    program, operands = _PROGRAMS[name]
    with pytest.raises((TypeError, ValueError)) as dense:
        program(*map(materialize, operands))
    with materialization("error"), pytest.raises(dense.type) as ours:
        quaxify(program)(*operands)
    assert str(ours.value).splitlines()[0] == str(dense.value).splitlines()[0]


_SINGULAR = {
    "diagonal": s.Diagonal(jnp.array([1.0, 0.0, 2.0])),
    "tridiagonal": s.Tridiagonal(jnp.ones(2), jnp.array([1.0, 1.0, 0.0]), jnp.array([1.0, 0.0])),
    "triangular": s.Triangular(jnp.diag(jnp.array([1.0, 0.0, 1.0]))),
    "symmetric": s.Symmetric(jnp.ones((3, 3))),
    "toeplitz": s.Toeplitz(jnp.ones(3)),
    "circulant": s.Circulant(jnp.ones(3)),
    "kronecker": s.Kronecker(jnp.zeros((1, 1)), jnp.eye(3)),
    "block diagonal": s.BlockDiagonal(jnp.eye(1), jnp.ones((2, 2))),
    "diagonal plus low rank": s.DiagonalPlusLowRank(jnp.zeros(3), jnp.ones((3, 1))),
}


def test_a_singular_system_has_no_finite_solution():
    def program(matrices, b):
        return {name: jnp.linalg.solve(a, b) for name, a in matrices.items()}

    b = jnp.array([0.0, 1.0, 2.0])
    for name, x in jax.jit(quaxify(program), compiler_options=_QUICKLY)(_SINGULAR, b).items():
        assert not np.isfinite(x).all(), name


@pytest.mark.parametrize("name", ["diagonal", "circulant"])
def test_a_singular_system_is_an_error_if_checked(name):
    with s.check(), pytest.raises(Exception, match=r"singular[^$]*structured\.check"):
        quaxify(jnp.linalg.solve)(_SINGULAR[name], jnp.array([0.0, 1.0, 2.0]))


def test_systems_of_two_structured_matrices_are_checked_too():
    a = s.Diagonal(jnp.array([1.0, 0.0]))
    with s.check(), pytest.raises(Exception, match="singular"):
        quaxify(jnp.linalg.solve)(a, a)


def test_a_permutation_holds_integers():
    with pytest.raises(TypeError, match=r"dtype float32[^$]*astype\(int\)"):
        s.Permutation(jnp.ones(2))


def test_only_structured_matrices_go_to_lineax():
    with pytest.raises(TypeError, match=r"ArrayImpl[^$]*MatrixLinearOperator"):
        s.to_lineax(jnp.ones((2, 2)))


@pytest.mark.parametrize("given", [None, "ab", [[1, 2], [3]], 10**30, np.array(["a"]), object()])
def test_what_is_no_array_of_numbers_is_refused(given):
    for make in (s.Diagonal, s.Symmetric, s.Toeplitz, lambda x: s.Banded(x, 0, 0)):
        with pytest.raises(TypeError, match=r"arrays of numbers, but got[^$]*`jnp\.asarray`"):
            make(given)


def test_only_a_toeplitz_matrix_has_the_solver_of_one():
    with pytest.raises(TypeError, match=r"takes a `Toeplitz`[^$]*jnp\.linalg\.solve\(a, b\)"):
        s.toeplitz_solve(jnp.eye(3), jnp.ones(3))


def test_only_a_function_has_a_jacobian():
    with pytest.raises(TypeError, match=r"got a `NoneType`[^$]*where to differentiate it second"):
        s.jacobian(None, jnp.ones(3))


@pytest.mark.parametrize(
    "call",
    [lambda: s.to_lineax(s.Identity(2)), lambda: s.from_lineax(None), s.structured_solver],
    ids=["to_lineax", "from_lineax", "structured_solver"],
)
def test_without_lineax_it_is_said_how_to_install_it(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "lineax", None)
    with pytest.raises(ImportError, match=r"needs lineax[^$]*\"duckarray-structured\[lineax\]\""):
        call()
