"""Bad input raises where the matrix is made, and says what to pass."""

import jax.numpy as jnp
import pytest

from duckarray import structured as s

pytestmark = pytest.mark.any_jax

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


def test_a_permutation_holds_integers():
    with pytest.raises(TypeError, match=r"dtype float32[^$]*astype\(int\)"):
        s.Permutation(jnp.ones(2))


def test_only_structured_matrices_go_to_lineax():
    with pytest.raises(TypeError, match=r"ArrayImpl[^$]*MatrixLinearOperator"):
        s.to_lineax(jnp.ones((2, 2)))
