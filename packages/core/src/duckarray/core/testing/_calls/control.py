"""Small programs with control flow, transforms inside, and conversions to concrete values."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Calls = dict[str, Callable[..., Any]]

PROGRAMS: Calls = {
    "jit": lambda x, y: jax.jit(lambda a, b: a * b)(x, y),
    "jit_closure": lambda x, y: jax.jit(lambda b: x + b)(y),
    "vmap_rows": lambda x: jax.vmap(lambda row: row * 2)(x),
    "vmap_last": lambda x, y: jax.vmap(jnp.add, (-1, -1), -1)(x, y),
    "map": lambda x: lax.map(lambda row: row - 1, x),
    "cond": lambda x, y, flag: lax.cond(flag, lambda: x * 2, lambda: y),
    "cond_off": lambda x, y, flag: lax.cond(~flag, lambda: x * 2, lambda: y),
    "switch": lambda x, y, i: lax.switch(i, [lambda: x, lambda: y, lambda: -x]),
    "switch_next": lambda x, y, i: lax.switch(i + 1, [lambda: x, lambda: y, lambda: -x]),
    "fori_loop": lambda x: lax.fori_loop(0, 3, lambda i, c: c * 2, x),
    "while_loop": lambda x: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + x), (0, x)
    ),
    "scan_sum": lambda x: lax.scan(lambda c, row: (c + row.sum(), c), jnp.zeros((), x.dtype), x),
    "stop_gradient": lambda x: lax.stop_gradient(x),
    "optimization_barrier": lambda x, y: lax.optimization_barrier((x, y)),
    "device_put": lambda x: jax.device_put(x),
    "checkpoint": lambda x: jax.checkpoint(lambda v: v * v)(x),
    "vectorize": lambda x, row: jnp.vectorize(jnp.add, signature="(n),(n)->(n)")(x, row),
    "apply_along_axis": lambda x: jnp.apply_along_axis(jnp.cumsum, 0, x),
    "pure_callback": lambda x: jax.pure_callback(
        lambda v: np.asarray(v), jax.ShapeDtypeStruct(x.shape, x.dtype), x
    ),
    "eval_shape": lambda x: jnp.zeros(jax.eval_shape(jnp.sum, x).shape),
    "shape_of": lambda x: jnp.zeros(x.shape, x.dtype) + x.ndim + x.size,
}

# These need numbers that are known, so they cannot be compiled as they are.
CONCRETE: Calls = {
    "bool_of_entry": lambda x: jnp.array(bool(x.sum() > 0)),
    "float_of_entry": lambda x: jnp.array(float(abs(x).sum())),
    "branch": lambda x: x + 1 if x.sum() > 0 else x - 1,
    "index_mask": lambda x, mask: x[mask],
    "nonzero": lambda x: jnp.nonzero(x),
    "unique": lambda x: jnp.unique(x),
    "int_of_entry": lambda x: jnp.array(int(abs(x).sum()) + int(bool(x.sum()))),
    "to_numpy": lambda x: jnp.asarray(np.asarray(x)),
    "tolist": lambda x: jnp.array(x.tolist()),
    "length": lambda x: jnp.array(len(x)),
}
