"""Ordinary programs on a quantized weight: all right, and which of them keep it quantized."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import checking_rules, materialization, materialize, quaxify
from duckarray.quant import QuantArray, dequantize, quantize

K, N, M = 32, 16, 3
RNG = np.random.default_rng(0)
X = jnp.asarray(RNG.normal(size=(M, K)), jnp.float32)
Y = jnp.asarray(RNG.normal(size=(M, N)), jnp.float32)
IDS = jnp.array([3, 0, 31])

KEPT = {
    "x @ w": lambda w: X @ w,
    "matmul": lambda w: jnp.matmul(X, w),
    "dot": lambda w: jnp.dot(X[0], w),
    "lax.dot": lambda w: lax.dot(X, w),
    "einsum": lambda w: jnp.einsum("mk,kn->nm", X, w),
    "w.T.T": lambda w: X @ w.T.T,
    "tensordot": lambda w: jnp.tensordot(X, w, 1),
    "w.T @ x": lambda w: w.T @ X[0],
    "x @ w.T": lambda w: Y @ w.T,
    "lax.dot_general": lambda w: lax.dot_general(w, Y, (((1,), (1,)), ((), ()))),
    "vmap": lambda w: jax.vmap(lambda x: x @ w)(X),
    "vmap over columns": lambda w: jax.vmap(lambda c: X @ c, in_axes=1, out_axes=1)(w),
    "jit": lambda w: jax.jit(lambda w: X @ w)(w),
    "checkpoint": lambda w: jax.checkpoint(lambda w: jnp.tanh(X @ w))(w),
    "scan": lambda w: lax.scan(lambda x, _: (jnp.tanh(x @ w @ w.T), None), X, None, 2)[0],
    "embedding": lambda w: w[IDS],
    "take": lambda w: jnp.take(w, IDS, axis=0),
    "row": lambda w: jnp.take(w.T, 2, axis=0),
    "heads": lambda w: jnp.einsum("mk,khd->mhd", X, w.reshape(K, 4, 4)),
    "slice": lambda w: X @ w[:, 4:12],
    "scaled": lambda w: X @ (w * 0.5),
    "astype": lambda w: X.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16),
    "concatenate": lambda w: X @ jnp.concatenate([w, w], 1),
    "stack of layers": lambda w: lax.scan(
        lambda x, v: (jnp.tanh(x @ v @ v.T), None), X, jnp.stack([w, 2 * w])
    )[0],
}
DENSE = {
    "norm": lambda w: jnp.linalg.norm(w),
    "sum": lambda w: jnp.sum(w, 0),
    "softmax": lambda w: jax.nn.softmax(w),
    "sort": lambda w: jnp.sort(w, 0),
    "solve": lambda w: jnp.linalg.solve(w[:N] + 9 * jnp.eye(N), Y.T),
}
# Of the forms in which other libraries were asked to take a quantized weight, they take one.
FORMS = [
    "x @ w",
    "matmul",
    "dot",
    "lax.dot",
    "lax.dot_general",
    "einsum",
    "tensordot",
    "w.T.T",
    "vmap",
    "vmap over columns",
    "scan",
    "jit",
    "checkpoint",
    "heads",
    "scaled",
    "embedding",
    "take",
    "concatenate",
    "sum",
    "norm",
    "solve",
]
SCHEMES = {
    "int4": {"scheme": "int4", "group_size": 8},
    "int8": {"scheme": "int8"},
    "nf4": {"scheme": "nf4", "group_size": 16, "double_quant": True},
}


def weight(scheme):
    w = RNG.normal(size=(K, N))
    q = quantize(jnp.asarray(w, jnp.float32), **SCHEMES[scheme])
    return q, materialize(q)


def agree(got, want, rtol):
    got, want = (np.asarray(materialize(a), "float64") for a in (got, want))
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * (np.abs(want).max() + 1))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ordinary_programs_are_right_and_never_make_the_weight_dense(scheme):
    q, dense = weight(scheme)
    for name, program in KEPT.items():
        with materialization("error"), checking_rules():
            got = quaxify(program)(q)
        want = program(dense)
        assert (got.shape, got.dtype) == (want.shape, want.dtype), name
        agree(got, want, 2e-2 if name == "astype" else 2e-5)


def test_the_21_forms_are_among_the_programs():
    assert len(set(FORMS)) == 21
    assert set(FORMS) <= set(KEPT | DENSE)


def test_what_has_no_quantized_form_is_right_and_said():
    q, dense = weight("int4")
    for name, program in DENSE.items():
        with materialization("allow"):
            agree(quaxify(program)(q), program(dense), 1e-3)
        with materialization("error"), pytest.raises(TypeError, match="QuantArray"):
            assert quaxify(program)(q) is None, name


@pytest.mark.parametrize("budget", [(0, 64), (700, 256), (1500, 1024)])
@pytest.mark.parametrize("scheme", ["int4", "int8"])
def test_products_in_blocks_are_those_of_the_whole(budget, scheme, monkeypatch):
    from duckarray.quant import _product

    monkeypatch.setattr(_product, "CPU", _product.Budget(*budget))
    q, dense = weight(scheme)
    for name in ("x @ w", "x @ w.T", "einsum", "heads"):
        program = KEPT[name]
        agree(quaxify(program)(q), program(dense), 2e-5)


def test_offsets_zero_points_and_batches_in_blocks(monkeypatch):
    from duckarray.quant import _product

    monkeypatch.setattr(_product, "CPU", _product.Budget(0, 256))
    w = jnp.asarray(RNG.normal(size=(2, K, N)), jnp.float32)
    x = jnp.asarray(RNG.normal(size=(2, M, K)), jnp.float32)
    q = quantize(w, "int4", group_size=8, symmetric=False)
    dense = np.asarray(materialize(q), "float64")
    agree(quaxify(jnp.matmul)(x, q), np.asarray(x, "float64") @ dense, 2e-5)
    both = quaxify(lambda x, q: jnp.einsum("bmk,bkn->mn", x, q))
    agree(both(x, q), np.einsum("bmk,bkn->mn", np.asarray(x, "float64"), dense), 2e-5)


def test_convolutions():
    image = jnp.asarray(RNG.normal(size=(2, 8, 6, 6)), jnp.float32)
    kernel = jnp.asarray(RNG.normal(size=(4, 8, 3, 3)), jnp.float32)
    q = quantize(kernel, "int8", axis=1, channel_axes=(0,))
    with materialization("error"):
        got = quaxify(lambda k: lax.conv(image, k, (1, 1), "SAME"))(q)
    agree(got, lax.conv(image, materialize(q), (1, 1), "SAME"), 2e-5)


def test_the_gradient_of_the_activations_is_exact_and_codes_get_none():
    q, dense = weight("int4")
    for program in (lambda w, x: x @ w, lambda w, x: (w.T @ x.T).T):
        loss = lambda f, w: lambda x: jnp.sum(jnp.sin(f(w, x)))
        got = jax.grad(loss(quaxify(program), q))(X)
        agree(got, jax.grad(loss(program, dense))(X), 2e-5)

    def of_scale(scale):
        import dataclasses

        return jnp.sum(jnp.sin(quaxify(lambda w: X @ w)(dataclasses.replace(q, scale=scale))))

    codes = np.asarray(dense) / np.repeat(np.asarray(q.scale), 8, 0)
    weights = np.asarray(X).T @ np.cos(np.asarray(X) @ np.asarray(dense))
    want = (codes * weights).reshape(4, 8, N).sum(1)
    agree(jax.grad(of_scale)(q.scale), want, 1e-4)


def test_structure_is_equal_under_jit_and_a_second_call_is_not_traced():
    q, _ = weight("nf4")
    count = 0

    @jax.jit
    def step(w):
        nonlocal count
        count += 1
        return quaxify(lambda w: 2.0 * w)(w)

    once = step(q)
    assert isinstance(once, QuantArray)
    assert jax.tree.structure(step(once)) == jax.tree.structure(q)
    assert count == 1


@pytest.mark.parametrize("axis", [0, 1])
def test_one_row_or_column_is_dequantized_unasked(axis):
    w = jnp.asarray(np.random.default_rng(0).normal(size=(16, 8)), jnp.float32)
    q = quantize(w, "int8", axis=axis)
    want = np.asarray(dequantize(q))
    with materialization("error"):
        np.testing.assert_array_equal(q[3], want[3])
        np.testing.assert_array_equal(q[:, 2], want[:, 2])
        np.testing.assert_array_equal(jax.jit(quaxify(lambda q: q[-1]))(q), want[-1])
        np.testing.assert_array_equal(list(q)[5], want[5])


@pytest.mark.parametrize("scheme", ["int8", "int4"])
@pytest.mark.parametrize("number", [1.0, 2.0, -0.5])
@pytest.mark.parametrize(
    ("at", "shape"),
    [
        ((slice(None), None), (1, 3, 1)),
        ((slice(None), None, slice(None), None), (1, 1, 1, 2)),
        ((slice(0, 1),), (3, 1)),
        ((slice(None), slice(0, 1)), (1, 5)),
        ((slice(0, 1),), (0, 1)),
    ],
)
def test_a_known_number_along_a_longer_axis_repeats_the_entries(at, shape, number, scheme):
    x = jnp.arange(32.0).reshape(8, 4)
    w = quantize(x, scheme)
    dense = materialize(w)
    for operate in (jnp.multiply, jnp.divide, lambda a, b: b * a):

        def program(a, operate=operate):
            return operate(a[at], jnp.full(shape, number))

        with materialization("allow"):
            got = materialize(quaxify(program)(w))
        expected = program(dense)
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_kronecker_product_with_ones():
    w = quantize(jnp.arange(32.0).reshape(8, 4), "int8")
    with materialization("allow"):
        got = materialize(quaxify(lambda a: jnp.kron(a, jnp.ones((1, 2))))(w))
    np.testing.assert_allclose(got, np.kron(materialize(w), np.ones((1, 2))), rtol=1e-6)
