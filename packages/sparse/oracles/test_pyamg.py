"""Real matrices, those that pyamg ships or makes, next to SciPy: products, solves, exchange."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
from pyamg.gallery import load_example, poisson, stencil_grid
from pyamg.gallery.diffusion import diffusion_stencil_2d
from pyamg.gallery.elasticity import linear_elasticity

from duckarray import sparse
from duckarray.core import materialization, quaxify

jax.config.update("jax_enable_x64", True)

EXAMPLES = """airfoil bar helmholtz_2D knot local_disc_galerkin_diffusion recirc_flow unit_cube
unit_square""".split()
MADE = {
    "poisson 3d": lambda: poisson((9, 9, 9)),
    "anisotropic": lambda: stencil_grid(diffusion_stencil_2d(0.001, np.pi / 3), (30, 30)),
    "elasticity": lambda: linear_elasticity((12, 12))[0],
}
SINGULAR = {"unit_square"}  # constants are in its kernel


@functools.cache
def matrix(name):
    made = MADE[name]() if name in MADE else load_example(name)["A"]
    return scipy.sparse.csr_array(made)


def agree(got, want, rtol=1e-12):
    want = want.toarray() if scipy.sparse.issparse(want) else np.asarray(want)
    np.testing.assert_allclose(
        got, want, rtol=0, atol=rtol * max(np.abs(want).max(initial=0), 1e-300)
    )


@pytest.mark.parametrize("name", [*EXAMPLES, *MADE])
def test_products_sums_and_extremes_are_those_of_scipy(name):
    s = matrix(name)
    a, x = sparse.from_scipy(s), np.random.default_rng(0).standard_normal(s.shape[1])

    @jax.jit
    @quaxify
    def program(a, x):
        return a @ x, x @ a, (a @ a.T) @ x, (a + a.T).sum(0), (a * a.T).sum(1), a.max(1)

    with materialization("error"), jax.numpy_dtype_promotion("standard"):
        got = program(a, jnp.asarray(x))
    want = (s @ x, s.T @ x, (s @ s.T) @ x, (s + s.T).sum(0), (s * s.T).sum(1))
    for one, other in zip(got, want, strict=False):
        agree(one, other)
    if s.dtype.kind != "c":  # SciPy orders complex numbers by their real parts alone
        agree(got[-1], s.max(1))


@pytest.mark.parametrize("name", [*EXAMPLES, *MADE])
def test_a_system_is_solved(name):
    s = matrix(name)
    if name in SINGULAR:
        s = s + scipy.sparse.eye_array(s.shape[0])
    b = s @ np.random.default_rng(1).standard_normal(s.shape[1])
    with jax.numpy_dtype_promotion("standard"):
        solution = sparse.solve(sparse.from_scipy(s), jnp.asarray(b))
    agree(s @ np.asarray(solution), b, 1e-9)


@pytest.mark.parametrize("name", [*EXAMPLES, *MADE])
def test_there_and_back(name):
    s = matrix(name)
    a = sparse.from_scipy(s)
    for layout in ("csr", "csc", "coo", "bsr"):
        back = a.to_scipy(layout)
        assert back.format == layout
        assert abs(back - s).max() == 0
    assert abs(sparse.from_bcoo(a.to_bcoo()).to_scipy() - s).max() == 0
