"""Sparse products, sums and solves against SciPy's, in one process.

Run it as `python packages/sparse/benchmarks/bench_sparse.py`. The repeats of what is compared
alternate, so that a busy machine slows all of them; the best of each counts. The goal is beside
each ratio.

Of a matrix times a vector in single precision, the power law was 1.0 to 1.5 times SciPy's time from
run to run when this way was chosen, the random matrix 0.7 to 1.1, and both are more on some
machines: on two shared cores, both wait for memory, and SciPy's one pass reads what here is written
and read once more, the products of entries. What else was tried, in the same runs, as multiples of
SciPy's time (power law; random):

- products and pieces in one loop, without the array of products: 1.6 to 2.6; 2.6. The indices of
  both gathers are then computed for each entry, one by one.
- the first piece of each row put in place, only the others scattered, pieces of 4 and 8 or 16: 1.15
  to 1.35; 0.95.
- entries permuted into pieces of exactly as many, 1 to 16, which are added whole: 1.5 to 1.9; 0.8
  to 0.9. The permutation is one more gather of everything.
- blocks of 8192 or 65536 entries, so that their products stay in the cache, by `scan`: 2.8 to 3.9;
  2.7 to 4.1. Nothing is fused across the turns, and each has its scatter.
- pieces of another width than the one that is chosen, 6: of 8 from 1.0 to 1.3, others above that.

On a machine that is busy, processor time says more. On one core the power law takes 1.3 to 1.5
times SciPy's, the random matrix 1.1. The products of entries alone are 0.8 to 0.9 of that, adding
up pieces 0.35, scattering these 0.25; so no other way of adding up would reach SciPy's, which does
not write the products. Of ways to add up were tried, so measured (power law; random):

- a zero after the products, which the slots of short pieces read, instead of a mask: 1.4 to 1.5;
  1.3.
- entries in padded pieces, one after the other or slot by slot: 2.3 and 2.1 to 2.3; 1.6 and 2.0.
- pieces by their length, each length by itself: 1.6; 1.2.
- sums of two neighbours first, of which half as many are read: 1.4 to 1.6; 1.3.
- gathers of whole pieces: 2.4 to 2.6; 1.7.
- two pieces of each row by gathers, only the others scattered: 1.3 to 1.5; 1.2.
- indices computed while running, from the beginnings of pieces: 1.25 to 1.4; 1.3.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from duckarray import sparse
from duckarray.core import quaxify
from duckarray.core.testing import timing

REPEATS = 15


def laplacian(n: int) -> Any:
    """The five-point Laplacian on an n x n grid."""
    line = scipy.sparse.diags_array(
        [-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]
    )
    eye = scipy.sparse.eye_array(n)
    return (scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr()


def uniform(n: int, degree: int, seed: int = 0) -> Any:
    """Rows of as many entries, at random places."""
    rng = np.random.default_rng(seed)
    rows, cols = np.repeat(np.arange(n), degree), rng.integers(0, n, n * degree)
    data = rng.standard_normal(n * degree)
    return scipy.sparse.coo_array((data, (rows, cols)), shape=(n, n)).tocsr()


def power_law(n: int) -> Any:
    """Rows of lengths that follow a power law, the longest of thousands."""
    rng = np.random.default_rng(1)
    degree = np.minimum((rng.pareto(1.2, n) * 3 + 1).astype(int), 10_500)
    rows = np.repeat(np.arange(n), degree)
    cols = (n * rng.random(rows.size) ** 2).astype(int)
    return scipy.sparse.coo_array((np.ones(rows.size), (rows, cols)), shape=(n, n)).tocsr()


def compare(what: str, goal: str, ours: Any, args: Any, scipys: Callable[[], Any]) -> None:
    run = jax.jit(quaxify(ours))
    programs = {"ours": lambda: run(*args), "scipy": scipys}
    times = {name: t.clock for name, t in timing.best(programs, REPEATS).items()}
    ratio = times["ours"] / times["scipy"]
    print(
        f"{what:44s} scipy {times['scipy'] * 1e3:8.2f} ms: {ratio:5.2f}x  (goal {goal})", flush=True
    )


def matvec(a: Any, x: Any) -> Any:
    return a @ x


def bcoo_scratch(a: Any) -> int:
    """What `BCOO @ BCOO` of a matrix with itself takes, in bytes: it is compiled, not run."""
    b = a.to_bcoo()
    run = jax.jit(lambda x, y: x @ y).lower(b, b).compile()
    memory = run.memory_analysis()
    return int(memory.temp_size_in_bytes + memory.output_size_in_bytes)


def main() -> None:
    cases = {
        "Laplacian 512x512": laplacian(512),
        "random 1e5, 10 a row": uniform(100_000, 10),
        "power law 1e5": power_law(100_000),
    }
    rng = np.random.default_rng(2)
    for dtype, goal in (("float32", "1.0"), ("float64", "1.6 power law")):
        with jax.enable_x64(dtype == "float64"):
            for name, matrix in cases.items():
                s = matrix.astype(dtype)
                x = rng.standard_normal(s.shape[1]).astype(dtype)
                args = sparse.from_scipy(s), jnp.asarray(x)
                compare(f"A @ x, {name}, {dtype}", goal, matvec, args, lambda s=s, x=x: s @ x)
                if dtype == "float32":
                    compare(
                        f"A.T @ x, {name}",
                        "-",
                        lambda a, x: a.T @ x,
                        args,
                        lambda s=s, x=x: s.T @ x,
                    )
    s = cases["random 1e5, 10 a row"].astype("float32")
    x = rng.standard_normal((s.shape[1], 64)).astype("float32")
    a = sparse.from_scipy(s)
    compare("A @ X, 64 columns, random", "1.0", matvec, (a, jnp.asarray(x)), lambda: s @ x)
    memory = jax.jit(quaxify(matvec)).lower(a, jnp.asarray(x)).compile().memory_analysis()
    share = memory.temp_size_in_bytes / (s.nnz * 64 * 4)
    print(f"{'  its scratch, of nnz * 64 * itemsize':44s} {share:.1%}  (goal 30%)")
    t = uniform(100_000, 10, seed=5).astype("float32")
    b = sparse.from_scipy(t)
    compare("A + B, random", "0.6", lambda a, b: a + b, (a, b), lambda: s + t)
    compare("A + A, random", "0.6", lambda a, b: a + b, (a, 2 * a), lambda: s + s)
    compare("A @ B, random, numeric phase", "1.0", lambda a, b: a @ b, (a, b), lambda: s @ t)
    s = cases["Laplacian 512x512"].astype("float32")
    a = sparse.from_scipy(s)
    compare("A @ A, Laplacian, numeric phase", "1.0", lambda a: a @ a, (a,), lambda: s @ s)
    small = sparse.from_scipy(uniform(2000, 10).astype("float32"))
    memory = jax.jit(quaxify(matvec)).lower(small, small).compile().memory_analysis()
    size = (memory.temp_size_in_bytes + memory.output_size_in_bytes) / 2**20
    peer = bcoo_scratch(small) / 2**20
    print(f"{'A @ A, n = 2000, 10 a row, its memory':44s} {size:.1f} MiB, of BCOO {peer:.0f} MiB")


if __name__ == "__main__":
    main()
