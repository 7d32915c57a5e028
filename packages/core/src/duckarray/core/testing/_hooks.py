"""The part of the contract that is about hooks: what a type says of itself has to be so."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core._materialize import materialize
from duckarray.core._rules.tangents import is_leaf_linear
from duckarray.core._structure import resized
from duckarray.core._summary import summarize
from duckarray.core._value import Value

from ._compare import Comparison, Mismatch, require, take_apart
from ._subject import Case, Subject, stacked

CaseCheck = Callable[[Subject, Case], None]


def leading_axis(subject: Subject, case: Case) -> None:
    """What the hooks for leading axes say is what stacked, sliced and split leaves stand for."""
    comparison = Comparison(subject)
    value = subject.value(case)
    try:
        arrays = [materialize(subject.value(case, seed)) for seed in (0, 1)]
    except subject.refuses:
        return
    told = value.add_leading(2)
    if told is not None:
        _require_value("add_leading", told)
        leaves = jtu.tree_leaves(stacked(subject, case))
        whole = take_apart(told)[1].unflatten(leaves)
        shape = (2, *value.shape)
        _compare_hook(comparison, "add_leading", whole, shape, jnp.stack(arrays))
    if not case.shape or not case.shape[0] or () in map(jnp.shape, jtu.tree_leaves(value)):
        return
    told = value.drop_leading()
    if told is not None:
        _require_value("drop_leading", told)
        part = take_apart(told)[1].unflatten([x[0] for x in jtu.tree_leaves(value)])
        _compare_hook(comparison, "drop_leading", part, value.shape[1:], arrays[0][0])
        leaves, structure = take_apart(value)
        if all(x.shape[0] == value.shape[0] for x in leaves):  # `shard_map` splits such values
            part = resized(structure.unflatten([x[:1] for x in leaves]))
            _compare_hook(comparison, "resize_leading", part, (1, *value.shape[1:]), arrays[0][:1])


def _require_value(hook: str, told: Any) -> None:
    is_value = isinstance(told, Value)
    require(is_value, f"`{hook}` gave {_short(told)}, which is neither a value nor None")


def _compare_hook(
    comparison: Comparison, hook: str, value: Any, shape: tuple[int, ...], want: Any
) -> None:
    try:
        require(value.shape == shape, f"it is of shape {value.shape}, not {shape}")
        comparison.same(materialize(value), want)
    except Exception as error:
        raise Mismatch(f"what `{hook}` says is wrong: {error}") from error


def linear(subject: Subject, case: Case) -> None:
    """A type that says it is `leaf_linear` is."""
    value, other = subject.value(case), subject.value(case, 1)
    if not is_leaf_linear(value):
        return

    def combine(x: Any, y: Any) -> Any:
        return 2 * x - y if jnp.issubdtype(x.dtype, jnp.inexact) else x

    leaves, structure = take_apart(value)
    mixed = structure.unflatten(map(combine, leaves, jtu.tree_leaves(other)))
    try:
        want = 2 * materialize(value) - materialize(other)
        Comparison(subject).same(materialize(mixed), want, loose=10)
    except subject.refuses:
        return
    except Mismatch as error:
        raise Mismatch(f"it says `leaf_linear`, but is not linear in its leaves: {error}") from None


def cotangent(subject: Subject, case: Case) -> None:
    """`to_cotangent` gives the pull-back of `materialize`."""
    value, like = subject.value(case), subject.array(case, 1)
    told = value.to_cotangent(like)
    if told is NotImplemented:
        return
    leaves, structure = take_apart(value)
    count = len(jtu.tree_leaves(told))
    text = f"`to_cotangent` gave {count} leaves, the value has {len(leaves)}"
    require(count == len(leaves), text)
    try:
        pull_back: Any
        _, pull_back = jax.vjp(lambda *xs: materialize(structure.unflatten(xs)), *leaves)
    except subject.refuses:
        return
    for x, got, need in zip(leaves, jtu.tree_leaves(told), pull_back(like), strict=True):
        if jnp.issubdtype(x.dtype, jnp.inexact):
            Comparison(subject).same(got, need)


def conversion(subject: Subject, case: Case) -> None:
    """`join` and `coerce_like` between values of one shape keep what they stand for."""
    value = subject.value(case)
    for other in subject.cases:
        if (other.shape, other.dtype) != (case.shape, case.dtype):
            continue
        goal = value.join(subject.value(other, 1))
        if goal is None:
            continue
        want = take_apart(goal)[1]
        got: Any = value if take_apart(value)[1] == want else value.coerce_like(goal)
        require(
            isinstance(got, Value) and take_apart(got)[1] == want,
            f"`join` gave {_short(goal)}, but `coerce_like` of that gave {_short(got)}",
        )
        try:
            Comparison(subject).same(materialize(got), materialize(value))
        except subject.refuses:
            return
        except Mismatch as error:
            raise Mismatch(f"`coerce_like` changed what it stands for: {error}") from error


def from_cotangent(subject: Subject, case: Case) -> None:
    """`from_cotangent` undoes the pull-back of `materialize`."""
    value, like = subject.value(case), subject.array(case, 1)
    leaves, structure = take_apart(value)
    try:
        pull_back: Any
        _, pull_back = jax.vjp(lambda *xs: materialize(structure.unflatten(xs)), *leaves)
        pulled = [
            part if jnp.issubdtype(x.dtype, jnp.inexact) else x
            for x, part in zip(leaves, pull_back(like), strict=True)
        ]
        told = structure.unflatten(pulled).from_cotangent()
        got = told if told is NotImplemented else materialize(told)
    except subject.refuses:
        return
    if got is not NotImplemented:
        Comparison(subject).same(got, like, loose=10)


def _short(x: Any) -> str:
    if x is None or x is NotImplemented:
        return repr(x)
    return f"`{summarize(x)}`" if isinstance(x, Value) else f"a `{type(x).__name__}`"


ALWAYS: dict[str, CaseCheck] = {"leading_axis": leading_axis, "conversion": conversion}
INEXACT: dict[str, CaseCheck] = {
    "linear": linear,
    "cotangent": cotangent,
    "from_cotangent": from_cotangent,
}
