"""Products of matrices and convolutions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, quaxify
from duckarray.zeros import Full, Zeros

Y = np.arange(12.0, dtype="float32").reshape(3, 4)


@pytest.mark.parametrize("k", [0, 1, 5])
def test_matrix_products_are_zeros_from_either_side(agrees, k):
    agrees(jnp.matmul, np.matmul, Zeros((k, 3)), Y, zero=True)
    agrees(jnp.matmul, np.matmul, Y, Zeros((4, k)), zero=True)


@pytest.mark.parametrize("spec", ["bij,bjk->bik", "bij,bjk->kbi", "bij,bjk->"])
def test_batched_products_have_the_right_shape(agrees, spec):
    x, y = Zeros((2, 5, 3)), np.ones((2, 3, 4), "float32")

    def oracle(a, b):
        return np.einsum(spec, a, b)

    agrees(lambda a, b: jnp.einsum(spec, a, b), oracle, x, y, zero=True)
    agrees(lambda a, b: jnp.einsum(spec, b, a), lambda a, b: oracle(b, a), y, x, zero=True)


def test_two_zeros(agrees):
    agrees(jnp.matmul, np.matmul, Zeros((2, 3)), Zeros((3, 4)), zero=True)


@pytest.mark.parametrize("zeros_first", [True, False])
def test_the_dtype_is_the_one_asked_for(agrees, zeros_first):
    x, y = Zeros((2, 3), jnp.bfloat16), jnp.ones((3, 2), jnp.bfloat16)

    def program(a, b):
        return jnp.matmul(a, b, preferred_element_type=jnp.float32)

    args = (x, y) if zeros_first else (y, x)
    agrees(program, lambda a, b: np.zeros((2, 2) if zeros_first else (3, 3)), *args, zero=True)


def test_convolutions_are_zeros(agrees):
    signal, kernel = Zeros(7), jnp.ones(3)
    agrees(jnp.convolve, np.convolve, signal, kernel, zero=True)


def test_a_product_reads_no_dense_zeros():
    with materialization("error"):
        jaxpr = jax.make_jaxpr(quaxify(jnp.matmul))(Zeros((2, 3)), Y)
    assert "dot_general" not in str(jaxpr)


SPECS = ["ij,jk->ik", "bij,bjk->bik", "bij,bjk->kbi", "ij,bjk->bik", "ij,ij->", "ij,kl->ilkj"]


@pytest.mark.parametrize("value", [1.5, jnp.float32(1.5)], ids=["known", "traced"])
@pytest.mark.parametrize("spec", SPECS)
def test_a_product_with_a_constant_is_made_of_sums(spec, value):
    sizes = {"i": 2, "j": 3, "k": 4, "l": 5, "b": 6}
    left, right = (tuple(sizes[c] for c in part) for part in spec.split("->")[0].split(","))
    x = np.arange(1.0, 1 + np.prod(left)).reshape(left).astype("float32")
    y = np.arange(1.0, 1 + np.prod(right)).reshape(right).astype("float32")

    def program(a, b):
        return jnp.einsum(spec, a, b)

    with materialization("error"):
        got = quaxify(program)(Full(value, left), y), quaxify(program)(x, Full(value, right))
        jaxpr = jax.make_jaxpr(quaxify(program))(Full(value, left), y)
    assert "dot_general" not in str(jaxpr)
    np.testing.assert_allclose(got[0], np.einsum(spec, np.full(left, 1.5), y), rtol=1e-6)
    np.testing.assert_allclose(got[1], np.einsum(spec, x, np.full(right, 1.5)), rtol=1e-6)
