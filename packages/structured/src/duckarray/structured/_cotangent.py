"""`pull_back`: from a cotangent with the structure of a matrix those of what is stored of it.

An entry that stands in several places is given the sum over these, one that is not read zero.
"""

from functools import singledispatch
from typing import Any

import jax.numpy as jnp

from ._band import Band
from ._bands import Banded
from ._base import make
from ._ranks import free_ranks
from ._stored import Symmetric
from ._toeplitz import Circulant, Toeplitz


@free_ranks
def pull_back(x: Any, cotangent: Any) -> Any:
    """For a cotangent of the same type and structure as `x`."""
    return _pull_back(cotangent, x.shape)


@singledispatch
def _pull_back(cotangent: Any, shape: tuple[int, ...]) -> Any:
    """What is stored stands in one place each."""
    return cotangent


@_pull_back.register
def _pull_back_banded(cotangent: Banded, shape: tuple[int, ...]) -> Any:
    return Band.of(cotangent).banded()


@_pull_back.register
def _pull_back_symmetric(cotangent: Symmetric, shape: tuple[int, ...]) -> Any:
    i, j = jnp.arange(shape[-1])[:, None], jnp.arange(shape[-1])
    read = (i > j) if cotangent.lower else (i < j)
    one = jnp.where(i == j, cotangent.matrix, 0)
    return make(Symmetric, jnp.where(read, 2 * cotangent.matrix, one), lower=cotangent.lower)


@_pull_back.register
def _pull_back_toeplitz(cotangent: Toeplitz, shape: tuple[int, ...]) -> Any:
    m, n = shape[-2:]
    below = jnp.minimum(m - jnp.arange(m), n).astype(cotangent.c.dtype)
    above = jnp.minimum(n - jnp.arange(n), m).at[:1].set(0).astype(cotangent.r.dtype)
    return make(Toeplitz, below * cotangent.c, above * cotangent.r)


@_pull_back.register
def _pull_back_circulant(cotangent: Circulant, shape: tuple[int, ...]) -> Any:
    return make(Circulant, shape[-1] * cotangent.c)
