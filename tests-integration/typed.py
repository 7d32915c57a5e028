"""What type checkers say of the namespaces: `mypy tests-integration/typed.py`, which is not run."""
# mypy: warn-unused-ignores

from typing import Any, assert_type

import jax
import jax.numpy as jnp

from duckarray.core import lax, nn, random
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
