"""Twenty ordinary programs on one weight: all give the right answer, and few need it dense."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import MaterializeError, materialization, materialize, quaxify
from duckarray.lora import LoraArray

X = jnp.asarray(np.random.default_rng(3).normal(size=(3, 16)), "float32")
IMAGE = jnp.asarray(np.random.default_rng(4).normal(size=(1, 4, 5, 5)), "float32")
IDS = jnp.array([3, 1, 2])

KEPT = {
    "x @ w": lambda w: X @ w,
    "w @ x": lambda w: w @ X.T,
    "x @ w.T": lambda w: X @ w.T,
    "einsum": lambda w: jnp.einsum("bi,oi->bo", X, w),
    "vmap": lambda w: jax.vmap(lambda x: w @ x)(X),
    "heads": lambda w: jnp.einsum("bd,dhk->bhk", X, w.reshape(16, 4, 4)),
    "w[i]": lambda w: w[2],
    "take": lambda w: jnp.take(w, IDS, axis=0),
    "slice": lambda w: X[:, :8] @ w[::2, 4:],
    "split": lambda w: [X @ part for part in jnp.split(w, 2, axis=1)],
    "concatenate": lambda w: X @ jnp.concatenate([w, X.T], axis=1),
    "w * 2": lambda w: X @ (w * 2),
    "astype": lambda w: (X.astype("bfloat16") @ w.astype("bfloat16")).astype("float32"),
    "w + w.T": lambda w: X @ (w + w.T),
    "scan over layers": lambda w: lax.scan(
        lambda x, w: (jnp.tanh(x @ w), None), X, jnp.stack([w, -w])
    )[0],
    "checkpoint": lambda w: jax.checkpoint(lambda w: jnp.tanh(X @ w))(w),
    "conv": lambda w: lax.conv_general_dilated(IMAGE, w.reshape(16, 4, 2, 2), (1, 1), "SAME"),
    "grad": lambda w: jax.grad(lambda x: jnp.sum(jnp.tanh(x @ w)))(X),
}
DENSE = {
    "norm": lambda w: jnp.linalg.norm(w),
    "where": lambda w: X @ jnp.where(jnp.arange(256).reshape(16, 16) > 30, w, 0.0),
}


def test_there_are_twenty_of_which_eighteen_stay_low_rank():
    assert (len(KEPT), len(DENSE)) == (18, 2)


@pytest.mark.parametrize("name", KEPT)
def test_the_program_stays_low_rank_and_agrees(make, agree, name):
    agree(KEPT[name], make((16, 16)), rtol=2e-2 if name == "astype" else 2e-5)


@pytest.mark.parametrize("name", DENSE)
def test_the_program_agrees_where_it_may_make_the_weight_dense(make, agree, name):
    agree(DENSE[name], make((16, 16)), allow=True)


@pytest.mark.parametrize("name", DENSE)
def test_the_program_is_refused_without_being_told(make, name):
    w, _ = make((16, 16))
    with pytest.raises(MaterializeError, match=r"would make LoraArray f32\[16,16\] dense"):
        quaxify(DENSE[name])(w)


@pytest.mark.parametrize("name", [*KEPT, *DENSE])
def test_the_gradient_of_the_leaves_is_that_of_the_dense_program(make, name):
    w, _ = make((16, 16))
    program = (KEPT | DENSE)[name]

    def loss(fn):
        return lambda w: sum(jnp.sum(jnp.sin(x / 8)) for x in jax.tree.leaves(fn(w)))

    def dense(w):
        return program(w.w + w.scale * (w.a @ w.b))

    with materialization("allow"):
        got = jax.grad(loss(quaxify(program)))(w)
        jitted = jax.jit(jax.grad(loss(quaxify(program))))(w)
    want = jax.grad(loss(dense))(w)
    tolerance = 5e-2 if name == "astype" else 1e-4
    for x, y, z in zip(*map(jax.tree.leaves, (got, jitted, want)), strict=True):
        atol = tolerance * (float(jnp.abs(z).max()) + 0.1)
        np.testing.assert_allclose(x, z, rtol=tolerance, atol=atol)
        np.testing.assert_allclose(y, z, rtol=tolerance, atol=atol)


@pytest.mark.parametrize("name", KEPT)
def test_the_gradient_taken_inside_is_that_of_the_array(make, agree, name):
    def gradient(w):
        return jax.grad(
            lambda w: sum(jnp.sum(jnp.sin(x / 8)) for x in jax.tree.leaves(KEPT[name](w)))
        )(w)

    agree(gradient, make((16, 16)), rtol=5e-2 if name == "astype" else 1e-4, allow=True)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize(
    "operate",
    [lambda w: w / 0, lambda w: w * jnp.inf, lambda w: -jnp.inf * w, lambda w: w * jnp.nan],
    ids=["over 0", "times inf", "minus inf times", "times nan"],
)
def test_a_number_that_is_not_finite_does_not_meet_zeros_of_a_part(operate, transform):
    w, a, b = jnp.array([[0.0, 1.0], [2.0, -3.0]]), jnp.eye(2), jnp.array([[1.0, 2.0], [0.0, 1.0]])
    with materialization("allow"):
        got = materialize(quaxify(transform(operate))(LoraArray(w, a, b, 0.5)))
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = operate(np.asarray(w + 0.5 * a @ b))
    np.testing.assert_array_equal(got, expected)
