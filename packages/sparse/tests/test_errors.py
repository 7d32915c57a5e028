"""What is refused, and what the message advises."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray import sparse
from duckarray.core import materialization, materialize, quaxify
from duckarray.sparse import DynamicPattern, Pattern, Sparse

pytestmark = pytest.mark.any_jax
SHAPE = (3, 4)


@pytest.mark.parametrize(
    ("rows", "cols", "entry", "place"),
    [
        ([0, 1, 3], [0, 1, 2], 2, r"\(3, 2\)"),
        ([0, 1, 2], [0, 4, 5], 1, r"\(1, 4\)"),
        ([0, -1, 2], [0, 1, 2], 1, r"\(-1, 1\)"),
    ],
)
def test_the_first_index_out_of_range_is_named(rows, cols, entry, place):
    with pytest.raises(ValueError, match=rf"entry {entry} is at {place}[^$]*negative ones"):
        Pattern.coo(rows, cols, SHAPE)


@pytest.mark.parametrize("rows", [[0, 1, 0], [1, 0, 1]])
def test_a_duplicate_is_named_with_the_entry_it_repeats(rows):
    with pytest.raises(ValueError, match=r"entry 2 is at \(\d, 2\), as entry 0 is[^$]*coo_array"):
        Pattern.coo(rows, [2, 1, 2], SHAPE)


def test_unsorted_indices_are_sorted_together_with_the_data():
    x = Sparse(jnp.array([1.0, 2.0, 3.0]), Pattern.coo([2, 0, 0], [1, 3, 0], SHAPE))
    np.testing.assert_array_equal(x.data, [3, 2, 1])
    want = np.zeros(SHAPE)
    want[[2, 0, 0], [1, 3, 0]] = 1, 2, 3
    np.testing.assert_array_equal(x.to_dense(), want)
    assert Sparse(x.data, x.pattern).pattern == x.pattern


def test_indices_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"2 and 1 indices[^$]*one for each"):
        Pattern.coo([0, 1], [0], SHAPE)


@pytest.mark.parametrize("rows", [[0.5], ["a"], [[0]]])
def test_what_is_no_vector_of_integers_is_refused(rows):
    with pytest.raises((TypeError, ValueError), match=r"indices of axis 0[^$]*vector of integers"):
        Pattern.coo(rows, [0], SHAPE)


def test_traced_indices_are_refused_and_told_of_the_other_pattern():
    with pytest.raises(TypeError, match=r"that are traced[^$]*DynamicPattern\(capacity\)"):
        jax.jit(lambda i: Sparse(jnp.ones(1), Pattern.coo(i, [0], SHAPE)))(jnp.array([0]))


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ((3,), "1 axes"),
        ((3, -4), "negative"),
        ((3, 4.5), "integers"),
        ((3, 4.0), "integers"),
        (7, "sequence"),
        ({3: 1, 4: 1}, "sequence"),
        ({3: 1, 4: 1}.keys(), "sequence"),
        ({3, 4}, "sequence"),
        (b"ab", "sequence"),
        ("ab", "sequence"),
        ((2**31, 1), "32 bits"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "make",
    [
        lambda shape: Pattern.coo([0], [0], shape=shape),
        lambda shape: Pattern.csr([0, 0, 0, 0], [], shape),
        lambda shape: Pattern.dia([0], shape),
        lambda shape: DynamicPattern(2).coo([0], [0], shape=shape),
        lambda shape: sparse.diags([1.0], [0], shape),
    ],
    ids=["coo", "csr", "dia", "dynamic", "diags"],
)
def test_what_is_no_shape_is_refused(make, shape, problem):
    with pytest.raises(ValueError, match=rf"{problem}[^$]*shape=\(3, 4\)"):
        make(shape)


@pytest.mark.parametrize("shape", [{3, 4}, {3: 1, 4: 1}, b"ab", (3, -4), (2.0, 3), 7, None])
def test_a_random_array_of_no_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"`random\(\.\.\., shape=.*is not a shape[^$]*\(3, 4\)"):
        sparse.random(jax.random.key(0), shape, 0.5)


@pytest.mark.parametrize("arguments", [(2.0,), (None,), ((2, 2),), ({2},), (2, 3.0), (2, 2, 1.0)])
def test_sizes_and_offsets_of_ones_are_integers(arguments):
    with pytest.raises(TypeError, match=r"`eye\(\.\.\., .*takes the number of[^$]*an integer"):
        sparse.eye(*arguments)


@pytest.mark.parametrize("arguments", [(-1,), (2, -3)])
def test_ones_of_a_negative_size_are_refused(arguments):
    with pytest.raises(ValueError, match=r"`eye\(.*a size is negative"):
        sparse.eye(*arguments)


@pytest.mark.parametrize(
    ("indptr", "problem"),
    [
        ([0, 1, 2], "has 3 entries"),
        ([1, 1, 2, 2], "starts at 1"),
        ([0, 2, 1, 2], "goes down from 2 to 1 at row 1"),
        ([0, 1, 1, 3], "ends with 3"),
    ],
)
def test_a_malformed_indptr_is_refused(indptr, problem):
    with pytest.raises(ValueError, match=rf"{problem}[^$]*starts at 0"):
        Pattern.csr(indptr, [0, 1], SHAPE)


@pytest.mark.parametrize(("offsets", "problem"), [([0, 0], "twice"), ([4], "no diagonal 4")])
def test_offsets_outside_of_the_matrix_are_refused(offsets, problem):
    with pytest.raises(ValueError, match=rf"{problem}[^$]*between -2 and 3"):
        Pattern.dia(offsets, SHAPE)


@pytest.mark.parametrize("data", [np.ones(2), np.ones((3, 2)), np.ones(())])
def test_the_wrong_number_of_entries_is_refused(data):
    pattern = Pattern.coo([0, 1, 2], [0, 1, 2], SHAPE)
    with pytest.raises(ValueError, match=r"stores 3 entries[^$]*shape \(3,\)"):
        Sparse(data, pattern)


def test_what_is_no_pattern_and_what_is_no_data_are_refused():
    with pytest.raises(TypeError, match=r"got a `ndarray`[^$]*from_scipy"):
        Sparse(np.ones(3), np.ones((3, 4)))
    pattern = Pattern.coo([0], [0], SHAPE)
    for data in (object(), np.array(["a"]), jax.random.split(jax.random.key(0), 1)):
        with pytest.raises(TypeError, match=r"array of numbers[^$]*1 stored"):
            Sparse(data, pattern)
    with pytest.raises(ValueError, match=r"fill of shape \(2,\)[^$]*one for each"):
        Sparse(np.ones(1), pattern, fill=np.ones(2))


def test_patterns_do_not_change():
    pattern = Pattern.coo([0], [0], SHAPE)
    with pytest.raises(AttributeError, match=r"do not change"):
        pattern.shape = (1, 1)
    with pytest.raises(ValueError, match="read-only"):
        pattern.indices[0][0] = 1


@pytest.mark.parametrize("capacity", [-1, 2.5, True, None])
def test_what_is_no_capacity_is_refused(capacity):
    with pytest.raises(ValueError, match=r"largest number[^$]*non-negative"):
        DynamicPattern(capacity)


def test_more_indices_than_capacity_are_refused():
    with pytest.raises(ValueError, match=r"was given 3[^$]*DynamicPattern\(3\)"):
        DynamicPattern(2).coo([0, 1, 2], [0, 1, 2], SHAPE)


def test_a_capacity_exceeded_by_the_numbers_stops_the_program():
    make = jax.jit(lambda x: sparse.from_dense(x, pattern=DynamicPattern(2)).data)
    np.testing.assert_array_equal(make(jnp.array([0.0, 3.0, 0.0])), [3, 0])
    with pytest.raises(Exception, match=r"more entries than its `DynamicPattern` of capacity 2"):
        jax.block_until_ready(make(jnp.ones(3)))


def test_a_traced_array_needs_a_pattern():
    with pytest.raises(TypeError, match=r"`x` is traced[^$]*DynamicPattern"):
        jax.jit(sparse.from_dense)(jnp.ones(3))
    with pytest.raises(ValueError, match=r"3 entries that are not zero[^$]*nnz=3"):
        sparse.from_dense(jnp.ones(3), nnz=2)


def test_a_pattern_of_another_shape_than_the_array_is_refused():
    pattern = Pattern.coo([2], [3], SHAPE)
    for x in (jnp.ones((2, 4)), jnp.ones((3, 3)), jnp.ones(4), jnp.ones((3, 4, 1))):
        with pytest.raises(ValueError, match=r"for a pattern of shape \(3, 4\)[^$]*last axes"):
            sparse.from_dense(x, pattern=pattern)
    assert sparse.from_dense(jnp.ones((5, 3, 4)), pattern=pattern).data.shape == (5, 1)
    with pytest.raises(TypeError, match=r"the fill is traced[^$]*Pass a number"):
        jax.jit(lambda s: sparse.from_dense(jnp.ones(3), pattern=DynamicPattern(2), fill=s))(1.0)


def test_shapes_that_do_not_fit_are_refused_as_by_jax():
    a, b, d = sparse.eye(2, 3), sparse.eye(4, 2), jnp.ones((4, 2))
    for program, args in (
        (lambda a, b: a @ b, (a, b)),
        (lambda a, b: a @ b, (a, d)),
        (lambda a, b: b @ a, (sparse.eye(3, 2), d)),
        (lambda a, b: jnp.concatenate([a, b]), (a, b)),
        (lambda a: jnp.transpose(a, (0,)), (a,)),
        (lambda a: jnp.transpose(a, (0, 0)), (a,)),
        (lambda a: lax.slice(a, (0, 0), (5, 1)), (a,)),
        (lambda a, b: a + b, (a, b)),
    ):
        dense = [materialize(x) for x in args]
        with pytest.raises((TypeError, ValueError)) as theirs:
            program(*dense)
        with materialization("allow"), pytest.raises(theirs.type):
            quaxify(program)(*args)


def test_a_result_with_an_axis_too_long_to_count_is_refused():
    a = sparse.eye(10**6)
    for program in (lambda x: x.ravel(), lambda x: jnp.pad(x, ((0, 2**31), (0, 0)))):
        with pytest.raises(ValueError, match=r"fit into 32 bits[^$]*Keep more axes"):
            quaxify(program)(a)
    with pytest.raises(ValueError, match=r"1,000,000,000,000 entries[^$]*one after the other"):
        sparse.kron(a, a)


def test_a_place_that_is_not_stored_stops_a_traced_update():
    x = sparse.eye(3)
    update = jax.jit(quaxify(lambda x, i: x.at[i, 1].set(5.0)))
    np.testing.assert_array_equal(update(x, 1).data, [1, 5, 1])
    with pytest.raises(Exception, match=r"place that is not stored"):
        jax.block_until_ready(update(x, 0).data)
    assert x.at[0, 1].set(5.0).nnz == 4


def test_what_other_formats_cannot_hold_is_refused():
    ones = quaxify(jnp.exp)(sparse.eye(2))
    with pytest.raises(ValueError, match=r"whose fill is 1\.0[^$]*to_dense"):
        ones.to_scipy()
    with pytest.raises(ValueError, match=r"whose fill is 1\.0"):
        ones.to_bcoo()
    with pytest.raises(ValueError, match=r"matrices only"):
        sparse.from_dense(np.ones((2, 2, 2))).to_bcsr()
    with pytest.raises(TypeError, match=r"traced"):
        jax.jit(lambda x: x.to_scipy() and x.data)(sparse.eye(2))
    with pytest.raises(TypeError, match=r"got a `ndarray`[^$]*from_dense"):
        sparse.from_scipy(np.ones((2, 2)))
    with pytest.raises(TypeError, match=r"got a `ndarray`[^$]*from_scipy"):
        sparse.from_bcoo(np.ones((2, 2)))


def test_systems_that_cannot_be_solved_are_refused():
    with pytest.raises(TypeError, match=r"got a `ndarray`[^$]*from_dense"):
        sparse.factor(np.eye(2))
    with pytest.raises(ValueError, match=r"square matrix[^$]*least squares"):
        sparse.factor(sparse.eye(2, 3))
    with pytest.raises(ValueError, match=r"fill zero[^$]*Pattern"):
        sparse.factor(quaxify(jnp.exp)(sparse.eye(2)))
    with pytest.raises(ValueError, match=r"right-hand side of shape \(3,\)[^$]*\(2,\)"):
        sparse.solve(sparse.eye(2), jnp.ones(3))


def test_constructors_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match=r"2 diagonals[^$]*as many diagonals"):
        sparse.diags([[1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ValueError, match=r"diagonal 1 of shape \(3, 3\) has 2 entries, not 3"):
        sparse.diags([np.ones(3), np.ones(3)], [0, 1], (3, 3))
    with pytest.raises(ValueError, match=r"row 0 has sizes \[1, 2\][^$]*equally many rows"):
        sparse.block_array([[sparse.eye(1), sparse.eye(2)]])
    with pytest.raises(ValueError, match=r"column 1 has no block but None"):
        sparse.block_array([[sparse.eye(1), None]])
    with pytest.raises(ValueError, match=r"rows have \[1, 2\] blocks"):
        sparse.block_array([[sparse.eye(1)], [sparse.eye(1), sparse.eye(1)]])
    with pytest.raises(ValueError, match=r"shapes \(3,\)"):
        sparse.kron(np.ones(3), sparse.eye(2))
    with pytest.raises(ValueError, match=r"density=2[^$]*between 0 and 1"):
        sparse.random(jax.random.key(0), (3, 3), density=2)
    with pytest.raises(ValueError, match=r"takes a number of bytes"):
        sparse.plan_memory(-1)


def test_complex_numbers_have_no_argmax_as_in_jax():
    a = sparse.from_dense(np.array([1j, 0, 2], "complex64"))
    with materialization("allow"), pytest.raises(TypeError, match=r"complex64"):
        quaxify(jnp.argmax)(a)


def test_an_array_outside_of_quaxify_says_so():
    with pytest.raises(TypeError, match=r"quaxify\(fn\)"):
        jnp.sin(sparse.eye(2))


@pytest.mark.parametrize(
    "call",
    [
        lambda a: sparse.solve(a, jnp.ones(2), solver=object()),
        lambda a: sparse.as_linear_operator(a),
    ],
    ids=["solve", "as_linear_operator"],
)
def test_without_lineax_it_is_said_how_to_install_it(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "lineax", None)
    with pytest.raises(ImportError, match=r"needs lineax[^$]*\"duckarray-sparse\[lineax\]\""):
        call(sparse.eye(2))
