"""The closure table: the type of each result, and its value and derivative against NumPy."""

from pathlib import Path

import numpy as np
import pytest

from duckarray.structured._table import as_markdown, closure_table

pytestmark = pytest.mark.any_jax

_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
_NUMPY = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "@": np.matmul,
    "solve": np.linalg.solve,
}
# Written by hand, from linear algebra.
_SAID = [
    ("Diagonal", "+", "Tridiagonal", "Tridiagonal"),
    ("Tridiagonal", "+", "Tridiagonal", "Tridiagonal"),
    ("Tridiagonal", "@", "Diagonal", "Tridiagonal"),
    ("Tridiagonal", "@", "Tridiagonal", "Banded"),
    ("Banded", "@", "Banded", "Banded"),
    ("Circulant", "@", "Circulant", "Circulant"),
    ("Circulant", "+", "Identity", "Circulant"),
    ("Circulant", "solve", "Circulant", "Circulant"),
    ("Toeplitz", "+", "Circulant", "Toeplitz"),
    ("Toeplitz", "@", "Toeplitz", "dense"),
    ("Permutation", "@", "Permutation", "Permutation"),
    ("Permutation", "+", "Permutation", "dense"),
    ("Identity", "+", "LowRank", "DiagonalPlusLowRank"),
    ("DiagonalPlusLowRank", "@", "DiagonalPlusLowRank", "DiagonalPlusLowRank"),
    ("DiagonalPlusLowRank", "solve", "Diagonal", "DiagonalPlusLowRank"),
    ("Kronecker", "@", "Kronecker", "Kronecker"),
    ("Kronecker", "solve", "Kronecker", "Kronecker"),
    ("Kronecker", "+", "Kronecker", "dense"),
    ("Triangular", "@", "Triangular", "Triangular"),
    ("Triangular", "solve", "Triangular", "Triangular"),
    ("Tridiagonal", "*", "Symmetric", "Tridiagonal"),
    ("Toeplitz", "@", "LowRank", "LowRank"),
    ("Tridiagonal", "solve", "LowRank", "LowRank"),
    ("Identity", "@", "Symmetric", "Symmetric"),
]


@pytest.fixture(scope="module")
def table():
    return closure_table()


def test_the_page_of_the_documentation_is_current(table):
    page = Path(__file__).parents[1] / "CLOSURE.md"
    advice = "run `python -m duckarray.structured._table packages/structured/CLOSURE.md`"
    assert page.read_text(encoding="utf-8") == as_markdown(table), advice


@pytest.mark.parametrize(("left", "operation", "right", "result"), _SAID, ids=str)
def test_the_table_says_what_linear_algebra_says(table, left, operation, right, result):
    assert table[left, operation, right] == result


def test_every_pair_is_in_the_table(table):
    assert len(table) == 13 * 13 * 5
