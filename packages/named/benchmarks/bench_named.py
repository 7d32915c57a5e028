"""What names cost: operators, compiled calls and tracing, against plain `jax.numpy`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

import duckarray.named as n
from duckarray.core import quaxify
from duckarray.core.testing import timing
from duckarray.named import NamedArray

X = jnp.ones((8, 16))
A, B = NamedArray(X, "batch d"), NamedArray(X + 1, "batch d")


def traced(program: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """Traces anew each time: JAX knows a function by what it is."""

    def trace() -> Any:
        def again(*xs: Any) -> Any:
            return program(*xs)

        jax.make_jaxpr(again)(*args)
        return X

    return trace


def adds(x: Any, y: Any) -> Any:
    for _ in range(100):
        x = x + y
    return x


def attention(q: Any, k: Any, v: Any) -> Any:
    return jax.nn.softmax(q @ k.mT) @ v


def main() -> None:
    plain, named = jax.jit(lambda x, y: x + y), jax.jit(lambda x, y: x + y)
    rows = [
        ("operator on equal dims, eager", 2.0, lambda: X + X, lambda: A + B, 200),
        ("call of a jitted function", 1.5, lambda: plain(X, X), lambda: named(A, B), 200),
        ("trace of 100 additions", 1.5, traced(adds, X, X), traced(adds, A, B), 1),
        ("the same inside quaxify", None, traced(adds, X, X), traced(quaxify(adds), A, B), 1),
    ]
    for name, goal, base, ours, calls in rows:
        (got,) = timing.ratios(base, ours, calls=calls)
        verdict = "" if goal is None else f"(at most {goal}: {'ok' if got <= goal else 'MISSED'})"
        print(f"{name:32} {got:5.2f}x {verdict}")
    x = NamedArray(jnp.ones((2, 8, 16)), "batch seq d")
    dot = jax.make_jaxpr(lambda q, k: n.dot(q, k.rename(seq="key"), over="d"))(x, x)
    print(f"{'n.dot':32} {[e.primitive.name for e in dot.jaxpr.eqns]}")
    same = [
        [str(e.primitive) for e in jax.make_jaxpr(f)(z, z, z).jaxpr.eqns]
        for f, z in ((attention, x.array), (quaxify(attention), x))
    ]
    print(f"{'attention, the same program':32} {same[0] == same[1]}")


if __name__ == "__main__":
    main()
