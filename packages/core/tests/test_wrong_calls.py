"""A transform that is given a value of a wrong type or size says what it says of the array."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box
from jax import lax

from duckarray.core import materialize, quaxify

pytestmark = pytest.mark.any_jax

X = np.arange(3, dtype=np.float32)
FOUR = np.arange(4, dtype=np.float32)
ONE = np.float32(1.0)
INTEGERS = np.arange(3)

CALLS = {
    "grad of integers": (lambda x: jax.grad(jnp.sum)(x), [INTEGERS]),
    "grad of no scalar": (lambda x: jax.grad(lambda x: x * 2.0)(x), [X]),
    "jacfwd of integers": (lambda x: jax.jacfwd(lambda x: x * 2)(x), [INTEGERS]),
    "hessian of integers": (lambda x: jax.hessian(jnp.sum)(x), [INTEGERS]),
    "jvp with another tangent": (lambda x: jax.jvp(jnp.sin, (x,), (jnp.ones(2),)), [X]),
    "vjp of another cotangent": (lambda x: jax.vjp(jnp.sin, x)[1](jnp.ones(2)), [X]),
    "vmap over no axis": (lambda x: jax.vmap(jnp.sin)(x), [ONE]),
    "vmap over a missing axis": (lambda x: jax.vmap(jnp.sin, in_axes=2)(x), [X]),
    "vmap over unequal axes": (lambda x, y: jax.vmap(lambda x, y: x + y)(x, y), [X, FOUR]),
    "scan over unequal lengths": (
        lambda x, y: lax.scan(lambda c, z: (c, z), 0.0, (x, y)),
        [X, FOUR],
    ),
    "scan of a shrinking carry": (lambda x: lax.scan(lambda c, _: (c[:2], c), x, None, 2), [X]),
    "scan of another dtype": (lambda x: lax.scan(lambda c, _: (c > 0, c), x, None, 2), [X]),
    "map over no axis": (lambda x: lax.map(jnp.sin, x), [ONE]),
    "while on no scalar": (lambda x: lax.while_loop(lambda c: c, lambda c: c + 1, x), [X]),
    "while of a shrinking carry": (
        lambda x: lax.while_loop(lambda c: jnp.sum(c) < 1, lambda c: c[:1], x),
        [X],
    ),
    "fori up to a fraction": (lambda x: lax.fori_loop(0, x, lambda i, c: c, 0), [ONE]),
    "cond of unlike branches": (lambda x: lax.cond(True, lambda x: x, lambda x: x[:2], x), [X]),
    "cond on no scalar": (lambda x: lax.cond(x, lambda: 1.0, lambda: 2.0), [X]),
    "switch by a fraction": (lambda x: lax.switch(x, [lambda: 1.0, lambda: 2.0]), [ONE]),
    "associative_scan over no axis": (lambda x: lax.associative_scan(jnp.add, x), [ONE]),
    "transpose of another cotangent": (
        lambda x: jax.linear_transpose(lambda y: y * 2.0, x)(jnp.ones(2)),
        [X],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_inside_is_refused_as_that_of_the_array(name):
    call, arrays = CALLS[name]
    with pytest.raises((TypeError, ValueError, IndexError)) as expected:
        call(*map(jnp.asarray, arrays))
    with pytest.raises(expected.type) as caught:
        quaxify(call)(*[Box(jnp.asarray(x)) for x in arrays])
    text = str(expected.value)
    for x in arrays:  # all that differs is how an operand is shown
        text = text.replace(f"got {jnp.asarray(x)}", f"got DuckTracer<{_summary(x)}>")
    assert str(caught.value) == text
    files = [frame.path.name for frame in caught.traceback]
    assert "test_wrong_calls.py" in map(str, files)


def _summary(x):
    kind = "i32" if x.dtype.kind == "i" else "f32"
    return f"Box {kind}[{','.join(map(str, x.shape))}]"


@pytest.mark.parametrize(
    ("transform", "x", "message"),
    [
        (jax.grad, INTEGERS, "grad requires real- or complex-valued inputs"),
        (jax.vmap, ONE, "rank should be at least 1, but is only 0"),
    ],
)
def test_a_wrong_call_outside_is_refused_as_that_of_its_leaves(transform, x, message):
    with pytest.raises((TypeError, ValueError), match=message):
        transform(quaxify(jnp.sum))(Box(jnp.asarray(x)))


@pytest.mark.parametrize("jit", [lambda f: f, jax.jit])
@pytest.mark.parametrize("gradient", [jax.grad, jax.value_and_grad])
def test_a_gradient_outside_of_a_function_that_returns_a_value_says_what_to_return(gradient, jit):
    x = Box(jnp.float32(3.0))
    squared = quaxify(lambda x: x * x)
    with pytest.raises(TypeError, match=r"scalar-output functions. Output was Box") as caught:
        jit(gradient(squared))(x)
    text = str(caught.value.__cause__)
    assert "JAX asked for the type of `Box f32[]`, an object outside `quaxify`" in text
    assert "pass `lambda *args: materialize(quaxify(f)(*args))`" in text
    # The advice is followed: d(x²) = 2 x.
    got = jax.jit(jax.grad(lambda *args: materialize(squared(*args))))(x)
    np.testing.assert_allclose(got.array, 6.0)


def test_the_type_of_a_value_is_no_type_of_jax():
    with pytest.raises(TypeError, match=r"JAX asked for the type of `Box f32\[3\]`"):
        jax.typeof(Box(jnp.arange(3.0)))
