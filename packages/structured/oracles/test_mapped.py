"""Each entry of the closure table under `vmap`: the type of the result, and its value by NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialization, materialize, quaxify
from duckarray.structured._table import OPERATIONS, closure_table, samples

_NUMPY = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "@": np.matmul,
    "solve": np.linalg.solve,
}


def _values(seed):
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

    return samples(numbers)


@pytest.fixture(scope="module")
def table():
    return closure_table()


@pytest.mark.parametrize("left", list(samples(lambda *s: jnp.ones(s))))
def test_each_structured_result_is_right_under_vmap(table, left):
    x = jax.tree.map(lambda *a: jnp.stack(a), *[_values(s)[left] for s in (0, 1)])
    ys = jax.tree.map(lambda *a: jnp.stack(a), *[_values(s) for s in (2, 3)])
    wanted = [(o, r) for (lf, o, r), t in table.items() if lf == left and t != "dense"]

    def program(x, ys):
        return {(o, r): quaxify(OPERATIONS[o])(x, ys[r]) for o, r in wanted}

    with materialization("error"):
        out = jax.jit(jax.vmap(program))(x, ys)
    a = np.asarray(materialize(x), np.float64)
    for (o, r), got in out.items():
        assert type(got).__name__ == table[left, o, r], (o, r)
        want = _NUMPY[o](a, np.asarray(materialize(ys[r]), np.float64))
        scale = max(1.0, np.abs(want).max())
        error = np.abs(np.asarray(materialize(got)) - want).max() / scale
        assert error < 1e-4, (o, r, error)
