"""Rearranging, repeating, joining and choosing entries at places known beforehand."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

Calls = dict[str, Callable[..., Any]]

MOVES: Calls = {
    "ravel": lambda x: x.ravel(),
    "reshape": lambda x: x.reshape(1, -1),
    "reshape_column": lambda x: jnp.reshape(x, (-1, 1)),
    "reshape_split": lambda x: x.reshape(*x.shape[:-1], 2, x.shape[-1] // 2),
    "reshape_order": lambda x: jnp.reshape(x, (-1,), order="F"),
    "transpose": lambda x: x.T,
    "matrix_transpose": lambda x: x.mT,
    "swapaxes": lambda x: jnp.swapaxes(x, 0, -1),
    "moveaxis": lambda x: jnp.moveaxis(x, 0, -1),
    "expand_dims": lambda x: jnp.expand_dims(x, 0),
    "expand_dims_last": lambda x: x[..., None],
    "squeeze": lambda x: jnp.squeeze(x[None], 0),
    "squeeze_last": lambda x: jnp.squeeze(x[..., None]),
    "broadcast_to": lambda x: jnp.broadcast_to(x, (2, *x.shape)),
    "broadcast_last": lambda x: jnp.broadcast_to(x[..., None], (*x.shape, 2)),
    "broadcast_column": lambda x: jnp.broadcast_to(x[..., :1], x.shape),
    "broadcast_in_dim": lambda x: lax.broadcast_in_dim(x, (3, *x.shape), range(1, x.ndim + 1)),
    "atleast_2d": lambda x: jnp.atleast_2d(x),
    "flip": lambda x: jnp.flip(x),
    "flip_first": lambda x: jnp.flip(x, 0),
    "fliplr": lambda x: jnp.fliplr(x),
    "rot90": lambda x: jnp.rot90(x),
    "roll": lambda x: jnp.roll(x, 1, axis=0),
    "roll_flat": lambda x: jnp.roll(x, 2),
    "copy": lambda x: jnp.copy(x),
}

REPEATS: Calls = {
    "tile": lambda x: jnp.tile(x, 2),
    "tile_first": lambda x: jnp.tile(x, (2, *[1] * (x.ndim - 1))),
    "repeat": lambda x: jnp.repeat(x, 2, axis=0),
    "repeat_flat": lambda x: jnp.repeat(x, 2),
    "pad": lambda x: jnp.pad(x, 1),
    "pad_value": lambda x: jnp.pad(x, 1, constant_values=2),
    "pad_edge": lambda x: jnp.pad(x, 1, mode="edge"),
    "pad_lax": lambda x: lax.pad(x, jnp.array(1, x.dtype), [(1, 0, 1)] * x.ndim),
    "pad_less": lambda x: lax.pad(x, jnp.array(1, x.dtype), [(-1, 1, 0)] * x.ndim),
    "concatenate": lambda x, y: jnp.concatenate([x, y]),
    "rconcatenate": lambda x, y: jnp.concatenate([y, x]),
    "concatenate_last": lambda x, y: jnp.concatenate([x, y], axis=-1),
    "rconcatenate_last": lambda x, y: jnp.concatenate([y, x, y], axis=-1),
    "concatenate_same": lambda x, z: jnp.concatenate([x, z]),
    "concatenate_same_last": lambda x, z: jnp.concatenate([x, z], axis=-1),
    "stack": lambda x, y: jnp.stack([x, y]),
    "rstack_last": lambda x, y: jnp.stack([y, x], axis=-1),
    "stack_same": lambda x, z: jnp.stack([x, z]),
    "hstack": lambda x, y: jnp.hstack([x, y]),
    "vstack": lambda x, y: jnp.vstack([y, x]),
    "append": lambda x: jnp.append(x, 1),
    "insert": lambda x: jnp.insert(x, 1, 5),
    "delete": lambda x: jnp.delete(x, 0, axis=0),
    "meshgrid": lambda x, row: jnp.meshgrid(x, row),
}

PARTS: Calls = {
    "split": lambda x: jnp.split(x, 2, axis=-1),
    "array_split": lambda x: jnp.array_split(x, 2, axis=0),
    "split_sizes": lambda x: lax.split(x, (1, x.shape[0] - 1)),
    "unstack": lambda x: jnp.unstack(x),
    "iterate": lambda x: list(x),
    "slice": lambda x: x[1:],
    "slice_step": lambda x: x[::2],
    "slice_back": lambda x: x[::-1],
    "slice_last": lambda x: x[..., :-1],
    "slice_last_step": lambda x: x[..., 1::2],
    "slice_empty": lambda x: x[:0],
    "lax_slice": lambda x: lax.slice_in_dim(x, 0, 2, 2),
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "first_column": lambda x: x[..., 0],
    "entry": lambda x: x[(0,) * x.ndim],
    "newaxis": lambda x: x[None, ..., None],
    "ellipsis": lambda x: x[...],
    "two_slices": lambda x: x[1:, :2],
    "compress": lambda x: jnp.compress(jnp.array([True, False, True]), x, axis=0),
}

TRIANGLES: Calls = {
    "triu": lambda x: jnp.triu(x),
    "tril": lambda x: jnp.tril(x, -1),
    "diagonal": lambda x: jnp.diagonal(x),
    "diagonal_last": lambda x: jnp.diagonal(x, 1, axis1=-2, axis2=-1),
    "diag": lambda x: jnp.diag(x),
    "trace": lambda x: jnp.trace(x),
}

CHOICES: Calls = {
    "where": lambda x, mask, y: jnp.where(mask, x, y),
    "rwhere": lambda x, mask, y: jnp.where(mask, y, x),
    "where_same": lambda x, z, mask: jnp.where(mask, x, z),
    "where_zero": lambda x, mask: jnp.where(mask, x, 0),
    "where_condition": lambda x, y: jnp.where(x, y, 1),
    "where_flag": lambda x, y, flag: jnp.where(flag, x, y),
    "where_flag_off": lambda x, y, flag: jnp.where(~flag, x, y),
    "select": lambda x, mask, y: jnp.select([mask, ~mask], [x, y]),
    "lax_select": lambda x, mask, y: lax.select(mask, x, y),
    "rlax_select": lambda x, mask, y: lax.select(mask, y, x),
    "select_n": lambda x, z, flag: lax.select_n(flag, x, z),
    "select_n_off": lambda x, z, flag: lax.select_n(~flag, x, z),
    "choose": lambda x, mask: jnp.choose(mask.astype(int), [x, x + 1], mode="clip"),
    "piecewise": lambda x: jnp.piecewise(x, [x < 0], [lambda v: -v, lambda v: v * 2]),
}
