"""Value types to pass to programs of other libraries, and checks that those agree with dense."""

from __future__ import annotations

import collections
import contextlib
import functools
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import ShapedArray
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, bind, families, materialization, quaxify, register


class LowRank(ArrayValue):
    """A weight with a low-rank update, `w + a @ b`, never added up by a product or a transpose."""

    w: jax.Array | ArrayValue
    a: jax.Array | ArrayValue
    b: jax.Array | ArrayValue

    materialization = "allow"

    def aval(self):
        return ShapedArray(self.w.shape, self.w.dtype)

    def materialize(self):
        return jnp.add(self.w, jnp.matmul(self.a, self.b))

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


class Refusing(LowRank):
    """The same, but it cannot be made dense by any policy."""

    def materialize(self):
        raise TypeError("this weight is too large to be added up")


class Tagged(ArrayValue):
    """A thin wrapper, which floating-point results keep; `hits` counts what its rules did."""

    array: jax.Array | ArrayValue

    leaf_linear = True
    array_priority = 100
    materialization = "allow"

    def aval(self):
        array = self.array
        return array.aval() if isinstance(array, ArrayValue) else jax.typeof(array)

    def materialize(self):
        return self.array

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


hits: collections.Counter[str] = collections.Counter()


@contextlib.contextmanager
def counting() -> Iterator[collections.Counter[str]]:
    """Counts from zero the primitives that rules of `Tagged` and `LowRank` answer.

    A program that JAX has traced before is not traced again, and then no rule is called.
    """
    hits.clear()
    yield hits


@register("transpose")
def _transpose_lowrank(x: LowRank, *, permutation, **params):
    """`(w + a b)ᵀ = wᵀ + bᵀ aᵀ`."""
    batch = tuple(range(x.ndim - 2))
    if tuple(permutation) != (*batch, x.ndim - 1, x.ndim - 2):
        return NotImplemented
    hits["transpose"] += 1
    w, a, b = (jnp.transpose(y, permutation) for y in (x.w, x.a, x.b))
    return type(x)(w, b, a)


@register("convert_element_type")
def _convert_lowrank(x: LowRank, **params):
    """Converts each leaf."""
    hits["convert_element_type"] += 1
    return type(x)(*(bind("convert_element_type", y, **params) for y in (x.w, x.a, x.b)))


@register("dot_general")
def _dot_general_lowrank_dense(x: LowRank, y: ArrayLike, *, dimension_numbers, **params):
    """`(w + a b) y = w y + a (b y)`, and with the first axis contracted `wᵀ y + bᵀ (aᵀ y)`."""
    (contracted, (over, *_)), (batch, y_batch) = _contraction(dimension_numbers)
    n = x.ndim - 2
    every = tuple(range(n))
    if len(contracted) != 1 or batch not in ((), every):
        return NotImplemented
    hits["dot_general"] += 1
    near, far = (x.b, x.a) if contracted[0] == n + 1 else (x.a, x.b)
    inner = bind(
        "dot_general",
        near,
        y,
        dimension_numbers=(((contracted[0],), (over,)), (batch, y_batch)),
        **params,
    )
    # Of `near` the batch axes and that of the rank are left: [*batch, r, *rest].
    outer = bind(
        "dot_general",
        far,
        inner,
        dimension_numbers=(((contracted[0],), (n,)), (every, every)),
        **params,
    )
    whole = bind("dot_general", x.w, y, dimension_numbers=dimension_numbers, **params)
    return jnp.add(whole, outer)


@register("dot_general")
def _dot_general_dense_lowrank(x: ArrayLike, y: LowRank, *, dimension_numbers, **params):
    """`x (w + a b) = x w + (x a) b`; the axes of `x` come first in the result."""
    ((over, *_), contracted), (x_batch, batch) = _contraction(dimension_numbers)
    n = y.ndim - 2
    if len(contracted) != 1 or batch != tuple(range(n)):
        return NotImplemented
    hits["dot_general"] += 1
    near, far = (y.b, y.a) if contracted[0] == n + 1 else (y.a, y.b)
    inner = bind(
        "dot_general",
        x,
        near,
        dimension_numbers=(((over,), (contracted[0],)), (x_batch, batch)),
        **params,
    )
    outer = bind(
        "dot_general",
        inner,
        far,
        dimension_numbers=(((inner.ndim - 1,), (contracted[0],)), (batch, batch)),
        **params,
    )
    whole = bind("dot_general", x, y.w, dimension_numbers=dimension_numbers, **params)
    return jnp.add(whole, outer)


def _contraction(dimension_numbers: Any) -> Any:
    (x, y), (x_batch, y_batch) = dimension_numbers
    return (tuple(x), tuple(y)), (tuple(x_batch), tuple(y_batch))


_KEEPING = (
    families.elementwise_unary
    + families.elementwise_binary
    + families.elementwise_ternary
    + families.linear
    + families.reductions
    + families.cumulative
    + families.shape
    + families.contractions
    + families.indexing
)


@register(*dict.fromkeys(_KEEPING))
def _array_of_tagged(*xs: Tagged | LowRank | ArrayLike, primitive, **params):
    """Acts on the arrays; floating-point results are tagged, truth values and integers are not."""
    if not any(isinstance(x, Tagged) for x in xs):
        return NotImplemented
    hits[primitive.name] += 1
    arrays = [x.array if isinstance(x, Tagged) else x for x in xs]
    out = bind(primitive, *arrays, **params)
    return [_tag(x) for x in out] if primitive.multiple_results else _tag(out)


def _tag(x: Any) -> Any:
    return Tagged(x) if jnp.issubdtype(x.dtype, jnp.floating) else x


def dense(tree: Any) -> Any:
    """The oracle: every value in `tree` written out as the array it stands for."""

    def one(x: Any) -> Any:
        if isinstance(x, LowRank):
            return one(x.w) + one(x.a) @ one(x.b)
        if isinstance(x, Tagged):
            return one(x.array)
        return x

    return jax.tree.map(one, tree, is_leaf=lambda x: isinstance(x, ArrayValue))


def numbers(seed: int, *shape: int) -> jax.Array:
    """Reproducible normal numbers."""
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), jnp.float32)


def lowrank(w: Any, kind: type[LowRank] = LowRank, rank: int = 2, seed: int = 0) -> LowRank:
    """The weight `w` with an update of rank `rank` on its last two axes."""
    *batch, m, n = w.shape
    a, b = numbers(seed, *batch, m, rank), numbers(seed + 1, *batch, rank, n)
    return kind(w, 0.3 * a, 0.3 * b)


class Case(NamedTuple):
    """A program, what to call it with, and what has to hold.

    Attributes:
        program: takes `args`; its first argument is what gradients are taken of.
        args: values and arrays.
        keeps: whether it must run without making anything dense.
        rtol: how close it has to come.
    """

    program: Callable[..., Any]
    args: tuple[Any, ...]
    keeps: bool = False
    rtol: float = 2e-4


WHATS = ("value", "gradient outside", "gradient inside")


def checks(
    programs: Iterable[str],
    eager: Collection[str] = (),
    without: Collection[str] = (),
    eager_values: bool = True,
    long: Collection[str] = (),
) -> list[Any]:
    """What to compare for each program: the value and two gradients, and how it is run.

    Args:
        programs: their names.
        eager: those whose gradients are compared in eager mode too, which takes the longest, since
            each operation is compiled by itself.
        without: what is left out: `"name"` for both gradients, `"name-gradient outside"` for one,
            `"name-gradient outside-eager"` for one way to run it.
        eager_values: whether the values of all, not only of those in `eager`, are compared in
            eager mode too; of no use where the library calls `jit` itself.
        long: `"name-gradient outside"` for what is marked as taking long.
    """
    return [
        pytest.param(
            name,
            f"{what}-{how}",
            id=f"{name}-{what}-{how}",
            marks=[pytest.mark.long] if f"{name}-{what}" in long else [],
        )
        for name in programs
        for what in WHATS
        for how in ("eager", "jit")
        if not {f"{name}-{what}", f"{name}-{what}-{how}"} & set(without)
        if what == "value" or name not in without
        if how == "jit" or name in eager or (what == "value" and eager_values)
    ]


def agree(make: Callable[[], Case], check: str) -> None:
    """Asserts that a program gives on values what it gives on the arrays they stand for.

    The gradient "outside" is that of the quaxified program with respect to the leaves of its first
    argument; the gradient "inside" is taken by the quaxified program itself, with respect to the
    arrays.
    """
    case = make()
    what, how = check.split("-")
    runs: Callable[..., Any] = {
        "value": quaxify(case.program),
        "gradient outside": jax.grad(lambda *args: _loss(quaxify(case.program), *args)),
        "gradient inside": quaxify(jax.grad(functools.partial(_loss, case.program))),
    }[what]
    with materialization("error") if case.keeps else contextlib.nullcontext():
        got = (jax.jit(runs) if how == "jit" else runs)(*case.args)
    got = got if what == "gradient outside" else dense(got)
    assert_same(got, _expected(make, what), case.rtol)


def assert_same(got: Any, want: Any, rtol: float = 2e-4) -> None:
    """Two trees have the same leaves: shapes, dtypes and numbers."""
    got, want = jax.tree.leaves(got), jax.tree.leaves(want)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert jnp.shape(g) == jnp.shape(w)
        assert jnp.result_type(g) == jnp.result_type(w)
        scale = np.max(np.abs(np.where(np.isfinite(w), w, 0)), initial=1e-3)
        np.testing.assert_allclose(g, w, rtol=rtol, atol=rtol * float(scale) + 1e-6)


def _loss(program: Callable[..., Any], *args: Any) -> Any:
    outs = [x for x in jax.tree.leaves(dense(program(*args))) if _is_float(x)]
    return sum(jnp.sum(jnp.sin(x)) for x in outs)


def _is_float(x: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.floating)


@functools.cache
def _expected(make: Callable[[], Case], what: str) -> Any:
    """What the program gives on dense arrays."""
    case = make()
    if what == "value":
        return jax.jit(case.program)(*dense(case.args))
    if what == "gradient inside":
        return jax.jit(jax.grad(functools.partial(_loss, case.program)))(*dense(case.args))
    # The gradient of the leaves, from that of the arrays they make.
    gradient = _expected(make, "gradient inside")
    return jax.vjp(dense, case.args[0])[1](gradient)[0]
