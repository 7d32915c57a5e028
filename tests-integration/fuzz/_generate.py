"""Draws a random program from the grammar, with each step tried on the shapes of dense arrays."""

from __future__ import annotations

import functools
import random
import re
from typing import Any

import jax

from . import _grammar
from ._evaluate import compile_block
from ._program import Block, Step

Avals = dict[str, Any]

_KINDS = {
    name: _grammar.expressions(getattr(_grammar, name))
    for name in _grammar.WEIGHTS
    if name != "CONTROL"
}
_PLACE = re.compile(r"\{([a-eg-z]+)(\d?)\}")
_LARGEST = 300
_SLICES = ("1:3", "..., ::2", "None, 0", "-1", "::-1, 1:", "..., None, 1", "0:0", ":2, :1", "1")


class Refused(Exception):  # noqa: N818
    """What was drawn does not work on dense arrays."""


class Generator:
    """Draws steps; each is known by the shape and dtype that it gives on dense arrays."""

    def __init__(self, rng: random.Random, count: int) -> None:
        self._rng = rng
        self._count = count

    def body(self, avals: Avals, length: int) -> Block:
        """The body of a program, which gives some of its last variables."""
        params = tuple(avals)
        known = dict(avals)
        steps = self._steps(known, length, depth=0)
        made = [step.name for step in steps if step.name in known]
        if not made:
            raise Refused
        used = set().union(*(step.used for step in steps))
        ends = [name for name in made if name not in used] or made[-1:]
        return Block(params, tuple(steps), tuple(ends[-3:]))

    def _steps(self, known: Avals, length: int, depth: int) -> list[Step]:
        """Adds steps, and what they give to `known`."""
        steps: list[Step] = []
        for _ in range(length * 12):
            if len(steps) >= length:
                break
            try:
                steps += self._step(known, depth)
            except Refused:
                continue
        return steps

    def _step(self, known: Avals, depth: int) -> list[Step]:
        weights = dict(_grammar.WEIGHTS)
        if depth > 1:
            del weights["CONTROL"]
        (kind,) = self._rng.choices(list(weights), list(weights.values()))
        if kind == "CONTROL":
            text, blocks = self._control(known, depth)
        else:
            text, blocks = self._fill(self._rng.choice(_KINDS[kind]), known), ()
        return self._named(Step(self._name(), text, tuple(blocks)), known)

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def _named(self, step: Step, known: Avals) -> list[Step]:
        """The step and, if it gives several arrays, one for each of them."""
        out = aval_of(step, known)
        leaves = jax.tree.leaves(out)
        if not leaves or not all(_is_small(x) for x in leaves):
            raise Refused
        if not isinstance(out, tuple | list | dict):
            known[step.name] = out
            return [step]
        steps = [step]
        for i, leaf in enumerate(leaves[:2]):
            name = self._name()
            steps.append(Step(name, f"jax.tree.leaves({step.name})[{i}]"))
            known[name] = leaf
        return steps

    def _draw(self, known: Avals, kind: str) -> str:
        """A variable of a kind; the newest are the likeliest."""
        fits = [name for name, aval in known.items() if _IS[kind](aval)]
        if not fits:
            raise Refused
        return self._rng.choices(fits, [1 + 2 * i / len(fits) for i in range(len(fits))])[0]

    def _fill(self, template: str, known: Avals) -> str:
        first: list[Any] = []
        same: dict[str, str] = {}

        def put(match: re.Match[str]) -> str:
            kind, number = match.groups()
            if kind not in _IS:
                return self._number(kind, first[0] if first else None)
            key = match[0]
            drawn = same[key] if number and key in same else self._draw(known, kind)
            same[key] = drawn
            first.append(known[drawn])
            return drawn

        return _PLACE.sub(put, template)

    def _number(self, kind: str, aval: Any) -> str:
        rng = self._rng
        if kind == "c":
            return rng.choice(
                ["2.5", "-0.5", "3", "0", "1", "0.0", "-1.0", "jnp.float32(1.5)", "np.float32(0.5)"]
            )
        if kind == "n":
            return str(rng.randrange(2))
        if kind == "sl":
            return rng.choice(_SLICES)
        shape = aval.shape if aval is not None else ()
        if kind == "ax":
            return str(rng.randrange(-len(shape), len(shape))) if shape else "0"
        if kind == "pax":
            return str(rng.randrange(len(shape))) if shape else "0"
        if kind == "perm":
            return str(tuple(rng.sample(range(len(shape)), len(shape))))
        if kind == "wide":
            return str(
                (
                    *[rng.choice([1, 2])] * rng.randrange(2),
                    *[rng.choice([3, 2]) if n == 1 else n for n in shape],
                )
            )
        if kind == "shape":
            return str(self._other_shape(shape))
        raise KeyError(kind)

    def _other_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        size = functools.reduce(int.__mul__, shape, 1)
        divisors = [n for n in (1, 2, 3, 4, size) if n and size % n == 0]
        n = self._rng.choice(divisors) if divisors else 0
        rest = size // n if n else 1
        return self._rng.choice([(-1,), (n, rest), (rest, n), (n, 1, rest), (size,)])

    # Functions, with steps of their own.

    def _control(self, known: Avals, depth: int) -> tuple[str, list[Block]]:
        name, template = self._rng.choice(list(_grammar.CONTROL.items()))
        carry = self._draw(known, "a")
        xs = self._draw(known, "r")
        args = [self._draw(known, "a") for _ in range(self._rng.choice([1, 1, 2]))]
        if "grad" in name or name in ("jvp", "vjp", "linearize", "jacfwd", "jacrev"):
            carry = self._draw(known, "x")
            args[0] = carry
        c = known[carry]
        row = lambda v: jax.ShapeDtypeStruct(known[v].shape[1:], known[v].dtype)
        column = jax.ShapeDtypeStruct(known[xs].shape[:-1], known[xs].dtype)
        rest = self._draw(known, "a")
        like = [v for v, a in known.items() if (a.shape, a.dtype) == (c.shape, c.dtype)]
        takes, gives = {
            "scan": ([c, row(xs)], (c, None)),
            "scan_none": ([c, None], (c, None)),
            "fori": ([c], c),
            "while": ([c], c),
            "map": ([row(xs)], None),
            "vmap": ([row(xs)], None),
            "vmap_last": ([column], None),
            "vmap_one": ([row(xs), known[rest]], None),
        }.get(name, ([known[a] for a in args] if "{args}" in template else [c], None))
        if name in ("cond", "switch"):
            gives = known[args[0]]
        count = 2 if "{f1}" in template else 1
        blocks = [
            self._block(known, takes, gives, depth)
            for _ in range(count if "{f0}" in template else 0)
        ]
        numbers = {
            "args": ", ".join(args),
            "carry": carry,
            "xs": xs,
            "xs_last": xs,
            "rest": rest,
            "tangent": self._rng.choice(like),
            "pred": self._predicate(known),
            "n": self._rng.choice(["0", "1", "jnp.int32(1)", f"jnp.argmax({carry})"]),
            "op": self._rng.choice(["jnp.add", "jnp.multiply", "jnp.maximum", "jnp.matmul"]),
        }
        for key, value in numbers.items():
            template = template.replace(f"{{{key}}}", value)
        return template, blocks

    def _predicate(self, known: Avals) -> str:
        real = self._draw(known, "o")
        return self._rng.choice(
            ["True", "jnp.array(False)", f"jnp.sum({real}) > 0", f"jnp.all({real} < 9)"]
        )

    def _block(self, known: Avals, takes: list[Any], gives: Any, depth: int) -> Block:
        """A function of such arguments; `gives` says what, as far as that is given."""
        params = [self._name() for _ in takes]
        inner = {p: a for p, a in zip(params, takes, strict=True) if a is not None}
        scope = {**known, **inner} if self._rng.random() < 0.3 else inner
        outer = set(scope)
        if not scope:
            raise Refused
        scope = dict(scope)
        steps = self._steps(scope, self._rng.choice([1, 1, 2, 3]), depth + 1)
        made = [v for v in scope if v not in outer] or list(inner)
        if isinstance(gives, tuple):
            back, extra = self._coerced(gives[0], params[0], scope, made)
            results = (back, self._rng.choice(made))
            return Block(tuple(params), tuple(steps + extra), results)
        if gives is not None:
            back, extra = self._coerced(gives, params[0], scope, made)
            return Block(tuple(params), tuple(steps + extra), (back,))
        return Block(tuple(params), tuple(steps), (made[-1],))

    def _coerced(
        self, aval: Any, param: str, scope: Avals, made: list[str]
    ) -> tuple[str, list[Step]]:
        """A variable of this shape and dtype, and the steps that make it if there is none."""
        wanted = (aval.shape, aval.dtype, bool(getattr(aval, "weak_type", False)))
        for name in reversed(made):
            a = scope[name]
            if (a.shape, a.dtype, bool(getattr(a, "weak_type", False))) == wanted:
                return name, []
        other = self._rng.choice(made)
        name = self._name()
        if aval.dtype == bool:
            text = f"{param} ^ jnp.any({other})"
        else:
            text = f"{param} * jnp.sum({other}).astype({param}.dtype)"
        return name, self._named(Step(name, text), scope)


def aval_of(step: Step, known: Avals) -> Any:
    """What a step gives on dense arrays, abstractly.

    Raises:
        Refused: if it does not work.
    """
    used = sorted(step.used)
    run = compile_block(Block(tuple(used), (step,), (step.name,)))
    try:
        return jax.eval_shape(run, *[known[name] for name in used])
    except Exception as error:
        raise Refused from error


def _is_small(aval: Any) -> bool:
    return hasattr(aval, "shape") and aval.ndim <= 4 and aval.size <= _LARGEST


def _is(*kinds: str, least: int = 0, square: bool = False) -> Any:
    def fits(aval: Any) -> bool:
        ndim = aval.ndim == 2 if least == 2 else aval.ndim >= least
        kind = "f" if aval.dtype.name == "bfloat16" else aval.dtype.kind
        return ndim and kind in kinds[0] and (not square or aval.shape[0] == aval.shape[1] > 0)

    return fits


_IS = {
    "a": _is("bifuc"),
    "r": _is("bifuc", least=1),
    "o": _is("bifu"),
    "x": _is("fc"),
    "m": _is("fic", least=2),
    "q": _is("fc", least=2, square=True),
    "b": _is("b"),
    "i": _is("i"),
}
