"""Low-rank arrays next to the dense ones they stand for, and a comparison of programs on both."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import ArrayValue, checking_rules, materialization, materialize, quaxify
from duckarray.lora import LoraArray


@pytest.fixture
def make() -> Callable[..., tuple[LoraArray, np.ndarray]]:
    """Makes a `LoraArray` and, by NumPy's einsum in double precision, its dense array."""

    def make(shape, rank=2, rows=(-2,), columns=(-1,), dtype="float32", seed=0):
        rng = np.random.default_rng(seed)
        ndim = len(shape)
        letters = "ABCDEFGH"[:ndim]
        batch = [i for i in range(ndim) if i - ndim not in (*rows, *columns)]
        row = sorted(i + ndim for i in rows)
        column = sorted(i + ndim for i in columns)
        sizes = [[shape[i] for i in axes] for axes in (batch, row, column)]
        w = rng.normal(size=shape)
        a = rng.normal(size=(*sizes[0], *sizes[1], rank))
        b = rng.normal(size=(*sizes[0], rank, *sizes[2]))
        scale = rng.uniform(0.5, 1.5, size=sizes[0])
        w, a, b, scale = (
            np.asarray(jnp.asarray(x, dtype)).astype("float64") for x in (w, a, b, scale)
        )
        of = ["".join(letters[i] for i in axes) for axes in (batch, row, column)]
        of_a, of_b = f"{of[0]}{of[1]}r", f"{of[0]}r{of[2]}"
        dense = w + np.einsum(f"{of[0]},{of_a},{of_b}->{letters}", scale, a, b)
        parts = (jnp.asarray(x, dtype) for x in (w, a, b, scale))
        return LoraArray(*parts, rows=rows, columns=columns), dense

    return make


@pytest.fixture
def agree():
    """Runs a program on values and on dense arrays, eagerly and jitted, and compares the results.

    Nothing may be made dense on the way, unless `allow` says so; it returns what the program gave.
    """

    def agree(
        fn: Callable[..., Any],
        *pairs: Any,
        rtol: float = 2e-5,
        allow: bool = False,
        jit: bool = True,
    ) -> Any:
        given = [p[0] if isinstance(p, tuple) else p for p in pairs]
        dense = [jnp.asarray(p[1], p[0].dtype) if isinstance(p, tuple) else p for p in pairs]
        want = fn(*dense)
        with materialization("allow" if allow else "error"), checking_rules():
            eager = quaxify(fn)(*given)
            jitted = jax.jit(quaxify(fn))(*given) if jit else eager
        for got in (eager, jitted):
            is_value = lambda x: isinstance(x, ArrayValue)
            flat, structure = jax.tree.flatten(got, is_leaf=is_value)
            flat_want, want_structure = jax.tree.flatten(want)
            assert structure == want_structure
            for x, y in zip(flat, flat_want, strict=True):
                assert (x.shape, x.dtype) == (y.shape, y.dtype)
                y = np.asarray(y, "float64")
                x = np.asarray(materialize(x), "float64")
                np.testing.assert_allclose(
                    x, y, rtol=rtol, atol=rtol * (np.abs(y).max(initial=0) + 1)
                )
        return eager

    return agree
