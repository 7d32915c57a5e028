"""Reading and writing entries at places that are operands themselves."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

Calls = dict[str, Callable[..., Any]]

READS: Calls = {
    "take": lambda x, indices: jnp.take(x, indices, axis=0),
    "take_last": lambda x, indices: jnp.take(x, abs(indices) % x.shape[-1], axis=-1),
    "take_clip": lambda x, indices: jnp.take(x, indices + 2, axis=0, mode="clip"),
    "take_fill": lambda x, indices: jnp.take(x, indices + 2, axis=0, mode="fill"),
    "take_flat": lambda x, indices: jnp.take(x, indices),
    "index_array": lambda x, indices: x[indices],
    "index_array_column": lambda x, indices: x[..., indices[:, None]],
    "index_traced": lambda x, i: x[i],
    "index_traced_next": lambda x, i: x[i + 1],
    "index_traced_last": lambda x, i: x[..., i],
    "index_pairs": lambda x, indices: x[indices, indices],
    "at_get": lambda x, indices: x.at[indices].get(mode="fill", fill_value=7),
    "take_along_axis": lambda x: jnp.take_along_axis(x, jnp.zeros(x.shape, int), axis=-1),
    "dynamic_slice": lambda x, i: lax.dynamic_slice_in_dim(x, i, 2),
    "dynamic_slice_next": lambda x, i: lax.dynamic_slice_in_dim(x, i + 1, 2),
    "dynamic_slice_last": lambda x, i: lax.dynamic_slice_in_dim(x, i, 1, axis=x.ndim - 1),
    "dynamic_index": lambda x, i: lax.dynamic_index_in_dim(x, i, keepdims=False),
    "as_index": lambda x, y: y.ravel()[abs(x).astype(int)],
    "nonzero_size": lambda x: jnp.nonzero(x, size=2, fill_value=0),
}

WRITES: Calls = {
    "at_set": lambda x: x.at[0].set(jnp.array(1, x.dtype)),
    "at_set_row": lambda x, row: x.at[0].set(row),
    "at_add": lambda x, indices: x.at[indices].add(jnp.array(1, x.dtype)),
    "at_add_twice": lambda x, indices: x.at[abs(indices) * 0].add(jnp.array(1, x.dtype)),
    "at_multiply": lambda x, indices: x.at[indices].multiply(3),
    "at_max": lambda x: x.at[..., 0].max(1),
    "at_apply": lambda x: x.at[0].apply(lambda entry: entry + 1),
    "at_set_all": lambda x, y: x.at[:].set(y),
    "rat_set": lambda x, y: y.at[0].set(x[0]),
    "rat_add": lambda x, y: y.at[:].add(x),
    "rat_add_indices": lambda x, y, indices: y.at[indices].add(x[indices]),
    "at_set_mask": lambda x, mask: x.at[mask].set(0),
    "dynamic_update": lambda x, y, i: lax.dynamic_update_slice_in_dim(x, y[:1], i, 0),
    "dynamic_update_next": lambda x, y, i: lax.dynamic_update_slice_in_dim(x, y[:1], i + 1, 0),
    "rdynamic_update": lambda x, y, i: lax.dynamic_update_slice_in_dim(y, x[:1], i, 0),
    "dynamic_update_index": lambda x, row, i: lax.dynamic_update_index_in_dim(x, row, i, 0),
    "fill_diagonal": lambda x: jnp.fill_diagonal(x, 1, inplace=False),
    "segment": lambda x, indices: jnp.zeros((2, *x.shape[1:]), x.dtype).at[indices[:1]].add(x[:1]),
}
