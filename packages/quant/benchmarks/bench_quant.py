"""What `QuantArray` costs and how exact it is, next to the goals, as ratios to dense arrays.

Run it with `python packages/quant/benchmarks/bench_quant.py`. The repeats of what is compared
alternate, so that a busy machine slows all of them; the median counts. Next to the ratio of times
is that of the time that processors were busy, which other programs disturb less.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from duckarray.core import materialize, quaxify
from duckarray.core.testing import timing
from duckarray.quant import quantize

N, REPEATS = 4096, 15

# Scheme, options, and the goals: ratios at 1 and 64 rows, megabytes of scratch.
CASES: list[tuple[str, dict[str, Any], float, float, float]] = [
    ("int8", {}, 0.75, 1.0, 4),
    ("w8a8", {}, 0.75, 0.35, 1),
    ("int4", {"group_size": 64}, 0.75, 1.15, 4),
    ("nf4", {"group_size": 64}, 1.4, 1.1, 4),
]
# Scheme, options, the known relative root mean square error on normal numbers, bits per parameter.
ERRORS: list[tuple[str, dict[str, Any], float, float]] = [
    ("nf4", {"group_size": 64}, 0.092, 4.5),
    ("nf4", {"group_size": 64, "double_quant": True}, 0.092, 4.127),
    ("int4", {"group_size": 64}, 0.0950, 4.5),
    ("int4", {"group_size": 64, "symmetric": False}, 0.0897, 5.0),
    ("int4", {"group_size": 64, "symmetric": False, "calibration": "mse"}, 0.086, 5.0),
    ("int8", {}, 0.0087, 8.008),
    ("e4m3", {"group_size": 64}, 0.0265, 8.5),
    ("mxfp4", {}, 0.115, 4.25),
    ("nvfp4", {}, 0.0952, 4.5),
]


def main() -> None:
    products()
    training()
    errors()


def products() -> None:
    """A row and 64 rows times a matrix."""
    key = jax.random.key(0)
    w = jax.random.normal(key, (N, N))
    weights = {name: quantize(w, name, **options) for name, options, *_ in CASES}
    run = jax.jit(quaxify(jnp.matmul))
    for rows in (1, 64):
        x = jax.random.normal(key, (rows, N))
        programs: dict[str, Callable[[], Any]] = {"dense": lambda x=x: run(x, w)}
        for name, weight in weights.items():
            programs[name] = lambda x=x, weight=weight: run(x, weight)
        if rows > 1:  # what XLA's own product of integers takes, of which w8a8 is made
            codes, integers = weights["int8"].codes, jnp.ones((rows, N), jnp.int8)
            alone = jax.jit(lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32))
            programs["lax.dot of int8"] = lambda: alone(integers, codes)  # noqa: B023
        ratios = compare(programs)
        for name, _, one, many, most in CASES:
            compiled = run.lower(x, weights[name]).compile()
            scratch = compiled.memory_analysis().temp_size_in_bytes / 2**20
            goal = one if rows == 1 else many
            print(
                f"{name:5s} {rows:2d} rows {text(ratios[name])} (goal {goal}), "
                f"scratch {scratch:.2f} MB (goal {most})"
            )
        if rows > 1:
            print(f"lax.dot of int8 alone {text(ratios['lax.dot of int8'])}")


def training() -> None:
    """A step of QLoRA: value and gradients of the adapter and of the rows, 64 rows, rank 16."""
    key = jax.random.key(0)
    w, x = jax.random.normal(key, (N, N)), jax.random.normal(key, (64, N))
    a, b = jax.random.normal(key, (N, 16)), jax.random.normal(key, (16, N))

    def loss(factors: Any, w: Any, x: Any) -> Any:
        out = quaxify(jnp.matmul)(x, w) + (x @ factors[0]) @ factors[1]
        return jnp.sum(jnp.sin(out))

    step = jax.jit(jax.value_and_grad(loss, (0, 2)))
    programs: dict[str, Callable[[], Any]] = {"dense": lambda: step((a, b), w, x)}
    weights = {name: quantize(w, name, **CASES[i][1]) for i, name in ((0, "int8"), (3, "nf4"))}
    for name, weight in weights.items():
        programs[name] = lambda weight=weight: step((a, b), weight, x)
    ratios = compare(programs, 8)
    for name, weight in weights.items():
        compiled = step.lower((a, b), weight, x).compile()
        scratch = compiled.memory_analysis().temp_size_in_bytes / 2**20
        print(
            f"step of QLoRA, {name:4s} {text(ratios[name])} (goal 0.93 of int8), "
            f"scratch {scratch:.2f} MB (goal 6)"
        )


def errors() -> None:
    x = np.random.default_rng(0).normal(size=(N, 256)).astype("float32")
    for name, options, known, bits in ERRORS:
        q = quantize(jnp.asarray(x), name, **options)
        error = np.sqrt(np.mean((np.asarray(materialize(q)) - x) ** 2) / np.mean(x**2))
        chosen = ", ".join(f"{k}={v}" for k, v in options.items())
        print(
            f"{name:5s} {chosen:52s} error {error:.4f} (known {known}), "
            f"{q.bits_per_parameter:.3f} bits (known {bits})"
        )


def compare(programs: dict[str, Callable[[], Any]], n: int = REPEATS) -> dict[str, Any]:
    """For each program the ratios of its times, and of those of the processors, to the first."""
    medians = timing.medians(programs, n)
    base = next(iter(medians.values()))
    return {name: [x / y for x, y in zip(m, base, strict=True)] for name, m in medians.items()}


def text(ratios: Any) -> str:
    return f"{ratios[0]:5.2f}x, processors {ratios[1]:5.2f}x"


if __name__ == "__main__":
    main()
