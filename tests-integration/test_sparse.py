"""Types around sparse arrays, by the conformance kit and in a program: units, adapters, names."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray import sparse
from duckarray.core import MaterializeError, explain, materialization, quaxify
from duckarray.core.testing import Case, Subject, conformance
from duckarray.lora import LoraArray
from duckarray.lora._subjects import SUBJECT as LORA
from duckarray.named import NamedArray
from duckarray.named._subjects import SUBJECT as NAMED
from duckarray.sparse import Sparse
from duckarray.sparse._subjects import SUBJECT as SPARSE
from duckarray.units import Quantity
from duckarray.units._subjects import SUBJECT as UNITS

STRONG = SPARSE.expected_failures


def _numbers(x):
    return SPARSE.dense(x) if isinstance(x, Sparse) else np.asarray(x)


def _adapted(case):
    rows, columns = case.shape
    a, b, scale = case.arrays((rows, 2), (2, columns), ())
    return LoraArray(SPARSE.make(case), a, b, scale)


def _sum(x):
    parts = {name: _numbers(getattr(x, name)) for name in ("w", "a", "b", "scale")}
    return LORA.dense(SimpleNamespace(**parts, rows=x.rows, columns=x.columns))


KEPT = (
    *("neg", "abs", "sqrt", "mul_scalar", "div_scalar", "mul_row", "add_same", "multiply_same"),
    *("transpose", "reshape", "flip", "slice", "slice_step", "first", "concatenate_same"),
)
LENGTHS = Subject(
    name="units-over-sparse",
    make=lambda case: Quantity(SPARSE.make(case), "m"),
    dense=lambda x: _numbers(x.value),
    cases=(Case((4, 4)),),
    refuses=(*UNITS.refuses, *SPARSE.refuses),
    keeps=KEPT,
    without_dense=("matmul", "rmatmul", "einsum", "sum", "sum_first", "max_last", "mean", "trace"),
    expected_failures={**UNITS.expected_failures, **STRONG},
)
ADAPTED = Subject(
    name="lora-over-sparse",
    make=_adapted,
    dense=_sum,
    cases=(Case((4, 4)),),
    refuses=SPARSE.refuses,
    keeps=("neg", "transpose", "mul_scalar", "div_scalar", "mul_row", "mul_col", "expand_dims"),
    without_dense=("matmul", "rmatmul", "matvec", "rmatvec", "einsum"),
)
NAMES = Subject(
    name="names-over-sparse",
    make=lambda case: NamedArray(SPARSE.make(case), tuple("rc"[: len(case.shape)])),
    dense=lambda x: _numbers(x.array),
    cases=(Case((4, 4)),),
    refuses=(*NAMED.refuses, *SPARSE.refuses),
    keeps=("neg", "sin", "mul_scalar", "multiply_same", "transpose", "flip"),
    without_dense=("matmul", "sum", "sum_first"),
    expected_failures=dict(NAMED.expected_failures) | dict(STRONG),
)

# Of all families some, in each run; the rest with the full matrix.
FEW = ["contract/repr/*", "economy/matmul/*", "transforms/around_grad_of_custom_vjp/*"]


@conformance(LENGTHS, ADAPTED, NAMES, only=FEW, against=())
def test_some_of_the_kit(check):
    check()


@pytest.mark.long
@conformance(LENGTHS, ADAPTED, NAMES, families=["contract", "economy", "transforms"], against=())
def test_what_holds_whatever_the_call(check):
    check()


@pytest.mark.long
@conformance(LENGTHS, ADAPTED, NAMES, families=["agreement"], against=())
def test_calls_agree_with_dense_arrays(check):
    check()


N = 100_000


@pytest.fixture(scope="module")
def spring():
    """The stiffness of a chain of springs, far too large to be dense."""
    return sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (N, N))


def test_a_stiffness_in_newtons_per_metre_stays_sparse(spring):
    stiffness, x = Quantity(spring, "N/mm"), Quantity(jnp.arange(float(N)), "m")

    def energy(stiffness, x):
        return 0.5 * x @ (stiffness @ x) + 0.5 * jnp.sum(jnp.diagonal(2 * stiffness)) * x[0] ** 2

    report = explain(energy, stiffness, x)
    assert not report.materialized
    got = jax.jit(quaxify(energy))(stiffness, x)
    # A displacement that grows evenly stretches but the last spring, which holds it.
    last = float(N)
    want = 0.5 * ((last - 1) * last) * 1000  # x.T K x = sum of squared differences, N m
    np.testing.assert_allclose(got.to("J").value, want, rtol=1e-3)
    assert "nnz=299998" in str(stiffness)  # printing does not make it dense either


def test_an_adapter_on_a_sparse_weight_is_trained_and_nothing_is_dense(spring):
    a = LoraArray(spring, jnp.ones((N, 2)), jnp.zeros((2, N)))
    x = jnp.zeros(N).at[3].set(1.0)

    def loss(a, x):
        return jnp.sum((a @ x - 2 * x) ** 2)

    assert not explain(loss, a, x).materialized
    slope = jax.jit(jax.grad(quaxify(loss)))(a, x)
    # The residual is -1 at both neighbours, so 2 r x.T by the weight, a.T (2 r) x.T by the factor.
    assert isinstance(slope.w, Sparse)
    np.testing.assert_allclose(slope.w.to_scipy("coo").tocsr()[[2, 4], [3, 3]], [-2, -2])
    np.testing.assert_allclose(slope.b[:, 3], [-4, -4])
    np.testing.assert_allclose(jnp.abs(slope.b).sum(), 8)


def test_the_rows_of_a_quantity_in_turns_keep_their_unit():
    a = Quantity(sparse.from_dense(np.array([[1.0, 0, 2], [0, 3, 0]], "float32")), "N")
    named = NamedArray(a, "row column")
    with materialization("allow"):  # what is inside is made dense, not what is around it
        sums = quaxify(lambda a: jax.lax.map(lambda row: 2 * row.sum(), a))(a)
        rows = quaxify(lambda a: jax.lax.map(lambda row: 2 * row, a))(named)
    assert (str(sums.unit), str(rows.array.unit)) == ("N", "N")
    np.testing.assert_array_equal(sums.value, [6, 6])
    np.testing.assert_array_equal(rows.array.value, [[2, 0, 4], [0, 6, 0]])
    assert rows.dims[1] == "column"
    with materialization("error"), pytest.raises(MaterializeError, match=r"make Sparse f32\[2,3\]"):
        quaxify(lambda a: jax.lax.map(lambda row: row, a))(a)


def test_a_sparse_right_hand_side_with_a_unit_is_solved_for():
    right = Quantity(sparse.diags([6.0, 8.0], 0, (2, 2)), "N")
    with materialization("allow"):
        got = quaxify(jnp.linalg.solve)(jnp.diag(jnp.array([2.0, 4.0])), right)
    assert str(got.unit) == "N"
    np.testing.assert_allclose(got.value, np.diag([3.0, 2.0]))


@pytest.mark.long
def test_names_around_units_around_a_sparse_array(spring):
    a = NamedArray(Quantity(spring, "N/m"), "row column")
    x = NamedArray(Quantity(jnp.ones(N), "m"), "column")
    with materialization("error"):
        got = jax.jit(quaxify(lambda a, x: (2 * a) @ x))(a, x)
    assert (got.dims, str(got.array.unit)) == (("row",), "N")
    np.testing.assert_array_equal(got.array.value, np.r_[2.0, np.zeros(N - 2), 2.0])
