"""The type itself: what it checks, what it knows, and that it is an ordinary tree."""

import copy
import pickle

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import MaterializeError, materialization, materialize, quaxify
from duckarray.lora import LoraArray, Trainable

W, A, B = jnp.ones((4, 6)), jnp.ones((4, 2)), jnp.ones((2, 6))


def test_it_stands_for_the_sum(make):
    for shape in [(4, 6), (3, 4, 6), (0, 6)]:
        value, dense = make(shape)
        assert (value.shape, value.ndim, value.dtype) == (shape, len(shape), jnp.float32)
        assert value.rank == 2
        np.testing.assert_allclose(materialize(value), dense, rtol=1e-5, atol=1e-5)


def test_it_stands_for_the_sum_with_several_rows_and_columns(make):
    value, dense = make((2, 4, 3, 5), rows=(-1, -3), columns=(-2,))
    assert value.a.shape == (2, 4, 5, 2)
    np.testing.assert_allclose(materialize(value), dense, rtol=1e-5, atol=1e-5)


def test_a_number_as_scale_becomes_an_array_for_each_matrix():
    assert LoraArray(W, A, B, 2).scale.shape == ()
    stack = [jnp.stack([x] * 3) for x in (W, A, B)]
    for scale in (2.0, jnp.asarray(2.0), jnp.full(3, 2.0)):
        np.testing.assert_array_equal(LoraArray(*stack, scale).scale, [2.0, 2.0, 2.0])


def test_the_scale_takes_the_dtype_of_the_factors():
    a, b = A.astype("bfloat16"), B.astype("bfloat16")
    assert LoraArray(W, a, b, jnp.asarray(2.0)).scale.dtype == jnp.bfloat16


def test_it_is_a_tree_of_its_parts():
    value = LoraArray(W, A, B)
    assert len(jax.tree.leaves(value)) == 4
    halved = jax.tree.map(lambda x: x / 2, value)
    np.testing.assert_allclose(materialize(halved), 0.5 + 0.125 * 2)
    changed = eqx.tree_at(lambda v: v.scale, value, jnp.asarray(0.0))
    np.testing.assert_array_equal(materialize(changed), W)
    for same in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        np.testing.assert_array_equal(materialize(same), materialize(value))


def test_its_repr_shows_shapes():
    assert "w=f32[4,6], a=f32[4,2], b=f32[2,6]" in repr(LoraArray(W, A, B))


def test_its_repr_shows_shapes_of_an_adapter_on_an_adapter_without_numbers():
    value = LoraArray(LoraArray(W, A, B), A, B)
    placeholders = jax.tree.map(lambda _: object(), value)
    assert repr(value).startswith("LoraArray(w=LoraArray(w=f32[4,6]")
    assert repr(placeholders).startswith("LoraArray(w=LoraArray(w=<object")


def test_numpy_is_refused_as_anything_that_needs_it_dense():
    with pytest.raises(MaterializeError, match="would make LoraArray"):
        np.asarray(LoraArray(W, A, B))


def test_outside_quaxify_it_says_what_to_do():
    with pytest.raises(TypeError, match=r"outside `quaxify`[^$]*quaxify\(fn\)"):
        jnp.matmul(LoraArray(W, A, B), jnp.ones(6))


@pytest.mark.parametrize(
    ("args", "error", "match"),
    [
        (([[1.0]], A, B), TypeError, r"`LoraArray\(w=...\)` takes an array[^$]*jnp.asarray"),
        ((W, None, B), TypeError, r"`LoraArray\(a=...\)` takes an array"),
        (
            (W, B, A),
            ValueError,
            r"a of shape \(2, 6\)[^$]*a should be \[4, r\][^$]*pass `a \[m, r\]`",
        ),
        ((W, A, B.T), ValueError, r"b should be \[r, 6\]"),
        ((W, A, jnp.ones((3, 6))), ValueError, "the rank is 2 by `a` and 3 by `b`"),
        ((jnp.ones(4), A, B), ValueError, r"1 axes of `w`[^$]*between -1 and -1[^$]*Count axes"),
        ((W.astype(int), A, B), TypeError, r"`w` of dtype int32[^$]*astype\(jnp.float32\)"),
        ((W, A, B.astype(int)), TypeError, r"`b` of dtype int32"),
        ((W, A, B, jnp.ones(3)), ValueError, r"scale of shape \(3,\)[^$]*scale.reshape"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(args, error, match):
    with pytest.raises(error, match=match):
        LoraArray(*args)


@pytest.mark.parametrize(
    ("rows", "columns", "match"),
    [
        ((-1,), (-1,), "named twice"),
        ((0,), (-1,), "between -2 and -1"),
        ((), (-1,), "at least one"),
        (-2, (-1,), "rows=-2[^$]*both are tuples"),
        ((-2,), [-1], "both are tuples"),
        (("m",), (-1,), "axes are integers"),
    ],
)
def test_axes_that_do_not_divide_the_weight_are_refused(rows, columns, match):
    with pytest.raises(ValueError, match=f"{match}[^$]*Count axes from the end"):
        LoraArray(W, A, B, rows=rows, columns=columns)


def test_a_transposed_weight_keeps_its_factors():
    out = quaxify(jnp.transpose)(LoraArray(W, A, B))
    assert (out.rows, out.columns) == ((-1,), (-2,))
    assert out.a.shape == (4, 2)


@pytest.mark.parametrize("name", ["a", "b"])
def test_complex_factors_of_a_real_weight_are_refused(name):
    parts = {"w": jnp.ones((3, 4)), "a": jnp.ones((3, 2)), "b": jnp.ones((2, 4))}
    parts[name] = parts[name].astype(jnp.complex64)
    with pytest.raises(TypeError, match=rf"`{name}` is complex64, but `w` is float32[^$]*real"):
        LoraArray(**parts)


def test_a_weight_of_a_weak_type_does_not_widen_what_it_meets():
    value = LoraArray(jnp.full((2, 2), 0.5), jnp.ones((2, 1)), jnp.ones((1, 2)))
    with materialization("allow"):
        got = quaxify(lambda w: jnp.sort(w) + jnp.ones((2, 2), "float16"))(value)
    assert got.dtype == "float16"  # as of the array that `jnp.full` makes
    np.testing.assert_array_equal(got, np.full((2, 2), 2.5))


@pytest.mark.parametrize(
    "before", [W[:3], W[:, :1], LoraArray(W[:3], A[:3], B)], ids=["rows", "columns", "adapted"]
)
def test_what_is_trained_has_the_shape_it_had(before):
    shape = ", ".join(map(str, before.shape))
    with pytest.raises(ValueError, match=rf"\(4, 6\), but before[^$]*\({shape}\)[^$]*of one shape"):
        Trainable(W, before)


def test_what_is_trained_may_have_another_dtype_and_be_anything_of_that_shape():
    Trainable(W, W.astype(jnp.bfloat16))
    Trainable(np.ones((4, 6)), LoraArray(W, A, B))
    Trainable(jax.ShapeDtypeStruct((4, 6), jnp.float32), W)
    halves = jax.tree.map(lambda x: x[:2], Trainable(W, W)), jax.tree.map(jnp.sum, Trainable(W, W))
    assert [h.shape for h in halves] == [(2, 6), ()]
    doubled = jax.jit(jax.vmap(lambda x: Trainable(2 * x, x)))(W)
    assert doubled.array.shape == doubled.before.shape == (4, 6)
    axes = jax.tree.structure(Trainable(W, W)).unflatten((0, None))
    out = jax.vmap(lambda t: t.array + t.before, in_axes=(axes,))(
        jax.tree.structure(Trainable(W, W)).unflatten((W, W[0]))
    )
    np.testing.assert_array_equal(out, 2 * W)
