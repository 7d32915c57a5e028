"""Real matrices, those that pyamg ships, as sparse arrays: products, solves, exchange.

Run it as `python packages/sparse/benchmarks/oracle_pyamg.py`, with pyamg installed. It prints the
largest deviation from SciPy, of what is 1 in size.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from pyamg.gallery import load_example, poisson, stencil_grid
from pyamg.gallery.diffusion import diffusion_stencil_2d
from pyamg.gallery.elasticity import linear_elasticity

from duckarray import sparse
from duckarray.core import quaxify

EXAMPLES = [
    "airfoil",
    "bar",
    "helmholtz_2D",
    "knot",
    "local_disc_galerkin_diffusion",
    "recirc_flow",
    "unit_cube",
    "unit_square",
]


def matrices() -> dict[str, Any]:
    found = {name: load_example(name)["A"] for name in EXAMPLES}
    stencil = diffusion_stencil_2d(epsilon=0.001, theta=np.pi / 3)
    return {
        **found,
        "poisson 3d": poisson((9, 9, 9)),
        "anisotropic": stencil_grid(stencil, (30, 30)),
        "elasticity": linear_elasticity((12, 12))[0],
    }


def deviation(got: Any, want: Any) -> float:
    scale = max(float(np.abs(want).max(initial=0)), 1e-300)
    return float(np.abs(np.asarray(got) - want).max(initial=0)) / scale


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    rng = np.random.default_rng(0)
    for name, matrix in matrices().items():
        s = scipy.sparse.csr_array(matrix)
        a, x = sparse.from_scipy(s), rng.standard_normal(s.shape[1])
        f = jax.jit(quaxify(lambda a, x: (a @ x, x @ a, (a @ a.T) @ x, (a + a.T).sum(0), a.max(1))))
        if s.dtype.kind == "c":
            f = jax.jit(quaxify(lambda a, x: (a @ x, x @ a, (a @ a.T) @ x, (a + a.T).sum(0))))
        want = [s @ x, s.T @ x, (s @ s.T) @ x, (s + s.T).sum(0)]
        if s.dtype.kind != "c":
            want.append(s.max(1).toarray())
        worst = max(map(deviation, f(a, jnp.asarray(x)), want))
        b = s @ x
        solution = sparse.solve(a, jnp.asarray(b))
        residual = deviation(s @ np.asarray(solution), b)
        print(
            f"{name:30s} {a.shape[0]:5d} rows, {a.nnz:6d} stored: {worst:.1e}, solve {residual:.1e}"
        )


if __name__ == "__main__":
    main()
