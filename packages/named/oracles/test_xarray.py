"""Random arrays, names and operations by xarray on NumPy; einops for what is merged and split."""

import einops
import jax
import jax.numpy as jnp
import numpy as np
import xarray
from hypothesis import given, settings
from hypothesis import strategies as st

import duckarray.named as n
from duckarray.named import NamedArray

jax.config.update("jax_enable_x64", True)
NAMES = "abcd"
SIZES = st.fixed_dictionaries({name: st.integers(1, 3) for name in NAMES})
DIMS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
MANY = settings(max_examples=25, deadline=None)


def pair(sizes, dims, seed=0):
    numbers = np.random.default_rng(seed).normal(size=[sizes[d] for d in dims])
    return NamedArray(jnp.asarray(numbers), tuple(dims)), xarray.DataArray(numbers, dims=dims)


def agree(got, want):
    want = want.transpose(*n.dims(got))
    np.testing.assert_allclose(getattr(got, "array", got), want.values, rtol=1e-9, atol=1e-12)


@MANY
@given(SIZES, DIMS, DIMS, st.sampled_from(["add", "sub", "mul", "truediv", "lt", "ge"]))
def test_operators(sizes, left, right, name):
    (a, x), (b, y) = pair(sizes, left), pair(sizes, right, 1)
    if not set(left) & set(right):
        return  # refused here, an outer product there
    agree(getattr(a, f"__{name}__")(b), getattr(x, f"__{name}__")(y))


@MANY
@given(SIZES, DIMS, st.data(), st.sampled_from(["sum", "mean", "max", "min", "prod", "std", "var"]))
def test_reductions(sizes, dims, data, name):
    a, x = pair(sizes, dims)
    over = data.draw(st.lists(st.sampled_from(dims), min_size=1, unique=True))
    agree(getattr(n, name)(a, tuple(over)), getattr(x, name)(over))


@MANY
@given(SIZES, DIMS, st.data())
def test_along_an_axis(sizes, dims, data):
    a, x = pair(sizes, dims)
    d = data.draw(st.sampled_from(dims))
    agree(n.argmax(a, d), x.argmax(d))
    agree(n.cumsum(a, d), x.cumsum(d))
    agree(n.cumprod(a, d), x.cumprod(d))
    agree(n.sort(a, d), x.copy(data=np.sort(x.values, axis=dims.index(d))))
    agree(n.flip(a, d), x.isel({d: slice(None, None, -1)}))


@MANY
@given(SIZES, DIMS, st.data())
def test_indices(sizes, dims, data):
    a, x = pair(sizes, dims)
    d = data.draw(st.sampled_from(dims))
    at = data.draw(st.integers(-sizes[d], sizes[d] - 1))
    several = data.draw(st.lists(st.integers(0, sizes[d] - 1), max_size=4))
    part = slice(data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3)))
    agree(a.isel({d: at}), x.isel({d: at}))
    agree(a[{d: part}], x.isel({d: part}))
    if several:
        agree(a.isel({d: np.array(several)}), x.isel({d: np.array(several)}))


@MANY
@given(SIZES, DIMS, DIMS, st.data())
def test_products(sizes, left, right, data):
    (a, x), (b, y) = pair(sizes, left), pair(sizes, right, 1)
    shared = [d for d in left if d in right]
    over = data.draw(st.lists(st.sampled_from(shared), unique=True)) if shared else []
    agree(n.dot(a, b, over=tuple(over)), xarray.dot(x, y, dim=over))


@MANY
@given(SIZES, DIMS, DIMS, DIMS)
def test_where(sizes, one, two, three):
    if not set(one) & set(two) or not set(two) & set(three):
        return
    (a, x), (b, y), (c, z) = (pair(sizes, d, i) for i, d in enumerate((one, two, three)))
    try:
        got = n.where(a > 0, b, c)
    except n.AxisNameError:
        return  # no order in which all have a name in common with what came before
    agree(got, xarray.where(x > 0, y, z))


@MANY
@given(SIZES, DIMS, st.data())
def test_stack_concat_and_rename(sizes, dims, data):
    (a, x), (b, y) = pair(sizes, dims), pair(sizes, dims, 1)
    d = data.draw(st.sampled_from(dims))
    b = b.transpose_to(data.draw(st.permutations(dims)))
    agree(n.concat([a, b], d), xarray.concat([x, y], d))
    agree(n.stack([a, b], "new"), xarray.concat([x, y], "new"))
    agree(a.rename({d: "other"}), x.rename({d: "other"}))


@MANY
@given(SIZES, DIMS, st.data())
def test_flatten_and_unflatten_as_einops(sizes, dims, data):
    a, x = pair(sizes, dims)
    merged = data.draw(st.lists(st.sampled_from(dims), min_size=1, unique=True))
    got = a.flatten(" ".join(merged), "z")
    right = " ".join(f"({' '.join(merged)})" if d == "z" else d for d in got.dims)
    np.testing.assert_array_equal(got.array, einops.rearrange(x.values, f"{' '.join(dims)} -> {right}"))  # fmt: skip
    back = got.unflatten("z", **{d: sizes[d] for d in merged}).transpose_to(tuple(dims))
    np.testing.assert_array_equal(back.array, x.values)


@MANY
@given(SIZES, DIMS, DIMS, st.permutations(NAMES), st.data())
def test_other_names_and_another_order_change_nothing(sizes, left, right, new, data):
    if not set(left) & set(right):
        return
    (a, _), (b, _) = pair(sizes, left), pair(sizes, right, 1)
    names = dict(zip(NAMES, new, strict=True))
    want = n.softmax(a * b, left[0])
    renamed = [v.rename({d: names[d] for d in v.dims}) for v in (a, b)]
    got = n.softmax(renamed[0] * renamed[1], names[left[0]])
    assert got.dims == tuple(names[d] for d in want.dims)
    np.testing.assert_allclose(got.array, want.array, rtol=1e-12)
    turned = a.transpose_to(tuple(data.draw(st.permutations(left))))
    again = n.softmax(turned * b, left[0]).transpose_to(want.dims)
    np.testing.assert_allclose(again.array, want.array, rtol=1e-12)
