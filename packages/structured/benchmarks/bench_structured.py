"""What the structured algorithms cost against their peers, as ratios beside the goals.

Run it with `python packages/structured/benchmarks/bench_structured.py`. What is compared alternates
in one process, and the best of each counts: another program on the machine only adds to a time.
"""

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from duckarray.core import quaxify
from duckarray.core.testing import timing
from duckarray.structured import (
    Diagonal,
    DiagonalPlusLowRank,
    Identity,
    Kronecker,
    Toeplitz,
    Tridiagonal,
)


def numbers(*shape: int, seed: int = 0) -> Any:
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), jnp.float32)


def compare(
    what: str, goal: float, ours: Callable[[], Any], peer: Callable[[], Any], repeats: int = 40
) -> None:
    found = timing.best({"ours": ours, "peer": peer}, repeats)
    (a, used), (b, theirs) = found["ours"], found["peer"]
    print(
        f"{what:40s} {a * 1e3:9.3f} ms / {b * 1e3:9.3f} ms = {a / b:.3f}x, of the processor "
        f"{used / theirs:.3f}x (goal {goal}x)"
    )


def main() -> None:
    solve = jax.jit(quaxify(jnp.linalg.solve))
    product = jax.jit(quaxify(jnp.matmul))
    tridiagonal = jax.jit(jax.lax.linalg.tridiagonal_solve)

    def padded(a: Tridiagonal) -> Any:
        zero = jnp.zeros((*a.diagonal.shape[:-1], 1))
        low = jnp.concatenate([zero, a.lower], -1)
        return low, a.diagonal, jnp.concatenate([a.upper, zero], -1)

    n = 10_000
    a = Tridiagonal(numbers(n - 1), numbers(n) + 4, numbers(n - 1))
    b = numbers(n, 64)
    rows = padded(a)
    compare(
        "tridiagonal, 64 sides, vs lax", 0.2, lambda: solve(a, b), lambda: tridiagonal(*rows, b)
    )
    m = 500
    many = Tridiagonal(numbers(1000, m - 1), numbers(1000, m) + 4, numbers(1000, m - 1))
    c = numbers(1000, m, 1)
    bands = padded(many)
    compare(
        "1000 tridiagonal systems of 500, vs lax",
        0.5,
        lambda: solve(many, c),
        lambda: tridiagonal(*bands, c),
    )
    hard = Tridiagonal(numbers(n - 1), 1e-3 * numbers(n, seed=1), numbers(n - 1, seed=2))
    x = np.asarray(numbers(n, seed=3), np.float64)
    ab = np.zeros((3, n))
    ab[0, 1:], ab[1], ab[2, :-1] = hard.upper, hard.diagonal, hard.lower
    right = ab[1] * x
    right[:-1] += ab[0, 1:] * x[1:]
    right[1:] += ab[2, :-1] * x[:-1]
    single = right.astype(np.float32)
    theirs = scipy.linalg.solve_banded((1, 1), ab.astype(np.float32), single)
    errors = [np.abs(y - x).max() for y in (np.asarray(solve(hard, jnp.asarray(single))), theirs)]
    print(f"error with pivoting / LAPACK's: {errors[0] / errors[1]:.2f}x (goal 4x)")
    t = Toeplitz(numbers(4096), numbers(4096, seed=1))
    v = numbers(4096)
    column, row, vector = (np.asarray(z) for z in (t.c, t.r, v))
    compare(
        "Toeplitz product, vs scipy",
        0.3,
        lambda: product(t, v),
        lambda: scipy.linalg.matmul_toeplitz((column, row), vector),
    )
    k = Kronecker(numbers(60, 60), numbers(70, 70, seed=1))
    dense, w = jnp.kron(*k.factors), numbers(4200)
    compare("Kronecker product, vs dense", 0.05, lambda: product(k, w), lambda: product(dense, w))
    d = DiagonalPlusLowRank(numbers(3000) ** 2 + 1, numbers(3000, 20), numbers(3000, 20, seed=1))
    whole, y = d.materialize(), numbers(3000)
    compare("Woodbury solve, vs dense", 0.01, lambda: solve(d, y), lambda: solve(whole, y), 5)
    for diagonal in (Identity(1024), Diagonal(numbers(1024))):
        text = product.lower(diagonal, numbers(1024, 64)).compile().as_text()
        dots = len(re.findall(r"= \S+ (?:dot|custom-call)\(", text))
        name = type(diagonal).__name__
        print(f"{f'matrix products in {name} @ x':40s} {dots} (goal 0)")


if __name__ == "__main__":
    main()
