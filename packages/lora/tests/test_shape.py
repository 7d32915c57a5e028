"""Rearrangements, parts, joins, sums and elementwise operations: what they give, of which rank."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import MaterializeError, materialization, materialize, quaxify
from duckarray.lora import LoraArray

Y = jnp.asarray(np.random.default_rng(5).normal(size=(4, 6)), "float32")


@pytest.mark.parametrize(
    "fn",
    [
        lambda w: w.T,
        lambda w: w[None],
        lambda w: w[:, None, :],
        lambda w: jnp.broadcast_to(w, (3, 4, 6)),
        lambda w: w.reshape(2, 2, 6),
        lambda w: w.reshape(4, 3, 2).transpose(1, 0, 2),
        lambda w: w.reshape(1, 4, 1, 6, 1),
        lambda w: w.reshape(4, 3, 2)[:, 1],
        lambda w: w.reshape(4, 3, 2).reshape(4, 6),
        lambda w: jnp.squeeze(w[None]),
        lambda w: w[1:3],
        lambda w: w[::2, ::-1],
        lambda w: lax.dynamic_slice(w, (jnp.int32(1), jnp.int32(2)), (2, 3)),
        lambda w: jnp.split(w, [1, 3], axis=0),
        lambda w: jnp.split(w, 3, axis=1),
        lambda w: lax.rev(w, (0,)),
        lambda w: -w,
        lambda w: 2 * w / 3,
        lambda w: w * jnp.arange(4.0)[:, None],
        lambda w: w / jnp.arange(1.0, 7.0)[None],
        lambda w: w + Y,
        lambda w: Y - w,
        lambda w: w - w.mean(axis=0, keepdims=True),
        lambda w: w.astype("bfloat16").astype("float32"),
        lambda w: lax.select(True, w, w * 2),
    ],
)
def test_the_result_is_of_the_same_rank(make, agree, fn):
    out = agree(fn, make((4, 6)), rtol=2e-2 if "bfloat16" in fn.__code__.co_consts else 2e-5)
    assert {x.rank for x in jax.tree.leaves(out, is_leaf=lambda x: isinstance(x, LoraArray))} == {2}


@pytest.mark.parametrize(
    ("fn", "rank"),
    [
        (lambda w: w + w, 4),
        (lambda w: w - 2 * w, 4),
        (lambda w: w + w[::-1], 4),
        (lambda w: w + 3 * w[:, ::-1], 4),
        (lambda w: w[:4, :4] + w[:4, :4].T, 4),
        (lambda w: jnp.concatenate([w, w]), 4),
        (lambda w: jnp.concatenate([w, Y, w], axis=1), 4),
        (lambda w: jnp.concatenate([Y, w]), 2),
        (lambda w: jnp.concatenate([w[:4, :4], w[:4, :4].T]), 4),
        (lambda w: jnp.stack([w, 2 * w, Y]), 2),
        (lambda w: jnp.stack([w, jnp.concatenate([w[:2], w[2:]])]), 4),
        (lambda w: jnp.stack([w, w], axis=1), 4),
        (lambda w: jnp.tile(w, (2, 3)), None),
    ],
)
def test_the_rank_adds_up(make, agree, fn, rank):
    out = agree(fn, make((4, 6)))
    assert isinstance(out, LoraArray)
    assert rank in (None, out.rank)


@pytest.mark.parametrize(
    "fn",
    [
        lambda w: w[1],
        lambda w: w[:, 2],
        lambda w: w[jnp.int32(3)],
        lambda w: w[jnp.array([3, 0, 3])],
        lambda w: w[jnp.array([[3], [0]])],
        lambda w: w[:, jnp.array([5, 0])],
        lambda w: w[jnp.array([3, 0]), jnp.array([5, 1])],
        lambda w: jnp.take(w, jnp.array([1, 9]), axis=0, fill_value=7.0),
        lambda w: jnp.take(w, jnp.array([1, 9]), axis=0, mode="clip"),
        lambda w: jax.vmap(lambda i: w[i])(jnp.array([2, 1])),
        lambda w: w.sum(axis=0),
        lambda w: w.mean(axis=1),
        lambda w: w.sum(),
    ],
)
def test_rows_columns_entries_and_sums_are_dense(make, agree, fn):
    assert isinstance(agree(fn, make((4, 6))), jax.Array)


@pytest.mark.parametrize(
    "fn",
    [
        lambda w: w[1],
        lambda w: w[jnp.array([1, 0, 1])],
        lambda w: w.transpose(0, 2, 1),
        lambda w: w.transpose(1, 0, 2),
        lambda w: w.reshape(2, 1, 4, 3, 2),
        lambda w: w * jnp.arange(2.0)[:, None, None],
        lambda w: w * jnp.arange(8.0).reshape(2, 4, 1),
        lambda w: w.sum(axis=2),
        lambda w: w[jnp.arange(2), jnp.array([3, 1])],
        lambda w: jax.vmap(lambda w, i: w[i])(w, jnp.array([3, 1])),
        lambda w: jax.vmap(lambda w: jnp.concatenate([w, w]))(w),
        lambda w: jnp.concatenate([w, w]),
        lambda w: jnp.moveaxis(jax.vmap(lambda w: w[:, 1:])(w), 0, 1),
    ],
)
def test_stacks_agree(make, agree, fn):
    agree(fn, make((2, 4, 6)))


@pytest.mark.parametrize("rows", [(-4,), (-3,), (-4, -2)])
def test_convolutions_agree(make, agree, rows):
    columns = tuple(i for i in range(-4, 0) if i not in rows)
    w = make((3, 5, 2, 2), rows=rows, columns=columns)
    image = jnp.asarray(np.random.default_rng(1).normal(size=(2, 5, 7, 7)), "float32")

    def program(w, x):
        return lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2))

    agree(program, w, image, allow=len(rows) > 1)
    agree(lambda w, x: jax.grad(lambda x: jnp.sum(jnp.sin(program(w, x))))(x), w, image, allow=True)


@pytest.mark.parametrize("fn", [jnp.ravel, jnp.exp, lambda w: w * w, jax.nn.relu])
def test_what_has_no_thin_form_is_refused(make, fn):
    with pytest.raises(
        MaterializeError, match=r"LoraArray f32\[4,6\][^$]*materialization\(.allow.\)"
    ):
        quaxify(fn)(make((4, 6))[0])


@pytest.mark.filterwarnings("ignore:Casting complex values")  # JAX warns of the dense one too
def test_the_real_part_of_a_complex_weight_is_that_of_the_whole():
    rng = np.random.default_rng(0)
    w, a, b = (
        jnp.asarray(rng.normal(size=s) + 1j * rng.normal(size=s), jnp.complex64)
        for s in ((3, 4), (3, 2), (2, 4))
    )
    with materialization("allow"):
        got = quaxify(lambda x: jax.lax.convert_element_type(x, jnp.float32))(LoraArray(w, a, b))
    want = (np.asarray(w) + np.asarray(a) @ np.asarray(b)).real
    np.testing.assert_allclose(materialize(got), want, rtol=1e-5)
