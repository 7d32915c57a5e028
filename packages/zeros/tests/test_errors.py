"""What is refused, and what the message advises."""

import jax
import pytest

from duckarray.zeros import Zeros


@pytest.mark.parametrize("shape", [(2, -1), -1])
def test_a_negative_size_is_refused(shape):
    with pytest.raises(ValueError, match=r"-1.*takes a shape[^$]*non-negative"):
        Zeros(shape)


@pytest.mark.parametrize(("shape", "size"), [((2.0,), "2.0"), ("ab", "'ab'"), (None, "None")])
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
