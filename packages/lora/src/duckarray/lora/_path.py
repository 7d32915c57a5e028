"""What happens on the way through the two factors: dropout before, a gate for each row between."""

from typing import Any

import jax
import jax.numpy as jnp

from ._layout import RANK, Labels, as_dtype, axes_of, spread
from ._multi import ROWS, MultiLora, gate_labels, gate_of, row_label
from ._value import LoraArray


def drop(y: Any, x: LoraArray) -> Any:
    """`y` as the update sees it in training: with zeros for a share of its entries."""
    if not x.dropout:
        return y
    seed: Any = x.seed
    key = jax.random.key(jnp.ravel(seed)[0])
    kept = jax.random.bernoulli(key, 1 - x.dropout, y.shape)
    return jnp.where(kept, y / jnp.asarray(1 - x.dropout, y.dtype), jnp.zeros((), y.dtype))


def gated(x: MultiLora, between: Any, labels: Labels, met: tuple[int, ...]) -> Any:
    """`between`, which has the axes `labels`, times the gate of each row.

    Args:
        x: the weight.
        between: what the other operand and the first factor have given.
        labels: its axes; those that are neither of the weight nor `RANK` are the other operand's.
        met: the shape of the other operand, for the error.
    """
    sizes = dict(zip(labels, between.shape, strict=True))
    batch = axes_of(x.ndim, x.rows, x.columns)[0]
    own = gate_labels(x)
    gate = gate_of(x)
    if ROWS in own:
        others = [(i, sizes[i]) for i in labels if i != RANK and not isinstance(i, int)]
        row = row_label(x, others, met)
        own = tuple(row if label == ROWS else label for label in own)
    return between * spread(as_dtype(gate, between.dtype), (*batch, *own), labels, sizes)
