"""Faults that libraries of named axes have had, and the tests that ours has not got them.

What stands after `::` is in another module; the others are below.

| fault                                                                  | test |
|------------------------------------------------------------------------|------|
| names outlive the shape: `tree.map(sum)` gives two names and no axis   | test_errors::test_an_array_changed_without_its_names_says_so |
| `jax.vmap` and `lax.scan` over a named axis fail                       | test_labels::test_vmap_outside_takes_the_name_off_and_puts_it_back, test_labels::test_scan_outside_over_a_named_axis |
| the slices that `scan` gives keep the name of the axis that is gone    | test_labels::test_a_program_by_position_keeps_the_right_names |
| a carry, or a branch, with its axes in another order is refused        | test_labels::test_branches_and_carries_in_another_order_come_into_the_first |
| self attention without a renamed axis silently takes the diagonal      | test_errors::test_a_shared_name_missing_from_out |
| an array without names is matched by position, or an outer product     | test_errors::test_an_array_without_names_and_of_other_rank |
| operands with no name in common become an outer product                | test_errors::test_operands_without_a_name_in_common |
| Jacobians are named arrays in named arrays                             | test_labels::test_jacobians_are_not_nested |
| a gradient needs the loss unwrapped by hand                            | test_a_loss_is_differentiated_as_it_is |
| five operations have rules; `neg`, `where`, `grad` fail                | test_labels::test_a_program_by_position_keeps_the_right_names |
| the order of the result depends on the library's version               | test_by_name::test_axes_of_both_come_in_the_order_of_appearance |
| `where` takes no plain numbers                                         | test_where_takes_plain_numbers |
| `==` is ambiguous, and fails while another error is reported           | test_equality_is_entry_by_entry |
| `numpy.asarray` gives an array of objects, or leaves JAX without a word | test_numpy_gets_the_numbers |
| lowering fails, since an unflatten checks shapes                       | test_lowering_sees_no_numbers |
| leaves may be anything while JAX rebuilds a tree                       | test_a_leaf_may_be_anything_for_a_while |
| a matrix that is square has one name for both axes                     | test_errors::test_a_name_that_stands_twice |
| an error of a scan does not name the part                              | test_errors::test_a_carry_that_comes_back_without_names |
| an error of a sharding does not name the axis                          | test_an_axis_that_a_mesh_cannot_split_is_named |
| unmodified layers do not take named arrays                             | in `tests-integration/test_named.py` |
"""  # noqa: E501

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, PartitionSpec

import duckarray.named as n
from duckarray.core import ArrayValue, materialization, quaxify, value_of
from duckarray.named import AxisNameError, NamedArray

pytestmark = pytest.mark.any_jax

HERE = Path(__file__).parent
X = np.arange(6.0, dtype=np.float32).reshape(2, 3)
A = NamedArray(jnp.asarray(X), "batch d")


def test_every_test_of_the_table_exists():
    rows = [line.split("|")[2] for line in __doc__.splitlines() if line.startswith("| ")][1:]
    a_test = re.compile(r"(?:(\w+)::)?(test_\w+)\b(?!/|\.py)")
    named = [name for row in rows for name in a_test.findall(row)]
    assert len(named) >= len(rows) - 1
    for module, test in named:
        path = HERE / f"{module}.py" if module else Path(__file__)
        assert f"def {test}(" in path.read_text("utf-8"), f"{module}::{test}"


def test_a_loss_is_differentiated_as_it_is():
    slope = n.grad(lambda a: (a * a).sum())(A)
    assert slope.dims == A.dims
    np.testing.assert_allclose(slope.array, 2 * X)


def test_where_takes_plain_numbers():
    got = n.where(A > 2, A, 0.0)
    assert got.dims == A.dims
    np.testing.assert_array_equal(got.array, np.where(X > 2, X, 0))


def test_equality_is_entry_by_entry():
    turned = A.transpose_to("d batch")
    same = turned == A
    assert same.dims == turned.dims
    assert bool(same.array.all())
    with materialization("allow"), pytest.raises(ValueError, match="truth value"):
        bool(same)
    with pytest.raises(TypeError, match="hash"):
        hash(A)


def test_numpy_gets_the_numbers():
    with materialization("allow"):
        got = np.asarray(A)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, X)


def test_lowering_sees_no_numbers():
    run = jax.jit(lambda a: n.dot(a, a.rename(batch="other"), over="d"))
    shown = jax.eval_shape(run, NamedArray(jax.ShapeDtypeStruct((2, 3), jnp.float32), "batch d"))
    assert shown.dims == ("batch", "other")
    compiled = run.lower(shown_input()).compile()
    np.testing.assert_allclose(compiled(A).array, X @ X.T)


def shown_input():
    return NamedArray(jax.ShapeDtypeStruct((2, 3), jnp.float32), "batch d")


def test_a_leaf_may_be_anything_for_a_while():
    structure = jax.tree.structure(A)
    for leaf in (object(), None, "leaf", shown_input().array):
        assert "batch d" in repr(structure.unflatten([leaf]))


def test_an_axis_that_a_mesh_cannot_split_is_named():
    mesh = jax.make_mesh((2,), ("model",), devices=jax.devices()[:2])
    with pytest.raises(AxisNameError, match=r"axis 'd' of .* cannot be split over 'model'"):
        n.shard(A, {"d": "model"}, mesh)


def test_parts_on_several_devices_have_the_names_of_the_whole():
    numbers = np.arange(24.0, dtype="float32").reshape(4, 2, 3)
    x = NamedArray(jnp.asarray(numbers), "batch seq d")
    mesh = jax.make_mesh((2,), ("data",), (AxisType.Auto,), devices=jax.devices()[:2])

    def on_each(x):
        assert x.shape == (2, 2, 3)
        assert n.dims(x) == ("batch", "seq", "d")
        return 2 * x, jax.lax.psum(x.sum(0), "data")

    out_specs = (PartitionSpec("data"), PartitionSpec())
    mapped = jax.shard_map(on_each, mesh=mesh, in_specs=PartitionSpec("data"), out_specs=out_specs)
    doubled, total = quaxify(mapped)(x)
    assert (doubled.dims, total.dims) == (("batch", "seq", "d"), ("seq", "d"))
    np.testing.assert_array_equal(doubled.array, 2 * numbers)
    np.testing.assert_array_equal(total.array, numbers.sum(0))
    assert (doubled + x).dims == x.dims


class Around(ArrayValue):
    array: NamedArray

    leaf_linear = True

    def materialize(self):
        return self.array

    def drop_leading(self):
        return Around(self.array.drop_leading())


def test_names_inside_another_value_are_those_of_the_whole_too():
    numbers = np.arange(8.0, dtype="float32").reshape(4, 2)
    x = Around(NamedArray(jnp.asarray(numbers), "batch d"))
    mesh = jax.make_mesh((2,), ("data",), (AxisType.Auto,), devices=jax.devices()[:2])

    def on_each(x):
        assert value_of(x).array.dims == ("batch", "d")
        return x

    spec = PartitionSpec("data")
    got = quaxify(jax.shard_map(on_each, mesh=mesh, in_specs=spec, out_specs=spec))(x)
    assert got.array.dims == ("batch", "d")
    np.testing.assert_array_equal(got.array.array, numbers)


@pytest.mark.parametrize("name", ["psum", "pmean", "pmax", "pmin"])
def test_a_collective_over_an_axis_of_vmap_takes_its_name_away(name):
    numbers = np.arange(12.0, dtype="float32").reshape(3, 4)
    collective = getattr(jax.lax, name)
    of_numpy = getattr(np, {"psum": "sum"}.get(name, name[1:]))
    mapped = jax.vmap(lambda row: row - collective(row, "i"), axis_name="i")
    got = quaxify(mapped)(NamedArray(jnp.asarray(numbers), "a b"))
    assert got.dims == ("a", "b")
    np.testing.assert_array_equal(got.array, numbers - of_numpy(numbers, axis=0))
