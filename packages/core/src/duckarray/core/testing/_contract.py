"""Contract: what every value promises JAX, whatever rules its type has."""

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax import tree_util as jtu

from duckarray.core._materialize import materialize

from . import _hooks
from ._compare import Comparison, Mismatch, describe, require, take_apart
from ._guard import never_dense
from ._subject import Case, Subject, make_value, stacked

CaseCheck = Callable[[Subject, Case], None]


def aval(subject: Subject, case: Case) -> None:
    """Shape, dtype and weak type are those of the case, and of what `materialize` gives."""
    value = subject.value(case)
    want = describe(jax.typeof(subject.array(case)))
    require(
        tuple(subject.array(case).shape) == case.shape,
        f"`dense` gives shape {subject.array(case).shape} for the case `{case.name}`",
    )
    for what, got in {
        "aval()": value.aval(),
        "materialize()": jax.eval_shape(materialize, value),
    }.items():
        require(describe(got) == want, f"{what} is {describe(got)}, the case asks for {want}")
    properties = (value.shape, value.dtype, value.ndim, value.size)
    expected = (case.shape, jnp.dtype(case.dtype), len(case.shape), int(np.prod(case.shape)))
    require(
        properties == expected,
        f"shape, dtype, ndim, size are {properties}, the case asks for {expected}",
    )


def dense(subject: Subject, case: Case) -> None:
    """`materialize` gives the array that the subject's own `dense` gives."""
    comparison = Comparison(subject)
    for seed in (0, 1):
        got = _refusing(subject, functools.partial(materialize, subject.value(case, seed)))
        if got is not None:
            comparison.same(got, subject.array(case, seed))
    leaves, structure = take_apart(subject.value(case))
    again = _refusing(subject, lambda: materialize(structure.unflatten(leaves)))
    try:
        if again is not None:
            comparison.same(again, subject.array(case))
    except Mismatch as error:
        raise Mismatch(f"taken apart and put together: {error}") from None


def derivative(subject: Subject, case: Case) -> None:
    """The derivative of `materialize` is that of `dense`, by differences in double precision."""
    value, other = subject.value(case), subject.value(case, 1)
    leaves, structure = take_apart(value)
    steps = [x if _is_real(x) else None for x in jtu.tree_leaves(other)]

    def at(t: float) -> Any:
        moved = [
            np.asarray(x) if s is None else np.asarray(x, "float64") + t * np.asarray(s, "float64")
            for x, s in zip(leaves, steps, strict=True)
        ]
        return np.asarray(subject.dense(structure.unflatten(moved)))

    if at(0.0).dtype != np.float64 or not any(s is not None for s in steps):
        return  # `dense` rounds: differences would not tell
    tangents = [_tangent(x, s) for x, s in zip(leaves, steps, strict=True)]
    got = _refusing(
        subject,
        lambda: jax.jvp(
            lambda *xs: materialize(structure.unflatten(xs)), tuple(leaves), tuple(tangents)
        )[1],
    )
    if got is not None:
        want = (at(1e-4) - at(-1e-4)) / 2e-4
        like = jnp.asarray(want, case.dtype)  # tangents are not weakly typed in all versions of JAX
        Comparison(subject).same(lax.convert_element_type(got, case.dtype), like, loose=20)


def placeholders(subject: Subject, case: Case) -> None:
    """Flattening and unflattening only move leaves, whatever these are."""
    value = subject.value(case)
    leaves, structure = take_apart(value)
    others: list[Callable[[Any], Any]] = [
        lambda _: object(),
        lambda x: jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)),
        lambda x: x,
    ]
    for other in others:
        put = [other(x) for x in leaves]
        again, same = take_apart(_unflatten(structure, put))
        require(same == structure, f"the structure changed from {structure} to {same}")
        kept = len(put) == len(again) and all(a is b for a, b in zip(put, again, strict=True))
        require(kept, "unflattening changed leaves, instead of storing them")
    _unflatten(structure, [None] * len(leaves))
    require(isinstance(jtu.tree_map(lambda x: x, value), type(value)), "it changed its class")


def _unflatten(structure: Any, leaves: list[Any]) -> Any:
    try:
        return structure.unflatten(leaves)
    except Exception as error:
        raise Mismatch(
            f"unflattening with leaves like {leaves[:1]} raised {_one_line(error)}: JAX puts"
            " placeholders into leaves, so checks belong in the constructor"
        ) from error


def hashable(subject: Subject, case: Case) -> None:
    """The tree structure can be hashed, and is the same each time a value is taken apart."""
    value = subject.value(case)
    one, two = take_apart(value)[1], take_apart(value)[1]
    try:
        hashes = _hash(one), _hash(two)
    except TypeError as error:
        raise Mismatch(f"the tree structure cannot be hashed: {error}") from error
    require(one == two, f"one value was taken apart into two structures: {one} and {two}")
    require(hashes[0] == hashes[1], "equal tree structures have different hashes")


def _hash(structure: Any) -> int:
    """The hash of a tree structure, with that of the static fields, which JAX may leave out."""
    data = structure.node_data()
    return hash((structure, data and data[1], *map(_hash, structure.children())))


def retrace(subject: Subject, case: Case) -> None:
    """A compiled function is traced once for values that are made alike."""
    traced = 0

    @jax.jit
    def count(x: Any) -> Any:
        nonlocal traced
        traced += 1
        return x

    values = [make_value(subject, case) for _ in range(2)] + [subject.value(case, 1)]
    for value in values:
        count(value)
    structures = [take_apart(value)[1] for value in values]
    require(
        traced == 1,
        f"a jitted function was traced {traced} times for {len(values)} values made alike, which"
        f" are of the structures {structures}",
    )


def representation(subject: Subject, case: Case) -> None:
    """`repr` and `str` work with any leaves, and do not build the dense array."""
    value = subject.value(case)
    leaves, structure = take_apart(value)
    with never_dense(type(value)):
        text = _text(value, "leaves that are arrays")
        require(type(value).__name__ in text, f"`repr` is {text}, without the class")
        jax.eval_shape(lambda x: _text(x, "leaves that are traced") and x, value)
        try:
            placeholder = structure.unflatten([object()] * len(leaves))
        except Exception:
            return  # `placeholders` is about that
        _text(placeholder, "placeholders for leaves")


def _text(value: Any, holding: str) -> str:
    try:
        return repr(value) if str(value) else ""
    except Mismatch:
        raise
    except Exception as error:
        raise Mismatch(f"`repr` raised, of a value with {holding}: {_one_line(error)}") from error


def copies(subject: Subject, case: Case) -> None:
    """`copy`, `deepcopy` and `pickle` give a value of the same structure and numbers."""
    value = subject.value(case)
    leaves, structure = take_apart(value)
    ways: dict[str, Callable[[Any], Any]] = {
        "copy.copy": copy.copy,
        "copy.deepcopy": copy.deepcopy,
        "pickle": _pickled,
    }
    for name, duplicate in ways.items():
        try:
            again, same = take_apart(duplicate(value))
        except Exception as error:
            raise Mismatch(f"`{name}` raised {_one_line(error)}") from error
        require(same == structure, f"`{name}` changed the structure to {same}")
        for x, y in zip(leaves, again, strict=True):
            equal = np.array_equal(np.asarray(x), np.asarray(y), equal_nan=_is_real(x))
            require(equal and jnp.result_type(x) == jnp.result_type(y), f"`{name}` changed a leaf")


def _pickled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def leaks(subject: Subject, case: Case) -> None:
    """Nothing that belongs to a trace is remembered."""
    value = subject.value(case)

    def run(x: Any) -> Any:
        return materialize(x), jnp.zeros(x.shape, x.dtype)

    try:
        with _checking_leaks():
            got = jax.jit(run)(value)[0]
        want = materialize(value)
        closed_over = make_value(subject, case)
        jax.eval_shape(lambda: run(closed_over))
        again = materialize(closed_over)
        kept = isinstance(again, jax.core.Tracer)
        require(not kept, "`materialize` keeps an array that belongs to a trace, which has ended")
    except subject.refuses:
        return
    Comparison(subject).same([got, again], [want, want])


_checking_leaks: Any = jax.checking_leaks  # not typed


def batched(subject: Subject, case: Case) -> None:
    """Under `vmap` a value has the shape of one of the batch, and so has what it stands for."""
    seen: list[Any] = []

    def look(x: Any) -> Any:
        seen.append((x.shape, jnp.dtype(x.dtype)))
        return materialize(x)

    value = subject.value(case)
    expected = value.shape, jnp.dtype(value.dtype)
    try:
        got = jax.vmap(look)(stacked(subject, case))
        want = jnp.stack([materialize(subject.value(case, seed)) for seed in (0, 1)])
    except subject.refuses:
        return
    require(
        set(seen) <= {expected},
        f"under `vmap` a value is {seen[0]}, each of the batch is {expected}: shape and dtype have"
        " to come from the leaves",
    )
    try:
        together = stacked(subject, case).shape
    except Exception:
        together = None  # says by raising that its leaves cannot have one more axis
    require(
        together in (None, (2, *value.shape)),
        f"a `vmap` that returns values of shape {value.shape} twice gives one of shape {together}:"
        " the shape has to come from the leaves",
    )
    Comparison(subject).same(got, want)


def _refusing(subject: Subject, run: Callable[[], Any]) -> Any:
    """What `run` gives, or None if it raises what the subject counts as an answer."""
    try:
        return run()
    except subject.refuses:
        return None


def _is_real(x: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(x), jnp.floating))


def _tangent(x: Any, step: Any) -> Any:
    if step is not None:
        return jnp.asarray(step, x.dtype)
    dtype = x.dtype if jnp.issubdtype(x.dtype, jnp.inexact) else jax.dtypes.float0
    return np.zeros(jnp.shape(x), dtype)


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


ALWAYS: dict[str, CaseCheck] = {
    "aval": aval,
    "dense": dense,
    "placeholders": placeholders,
    "hashable": hashable,
    "retrace": retrace,
    "repr": representation,
    "copies": copies,
    "leaks": leaks,
    "batched": batched,
    **_hooks.ALWAYS,
}
INEXACT: dict[str, CaseCheck] = _hooks.INEXACT
REAL: dict[str, CaseCheck] = {"derivative": derivative}
