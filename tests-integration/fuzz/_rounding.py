"""Whether results differ only by rounding, which the dense program shows by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.core.testing._compare import Mismatch
from duckarray.core.tree import is_value

from . import _arguments
from ._dense import dense_run, least_precise
from ._evaluate import compile_noisy
from ._program import Program
from ._transforms import is_outer


def is_rounding(program: Program, got: Any, want: Any) -> bool:
    """Whether the results differ no more than those of the dense program with a little noise."""
    try:
        numbers = _arguments.comparison("float64").numbers
        outer = is_outer(program.transform)
        found = jax.tree.leaves(got) if outer else _leaves(got)
        have = [np.asarray(x if outer else numbers(x)) for x in found]
        need = [np.asarray(x) for x in jax.tree.leaves(want)]
        if [x.shape for x in have] != [x.shape for x in need]:
            return False
        size = 64.0 if least_precise(program, want) == "float32" else 2.0**17
        spread = _spread(program, need, size)
    except Mismatch:
        return False
    return all(_explained(h, n, s) for h, n, s in zip(have, need, spread, strict=True))


def _explained(have: Any, need: Any, spread: Any) -> bool:
    if need.dtype.kind not in "fcV" and need.dtype.name != "bfloat16":
        return bool(np.all((have == need) | (spread > 0)))
    kind = complex if need.dtype.kind == "c" else float
    if need.dtype.name == "float0" or need.dtype == jax.dtypes.float0:
        return True
    have, need = have.astype(kind), need.astype(kind)
    with np.errstate(all="ignore"):
        near = abs(have - need) <= 1e-4 * (abs(need) + 1e-3) + 4 * spread
    same = (have == need) | (np.isnan(have) & np.isnan(need))
    return bool(np.all(near | same | ~np.isfinite(spread)))


def _spread(program: Program, need: list[Any], size: float) -> list[Any]:
    """How far apart results are, entry by entry, when every variable is moved a little."""
    spread = [np.zeros(x.shape) for x in need]
    for seed in range(6):
        noise = _noise(seed, size, additive=seed % 2 == 1)
        run, args = dense_run(program, compile_noisy(program.body, noise))
        if not is_outer(program.transform):
            args = [noise(a) for a in args]
        other = jax.tree.leaves(run(*args))
        for i, (x, y) in enumerate(zip(need, other, strict=True)):
            if x.dtype == jax.dtypes.float0:
                continue
            kind = complex if x.dtype.kind == "c" else float
            with np.errstate(all="ignore"):
                far = abs(x.astype(kind) - np.asarray(y).astype(kind))
            far = np.where(np.isfinite(far), far, np.inf)
            spread[i] = np.maximum(spread[i], far)
    return spread


def _leaves(tree: Any) -> list[Any]:
    return jax.tree.leaves(tree, is_leaf=is_value)


def _noise(seed: int, size: float, additive: bool) -> Callable[[Any], Any]:
    """A function that changes floating-point numbers a little, as rounding may."""
    rng = np.random.default_rng(seed)

    def one(x: Any) -> Any:
        x = jnp.asarray(x)
        if not jnp.issubdtype(x.dtype, jnp.inexact):
            return x
        eps = size * max(float(jnp.finfo(x.dtype).eps), float(jnp.finfo("float32").eps))
        r = rng.uniform(-eps, eps, x.shape)
        moved = x * (1 + r).astype(x.dtype)
        if additive and x.size:
            largest = lax.stop_gradient(jnp.max(jnp.where(jnp.isfinite(x), abs(x), 0)))
            moved = moved + (largest * rng.uniform(-eps, eps, x.shape)).astype(x.dtype)
        return moved

    return lambda tree: jax.tree.map(one, tree)
