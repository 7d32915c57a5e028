"""The entries of the closure table: what NumPy gives for them, and a value of each type."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.structured import LowRank, Structured
from duckarray.structured._table import OPERATIONS, samples

PAGE = Path(__file__).parents[1] / "CLOSURE.md"
TYPES = list(samples(lambda *shape: np.ones(shape, np.float32)))
ENTRIES = [(operation, right) for operation in OPERATIONS for right in TYPES]
NUMPY = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "@": np.matmul,
    "solve": np.linalg.solve,
}


def published():
    """The table as it stands in the documentation."""
    text = PAGE.read_text(encoding="utf-8")
    sections = text.split("\n### ")[1 : 1 + len(OPERATIONS)]
    found = {}
    for operation, section in zip(OPERATIONS, sections, strict=True):
        rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|**")]
        for left, *row in rows:
            for right, result in zip(TYPES, row, strict=True):
                found[left.strip("*"), operation, right] = result
    return found


def values(seed):
    """One value of each type, of which none is nearly singular."""
    rng = np.random.default_rng(seed)

    def numbers(*shape):
        x = rng.uniform(0.1, 0.5, shape) * rng.choice([-1, 1], shape)
        if shape[-2:] in ((4, 4), (2, 2)):
            x = x + 3 * np.eye(shape[-1])
        if shape == (4, 4):
            x[2] += 3  # of `Banded(ab, 1, 2)`: the main diagonal
        if shape == (4,):
            x = x + np.array([2, 0.1, 0.1, 0.1])
        return jnp.asarray(x, jnp.float32)

    return samples(numbers) | {"LowRank": LowRank(numbers(4, 4), numbers(4, 4))}


def batch(*seeds):
    """The same, each a batch."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(values, seeds))


def require(got, kind, want, where):
    """That a result has the type, and the value up to rounding."""
    found = type(got).__name__ if isinstance(got, Structured) else "dense"
    assert found == kind, (where, found)
    entries = got.materialize() if isinstance(got, Structured) else got
    error = np.abs(np.asarray(entries) - want).max() / max(1.0, np.abs(want).max())
    assert error < 1e-4, (where, error)
