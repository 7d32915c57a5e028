"""What `LoraArray` costs against LoRA written by hand into the layers, as ratios.

Run it with `python packages/lora/benchmarks/bench_lora.py`. The repeats of what is compared
alternate, so that a busy machine slows all of them; the median counts.
"""

import collections
import re
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from duckarray.core import materialization, quaxify
from duckarray.core.testing import timing
from duckarray.lora import LoraArray, loraify, partition, select, stack, trainable_parameters

try:
    import quax
    from quax.examples import lora as quax_lora
except ImportError:
    quax = None

LAYERS, TOKENS, WIDTH, RANK = 12, 16, 64, 4


class Block(eqx.Module):
    attention: eqx.nn.MultiheadAttention
    norms: tuple[eqx.nn.LayerNorm, eqx.nn.LayerNorm]
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.attention = eqx.nn.MultiheadAttention(4, WIDTH, key=keys[0])
        self.norms = (eqx.nn.LayerNorm(WIDTH), eqx.nn.LayerNorm(WIDTH))
        self.up = eqx.nn.Linear(WIDTH, 4 * WIDTH, key=keys[1])
        self.down = eqx.nn.Linear(4 * WIDTH, WIDTH, key=keys[2])

    def __call__(self, x):
        h = jax.vmap(self.norms[0])(x)
        x = x + self.attention(h, h, h)
        h = jax.vmap(self.norms[1])(x)
        return x + jax.vmap(self.down)(jax.nn.gelu(jax.vmap(self.up)(h)))


class Transformer(eqx.Module):
    blocks: list[Block]

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class HandWritten(eqx.Module):
    """An `equinox.nn.Linear` with an adapter written into it."""

    linear: eqx.nn.Linear
    a: jax.Array
    b: jax.Array
    scale: jax.Array

    def __call__(self, x, *, key=None):
        y = self.linear.weight @ x + self.a @ (self.scale * (self.b @ x))
        return y if self.linear.bias is None else y + self.linear.bias


def by_hand(model: Any) -> Any:
    """The same adapters, as layers."""

    def is_linear(x: Any) -> bool:
        return isinstance(x, eqx.nn.Linear)

    def convert(x: Any) -> Any:
        if not is_linear(x):
            return x
        w = x.weight
        return HandWritten(eqx.tree_at(lambda m: m.weight, x, w.w), w.a, w.b, w.scale)

    return jax.tree.map(convert, model, is_leaf=is_linear)


def show(
    what: str, repeats: int, programs: dict[str, Callable[[], Any]], base: str = "by hand"
) -> None:
    times = {name: t.clock for name, t in timing.medians(programs, repeats).items()}
    ratios = ", ".join(f"{n} {t / times[base]:.2f}x" for n, t in times.items() if n != base)
    print(f"{what:42s} {base} {times[base] * 1e3:9.3f} ms: {ratios}")


def main() -> None:
    keys = jax.random.split(jax.random.key(0), LAYERS)
    plain = Transformer([Block(key) for key in keys])
    model = loraify(plain, rank=RANK, key=keys[0])
    hand = by_hand(model)
    x = jnp.ones((TOKENS, WIDTH))

    def forward(call: Callable[[Any, Any], Any], model: Any) -> Callable[[], Any]:
        arrays, static = eqx.partition(model, eqx.is_array)
        return lambda: jax.make_jaxpr(lambda p, x: call(eqx.combine(p, static), x))(arrays, x)

    def gradient(call: Callable[[Any, Any], Any], trainable: Any, frozen: Any) -> Callable[[], Any]:
        arrays, static = eqx.partition(frozen, eqx.is_array)

        def run() -> Any:
            def loss(t, f, x):
                return jnp.sum(call(eqx.combine(t, f, static), x) ** 2)

            return jax.make_jaxpr(jax.grad(loss))(trainable, arrays, x)

        return run

    def ours(model: Any, x: Any) -> Any:
        return quaxify(model)(x)

    def apply(model: Any, x: Any) -> Any:
        return model(x)

    def is_adapter(model: Any) -> Any:
        def mark(m: Any) -> Any:
            if not isinstance(m, HandWritten):
                return False
            nothing = jax.tree.map(lambda _: False, m)
            return eqx.tree_at(lambda h: (h.a, h.b), nothing, (True, True))

        return jax.tree.map(mark, model, is_leaf=lambda m: isinstance(m, HandWritten))

    programs = {"by hand": forward(apply, hand), "duckarray": forward(ours, model)}
    gradients = {
        "by hand": gradient(apply, *eqx.partition(hand, is_adapter(hand))),
        "duckarray": gradient(ours, *partition(model)),
    }
    if quax is not None:
        theirs = quax_lora.loraify(plain, rank=RANK, key=keys[0], allow_materialise=True)
        programs["quax"] = forward(lambda m, x: quax.quaxify(m)(x), theirs)
        spec = jax.tree.map(eqx.is_inexact_array, theirs)
        gradients["quax"] = gradient(lambda m, x: quax.quaxify(m)(x), *eqx.partition(theirs, spec))
    many_adapters()
    running()
    counts()
    with materialization("error"):
        show("trace, forward (goal 1.05x)", 7, programs)
        show("trace, gradient outside (goal 1.05x)", 5, gradients)
        eager()
    compiled(programs, gradients)


def many_adapters(rows: int = 64, n: int = 8, rank: int = 16, width: int = 1024) -> None:
    """One adapter for each row: two products for all, against gathering the factors of each row."""
    key = jax.random.key(0)
    w, x = jax.random.normal(key, (width, width)), jax.random.normal(key, (rows, width))
    a, b = jax.random.normal(key, (n, width, rank)), jax.random.normal(key, (n, rank, width))
    multi = stack({f"{i}": LoraArray(w, a[i], b[i]) for i in range(n)})
    ids = jnp.arange(rows) % n

    def ours(multi: Any, w: Any, a: Any, b: Any, ids: Any, x: Any) -> Any:
        return quaxify(jnp.matmul)(x, select(multi, ids))

    def gathered(multi: Any, w: Any, a: Any, b: Any, ids: Any, x: Any) -> Any:
        return x @ w + jnp.einsum("br,brn->bn", jnp.einsum("bm,bmr->br", x, a[ids]), b[ids])

    args = (multi, w, a, b, ids, x)
    runs = {
        name: jax.jit(f).lower(*args).compile()
        for name, f in (("gather", gathered), ("duckarray", ours))
    }
    for name, run in runs.items():
        scratch = run.memory_analysis().temp_size_in_bytes / 1e6
        print(f"{n} adapters, {rows} rows, {name:10s} {scratch:.2f} MB of scratch")
    each = {name: lambda run=run: jax.block_until_ready(run(*args)) for name, run in runs.items()}
    show("many adapters (goal 0.7x, 1/16 of the scratch)", 30, each, base="gather")


def running() -> None:
    """One product, and its gradient by the factors and the rows, compiled (goal 1.02x)."""
    for width, rows in ((1024, 1), (1024, 64), (4096, 1), (4096, 64)):
        key = jax.random.key(0)
        w, x = jax.random.normal(key, (width, width)), jax.random.normal(key, (rows, width))
        a, b = jax.random.normal(key, (width, 16)), jax.random.normal(key, (16, width))
        s = jnp.asarray(0.5)

        def by_hand(a, b, w, s, x):
            return x @ w + (s * (x @ a)) @ b

        def ours(a, b, w, s, x):
            return quaxify(jnp.matmul)(x, LoraArray(w, a, b, s))

        def gradient(f):
            return jax.grad(lambda *parts: jnp.sum(jnp.sin(f(*parts))), (0, 1, 4))

        for what, change in (("forward", lambda f: f), ("gradient", gradient)):
            args = (a, b, w, s, x)
            each = {}
            for name, f in (("by hand", by_hand), ("duckarray", ours)):
                run = jax.jit(change(f)).lower(*args).compile()
                each[name] = lambda run=run, args=args: jax.block_until_ready(run(*args))
            n = 15 if width * rows > 1 << 17 else 60
            show(f"{what} {width}, {rows} rows (goal 1.02x)", n, each)


def counts() -> None:
    """The parameters of adapters, as published."""
    for name, layers, width, per_layer, rank, known in (
        ("LLaMA-7B, q and v", 32, 4096, 2, 8, 4_194_304),
        ("GPT-3 175B, q and v", 96, 12288, 2, 4, 18_874_368),
        ("RoBERTa-base, q and v", 12, 768, 2, 8, 294_912),
        ("RoBERTa-large, q and v", 24, 1024, 2, 8, 786_432),
        ("mt0-large, q and v", 72, 1024, 2, 8, 2_359_296),
    ):
        matrix = jax.ShapeDtypeStruct((width, width), jnp.float32)
        model = [{n: {"w": matrix} for n in "qv"[:per_layer]} for _ in range(layers)]
        adapted = jax.eval_shape(
            lambda m, rank=rank: loraify(m, rank=rank, key=jax.random.key(0)), model
        )
        found = trainable_parameters(adapted).trainable
        print(f"parameters of {name}, rank {rank}: {found:,} (published {known:,})")


def eager() -> None:
    key = jax.random.key(0)
    w, a, b, x = (
        jax.random.normal(key, shape) for shape in ((256, 256), (256, 8), (8, 256), (256,))
    )
    scale = jnp.asarray(0.5)
    value = LoraArray(w, a, b, scale)
    matvec = quaxify(lambda w, x: w @ x)

    def by_hand() -> Any:
        return jax.block_until_ready(w @ x + a @ (scale * (b @ x)))

    def ours() -> Any:
        return jax.block_until_ready(matvec(value, x))

    programs = {"by hand": by_hand, "duckarray": ours}
    if quax is not None:
        theirs = quax_lora.LoraArray(w, stop_gradient=False, rank=8, scale=1.0, key=key)
        quax_matvec = quax.quaxify(lambda w, x: w @ x)
        programs["quax"] = lambda: jax.block_until_ready(quax_matvec(theirs, x))
    show("eager matrix-vector product, 256 x 256", 300, programs)


def compiled(*groups: dict[str, Callable[[], Any]]) -> None:
    for what, group in zip(("forward", "gradient"), groups, strict=True):
        for name in ("by hand", "duckarray"):
            jaxpr = group[name]()
            avals = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in jaxpr.jaxpr.invars]
            run = jax.jit(jax.extend.core.jaxpr_as_fun(jaxpr))
            text = run.lower(*avals).compile().as_text()
            ops = re.findall(r"= \S+ ([a-z][\w-]*)\(", text)
            counts = collections.Counter(ops)
            few = {op: counts[op] for op in ("dot", "transpose", "fusion", "custom-call", "add")}
            print(f"compiled {what:9s} {name:10s} {sum(counts.values())} operations, {few}")


if __name__ == "__main__":
    main()
