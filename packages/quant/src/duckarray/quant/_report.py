"""`report`: what quantization did to each weight, and what programs do with it."""

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from duckarray.core import ArrayValue, explain, materialize

from ._axes import with_origins
from ._progress import Progress
from ._tree import path_of
from ._value import QuantArray

_DIFFERENT = """`report(model, quantized)`: at `{path}` {problem}.
Pass the model that was quantized, and what `quantize_tree` made of it."""

_NONE = """`report(...)`: there is no `QuantArray` in the model.
Quantize it first: `quantize_tree(model, [Rule(".*", "int8")])`."""


@dataclasses.dataclass(frozen=True)
class WeightReport:
    """What quantization did to one weight.

    Attributes:
        path: where it is in the model.
        shape: its shape.
        scheme: the name of its scheme.
        group_size: how many entries share a scale.
        bits: bits per parameter, scales included.
        nbytes: the bytes that it takes.
        dense_bytes: those that it would take.
        error: the root of the mean squared error, over that of the mean square of the weight; None
            if there is nothing to compare with.
        operations: what happened to it and to what was made of it, such as its transpose: names
            of primitives, each with how it went (`"rule"`, `"materialized"` …) and how often. Where
            a program exchanges weights in a loop or a branch, to all arrays of its shape.
        materialized: the lines of the program at which it was made dense.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import quantize, report
        >>> w = jnp.ones((64, 2))
        >>> weight = report({"w": w}, {"w": quantize(w, "int8")}).weights[0]
        >>> weight.path, weight.shape, weight.nbytes, weight.dense_bytes
        ('w', (64, 2), 136, 512)
    """

    path: str
    shape: tuple[int, ...]
    scheme: str
    group_size: int | None
    bits: float
    nbytes: int
    dense_bytes: int
    error: float | None
    operations: dict[str, int]
    materialized: tuple[str, ...]


@dataclasses.dataclass(frozen=True, repr=False)
class QuantReport:
    """What quantization did to the weights of a model; it prints as a table.

    Attributes:
        weights: a `WeightReport` for each `QuantArray`, in order.
        program: what `duckarray.core.explain` says of the program, or None.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import quantize, report
        >>> w, b = jnp.ones((64, 2)), jnp.ones(2)
        >>> len(report({"w": w, "b": b}, {"w": quantize(w, "int8"), "b": b}).weights)
        1
    """

    weights: tuple[WeightReport, ...]
    program: Any = None

    @property
    def nbytes(self) -> int:
        """The bytes of all quantized weights."""
        return sum(x.nbytes for x in self.weights)

    @property
    def dense_bytes(self) -> int:
        """The bytes that they would take."""
        return sum(x.dense_bytes for x in self.weights)

    @property
    def materialized(self) -> list[WeightReport]:
        """The weights that the program makes dense."""
        return [x for x in self.weights if x.materialized]

    def worst(self, n: int = 5) -> list[WeightReport]:
        """The weights of the greatest error."""
        known = [x for x in self.weights if x.error is not None]
        return sorted(known, key=lambda x: -(x.error or 0.0))[:n]

    def __str__(self) -> str:
        rows = [("weight", "shape", "scheme", "bits", "bytes", "error", "operations")]
        for x in self.weights:
            group = "" if x.group_size is None else f"/{x.group_size}"
            error = "" if x.error is None else f"{x.error:.4f}"
            shape = "x".join(map(str, x.shape))
            happened = ", ".join(f"{n} {name}" for name, n in x.operations.items())
            bits, size = f"{x.bits:.3f}", f"{x.nbytes:,}"
            rows.append((x.path, shape, f"{x.scheme}{group}", bits, size, error, happened))
        widths = [max(len(row[i]) for row in rows) for i in range(7)]
        lines = [
            "  ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        lines.append(f"{self.nbytes:,} bytes, {self.dense_bytes:,} if they were dense")
        lines += [
            f"{x.path} is made dense at {line}"
            for x in self.materialized
            for line in x.materialized
        ]
        return "\n".join(lines)

    __repr__ = __str__


def report(model: Any, other: Any, *args: Any, progress: bool = False) -> QuantReport:
    """Says for each quantized weight its bits, its error, and what a program does with it.

    Args:
        model: `report(model, quantized)`: a model before quantization. `report(quantized, forward,
            *args)`: a quantized model.
        other: what `quantize_tree` made of the model; or a function, called as
            `forward(quantized, *args)`, that is traced, not run.
        *args: the further arguments of the function.
        progress: whether to show a progress bar.

    Raises:
        ValueError: if there is nothing quantized, or the models do not belong together.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.quant import Rule, quantize_tree, report
        >>> model = {"w": jax.random.normal(jax.random.key(0), (64, 32))}
        >>> quantized = quantize_tree(model, [Rule(".*", "int8")])
        >>> (weight,) = report(quantized, lambda m, x: x @ m["w"], jnp.ones((2, 64))).weights
        >>> weight.bits, weight.operations
        (8.5, {'dot_general: rule': 1})
        >>> round(report(model, quantized).weights[0].error, 3)
        0.006
    """
    if callable(other) and not isinstance(other, ArrayValue) and not _has_quantized(other):
        return _of_program(model, other, args)
    return _of_error(model, other, progress)


def _of_program(model: Any, forward: Callable[..., Any], args: Any) -> QuantReport:
    program = explain(forward, model, *args)
    # The same with a number on each weight, which goes with what becomes of it.
    numbered = explain(forward, _numbered(model), *args)
    exact = len(numbered.materialized) == len(program.materialized)
    weights = []
    for number, (path, x) in enumerate(_quantized(model)):
        shape = ",".join(map(str, x.shape))
        mine = [
            op
            for op in (numbered if exact else program).operations
            if any(_is_of(operand, number, exact, f"[{shape}]") for operand in op.operands)
            and op.outcome != "structural"
        ]
        counts: dict[str, int] = {}
        for op in mine:
            name = f"{op.primitive}: {op.outcome}"
            counts[name] = counts.get(name, 0) + op.times
        dense = tuple(dict.fromkeys(op.line for op in mine if op.dense))
        weights.append(_row(path, x, None, counts, dense))
    return QuantReport(tuple(weights), program)


def _numbered(model: Any) -> Any:
    leaves, structure = jtu.tree_flatten(model, is_leaf=lambda x: isinstance(x, QuantArray))
    numbers = itertools.count()
    marked = [with_origins(x, (next(numbers),)) if isinstance(x, QuantArray) else x for x in leaves]
    return jtu.tree_unflatten(structure, marked)


def _is_of(operand: str, number: int, exact: bool, shape: str) -> bool:
    """Whether an operand is made of a weight, by its number, or else has its shape."""
    name, _, array = operand.partition(" ")
    kind, *origins = name.split("#")
    if kind != "QuantArray":
        return False
    return str(number) in origins if exact else array.endswith(shape)


def _of_error(model: Any, quantized: Any, progress: bool) -> QuantReport:
    before = {
        path_of(keys): x for keys, x in jtu.tree_flatten_with_path(model, is_leaf=_is_value)[0]
    }
    found, weights = _quantized(quantized), []
    with Progress("report", len(found), progress) as bar:
        for path, x in found:
            dense = before.get(path)
            if dense is None or jnp.shape(dense) != x.shape:
                had = "nothing" if dense is None else jnp.shape(dense)
                problem = f"one has {had}, the other an array of shape {x.shape}"
                raise ValueError(_DIFFERENT.format(path=path, problem=problem))
            weights.append(_row(path, x, relative_error(x, dense), {}, ()))
            bar.advance(path)
    return QuantReport(tuple(weights))


def relative_error(x: Any, dense: Any) -> float:
    """The root mean square of the difference, over that of `dense`."""
    want = np.asarray(materialize(dense), "float64")
    got = np.asarray(materialize(x), "float64")
    size = np.sqrt(np.mean(want**2)) if want.size else 0.0
    return float(np.sqrt(np.mean((got - want) ** 2)) / size) if size else 0.0


def _row(path: str, x: QuantArray, error: Any, counts: Any, dense: Any) -> WeightReport:
    return WeightReport(
        path,
        x.shape,
        x.scheme.name,
        x.scheme.group_size,
        x.bits_per_parameter,
        x.nbytes,
        x.size * x.dtype.itemsize,
        error,
        counts,
        dense,
    )


def _quantized(model: Any) -> list[tuple[str, QuantArray]]:
    leaves, _ = jtu.tree_flatten_with_path(model, is_leaf=lambda x: isinstance(x, QuantArray))
    found = [(path_of(keys), x) for keys, x in leaves if isinstance(x, QuantArray)]
    if not found:
        raise ValueError(_NONE)
    return found


def _has_quantized(model: Any) -> bool:
    leaves = jtu.tree_leaves(model, is_leaf=lambda x: isinstance(x, QuantArray))
    return any(isinstance(x, QuantArray) for x in leaves)


def _is_value(x: Any) -> bool:
    return isinstance(x, ArrayValue)
