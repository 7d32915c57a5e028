"""They are arrays: entries, blocks, sums, known special numbers, loops and branches."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from jax import lax

from duckarray.core import checking_rules, materialization, materialize, quaxify
from duckarray.structured import (
    Banded,
    BlockDiagonal,
    Diagonal,
    DiagonalPlusLowRank,
    Identity,
    Kronecker,
    LowRank,
    Structured,
    Toeplitz,
    Tridiagonal,
)
from duckarray.structured._subjects import OTHERS, SUBJECT

pytestmark = pytest.mark.any_jax

_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
_SUBJECTS = {subject.name: subject for subject in (SUBJECT, *OTHERS)}
# What any of them may be asked for, as an array of NumPy may be.
_READS = {
    "an entry": lambda x: x[1, -1],
    "a row": lambda x: x[-1],
    "a column": lambda x: x[:, 1],
    "a block": lambda x: x[1:3, 1:3],
    "a block off the diagonal": lambda x: x[:2, 1:],
    "rows by an array": lambda x: x[np.array([2, 0, -1])],
    "entries by arrays": lambda x: x[np.array([2, 0]), np.array([-1, 1])],
    "sums of rows": lambda x: x.sum(-1),
    "the largest": lambda x: x.max(0),
    "the product": lambda x: x.prod(-1),
    "times infinity": lambda x: x * np.inf,
    "over zero": lambda x: x / 0,
}


@pytest.mark.parametrize("name", _SUBJECTS)
def test_what_is_read_from_a_matrix_is_what_numpy_reads(name):
    subject = _SUBJECTS[name]
    x = subject.make(subject.cases[0])

    def program(x):
        return {name: f(x) for name, f in _READS.items()}

    with materialization("allow"):
        got = jax.jit(quaxify(program), compiler_options=_QUICKLY)(x)
    with np.errstate(all="ignore"):
        want = program(np.asarray(subject.dense(x), np.float32))
    for read, out in got.items():
        np.testing.assert_allclose(materialize(out), want[read], rtol=1e-4, atol=1e-5, err_msg=read)


def test_blocks_and_concatenations_keep_their_structure():
    a = Tridiagonal(jnp.ones(4), jnp.arange(5.0), jnp.ones(4))
    with materialization("error"):
        assert isinstance(a[1:4, 1:4], Tridiagonal)
        assert isinstance(a[:3, 1:], Banded)
        assert isinstance(quaxify(lambda x: jnp.pad(x, 1))(a), Tridiagonal)
        assert isinstance(Toeplitz(jnp.arange(5.0))[1:4, :2], Toeplitz)


_WIDENING = {
    "sum": lambda x: lax.fori_loop(0, 3, lambda i, a: a + x, x),
    "product": lambda x: lax.fori_loop(0, 3, lambda i, a: a @ (x + x), x),
    "cond": lambda x: lax.cond(x.sum() > 0, lambda a: a @ a, lambda a: a, x),
    "switch": lambda x: lax.switch(1, [lambda a: a, lambda a: 2 * a, lambda a: a * a], x),
    "scan": lambda x: lax.scan(lambda c, t: (c * t, c.sum()), x, jnp.arange(3.0))[0],
}


@pytest.mark.parametrize(
    "value",
    [Identity(4), Tridiagonal(jnp.ones(3), jnp.ones(4), jnp.ones(3))],
    ids=["identity", "tridiagonal"],
)
def test_loops_and_branches_widen_the_type_they_began_with(value):
    def programs(x):
        return {name: program(x) for name, program in _WIDENING.items()}

    with materialization("error"):
        got = jax.jit(quaxify(programs), compiler_options=_QUICKLY)(value)
    x = np.asarray(materialize(value))
    want = {"sum": 4 * x, "product": x @ np.linalg.matrix_power(2 * x, 3), "cond": x @ x}
    want |= {"switch": 2 * x, "scan": 0 * x}
    for name, out in got.items():
        assert isinstance(out, Structured), name
        np.testing.assert_allclose(materialize(out), want[name], rtol=1e-5, err_msg=name)


def test_zeros_over_zero_are_no_zeros():
    a = Diagonal(jnp.array([1.0, 2.0]))
    with materialization("allow"):
        out = quaxify(lambda x: x / 0.0)(a)
    np.testing.assert_array_equal(out, [[np.inf, np.nan], [np.nan, np.inf]])


@pytest.mark.parametrize("name", ["identity", "permutation"])
def test_ones_next_to_a_number_of_python_have_the_dtype_that_arrays_have(name):
    case = _SUBJECTS[name].cases[-1]  # of int32, so that the ones become weakly typed
    x, dense = _SUBJECTS[name].value(case), _SUBJECTS[name].array(case)
    with jax.numpy_dtype_promotion("standard"), materialization("allow"), checking_rules():
        for program in (lambda x: x - 1.5, lambda x: 2.5 * x, lambda x: x * 2.5 * jnp.bfloat16(2)):
            got, want = materialize(quaxify(program)(x)), program(dense)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "bfloat16"])
def test_entries_of_low_rank_have_the_dtype_of_the_matrix(dtype):
    u, v = jnp.array([[1, 0], [1, 1], [0, 1]], dtype), jnp.array([[1, 1], [0, 1], [1, 1]], dtype)
    for a in (LowRank(u, v), DiagonalPlusLowRank(jnp.array([0, 1, 0], dtype), u, v)):
        want = np.asarray(materialize(a))
        got = quaxify(jnp.diagonal)(a)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, np.diagonal(want))
        with materialization("allow"):  # the product of truth values is dense
            product = materialize(quaxify(jnp.multiply)(a, Diagonal(jnp.ones(3, dtype))))
        np.testing.assert_array_equal(product, want * np.eye(3, dtype=want.dtype))


@pytest.mark.parametrize("blocks", [[(2, 2, 2)], [(2, 2), (1, 3)]], ids=str)
def test_blocks_turned_round_are_compiled(blocks):
    # XLA ends the process where a scatter with an operand that is known is turned round.
    rng = np.random.default_rng(0)
    x = BlockDiagonal(*[rng.normal(size=shape).astype(np.float32) for shape in blocks])
    with materialization("allow"):
        out = jax.jit(quaxify(jnp.flip))(x)
    parts = [b for part in x.stacks for b in np.asarray(part)]
    np.testing.assert_array_equal(out, np.flip(scipy.linalg.block_diag(*parts)))


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_a_triangle_of_blocks_in_half_precision_is_solved_block_by_block(lower, unit):
    rng = np.random.default_rng(1)
    blocks = [rng.integers(1, 4, (k, k)).astype(np.float16) for k in (2, 1)]
    x, b = BlockDiagonal(*blocks), np.ones(3, np.float16)
    solve = quaxify(jax.scipy.linalg.solve_triangular)
    out = solve(x, jnp.asarray(b), lower=lower, unit_diagonal=unit)
    dense = scipy.linalg.block_diag(*blocks).astype(float)
    want = scipy.linalg.solve_triangular(dense, b.astype(float), lower=lower, unit_diagonal=unit)
    assert out.dtype == np.float16
    np.testing.assert_allclose(out, want, rtol=1e-2)


@pytest.mark.parametrize("name", ["maximum", "where"])
def test_a_choice_of_truth_values_and_a_number_is_as_weakly_typed_as_that_of_arrays(name):
    function = {
        "maximum": lambda x: jnp.maximum(x, 0),
        "where": lambda x: jnp.where(x, x, 0),
    }[name]
    with jax.numpy_dtype_promotion("standard"):
        x = Tridiagonal(*[jnp.ones(k, bool) for k in (1, 2, 1)])
        got = quaxify(lambda x: function(x) + jnp.zeros((2, 2), jnp.int8))(x)
        want = function(materialize(x)) + jnp.zeros((2, 2), jnp.int8)
    assert got.dtype == want.dtype == jnp.int8


def test_products_by_entry_of_low_rank_matrices_without_rows_have_none():
    x = LowRank(jnp.ones((0, 2)), jnp.ones((3, 2)))
    assert (x * x).shape == (0, 3)
    assert (x * x).u.shape == (0, 4)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e5m2"])
def test_extremes_of_types_without_infinities(dtype):
    dense = np.array([[-2.0, -1.0], [0.0, -3.0]])
    a = Banded(jnp.asarray([[0.0, -1.0], [-2.0, -3.0]]).astype(dtype), 0, 1)
    for name in ("max", "min"):
        for axis in (0, 1, None):
            got = quaxify(getattr(jnp, name))(a, axis=axis)
            np.testing.assert_array_equal(
                np.asarray(got, "float32"), getattr(np, name)(dense, axis)
            )


def test_infinities_with_imaginary_parts_have_extremes():
    low, high = complex(-np.inf, -1), complex(np.inf, 1)
    for name, corner in (("max", low), ("min", high)):
        got = quaxify(getattr(jnp, name))(Diagonal(jnp.asarray([corner], "complex64")), axis=0)
        np.testing.assert_array_equal(got, [corner])


def test_an_identity_is_shown_by_its_size():
    assert repr(Identity(3)) == "Identity(3, float32)"
    assert repr(Identity(2, jnp.int32, batch_shape=(4,))) == (
        "Identity(2, int32, batch_shape=(4,))"
    )
    assert repr(jax.tree.map(lambda x: None, Identity(3))) == "Identity(empty=None)"


@pytest.mark.parametrize(
    ("kind", "join"),
    [
        (BlockDiagonal, lambda *each: scipy.linalg.block_diag(*each)),
        (Kronecker, lambda *each: functools.reduce(np.kron, each)),
    ],
    ids=["BlockDiagonal", "Kronecker"],
)
@pytest.mark.parametrize("diagonals", [[[3.0, 4.0]], [[3.0, 4.0], [5.0, 6.0]]], ids=["1", "2"])
def test_parts_may_be_values_of_several_types(kind, join, diagonals):
    full, off = np.array([[2.0, 1.0], [1.0, 4.0]], np.float32), jnp.ones(1)
    band = Tridiagonal(off, jnp.full(2, 5.0), off)
    a = kind(Diagonal(jnp.array(diagonals)), jnp.array(full), band)
    want = [join(np.diag(d), full, np.array([[5.0, 1.0], [1.0, 5.0]])) for d in diagonals]
    np.testing.assert_allclose(materialize(a), want, rtol=1e-6)
    y = np.arange(1.0, a.shape[-1] + 1, dtype=np.float32)
    np.testing.assert_allclose(a @ jnp.array(y), np.stack(want) @ y, rtol=1e-5)
