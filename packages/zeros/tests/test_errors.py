"""What is refused, and what the message advises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray import zeros
from duckarray.core import ArrayValue
from duckarray.zeros import Full, Ones, Zeros, semantics


@pytest.mark.parametrize("shape", [(2, -1), -1])
def test_a_negative_size_is_refused(shape):
    with pytest.raises(ValueError, match=r"-1.*takes a shape[^$]*non-negative"):
        Zeros(shape)


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((2.0,), "2.0"),
        ("ab", "'ab'"),
        (None, "None"),
        (b"x", "b'x'"),
        (bytearray(b"x"), r"bytearray\(b'x'\)"),
        ({2: 3}, r"\{2: 3\}"),
        ({2: 3}.keys(), r"dict_keys\(\[2\]\)"),
        ({2}, r"\{2\}"),
        (frozenset({2}), r"frozenset\(\{2\}\)"),
    ],
)
def test_what_is_not_a_size_is_refused(shape, size):
    with pytest.raises(TypeError, match=rf"{size}.*takes a shape[^$]*`x\.shape`"):
        Zeros(shape)


def test_a_traced_size_is_refused():
    with pytest.raises(TypeError, match=r"takes a shape[^$]*known while tracing"):
        jax.jit(Zeros)(3)


@pytest.mark.parametrize("dtype", ["nonsense", 3.0])
def test_what_is_not_a_dtype_is_refused(dtype):
    with pytest.raises(TypeError, match=rf"{dtype!r} is none[^$]*`x\.dtype`"):
        Zeros(3, dtype)


def test_zeros_do_not_change():
    with pytest.raises(AttributeError, match=r"cannot assign[^$]*empty"):
        Zeros(3).empty = None


@pytest.mark.parametrize("make", [lambda: Full(2.0, (2, -1)), lambda: Ones((-1,))])
def test_a_negative_size_of_any_constant_is_refused(make):
    with pytest.raises(ValueError, match=r"-1.*takes a shape[^$]*non-negative"):
        make()


@pytest.mark.parametrize(
    ("value", "dtype"), [(300, "int8"), (-1, "uint8"), (2.5, "int32"), (np.nan, "int32"), (2, bool)]
)
def test_a_number_that_the_dtype_cannot_hold_is_refused(value, dtype):
    with pytest.raises(ValueError, match=rf"{value}, which an array of[^$]*another dtype"):
        Full(value, 3, dtype)


def test_a_complex_number_is_no_real_one():
    with pytest.raises(ValueError, match=r"1j, which an array of float32[^$]*another dtype"):
        Full(1j, 3, jnp.float32)


@pytest.mark.parametrize("value", [np.ones(2), jnp.ones(2), [1.0, 2.0]], ids=["np", "jnp", "list"])
def test_several_numbers_are_refused(value):
    with pytest.raises(ValueError, match=r"takes one number[^$]*no constant"):
        Full(value, 3)


def test_rows_of_several_lengths_are_refused():
    with pytest.raises(
        ValueError, match=r"takes one number[^$]*`list` that is no array[^$]*no con"
    ):
        Full([[1, 2], [3]], 3)


def test_keys_are_no_numbers():
    key = jax.random.key(0)
    for make, name in (
        (lambda: zeros.zeros_like(key), "Zeros"),
        (lambda: zeros.ones_like(key), "Ones"),
        (lambda: zeros.full_like(key, 2), "Full"),
        (lambda: Zeros(3, key.dtype), "Zeros"),
        (lambda: Full(key, 3), "Full"),
    ):
        match = rf"`{name}\(\.\.\.\)` of the shape .*: an array of key[^$]*`jnp\.broadcast_to"
        with pytest.raises(TypeError, match=match):
            make()
    assert zeros.ones_like(key, jnp.float32).dtype == jnp.float32


@pytest.mark.parametrize("value", ["two", None, object()], ids=["text", "none", "object"])
@pytest.mark.parametrize("dtype", [None, jnp.float32], ids=["default", "f32"])
def test_what_is_no_number_is_refused(value, dtype):
    with pytest.raises(TypeError, match=r"takes one number[^$]*no constant"):
        Full(value, 3, dtype)


def test_a_value_is_no_number():
    class Wrapped(ArrayValue):
        array: jax.Array

        def materialize(self):
            return self.array

    with pytest.raises(TypeError, match=r"got a `Wrapped`[^$]*materialize\(value\)"):
        Full(Wrapped(jnp.ones(())), 3)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match=r"'weak'.*none of the ways[^$]*'strong', 'ieee', 'check'"):
        semantics("weak").__enter__()


def test_cotangents_of_another_structure_are_refused():
    _, pull_back = zeros.vjp(lambda x: (x, x), jnp.ones(2))
    with pytest.raises(TypeError, match=r"pull_back[^$]*given cotangents[^$]*may be None"):
        pull_back((jnp.ones(2),))
    with pytest.raises(
        TypeError, match=r"`jvp` was given tangents[^$]*the primals[^$]*may be None"
    ):
        zeros.jvp(lambda x: x, (jnp.ones(2),), (jnp.ones(2), None))


@pytest.mark.parametrize("given", [jnp.ones(3), Zeros(3)], ids=["dense", "zeros"])
def test_cotangents_of_another_shape_are_refused(given):
    _, pull_back = zeros.vjp(lambda x: x, jnp.ones(2))
    with pytest.raises(ValueError, match=r"shape \(3,\) for the result of shape \(2,\)[^$]*None"):
        pull_back(given)
    with pytest.raises(ValueError, match=r"shape \(3,\) for the primals of shape \(2,\)[^$]*None"):
        zeros.jvp(lambda x: x, (jnp.ones(2),), (given,))


def test_what_is_no_function_has_no_derivative():
    with pytest.raises(TypeError, match=r"`grad\(2, \.\.\.\)`[^$]*got a `int`[^$]*first"):
        zeros.grad(2)
    with pytest.raises(TypeError, match=r"`vjp\(None, \.\.\.\)`[^$]*got a `NoneType`[^$]*first"):
        zeros.vjp(None, jnp.ones(2))
    with pytest.raises(TypeError, match=r"`jvp\(None, \.\.\.\)`[^$]*got a `NoneType`[^$]*first"):
        zeros.jvp(None, (jnp.ones(2),), (None,))
    with pytest.raises(TypeError, match=r"the tangents are a `NoneType`[^$]*\(x,\), \(dx,\)"):
        zeros.jvp(jnp.sin, (jnp.ones(2),), None)
