"""What dispatch costs over plain JAX: tracing, eager operations, calls, construction, import.

Run it as a script; words on the command line select the lines that contain one of them. A figure
is a ratio of medians of interleaved repeats in one process, so that machines compare. Traces
start with JAX's caches empty. "At least" is what it costs without this package: with a trace that
only hands on what it is given, or a dataclass that JAX knows.
"""

import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from _least import Record, handing_on
from _timing import Row, compared, show
from _types import Wrapper, quax_wrapper
from jax import lax

from duckarray.core import quaxify
from duckarray.core.testing import timing

QUAX = quax_wrapper()
X = jnp.linspace(0.0, 1.0, 8)


def main() -> None:
    print(f"jax {jax.__version__}, Python {sys.version.split()[0]}, {jax.devices()[0].platform}\n")
    words = sys.argv[1:]
    chosen = [name for name in ROWS if not words or any(word in name for word in words)]
    show([ROWS[name](name) for name in chosen])


def _jnp_chain(x: Any, w: Any, p: Any) -> Any:
    y = x
    for i in range(60):
        y = jnp.sin(y) + x
        y = jnp.maximum(jnp.tanh(y * 0.5), x - i)
    return y


def _lax_chain(x: Any, w: Any, p: Any) -> Any:
    y = x
    for _ in range(60):
        y = lax.mul(lax.add(lax.sin(y), x), lax.neg(lax.tanh(y)))
    return y


def _layers(x: Any, w: Any, p: Any) -> Any:
    """As layers do, each has functions of its own of the same code."""
    for _ in range(12):

        def turn(carry: Any, _: Any) -> tuple[Any, Any]:
            return jnp.sin(jnp.tanh(carry * w) + 3) - w, None

        def double(x: Any) -> Any:
            return jnp.tanh(x * w) + 2

        def shift(x: Any) -> Any:
            return jnp.sin(x - w) * 3

        x, _ = lax.scan(turn, x, None, length=3)
        x = lax.cond(p, double, shift, x)
    return x


def _unlike_layers(x: Any, w: Any, p: Any) -> Any:
    """No two are the same program."""
    for i in range(12):

        def turn(carry: Any, _: Any, i: int = i) -> tuple[Any, Any]:
            return jnp.sin(jnp.tanh(carry * w) + i) - w, None

        def double(x: Any, i: int = i) -> Any:
            return jnp.tanh(x * w) + 2 * i

        def shift(x: Any, i: int = i) -> Any:
            return jnp.sin(x - w) * i

        x, _ = lax.scan(turn, x, None, length=3)
        x = lax.cond(p, double, shift, x)
    return x


def _traced(
    goal: float,
    program: Callable[..., Any],
    name: str,
    *,
    on_value: bool = False,
    only_primitives: bool = False,
) -> Row:
    """Traces `program(x, w, p)`, where `w` is a value, and `x` too if `on_value`."""

    def trace(transform: Callable[..., Any], make: Callable[..., Any]) -> Callable[[], Any]:
        w, p = make(X), jnp.array(True)
        return lambda: jax.make_jaxpr(transform(program))(w if on_value else X, w, p)

    plain, ours = trace(lambda f: f, lambda x: x), trace(quaxify, Wrapper)
    quax = trace(*QUAX) if QUAX else None
    least = trace(handing_on, Record) if only_primitives else None
    return compared(name, goal, plain, ours, quax, least, repeats=41, cold=True)


def _eager(
    transform: Callable[..., Any], make: Callable[..., Any], additions: int = 1
) -> Callable[[], Any]:
    """Dense additions beside a value."""

    def add(x: Any, w: Any) -> Any:
        for _ in range(additions):
            y = x + x
        return y

    program, w = transform(add), make(X)
    return lambda: program(X, w)


def _eager_dense(additions: int, goal: float | None, name: str) -> Row:
    def call(transform: Callable[..., Any], make: Callable[..., Any]) -> Callable[[], Any]:
        return _eager(transform, make, additions)

    quax = call(*QUAX) if QUAX else None
    plain, ours = call(lambda f: f, lambda x: x), call(quaxify, Wrapper)
    least = call(handing_on, Record)
    return compared(name, goal, plain, ours, quax, least, repeats=25, calls=100 // additions)


def _growth(name: str) -> Row:
    """How the last of 10,000 calls compare with the first."""

    def growth(call: Callable[[], Any], calls: int) -> float:
        call()
        times = [_median(call, 5, calls // 100) for _ in range(20)]
        return statistics.median(times[-4:]) / statistics.median(times[:4])

    # Quax is slow enough already after fewer.
    quax = growth(_eager(*QUAX), 2_000) if QUAX else None
    return Row(name, 1.2, growth(_eager(quaxify, Wrapper), 10_000), quax)


def _eager_value(name: str) -> Row:
    def call(transform: Callable[..., Any], make: Callable[..., Any]) -> Callable[[], Any]:
        program, w = transform(lax.add), make(X)
        return lambda: program(w, w)

    quax = call(*QUAX) if QUAX else None
    plain, ours = lambda: lax.add(X, X), call(quaxify, Wrapper)
    return compared(name, None, plain, ours, quax, repeats=9, calls=50)


def _operator(operate: Callable[[Any], Any], jnp_spelling: Callable[[Any], Any], name: str) -> Row:
    value = Wrapper(X)
    return compared(
        name, 1.5, lambda: jnp_spelling(X), lambda: operate(value), repeats=25, calls=100
    )


def _jitted_call(count: int, goal: float, name: str, *, gives_value: bool = False) -> Row:
    """A value as result has its constructor called: without checks, but in Python."""

    def two(*xs: Any) -> Any:
        return xs[0] + xs[-1] if gives_value else xs[0] < xs[-1]

    def call(transform: Callable[..., Any], make: Callable[..., Any]) -> Callable[[], Any]:
        program = jax.jit(transform(two))
        operands = [make(X + i) for i in range(count)]
        return lambda: program(*operands)

    quax = call(*QUAX) if QUAX else None
    plain, ours = call(lambda f: f, lambda x: x), call(quaxify, Wrapper)
    least = call(_of_records, Record)
    return compared(name, goal, plain, ours, quax, least, repeats=25, calls=100)


def _of_records(program: Callable[..., Any]) -> Callable[..., Any]:
    def call(*records: Record) -> Any:
        out = program(*[x.array for x in records])
        return out if out.dtype == bool else Record(out)

    return call


def _construction(name: str) -> Row:
    programs: dict[str, Callable[[], Any]] = {
        "ours": lambda: Wrapper(X),
        "least": lambda: Record(X),
    }
    if QUAX:
        make = QUAX[1]
        programs["quax"] = lambda: make(X)
    times = timing.medians(programs, 15, 1000)
    microseconds = {key: t.processor * 1e6 for key, t in times.items()}
    return Row(name, 1.0, unit=" µs", **microseconds)


def _median(call: Callable[[], Any], repeats: int, calls: int) -> float:
    return timing.medians({"call": call}, repeats, calls)["call"].processor


def _import(name: str) -> Row:
    quax = timing.import_seconds("quax") * 1e3 if QUAX else None
    return Row(name, 60.0, timing.import_seconds("duckarray.core") * 1e3, quax, unit=" ms")


ROWS: dict[str, Callable[[str], Row]] = {
    "trace, 300 jnp operations on arrays beside a value": partial(_traced, 1.05, _jnp_chain),
    "trace, 300 lax operations on a value each": partial(
        _traced, 1.6, _lax_chain, on_value=True, only_primitives=True
    ),
    "trace, 12 scans and 12 conds that see a value": partial(_traced, 1.3, _layers, on_value=True),
    "trace, 12 scans and 12 conds, each with a number of its own": partial(
        _traced, 1.3, _unlike_layers, on_value=True
    ),
    "eager, 20 additions of arrays beside a value": partial(_eager_dense, 20, 4.0),
    "eager, a call of `quaxify` of one such": partial(_eager_dense, 1, None),
    "eager, the last of 10,000 such calls over the first": _growth,
    "eager, an addition of values": _eager_value,
    "operator on values, eager": partial(_operator, lambda x: x + x, lambda x: jnp.add(x, x)),
    "operator on a value and an array, eager": partial(
        _operator, lambda x: x * X, lambda x: jnp.multiply(x, X)
    ),
    "operator on a value and a number, eager": partial(
        _operator, lambda x: x * 2.0, lambda x: jnp.multiply(x, 2.0)
    ),
    "jitted call with 3 values, giving an array": partial(_jitted_call, 3, 1.3),
    "jitted call with 30 values, giving an array": partial(_jitted_call, 30, 1.4),
    "jitted call with 3 values, giving a value": partial(_jitted_call, 3, 1.3, gives_value=True),
    "jitted call with 30 values, giving a value": partial(_jitted_call, 30, 1.4, gives_value=True),
    "construction of a value": _construction,
    "import, over that of jax and equinox": _import,
}


if __name__ == "__main__":
    main()
