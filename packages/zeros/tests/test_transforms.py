"""`jit`, `vmap`, derivatives, custom derivatives and `checkpoint`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize, quaxify
from duckarray.zeros import Zeros, is_zero

X = np.array([1.0, 2.0, 3.0], "float32")
both = pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])


@jax.custom_jvp
def _triple(x):
    return 3 * x


@_triple.defjvp
def _triple_jvp(primals, tangents):
    return _triple(*primals), 5 * tangents[0]  # wrong on purpose: it shows which rule ran


@jax.custom_vjp
def _product(x, y):
    return x * y + y


_product.defvjp(lambda x, y: (_product(x, y), (x, y)), lambda res, g: (7 * g * res[1], 11 * g))


def test_zeros_enter_and_leave_a_jitted_function():
    out = jax.jit(lambda z: z)(Zeros((2, 3)))
    assert is_zero(out)
    assert (out.shape, out.dtype) == ((2, 3), jnp.float32)


def test_equal_zeros_are_not_traced_again():
    traces = []

    @jax.jit
    @quaxify
    def program(z, x):
        traces.append(z.shape)
        return z + x

    for _ in range(3):
        program(Zeros(3), X)
    assert traces == [(3,)]
    program(Zeros(3, weak_type=True), X)
    program(Zeros((1, 3)), X[None])
    assert len(traces) == 3


@both
def test_an_inner_jit_sees_zeros(transform):
    def program(z, x):
        return jax.jit(lambda z, x: z * x)(z, x)

    assert is_zero(transform(quaxify(program))(Zeros(3), X))


def test_an_outer_vmap_maps_zeros_as_it_does_arrays():
    y = jnp.arange(12.0).reshape(4, 3)
    out = jax.vmap(quaxify(lambda z, y: z + y))(Zeros((4, 3)), y)
    np.testing.assert_array_equal(out, y)
    out = jax.vmap(quaxify(lambda z, y: z * y))(Zeros((4, 3)), y)
    assert is_zero(out)
    assert out.shape == (4, 3)


def test_an_outer_vmap_over_another_axis():
    out = jax.vmap(quaxify(lambda z: jnp.outer(z, X)), in_axes=1)(Zeros((4, 2)))
    np.testing.assert_array_equal(materialize(out), np.zeros((2, 4, 3)))


def test_an_outer_scan_over_zeros_takes_rows():
    def body(c, z):
        return quaxify(jnp.add)(z, c), z

    last, ys = jax.lax.scan(body, X, Zeros((4, 3)))
    np.testing.assert_array_equal(last, X)
    assert ys.shape == (4, 3)


@both
def test_a_vmap_inside_maps_zeros(transform):
    y = jnp.arange(12.0).reshape(4, 3)
    out = transform(quaxify(jax.vmap(lambda z, y: (z + y, z @ y))))(Zeros((4, 3)), y)
    np.testing.assert_array_equal(out[0], y)
    np.testing.assert_array_equal(materialize(out[1]), np.zeros(4))


@both
def test_the_gradient_inside_is_that_of_the_array(transform):
    def program(z, x):
        return jnp.sum(jnp.exp(z) * x + x**2)

    by_z, by_x = transform(quaxify(jax.grad(program, argnums=(0, 1))))(Zeros(3), X)
    np.testing.assert_array_equal(by_z, X)
    np.testing.assert_array_equal(by_x, 1 + 2 * X)


def test_the_gradient_outside_has_the_structure_of_zeros():
    grad = jax.grad(quaxify(lambda z, x: jnp.sum(jnp.exp(z) * x)))(Zeros(3), X)
    assert is_zero(grad)
    assert grad.shape == (3,)


def test_forward_mode_and_second_derivatives():
    def program(z, x):
        return jnp.sum((z + x) ** 3)

    out, tangent = quaxify(lambda z: jax.jvp(lambda x: program(z, x), (X,), (X,)))(Zeros(3))
    np.testing.assert_allclose(out, np.sum(X**3))
    np.testing.assert_allclose(tangent, 3 * np.sum(X**3))
    hessian = quaxify(lambda z: jax.hessian(lambda x: program(z, x))(X))(Zeros(3))
    np.testing.assert_allclose(hessian, np.diag(6 * X))


@both
def test_a_custom_jvp_stays_the_rule(transform):
    assert is_zero(transform(quaxify(_triple))(Zeros(3)))

    def program(z, x):
        return jnp.sum(_triple(z + x) + _triple(z))

    inside = transform(quaxify(jax.grad(program, argnums=(0, 1))))(Zeros(3), X)
    np.testing.assert_array_equal(inside[0], np.full(3, 10.0))
    np.testing.assert_array_equal(inside[1], np.full(3, 5.0))
    outside = transform(jax.grad(quaxify(program), argnums=1))(Zeros(3), X)
    np.testing.assert_array_equal(outside, np.full(3, 5.0))


@both
def test_a_custom_vjp_stays_the_rule(transform):
    np.testing.assert_array_equal(transform(quaxify(_product))(Zeros(3), X), X)

    def program(z, x):
        return jnp.sum(_product(z, x))

    inside = transform(quaxify(jax.grad(program, argnums=(0, 1))))(Zeros(3), X)
    np.testing.assert_array_equal(inside[0], 7 * X)
    np.testing.assert_array_equal(inside[1], np.full(3, 11.0))
    outside = transform(jax.grad(quaxify(program), argnums=1))(Zeros(3), X)
    np.testing.assert_array_equal(outside, np.full(3, 11.0))


@both
def test_checkpoint_sees_zeros(transform):
    @jax.checkpoint
    def inner(z, x):
        return z * x, jnp.sin(z + x)

    zero, dense = transform(quaxify(inner))(Zeros(3), X)
    assert is_zero(zero)
    np.testing.assert_allclose(dense, np.sin(X), rtol=1e-6)

    def loss(z, x):
        return jnp.sum(inner(z, x)[1])

    inside = transform(quaxify(jax.grad(loss, argnums=1)))(Zeros(3), X)
    outside = transform(jax.grad(quaxify(loss), argnums=1))(Zeros(3), X)
    np.testing.assert_allclose(inside, np.cos(X), rtol=1e-6)
    np.testing.assert_allclose(outside, np.cos(X), rtol=1e-6)
