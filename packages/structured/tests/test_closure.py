"""The closure table: the type of each result, its value by NumPy, and derivatives.

`oracles` has every entry in a batch, compiled, under `vmap` and differentiated.
"""

import jax
import numpy as np
import pytest
from _entries import ENTRIES, NUMPY, PAGE, TYPES, batch, published, require, values

from duckarray.core import checking_rules, materialization, materialize, quaxify
from duckarray.structured._table import OPERATIONS, as_markdown, closure_table, function_table

pytestmark = pytest.mark.any_jax

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


def test_the_page_of_the_documentation_is_current():
    advice = "run `python -m duckarray.structured._table packages/structured/CLOSURE.md`"
    with checking_rules(False):
        text = as_markdown(closure_table(), function_table())
    assert PAGE.read_text(encoding="utf-8") == text, advice


@pytest.mark.parametrize(("left", "operation", "right", "result"), _SAID, ids=str)
def test_the_table_says_what_linear_algebra_says(left, operation, right, result):
    assert published()[left, operation, right] == result


def test_every_pair_is_in_the_table():
    assert len(published()) == 13 * 13 * 5


@pytest.mark.parametrize("left", TYPES)
def test_each_structured_result_has_its_type_and_value(left):
    table, x, ys = published(), values(0)[left], values(2)
    a = np.asarray(materialize(x), np.float64)
    # A solve of a band is compiled for each number of columns: one of the two will do here.
    solved = ("Identity", left)
    entries = [(o, r) for o, r in ENTRIES if o != "solve" or r in solved]
    with materialization("error"):
        for operation, right in [(o, r) for o, r in entries if table[left, o, r] != "dense"]:
            got = quaxify(OPERATIONS[operation])(x, ys[right])
            want = NUMPY[operation](a, np.asarray(materialize(ys[right]), np.float64))
            require(got, table[left, operation, right], want, (operation, right))


@pytest.mark.parametrize("left", ["Tridiagonal", "Kronecker", "DiagonalPlusLowRank"])
def test_a_product_may_be_mapped_over_a_batch_and_differentiated(left):
    x = batch(0, 1)[left]
    squared = jax.vmap(quaxify(lambda a: a @ a))
    dense = np.asarray(materialize(x), np.float64)
    require(squared(x), published()[left, "@", left], dense @ dense, left)
    step = batch(2, 3)[left]
    change = jax.jvp(lambda x: materialize(squared(x)), (x,), (step,))[1]
    by = np.asarray(jax.jvp(materialize, (x,), (step,))[1])
    np.testing.assert_allclose(change, by @ dense + dense @ by, rtol=1e-3, atol=1e-3)
