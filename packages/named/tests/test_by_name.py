"""Operators and functions that go by name, against NumPy written by position."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.named as n
from duckarray.core import quaxify
from duckarray.named import NamedArray

pytestmark = pytest.mark.any_jax

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4)).astype("float32")
Y = RNG.normal(size=(4, 2)).astype("float32")
A = NamedArray(jnp.asarray(X), "batch seq d")
B = NamedArray(jnp.asarray(Y), "d batch")


def same(got, want, dims):
    assert n.dims(got) == tuple(dims.split())
    np.testing.assert_allclose(got.array if dims else got, want, rtol=2e-6, atol=1e-6)


def test_no_index_at_all_keeps_the_names():
    none = jnp.zeros(0, int)
    assert A.isel(seq=none).dims == A[{"seq": np.array([], int)}].dims == A.dims
    gathered = n.take(B, NamedArray(jnp.zeros((0, 2), int), "x y"), "d")
    assert (gathered.dims, gathered.array.shape) == (("x", "y", "batch"), (0, 2, 2))
    along = n.take_along(B, NamedArray(jnp.zeros((0, 2), int), "d batch"), "d")
    assert (along.dims, along.array.shape) == (("d", "batch"), (0, 2))


def test_operands_are_brought_together_by_name():
    same(A + B, X + Y.T[:, None, :], "batch seq d")
    same(B - A, Y.T[:, None, :] - X, "batch seq d")
    same(A * 2, X * 2, "batch seq d")
    same(A < B, Y.T[:, None, :] > X, "batch seq d")


def test_axes_of_both_come_in_the_order_of_appearance():
    c = NamedArray(jnp.asarray(X[:, :, 0]), "d new")
    same(NamedArray(jnp.asarray(Y[:2]), "d k") * c, Y[:2, :, None] * X[:, None, :, 0], "d k new")


def test_the_order_of_axes_of_an_operand_does_not_matter():
    permuted = A.transpose_to("d batch seq")
    same((permuted * B).transpose_to("batch seq d"), X * Y.T[:, None, :], "batch seq d")


def test_renaming_all_axes_changes_nothing_else():
    new = {"batch": "x", "seq": "y", "d": "z"}
    got = A.rename(new) * B.rename(batch="x", d="z")
    np.testing.assert_array_equal(got.array, (A * B).array)
    assert got.dims == ("x", "y", "z")


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min"])
def test_reductions(name):
    same(getattr(n, name)(A, "seq"), getattr(np, name)(X, axis=1), "batch d")
    same(getattr(A, name)("batch d"), getattr(np, name)(X, axis=(0, 2)), "seq")
    same(getattr(n, name)(A), getattr(np, name)(X), "")


def test_functions_along_an_axis():
    same(n.argmax(A, "d"), X.argmax(2), "batch seq")
    same(n.sort(A, "seq"), np.sort(X, axis=1), "batch seq d")
    same(n.cumsum(A, "batch"), np.cumsum(X, axis=0), "batch seq d")
    same(n.flip(A, "d"), X[:, :, ::-1], "batch seq d")
    e = np.exp(X)
    same(n.softmax(A, "seq"), e / e.sum(1, keepdims=True), "batch seq d")
    same(n.logsumexp(A, "batch d"), np.log(e.sum((0, 2))), "seq")


def test_where_brings_all_three_together():
    keep = NamedArray(jnp.array([True, False]), "batch")
    same(n.where(keep, A, B), np.where([[[True]], [[False]]], X, Y.T[:, None, :]), "batch seq d")
    same(n.where(keep, 1.0, A), np.where([[[True]], [[False]]], 1.0, X), "batch seq d")


@pytest.mark.parametrize("out", ["batch seq k", "k batch seq", "seq k batch", "batch k seq"])
def test_dot_sums_over_names_in_any_order(out):
    w = RNG.normal(size=(5, 4, 2)).astype("float32")
    got = n.dot(A, NamedArray(jnp.asarray(w), "k d batch"), over="d", out=out)
    letters = {"batch": "b", "seq": "s", "k": "k"}
    text = "bsd,kdb->" + "".join(letters[d] for d in out.split())
    same(got, np.einsum(text, X, w), out)


def test_dot_is_one_product():
    w = NamedArray(jnp.ones((2, 5, 4)), "batch k d")
    program = jax.make_jaxpr(lambda q, k: n.dot(q, k, over="d", out="batch seq k"))(A, w)
    assert [e.primitive.name for e in program.jaxpr.eqns] == ["dot_general"]
    (size,) = program.out_avals
    assert size.shape == (2, 3, 5)


def test_einsum_is_written_with_names():
    w = RNG.normal(size=(5, 4)).astype("float32")
    got = n.einsum("batch seq d, k d -> k batch seq", A.transpose_to("d seq batch"), jnp.asarray(w))
    same(got, np.einsum("bsd,kd->kbs", X, w), "k batch seq")
    same(n.einsum("batch seq d ->", A), X.sum(), "")


def test_indices_by_name():
    same(A[{"seq": 1}], X[:, 1], "batch d")
    same(A.isel(seq=slice(0, 2), d=-1), X[:, :2, -1], "batch seq")
    same(A.isel(d=np.array([3, 0])), X[:, :, [3, 0]], "batch seq d")
    tokens = NamedArray(jnp.array([[0, 2, 1], [1, 1, 0]]), "row column")
    same(A.isel(seq=tokens), X[:, np.asarray(tokens.array)], "batch row column d")
    same(A[0, :, 1], X[0, :, 1], "seq")


def test_updates_by_name():
    want = X.copy()
    want[:, 1] = 0
    same(A.at[{"seq": 1}].set(0.0), want, "batch seq d")
    want = X.copy()
    want[:, 1] += Y.T
    same(A.at[{"seq": 1}].add(B), want, "batch seq d")


def test_take_along_an_axis():
    order = n.argsort(A, "seq")
    same(n.take_along(A, order, "seq"), np.sort(X, axis=1), "batch seq d")


def test_axes_are_merged_split_stacked_and_joined():
    same(A.flatten("seq d", "sd"), X.reshape(2, 12), "batch sd")
    same(A.flatten("d batch", "db"), X.transpose(1, 2, 0).reshape(3, 8), "seq db")
    same(A.unflatten("d", h=2, e=-1), X.reshape(2, 3, 2, 2), "batch seq h e")
    same(A.split("d", h=2), X.reshape(2, 3, 2, 2), "batch seq h d")
    permuted = A.transpose_to("seq batch d")
    same(n.stack([A, permuted], "new", axis=1), np.stack([X, X], 1), "batch new seq d")
    same(n.concat([A, permuted], "seq"), np.concatenate([X, X], 1), "batch seq d")


def test_outer_of_what_shares_nothing():
    row, column = NamedArray(jnp.arange(2.0), "a"), NamedArray(jnp.arange(3.0), "b")
    same(n.outer(jnp.multiply, row, column), np.outer(np.arange(2.0), np.arange(3.0)), "a b")


def test_vmap_scan_and_map_over_a_name():
    same(n.vmap(lambda x: x - x.mean("d"), over="seq")(A),
         (X - X.mean(2, keepdims=True)).transpose(1, 0, 2), "seq batch d")  # fmt: skip
    init = NamedArray(jnp.zeros((4, 2)), "d batch")
    carry, ys = n.scan(lambda c, x: (x + c, x.sum("d")), "seq", init, A)
    same(carry, X.sum(1).T, "d batch")
    same(ys, X.sum(2).T, "seq batch")
    same(n.map(lambda x: x.max("d"), "batch", A), X.max(2), "batch seq")


def test_gradients_have_the_names():
    weights = RNG.normal(size=4).astype("float32")
    w = NamedArray(jnp.asarray(weights), "d")
    same(n.grad(lambda w: (A * w).sum())(w), X.sum((0, 1)), "d")
    value, gradient = n.value_and_grad(lambda w: n.dot(A, w, over="d").mean())(w)
    np.testing.assert_allclose(value, (X @ weights).mean(), rtol=1e-5)
    same(gradient, X.mean((0, 1)), "d")


def test_names_are_seen_inside():
    assert quaxify(n.dims)(A) == ("batch", "seq", "d")
    same(quaxify(lambda x: n.mean(x, "seq"))(A), X.mean(1), "batch d")


def test_specs_follow_the_names():
    rules = {"batch": "data", "d": ("model", "tensor")}
    assert n.pspec(A, rules) == jax.P("data", None, ("model", "tensor"))
    mesh = jax.make_mesh((1,), ("data",))
    placed = n.shard({"x": A, "plain": jnp.ones(2)}, {"batch": "data"}, mesh)
    assert placed["x"].array.sharding.spec == jax.P("data", None, None)
    assert placed["x"].dims == A.dims


def test_to_and_from_xarray():
    xarray = pytest.importorskip("xarray")
    there = n.to_xarray(A)
    assert there.dims == A.dims
    np.testing.assert_array_equal((there * 2).mean("seq"), (X * 2).mean(1))
    same(n.from_xarray(xarray.Dataset({"a": there}))["a"], X, "batch seq d")


def test_the_axis_of_a_method_may_be_a_name():
    same(A.mean(axis="seq"), X.mean(1), "batch d")
    same(A.sum(axis=("batch", "d")), X.sum((0, 2)), "seq")
    same(A.sum(axis=1), X.sum(1), "batch d")


def test_what_is_left_of_a_split_axis_keeps_its_name():
    same(A.unflatten("d", h=2), X.reshape(2, 3, 2, 2), "batch seq h d")
    same(A.unflatten("d", h=4), X, "batch seq h")


def test_where_goes_by_name_where_sizes_would_broadcast():
    x, y = X[:1, :, 0], X[1:, :, 1]
    turned = NamedArray(jnp.asarray(y.T), "b a")
    keep = NamedArray(jnp.asarray(x.T > 0), "b a")
    same(n.where(keep, NamedArray(jnp.asarray(x), "a b"), turned), np.where(x > 0, x, y).T, "b a")
    same(
        n.where(turned > 0, 1.0, NamedArray(jnp.asarray(x), "a b")), np.where(y > 0, 1, x).T, "b a"
    )


def test_axes_may_have_any_name():
    got = A.unflatten("d", a=2, name=2)
    same(got, X.reshape(2, 3, 2, 2), "batch seq a name")
    assert got.split("seq", self=3).sizes["self"] == 3


def test_names_stay_where_no_entry_is_left():
    assert A.isel(seq=slice(2, 0)).dims == A.dims
    assert A[{"seq": slice(3, 5), "d": 0}].sizes == {"batch": 2, "seq": 0}
