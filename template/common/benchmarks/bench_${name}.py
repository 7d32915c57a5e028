"""What scaling costs with the factor kept apart, against scaling each entry."""

import jax.numpy as jnp

from duckarray.core import quaxify
from duckarray.core.testing import timing
from ${module} import ${cls}


def scale(x):
    return -(3.0 * x)


def main():
    run = quaxify(scale)
    for n in (10, 1000, 4000):
        dense = jnp.ones((n, n))
        value = ${cls}(dense, jnp.float32(1.0))
        programs = {"dense": lambda x=dense: scale(x), "apart": lambda x=value: run(x)}
        dense_time, ours = (t.clock for t in timing.medians(programs).values())
        print(f"{n} × {n}: {dense_time * 1e6:.0f} µs dense, {ours / dense_time:.2f}x apart")


if __name__ == "__main__":
    main()
