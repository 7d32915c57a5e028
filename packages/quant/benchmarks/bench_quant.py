"""What products with a quantized weight of 4096 x 4096 cost against dense ones, as ratios.

Run it with `python packages/quant/benchmarks/bench_quant.py`. The repeats of what is compared
alternate, so that a busy machine slows all of them; the median counts.
"""

import statistics
import time
from typing import Any

import jax
import jax.numpy as jnp

from duckarray.core import quaxify
from duckarray.quant import quantize

N, REPEATS = 4096, 15

# Scheme, options, and the goals: ratios at 1 and 64 rows, megabytes of scratch.
CASES = [
    ("int8", {}, 0.75, 1.0, 4),
    ("w8a8", {}, 0.75, 0.35, 1),
    ("int4", {"group_size": 64}, 0.75, 1.15, 4),
    ("nf4", {"group_size": 64}, 1.4, 1.1, 4),
]


def main() -> None:
    key = jax.random.key(0)
    w = jax.random.normal(key, (N, N))
    weights: dict[str, Any] = {"dense": w}
    for name, options, *_ in CASES:
        weights[name] = quantize(w, name, **options)
    run = jax.jit(quaxify(jnp.matmul))
    ratios: dict[tuple[str, int], float] = {}
    scratch: dict[str, float] = {}
    for rows in (1, 64):
        x = jax.random.normal(key, (rows, N))
        times: dict[str, list[float]] = {name: [] for name in weights}
        for name, weight in weights.items():
            compiled = run.lower(x, weight).compile()
            used = compiled.memory_analysis().temp_size_in_bytes / 2**20
            scratch[name] = max(scratch.get(name, 0.0), used)
            jax.block_until_ready(run(x, weight))
        for _ in range(REPEATS):
            for name, weight in weights.items():
                start = time.perf_counter()
                jax.block_until_ready(run(x, weight))
                times[name].append(time.perf_counter() - start)
        medians = {name: statistics.median(each) for name, each in times.items()}
        for name in weights:
            ratios[name, rows] = medians[name] / medians["dense"]
    for name, _, one, many, most in CASES:
        print(
            f"{name:6s} 1 row {ratios[name, 1]:5.2f}x (goal {one}), 64 rows "
            f"{ratios[name, 64]:5.2f}x (goal {many}), scratch {scratch[name]:5.2f} MB (goal {most})"
        )


if __name__ == "__main__":
    main()
