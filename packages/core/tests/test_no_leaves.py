"""A type whose shape is static and that stores no array, which `scan` and `vmap` cannot slice."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_types import matrix
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, field, materialization, quaxify, register

pytestmark = [pytest.mark.any_jax, pytest.mark.usefixtures("own_rules")]

Y = matrix(7)


class Bare(ArrayValue):
    """Ones. Without the hooks it is made dense where an axis is taken off or put on."""

    dims: tuple[int, ...] = field(static=True)

    materialization = "allow"

    def aval(self):
        return jax.core.ShapedArray(self.dims, jnp.dtype("float32"))

    def materialize(self):
        return jnp.ones(self.dims, jnp.float32)


class Ones(Bare):
    """The same, and it says what it is without its first axis and with one more."""

    def drop_leading(self):
        return Ones(self.dims[1:])

    def add_leading(self, n):
        return Ones((n, *self.dims))


@pytest.fixture(autouse=True)
def _products(own_rules):
    @register("mul", commutative=True)
    def _mul_bare_dense(x: Bare, y: ArrayLike, **params):
        return y if jnp.shape(y) == x.dims else NotImplemented


def written_out(tree):
    is_value = lambda x: isinstance(x, Bare)
    one = lambda x: np.ones(x.dims, np.float32) if is_value(x) else x
    return jax.tree.map(one, tree, is_leaf=is_value)


PROGRAMS = {
    "jit": jax.jit(lambda x: (x, x * 2.0, jnp.sin(x))),
    "xs": lambda x: lax.scan(lambda c, row: (c + row, row), jnp.zeros(3), x),
    "nothing but xs": lambda x: lax.scan(lambda c, row: (c, row), None, x)[1],
    "xs, reversed and unrolled": lambda x: lax.scan(
        lambda c, row: (c * 0.5 + row, row * c), jnp.zeros(3), x, reverse=True, unroll=2
    ),
    "ys": lambda x: lax.scan(lambda c, _: (c, x), 0.0, None, length=2)[1],
    "ys of no turn": lambda x: lax.scan(lambda c, _: (c, x), 0.0, None, length=0)[1],
    "carry": lambda x: lax.scan(lambda c, _: (c, c), x, None, length=2),
    "carry that becomes dense": lambda x: lax.scan(lambda c, _: (c + 1.0, c), x, None, length=2),
    "while": lambda x: lax.while_loop(
        lambda c: c[0].sum() < x.sum(), lambda c: (c[0] + x, c[1], c[2] * 2.0), (Y * 0.0, x, x)
    ),
    "cond": lambda x: lax.cond(Y[0, 0] > 0, lambda: (x, x), lambda: (Y, x)),
    "vmap": jax.vmap(lambda row: (row, row * 2.0, row @ Y)),
    "vmap of axis 1": jax.vmap(lambda row: row @ Y, in_axes=1, out_axes=1),
    "vmap of another": lambda x: jax.vmap(lambda row: x @ row)(Y),
    "map": lambda x: lax.map(lambda row: row + 1.0, x),
    "remat": jax.checkpoint(lambda x: jnp.sin(x) @ Y),
    "relu": jax.nn.relu,
    "grad": jax.grad(lambda x: jnp.sum(jnp.sin(x) * x)),
    "grad of another": lambda x: jax.grad(lambda y: jnp.sum(jnp.sin(y @ x)))(Y),
    "jvp": lambda x: jax.jvp(jnp.sin, (x,), (Y,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_agrees(name):
    got = written_out(quaxify(PROGRAMS[name])(Ones((3, 3))))
    assert_same(got, PROGRAMS[name](np.ones((3, 3), np.float32)))


@pytest.mark.parametrize("make", [Bare, Ones])
def test_all_programs_agree_under_jit(make):
    everything = lambda x: {name: program(x) for name, program in PROGRAMS.items()}
    got = written_out(jax.jit(quaxify(everything))(make((3, 3))))
    assert_same(got, jax.jit(everything)(np.ones((3, 3), np.float32)))


def test_with_its_hooks_it_stays_itself():
    shapes = []

    def program(x):
        def body(c, row):
            shapes.append(row.shape)
            return c + jnp.ones(3), row

        carry, rows = lax.scan(body, jnp.zeros(3), x)
        return carry, rows, lax.scan(lambda c, _: (c, x), 0.0, None, length=4)[1]

    with materialization("error"):
        carry, rows, stacked = jax.jit(quaxify(program))(Ones((2, 3)))
    np.testing.assert_allclose(carry, [2.0, 2.0, 2.0])
    assert set(shapes) == {(3,)}
    assert isinstance(rows, Ones)
    assert isinstance(stacked, Ones)
    assert (rows.dims, stacked.dims) == ((2, 3), (4, 2, 3))


def test_the_gradient_outside_has_nothing_for_it():
    run = quaxify(lambda x, y: jnp.sum(lax.scan(lambda c, r: (jnp.sin(c @ y + r), r), Y[0], x)[0]))
    none, got = jax.jit(jax.grad(run, argnums=(0, 1)))(Ones((2, 3)), Y)
    assert isinstance(none, Ones)
    assert none.dims == (2, 3)
    rows = np.ones((2, 3), np.float32)
    loss = lambda y: jnp.sum(lax.scan(lambda c, r: (jnp.sin(c @ y + r), r), Y[0], rows)[0])
    np.testing.assert_allclose(got, jax.jit(jax.grad(loss))(Y), rtol=1e-5)
