"""What type checkers say of the namespaces: `mypy tests-integration/typed.py`, which is not run."""
# mypy: warn-unused-ignores

from typing import Any, assert_type

import jax
import jax.numpy as jnp

from duckarray.core import ArrayValue, field, lax, nn, random
from duckarray.core import linalg as la
from duckarray.core import numpy as dnp
from duckarray.core.scipy.special import logsumexp
from duckarray.lora import LoraArray


def of_arrays(x: jax.Array) -> None:
    """The types are those of JAX."""
    assert_type(dnp.sin(x), jax.Array)
    assert_type(dnp.sum(x, axis=0, keepdims=True), jax.Array)
    assert_type(dnp.add(x, 1), jax.Array)
    assert_type(lax.exp(x), jax.Array)


def of_values(x: LoraArray) -> None:
    """Values are taken where arrays are; what comes out may be one."""
    assert_type(dnp.sin(x), Any)
    assert_type(dnp.sum(x, axis=0), Any)
    assert_type(dnp.add(x, jnp.ones(3)), Any)
    assert_type(dnp.concatenate([x, x]), Any)
    assert_type(lax.exp(x), Any)
    assert_type(nn.relu(x), Any)
    assert_type(la.det(x), Any)
    assert_type(dnp.fft.fft(x), Any)
    assert_type(logsumexp(x), Any)
    assert_type(random.permutation(random.key(0), x), Any)


def of_misuse(x: LoraArray, a: jax.Array) -> None:
    """Parameters that are not there are errors, with values among the arguments and without."""
    dnp.sum(a, axes=0)  # type: ignore[call-overload]
    dnp.sum(x, axes=0)  # type: ignore[call-overload]
    dnp.sin()  # type: ignore[call-overload]
    dnp.matmul(x, a, a)  # type: ignore[call-overload]
    nn.softmax(x, axs=0)  # type: ignore[call-overload]
    logsumexp(x, b=a, keepdim=True)  # type: ignore[call-overload]
    lax.dot_general(x, a)  # type: ignore[call-overload]


class Rows(ArrayValue):
    """A type with an `__init__` of its own, that assigns its fields."""

    rows: jax.Array
    count: int = field(static=True)

    def __init__(self, rows: list[float]) -> None:
        self.rows = jnp.asarray(rows)
        self.count = len(rows)

    def materialize(self) -> jax.Array:
        return jnp.stack([self.rows] * self.count)


class Scaled(ArrayValue):
    """A type with the constructor that its fields give it."""

    array: jax.Array
    factor: float = field(static=True, default=2.0)

    def materialize(self) -> jax.Array:
        return self.array * self.factor


def of_constructors(x: jax.Array) -> None:
    """Constructors take what they say, and fields are of their types."""
    assert_type(Rows([1.0, 2.0]).count, int)
    assert_type(Scaled(x).factor, float)
    assert_type(Scaled(x, factor=3.0).array, jax.Array)
    Rows(2.0)  # type: ignore[arg-type]
    Scaled(x, 1.0, 2.0)  # type: ignore[call-arg]
