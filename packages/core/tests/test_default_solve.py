"""A type that is never made dense solves linear systems by its `default` hook."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import LowRank, dense, make_lowrank
from jax import lax

from duckarray.core import ArrayValue, quaxify

pytestmark = pytest.mark.any_jax

B = np.array([2.0, 8.0], np.float32)


class Diagonal(ArrayValue):
    """A diagonal matrix without rules, which knows how to solve."""

    diagonal: jax.Array

    def materialize(self):
        raise TypeError("it is too large")

    def aval(self):
        n = self.diagonal.shape[0]
        return jax.core.ShapedArray((n, n), self.diagonal.dtype)

    @staticmethod
    def default(primitive, values, params):
        if primitive.name != "custom_linear_solve":
            return NotImplemented
        (matrix, *_) = (x for x in values if isinstance(x, Diagonal))
        return [values[-1] / matrix.diagonal]


def solve(a, b):
    return lax.custom_linear_solve(lambda x: a @ x, b, lambda matvec, b: b / (a @ jnp.ones(2)))


@pytest.mark.parametrize("jit", [False, True])
def test_the_hook_answers_before_any_of_the_functions_runs(jit):
    program = jax.jit(quaxify(solve)) if jit else quaxify(solve)
    # 2 / 4 and 8 / 2; its functions would have to multiply, for which there is no rule
    np.testing.assert_array_equal(program(Diagonal(jnp.array([4.0, 2.0])), B), [0.5, 4.0])


@pytest.mark.parametrize("outer", [jax.jit, lambda f: f])
def test_a_program_is_right_after_the_caches_of_jax_are_cleared(outer):
    def program(w, x):
        turn = jax.jit(lambda c, _: (jnp.tanh(w @ c), c.sum()))
        return lax.scan(turn, x, None, length=2)

    w, x = make_lowrank(), jnp.array([1.0, -2.0, 0.5])
    assert isinstance(w, LowRank)
    want = jax.tree.map(np.asarray, program(dense(w), x))
    run = outer(quaxify(program))
    for _ in range(2):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), run(w, x), want)
        jax.clear_caches()


def test_errors_name_arguments_that_are_passed_by_name():
    with pytest.raises(ValueError, match=r"y'?\]?\.diagonal of type float32\[3\]"):
        jax.vmap(quaxify(lambda x, y: x))(B, y=Diagonal(jnp.ones(3)))
