"""What units cost: operators, compiled calls and tracing, against plain `jax.numpy`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

import duckarray.units as u
from duckarray.core import quaxify
from duckarray.core.testing import timing
from duckarray.units import Quantity

X = jnp.linspace(1.0, 2.0, 8)
A, B = Quantity(X, "m"), Quantity(X + 1, "m")


def traced(program: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """Traces anew each time: JAX knows a function by what it is."""

    def trace() -> Any:
        def again(*xs: Any) -> Any:
            return program(*xs)

        jax.make_jaxpr(again)(*args)
        return X

    return trace


def operators(x: Any, y: Any) -> Any:
    for _ in range(50):
        x = (x + y) * 0.5
    return x


def called(count: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A compiled call with so many arrays, and with so many quantities."""
    program, same = jax.jit(lambda *xs: xs[0] < xs[-1]), jax.jit(lambda *xs: xs[0] < xs[-1])
    arrays = [X + i for i in range(count)]
    quantities = [Quantity(x, "m") for x in arrays]
    return lambda: program(*arrays), lambda: same(*quantities)


def step(tree: Any) -> Any:
    return jax.tree.map(lambda x: x * 0.9, tree, is_leaf=lambda x: isinstance(x, Quantity))


def main() -> None:
    leaves = [X + i for i in range(30)]
    tree = [Quantity(x, "m") for x in leaves]
    plain, named = jax.jit(step), jax.jit(step)
    rows = [
        ("operator, eager", 1.5, lambda: X + X, lambda: A + B, 200),
        ("jitted call with 3 quantities", 1.3, *called(3), 200),
        ("jitted step of 30 leaves", 1.4, lambda: plain(leaves), lambda: named(tree), 100),
        ("trace of 100 operators", 1.2, traced(operators, X, X), traced(operators, A, B), 1),
        (
            "the same inside quaxify",
            2.0,
            traced(operators, X, X),
            traced(quaxify(operators), A, B),
            1,
        ),
    ]
    for name, goal, base, ours, calls in rows:
        (got,) = timing.ratios(base, ours, calls=calls)
        verdict = "ok" if got <= goal else "MISSED"
        print(f"{name:32} {got:5.2f}x (at most {goal}: {verdict})")
    over = timing.import_seconds("duckarray.units") * 1e3
    print(f"{'import, over jax and equinox':32} {over:4.0f} ms (at most 60)")
    same = [
        [e.primitive.name for e in jax.make_jaxpr(f)(z, z).jaxpr.eqns]
        for f, z in ((operators, X), (quaxify(operators), u.Quantity(X, "m")))
    ]
    print(f"{'the same program':32} {same[0] == same[1]}")


if __name__ == "__main__":
    main()
