"""The closure table: the type of each result, and its value and derivative against NumPy."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, materialize, quaxify
from duckarray.structured import Structured
from duckarray.structured._table import (
    OPERATIONS,
    as_markdown,
    closure_table,
    function_table,
    samples,
)

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


def _values(seed, n=4):
    """One value of each type, all of which but `LowRank` are well conditioned."""
    rng = np.random.default_rng(seed)

    def numbers(*shape):
        x = rng.uniform(0.1, 0.5, shape) * rng.choice([-1, 1], shape)
        if shape[-2:] in ((4, 4), (2, 2)) and shape != (4, 4):
            x = x + 2 * np.eye(shape[-1])
        if shape == (4, 4):
            x = x + 3 * np.eye(4)
            x[2] += 3  # of `Banded(ab, 1, 2)`: the main diagonal
        if shape == (4,):
            x = x + np.array([2, 0.1, 0.1, 0.1]) + np.array([0, 0, 0, 0])
        return jnp.asarray(x, jnp.float32)

    return samples(numbers)


def test_the_page_of_the_documentation_is_current(table):
    page = Path(__file__).parents[1] / "CLOSURE.md"
    advice = "run `python -m duckarray.structured._table packages/structured/CLOSURE.md`"
    assert page.read_text(encoding="utf-8") == as_markdown(table, function_table()), advice


@pytest.mark.parametrize(("left", "operation", "right", "result"), _SAID, ids=str)
def test_the_table_says_what_linear_algebra_says(table, left, operation, right, result):
    assert table[left, operation, right] == result


def test_every_pair_is_in_the_table(table):
    assert len(table) == 13 * 13 * 5


@pytest.mark.parametrize("left", list(samples(lambda *s: jnp.ones(s))))
def test_each_structured_result_is_right_in_a_batch_and_compiled(table, left):
    x = jax.tree.map(lambda *a: jnp.stack(a), *[_values(s)[left] for s in (0, 1)])
    ys = jax.tree.map(lambda *a: jnp.stack(a), *[_values(s) for s in (2, 3)])
    wanted = [(o, r) for (lf, o, r), t in table.items() if lf == left and t != "dense"]

    def program(x, ys):
        return {(o, r): quaxify(OPERATIONS[o])(x, ys[r]) for o, r in wanted}

    with materialization("error"):
        out = jax.jit(program, compiler_options=_QUICKLY)(x, ys)
    a = np.asarray(materialize(x), np.float64)
    for (o, r), got in out.items():
        assert type(got).__name__ == table[left, o, r], (o, r)
        want = _NUMPY[o](a, np.asarray(materialize(ys[r]), np.float64))
        scale = max(1.0, np.abs(want).max())
        error = np.abs(np.asarray(materialize(got)) - want).max() / scale
        assert error < 1e-4, (o, r, error)


@pytest.mark.parametrize("left", list(samples(lambda *s: jnp.ones(s))))
def test_each_structured_result_has_the_derivative_of_the_dense_one(table, left):
    x, ys = _values(0)[left], _values(2)
    wanted = [
        (o, r) for (lf, o, r), t in table.items() if lf == left and t != "dense" and o in "*@"
    ]
    wanted += [("solve", r) for r in ("Identity", left) if table[left, "solve", r] != "dense"]
    weights = jnp.asarray(np.random.default_rng(5).normal(size=(4, 4)), jnp.float32)

    def total(leaves, structure, run, change):
        value = change(structure.unflatten(leaves))
        terms = [run(OPERATIONS[o])(value, change(ys[r])) for o, r in wanted]
        return sum(jnp.sum(jnp.sin(materialize(t)) * weights) for t in terms)

    leaves, structure = jax.tree.flatten(x)
    if not all(jnp.issubdtype(leaf.dtype, jnp.inexact) for leaf in leaves):
        pytest.skip("its leaves are integers")

    def gradient(run, change):
        return jax.jit(
            jax.grad(lambda leaves: total(leaves, structure, run, change)),
            compiler_options=_QUICKLY,
        )(leaves)

    with materialization("error"):
        got = gradient(quaxify, lambda v: v)
    want = gradient(lambda f: f, materialize)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", ["Tridiagonal", "Kronecker", "DiagonalPlusLowRank"])
def test_a_product_may_be_mapped_over_a_batch(name):
    pair = [_values(s)[name] for s in (0, 1)]
    batch = jax.tree.map(lambda *a: jnp.stack(a), *pair)
    out = jax.vmap(quaxify(lambda a: a @ a))(batch)
    assert isinstance(out, Structured)
    for got, x in zip(materialize(out), pair, strict=True):
        a = np.asarray(materialize(x))
        np.testing.assert_allclose(got, a @ a, rtol=1e-4, atol=1e-5)
