"""What symbolic zeros save, as ratios against the same program on dense zeros and by hand.

Run it with `python packages/zeros/benchmarks/bench_zeros.py`. The repeats of what is compared
alternate, and the best of each counts: another program on the machine only adds to a time.
"""

import runpy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from duckarray import zeros
from duckarray.core import quaxify
from duckarray.core.testing import timing
from duckarray.zeros import Zeros

try:
    import quax
    from quax.examples.zero import Zero
except ImportError:
    quax = None

SIZE = 1024


def show(what: str, goal: str, programs: dict[str, Callable[[], Any]], against: str) -> None:
    """Prints one line: milliseconds of each, and ratios against the program called `against`."""
    times = {name: t.clock for name, t in timing.best(programs, 20).items()}
    base = times[against]
    cells = [f"{name} {1e3 * t:8.3f} ms ({t / base:.3f}x)" for name, t in times.items()]
    print(f"{what:44s} {'  '.join(cells)}   goal {goal}")


def probes() -> None:
    """How many expressions of zeros that are constant, or the other operand, are found to be."""
    table = runpy.run_path(str(Path(__file__).parents[1] / "tests" / "test_probes.py"))
    found = table["outcomes"](table["arguments"]())[0]
    known = {name: found[name] for name in (*table["SYMBOLIC"], *table["OPERAND"])}
    kinds = Counter(known.values())
    kept = kinds.pop("symbolic", 0), kinds.pop("operand", 0)
    dense, failed = kinds.pop("dense", 0), sum(kinds.values())
    text = f"{kept[0]} symbolic, {kept[1]} the operand, {dense} dense, {failed} failed"
    print(
        f"{f'{len(known)} expressions that are constant':44s} {text}   goal >= 100 of 105, 0 failed"
    )


def product_and_sum() -> None:
    """`x @ zeros + x`: XLA multiplies with dense zeros; with symbolic ones nothing is left."""

    def program(x: Any, z: Any) -> Any:
        return x @ z + x

    x = jax.random.normal(jax.random.key(0), (SIZE, SIZE))
    dense = jax.jit(lambda x: program(x, jnp.zeros((SIZE, SIZE))))
    symbolic = jax.jit(lambda x: quaxify(program)(x, Zeros((SIZE, SIZE))))
    programs = {"dense": lambda: dense(x), "duckarray": lambda: symbolic(x)}
    if quax is not None:
        theirs = jax.jit(lambda x: quax.quaxify(program)(x, Zero((SIZE, SIZE), jnp.float32)))
        programs["quax"] = lambda: theirs(x)
    show(f"x @ zeros + x, {SIZE} x {SIZE}", "<= 0.05x", programs, "dense")


def pull_back() -> None:
    """One of two results has a cotangent: dense zeros for the other, symbolic ones, by hand."""
    width = 512
    keys = jax.random.split(jax.random.key(0), 5)
    weights = [jax.random.normal(k, (width, width)) / width**0.5 for k in keys[:4]]
    x = jax.random.normal(keys[4], (256, width))

    def network(weights: Any, x: Any) -> Any:
        first, second, head, other = weights
        hidden = jnp.tanh(x @ first)
        return hidden @ head, jnp.tanh(jnp.tanh(hidden @ second) @ other)

    def dense(weights: Any, x: Any) -> Any:
        out, pull = jax.vjp(network, weights, x)
        return pull((out[0], jnp.zeros_like(out[1])))

    def symbolic(weights: Any, x: Any) -> Any:
        out, pull = zeros.vjp(network, weights, x)
        return pull((out[0], None))

    def by_hand(weights: Any, x: Any) -> Any:
        out, pull = jax.vjp(lambda w, x: network(w, x)[0], weights, x)
        return pull(out)

    compiled = {
        name: jax.jit(f).lower(weights, x).compile()
        for name, f in (("dense", dense), ("duckarray", symbolic), ("by hand", by_hand))
    }
    programs = {name: lambda f=f: f(weights, x) for name, f in compiled.items()}
    show("pull-back of one of two results", "1x by hand", programs, "by hand")
    for name, program in compiled.items():
        cost: Any = program.cost_analysis()
        cost = cost[0] if isinstance(cost, list) else cost
        print(f"    {name:10s} {cost['flops'] / 1e6:10.3f} million operations")


if __name__ == "__main__":
    probes()
    product_and_sum()
    pull_back()
