"""`MultiLora`: one weight with several adapters, of which each row of a batch has its own."""

from typing import Any, NoReturn

import jax

from duckarray.core import field

from ._layout import RANK, Labels
from ._value import LoraArray

ROWS = "rows"
"""The label of the axis of `gate` that says for which row of the other operand it is."""

_NOT_CHOSEN = """a `MultiLora` {summary} is used, but nobody has said which of its adapters, \
{names}, to use.
Choose one for each row of the batch: `select(multi, ["{first}", ...])`, or for all: \
`select(multi, "{first}")`."""

_NO_ROWS = """a `MultiLora` {summary} has adapters chosen for {n} rows, but meets an array of \
shape {shape}, which has no axis of that length beside those that are summed over.
Choose as many as there are rows; where the batch was reshaped, repeat them: \
`select(multi, jnp.repeat(ids, tokens))`."""

_NOT_DENSE = """a `MultiLora` {summary} is another weight for each row of a batch, so this \
operation on the weight itself has no single result.
Choose one adapter for all rows, `select(multi, "{first}")`, or leave this weight out of the \
adapters."""


class MultiLora(LoraArray):
    """A weight with several adapters beside one another, as `stack` makes it and `select` sets it.

    The factors of all adapters are in `a` and `b`, one after another along the rank, and a product
    is `x @ w + ((x @ a) * gate) @ b`: two products for all adapters, where `gate` is zero for those
    that a row does not use.

    Args:
        gate: what the update is multiplied by along the rank, `[*batch, rows, r]` for each row of
            the other operand, or `[*batch, r]` for all. None until `select` sets it.
        factors: the scale of each adapter, `[*batch, n]`.
        names: the names of the adapters.
        ranks: the rank of each.

    The fields of `LoraArray` are as there, but `magnitude` and `dropout` stay unset.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.lora import LoraArray, select, stack
        >>> w, a, b = jnp.eye(2), jnp.ones((2, 1)), jnp.ones((1, 2))
        >>> multi = stack({"plus": LoraArray(w, a, b), "minus": LoraArray(w, a, b, -1.0)})
        >>> quaxify(jnp.matmul)(jnp.ones((3, 2)), select(multi, ["plus", "minus", None]))
        Array([[ 3.,  3.],
               [-1., -1.],
               [ 1.,  1.]], dtype=float32)

    References:
        Chen et al., "Punica: Multi-Tenant LoRA Serving", 2023, section 3.
    """

    gate: jax.Array | None = None
    factors: jax.Array | None = None
    names: tuple[str, ...] = field(static=True, default=())
    ranks: tuple[int, ...] = field(static=True, default=())

    def materialize(self) -> Any:
        refuse_dense(self)

    def others(self) -> list[tuple[str, Any, Labels]]:
        """The parts that a `LoraArray` has not, and their labels after those of batch axes."""
        found: list[tuple[str, Any, Labels]] = []
        if self.gate is not None:
            found.append(("gate", self.gate, gate_labels(self)))
        if self.factors is not None:
            found.append(("factors", self.factors, ("adapter",)))
        return found


def gate_labels(x: MultiLora) -> Labels:
    """The labels of `gate`, after those of batch axes."""
    chosen = gate_of(x)
    return (ROWS, RANK) if chosen.ndim == len(x.scale.shape) + 2 else (RANK,)  # type: ignore[union-attr]


def gate_of(x: MultiLora) -> Any:
    """The gate.

    Raises:
        TypeError: if `select` has not set it.
    """
    if x.gate is None:
        names = ", ".join(f"`{name}`" for name in x.names)
        first = x.names[0] if x.names else "name"
        raise TypeError(_NOT_CHOSEN.format(summary=_summary(x), names=names, first=first))
    return x.gate


def row_label(x: MultiLora, candidates: list[Any], shape: tuple[int, ...]) -> Any:
    """Which of the axes `candidates`, pairs of a label and a size, holds the rows.

    It is the first of that length.

    Raises:
        ValueError: if none is.
    """
    n = gate_of(x).shape[-2]
    for label, size in candidates:
        if size == n:
            return label
    raise ValueError(_NO_ROWS.format(summary=_summary(x), n=n, shape=shape))


def refuse_dense(x: MultiLora) -> NoReturn:
    """Raises a TypeError that says why there is no dense array."""
    gate_of(x)
    raise TypeError(_NOT_DENSE.format(summary=_summary(x), first=x.names[0] if x.names else "name"))


def _summary(x: MultiLora) -> str:
    return f"{x.dtype}[{','.join(map(str, x.shape))}]"
