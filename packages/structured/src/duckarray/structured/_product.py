"""The types that are made of smaller matrices: `Kronecker` and `BlockDiagonal`."""

import math
from typing import Any, ClassVar

import jax.numpy as jnp

from duckarray.core import ArrayValue

from ._base import Structured, as_arrays, with_batch, zero_of
from ._ranks import free_ranks

_FACTORS = """`Kronecker(*factors)` takes one matrix or more, but got {got}.
Pass the factors one by one: `Kronecker(a, b)` is `jnp.kron(a, b)`."""

_BLOCKS = """`BlockDiagonal(*blocks)` takes one matrix or more, but got {got}.
Pass the blocks one by one, or equal ones as an array `[*batch, count, rows, columns]`."""


class Kronecker(Structured):
    """The Kronecker product of several matrices, stored as these.

    A product with it is one with each factor in turn, a solve likewise.

    Args:
        *factors: the matrices, `[*batch, m, n]` each; values of other types too.

    Raises:
        ValueError: if there is none, one is not a matrix, or batch axes do not broadcast.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import Kronecker
        >>> Kronecker(jnp.array([[1.0, 2.0]]), jnp.ones((2, 1))).materialize()
        Array([[1., 2.],
               [1., 2.]], dtype=float32)

    References:
        Van Loan, "The ubiquitous Kronecker product", 2000, section 2.
    """

    factors: tuple[Any, ...]

    def __init__(self, *factors: Any) -> None:
        arrays = as_arrays(*factors) if factors else []
        if not arrays or any(x.ndim < 2 for x in arrays):
            raise ValueError(_FACTORS.format(got=_shapes(arrays)))
        object.__setattr__(
            self, "factors", tuple(with_batch("Kronecker", arrays, (2,) * len(arrays)))
        )

    def own_axes(self) -> tuple[int, ...]:
        return (2,) * len(self.factors)

    @free_ranks
    def materialize(self) -> Any:
        out, *rest = self.factors
        for x in rest:
            *batch, m, n = out.shape
            p, q = x.shape[-2:]
            out = out[..., :, None, :, None] * x[..., None, :, None, :]
            out = out.reshape(*batch, m * p, n * q)
        return out


class BlockDiagonal(Structured):
    """A matrix that is zero outside of blocks along its diagonal, stored as these.

    Args:
        *blocks: the blocks, `[*batch, m, n]` each and not necessarily square, values of other types
            too; or one array `[*batch, count, m, n]` of blocks that have the same shape.

    Raises:
        ValueError: if there is none, one is not a matrix, or batch axes do not broadcast.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.structured import BlockDiagonal
        >>> BlockDiagonal(jnp.ones((1, 2)), jnp.full((1, 1), 5.0)).materialize()
        Array([[1., 1., 0.],
               [0., 0., 5.]], dtype=float32)
    """

    # Each `[*batch, count, rows, columns]`: neighbours of the same shape are kept as one array.
    stacks: tuple[Any, ...]

    leaf_linear: ClassVar[bool] = True

    def __init__(self, *blocks: Any) -> None:
        if len(blocks) == 1 and isinstance(blocks[0], list | tuple):
            blocks = tuple(blocks[0])
        arrays = as_arrays(*blocks) if blocks else []
        if not arrays or any(x.ndim < 2 for x in arrays):
            raise ValueError(_BLOCKS.format(got=_shapes(arrays)))
        if len(arrays) == 1:
            stacks = arrays if arrays[0].ndim > 2 else [arrays[0][None]]
        else:
            arrays = with_batch("BlockDiagonal", arrays, (2,) * len(arrays))
            stacks = stacked(arrays)
        object.__setattr__(self, "stacks", tuple(stacks))

    def own_axes(self) -> tuple[int, ...]:
        return (3,) * len(self.stacks)

    @property
    def blocks(self) -> tuple[Any, ...]:
        """The blocks one by one, from the upper left."""
        return tuple(x[..., i, :, :] for x in self.stacks for i in range(x.shape[-3]))

    @free_ranks
    def materialize(self) -> Any:
        _, n = rows_and_columns(self)
        # Put side by side, not written into zeros: of a scatter turned round XLA makes no program.
        found, c = [], 0
        for x in self.stacks:
            k, p, q = x.shape[-3:]
            # [k, p, q] -> [k, p, k, q], zero off the diagonal of the two axes k
            same = jnp.eye(k, dtype=bool)[:, None, :, None]
            spread = jnp.where(same, x[..., :, :, None, :], zero_of(x))
            spread = spread.reshape(*x.shape[:-3], k * p, k * q)
            around = [(0, 0)] * (spread.ndim - 1) + [(c, n - c - k * q)]
            found.append(jnp.pad(spread, around) if k * q < n else spread)
            c += k * q
        return jnp.concatenate(found, axis=-2) if len(found) > 1 else found[0]


def rows_and_columns(x: BlockDiagonal) -> tuple[int, int]:
    """The shape of the whole matrix."""
    shapes = [s.shape[-3:] for s in x.stacks]
    return sum(k * p for k, p, _ in shapes), sum(k * q for k, _, q in shapes)


def partition_of(x: BlockDiagonal) -> tuple[tuple[int, ...], ...]:
    """Count, rows and columns of the blocks, stack by stack."""
    return tuple(tuple(s.shape[-3:]) for s in x.stacks)


def stacked(arrays: list[Any]) -> list[Any]:
    """Neighbours of the same shape, `[*batch, m, n]` each, as one `[*batch, count, m, n]`.

    Values stay by themselves: of most types no array of several is one.
    """
    groups: list[list[Any]] = []
    for x in arrays:
        alike = groups and groups[-1][0].shape == x.shape
        if alike and not any(isinstance(y, ArrayValue) for y in (groups[-1][0], x)):
            groups[-1].append(x)
        else:
            groups.append([x])
    return [
        jnp.stack(group, axis=-3) if len(group) > 1 else group[0][..., None, :, :]
        for group in groups
    ]


def sizes_of(x: Kronecker) -> tuple[list[int], list[int]]:
    """The rows of each factor, and the columns."""
    return [f.shape[-2] for f in x.factors], [f.shape[-1] for f in x.factors]


def conform(x: Kronecker, y: Kronecker) -> bool:
    """Whether the columns of each factor of `x` are as many as the rows of that of `y`."""
    return len(x.factors) == len(y.factors) and sizes_of(x)[1] == sizes_of(y)[0]


def size(numbers: list[int]) -> int:
    """The product of these numbers."""
    return math.prod(numbers)


def _shapes(arrays: list[Any]) -> str:
    if not arrays:
        return "none"
    shapes = [str(tuple(x.shape)) for x in arrays if isinstance(x, ArrayValue) or x is not None]
    return f"arrays of shape {', '.join(shapes)}"
