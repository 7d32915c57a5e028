"""Products, in every orientation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import materialization, materialize, quaxify
from duckarray.lora import LoraArray


def normal(*shape, seed=7, dtype="float32"):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), dtype)


@pytest.mark.parametrize("m", [0, 1, 5])
@pytest.mark.parametrize("k", [0, 1, 4])
def test_matrix_products_agree_on_both_sides(make, agree, m, k):
    w = make((m, 6))
    agree(lambda w, x: w @ x, w, normal(6, k))
    agree(lambda w, x: x @ w, w, normal(k, m))
    agree(lambda w, x: x @ w.T, w, normal(k, 6))
    agree(lambda w, x: w.T @ x, w, normal(m, k))


def test_products_with_a_vector_agree(make, agree):
    w = make((5, 6))
    agree(lambda w, x: w @ x, w, normal(6))
    agree(lambda w, x: x @ w, w, normal(5))
    agree(lambda w, x: jnp.vdot(x @ w, x @ w), w, normal(5))


@pytest.mark.parametrize(
    ("equation", "shape"),
    [
        ("mn,nk->mk", (6, 3)),
        ("mn,kn->km", (3, 6)),
        ("mn,bcn->bcm", (2, 3, 6)),
        ("mn,bmc->cnb", (2, 5, 3)),
        ("mn,mn->", (5, 6)),
        ("mn,mn->m", (5, 6)),
        ("mn,mn->n", (5, 6)),
        ("mn,mnk->k", (5, 6, 3)),
        ("mn,mk->mnk", (5, 3)),
        ("mn,nk->knm", (6, 3)),
    ],
)
def test_einsum_agrees(make, agree, equation, shape):
    agree(lambda w, x: jnp.einsum(equation, w, x), make((5, 6)), normal(*shape))
    left, result = equation.split("->")
    w, x = left.split(",")
    swapped = f"{x},{w}->{result}"
    agree(lambda w, x: jnp.einsum(swapped, x, w), make((5, 6)), normal(*shape))


@pytest.mark.parametrize(
    ("equation", "shape"),
    [
        ("lmn,lnk->lmk", (3, 6, 2)),
        ("lmn,nk->lmk", (6, 2)),
        ("lmn,kn->klm", (2, 6)),
        ("lmn,lkm->lkn", (3, 2, 5)),
        ("lmn,lkn->mk", (3, 2, 6)),
        ("lmn,lmn->l", (3, 5, 6)),
        ("lmn,klm->kln", (2, 3, 5)),
        ("lmn,bln->blm", (2, 3, 6)),
    ],
)
def test_einsum_agrees_with_batch_axes(make, agree, equation, shape):
    agree(lambda w, x: jnp.einsum(equation, w, x), make((3, 5, 6)), normal(*shape))


def test_two_batch_axes_in_the_other_order_agree(make, agree):
    w = make((2, 3, 5, 6))
    agree(lambda w, x: jnp.einsum("ijmn,jin->jim", w, x), w, normal(3, 2, 6))
    agree(lambda w, x: jnp.einsum("jin,ijmn->jim", x, w), w, normal(3, 2, 6))
    agree(lambda w, x: jnp.einsum("jn,ijmn->jim", x, w), w, normal(3, 6))


@pytest.mark.parametrize("lora_on_left", [True, False])
def test_every_dot_general_of_a_stack_agrees(make, agree, lora_on_left):
    w = make((2, 3, 4))
    for w_summed in [(1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]:
        rest = [i for i in range(3) if i not in w_summed]
        for w_batch in ([], rest[:1], rest[1:], rest[::-1]):
            y_shape = [5, *(w[1].shape[i] for i in (*w_summed, *w_batch))]
            y_summed = tuple(range(1, 1 + len(w_summed)))
            y_batch = tuple(range(1 + len(w_summed), len(y_shape)))
            pairs = [(w_summed, y_summed), (tuple(w_batch), y_batch)]
            if lora_on_left:
                agree(lambda w, y: lax.dot_general(w, y, pairs), w, normal(*y_shape), jit=False)  # noqa: B023
            else:
                numbers = [pair[::-1] for pair in pairs]
                agree(lambda w, y: lax.dot_general(y, w, numbers), w, normal(*y_shape), jit=False)  # noqa: B023


def test_heads_agree_in_either_layout(make, agree):
    query = make((6, 2, 3), rows=(-3,), columns=(-2, -1))
    out = make((2, 3, 6), rows=(-3, -2), columns=(-1,))
    agree(lambda w, x: jnp.einsum("td,dhk->thk", x, w), query, normal(4, 6))
    agree(lambda w, x: jnp.einsum("td,dhk->htk", x, w), query, normal(4, 6))
    agree(lambda w, x: jnp.einsum("thk,hkd->td", x, w), out, normal(4, 2, 3))


def test_a_product_of_two_agrees(make, agree):
    x, y = make((5, 6)), make((6, 4), rank=3, seed=1)
    agree(lambda x, y: x @ y, x, y)
    agree(lambda x, y: y.T @ x.T, x, y)


def test_the_wider_result_asked_for_is_given(make, agree):
    w = make((8, 6), dtype="bfloat16")
    x = normal(3, 8, dtype="bfloat16")

    def program(w, x):
        return jnp.matmul(x, w, preferred_element_type=jnp.float32)

    assert agree(program, w, x, rtol=2e-2).dtype == jnp.float32


def test_the_precision_asked_for_is_passed_on(make):
    w, _ = make((8, 6))
    program = quaxify(lambda w, x: jnp.matmul(x, w, precision="highest"))
    equations = jax.make_jaxpr(program)(w, normal(3, 8)).eqns
    dots = [e for e in equations if e.primitive is lax.dot_general_p]
    assert len(dots) == 3
    assert all(e.params["precision"] == (lax.Precision.HIGHEST,) * 2 for e in dots)


@pytest.mark.parametrize("scale", [1.0, jnp.float32(0.5)])
def test_factors_of_another_dtype_are_converted(scale):
    rng = np.random.default_rng(0)
    w, x = (jnp.asarray(rng.normal(size=s), "bfloat16") for s in ((8, 8), (3, 8)))
    a, b = (jnp.asarray(rng.normal(size=s), "float32") for s in ((8, 2), (2, 8)))
    got = quaxify(jnp.matmul)(x, LoraArray(w, a, b, scale))
    dense = np.asarray(w, "float64") + float(scale) * np.asarray(a, "float64") @ np.asarray(
        b, "float64"
    )
    want = np.asarray(x, "float64") @ dense
    assert got.dtype == jnp.bfloat16
    np.testing.assert_allclose(np.asarray(got, "float64"), want, rtol=0.05, atol=0.1)


def test_the_order_of_the_two_products_is_the_cheap_one():
    # Summing over both axes, whichever is longer goes first: [k, r] is then the smaller.
    for m, n, factor in ((50, 4, (50, 2)), (4, 50, (2, 50))):
        w = LoraArray(jnp.ones((m, n)), jnp.ones((m, 2)), jnp.ones((2, n)))
        program = quaxify(lambda w, x: jnp.einsum("mn,mnk->k", w, x))
        jaxpr = jax.make_jaxpr(program)(w, jnp.ones((m, n, 3)))
        dots = [e for e in jaxpr.eqns if e.primitive is lax.dot_general_p]
        assert factor in [v.aval.shape for v in dots[1].invars]


def test_an_outer_product_is_refused(make):
    w, _ = make((5, 6))
    with pytest.raises(TypeError, match=r"dot_general.*would make LoraArray f32\[5,6\] dense"):
        quaxify(lambda w, x: jnp.tensordot(w, x, axes=0))(w, normal(3))


def test_vmap_agrees_inside_and_outside(make, agree):
    w = make((3, 5, 6))
    agree(lambda w, x: jax.vmap(lambda w, x: w @ x)(w, x), w, normal(3, 6))
    agree(lambda w, x: jax.vmap(lambda x: w[0] @ x)(x), w, normal(4, 6))
    agree(lambda w, x: jax.vmap(lambda row: row @ x)(w[0]), w, normal(6))
    agree(lambda w, x: jax.vmap(lambda w: w @ x, out_axes=1)(w), w, normal(6))
    with materialization("error"):
        got = jax.vmap(quaxify(lambda w, x: w @ x))(w[0], normal(3, 6))
    np.testing.assert_allclose(
        got, np.einsum("lmn,ln->lm", w[1], normal(3, 6)), rtol=1e-4, atol=1e-4
    )


def test_a_product_of_adapters_on_adapters_is_that_of_the_dense_weights():
    rng = np.random.default_rng(0)
    w, a, b, c, d = (
        jnp.asarray(rng.normal(size=s), jnp.float32)
        for s in ((3, 4), (3, 2), (2, 4), (3, 1), (1, 4))
    )
    weight = LoraArray(LoraArray(w, a, b), c, d)
    dense = np.asarray(w) + np.asarray(a) @ np.asarray(b) + np.asarray(c) @ np.asarray(d)
    with materialization("allow"):
        got = materialize(quaxify(lambda w: w @ w.T)(weight))
    np.testing.assert_allclose(got, dense @ dense.T, rtol=1e-4)
