"""What scaling costs with the factor kept apart, against scaling each entry."""

import statistics
import time

import jax
import jax.numpy as jnp

from duckarray.core import quaxify
from duckarray.structured import Tridiagonal


def seconds(program, x):
    """The median over 50 calls, of which the first is not one."""
    jax.block_until_ready(program(x))
    times = []
    for _ in range(50):
        start = time.perf_counter()
        jax.block_until_ready(program(x))
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def scale(x):
    return -(3.0 * x)


def main():
    for n in (10, 1000, 4000):
        dense = jnp.ones((n, n))
        value = Tridiagonal(dense, jnp.float32(1.0))
        plain, ours = seconds(scale, dense), seconds(quaxify(scale), value)
        print(f"{n} × {n}: {plain * 1e6:.0f} µs dense, {ours * 1e6:.0f} µs with the factor apart")


if __name__ == "__main__":
    main()
