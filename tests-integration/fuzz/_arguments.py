"""Draws what a program is called with: values of the installed types, nested ones, and arrays."""

from __future__ import annotations

import functools
import random
import sys
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core import ArrayValue
from duckarray.core.testing import DEFAULT_CASES, Case, Subject, subjects
from duckarray.core.testing._compare import Comparison
from duckarray.core.testing._subject import of_case

from ._evaluate import value_of
from ._program import Argument

Known = dict[str, tuple[str, Subject]]

# What holds one array and means something for arrays that are values of any type.
_WRAPPERS = ("named", "units", "units-numbers")


@functools.cache
def known() -> Known:
    """The subjects of the installed types, each with an expression for it."""
    found: Known = {}
    modules = dict.fromkeys(subject.make.__module__ for subject in subjects().values())
    for module in modules:
        for name, thing in vars(sys.modules[module]).items():
            several = enumerate(thing) if isinstance(thing, tuple) else [(None, thing)]
            for i, subject in several:
                if isinstance(subject, Subject):
                    text = f"{module}.{name}" + ("" if i is None else f"[{i}]")
                    found[subject.name] = (text, subject)
    return found


@functools.cache
def cases(name: str) -> tuple[Case, ...]:
    """The cases that a subject names, and others that it can make."""
    subject = known()[name][1]
    more = [case for case in DEFAULT_CASES if case not in subject.cases]
    return (*subject.cases, *(case for case in more if _can_make(subject, case)))


def _can_make(subject: Subject, case: Case) -> bool:
    try:
        value = subject.value(case)
        right = (value.shape, value.dtype) == (case.shape, jnp.dtype(case.dtype))
        return right and np.shape(subject.dense(value)) == case.shape
    except Exception:
        return False


@functools.cache
def comparison(dtype: str) -> Comparison:
    """Compares values of all types, no more precisely than `dtype` allows."""
    return Comparison(*(subject for _, subject in known().values()), dtype=dtype)


def dense(argument: Argument) -> jax.Array:
    """The array that the value stands for, by the oracles of the subjects."""
    value = value_of(argument)
    if not isinstance(value, ArrayValue):
        return value
    aval = value.aval()
    case = Case(tuple(aval.shape), str(aval.dtype), bool(getattr(aval, "weak_type", False)))
    return of_case(comparison("float64").numbers(value), case)


def draw(rng: random.Random, only: tuple[str, ...] = ()) -> tuple[Argument, ...]:
    """Two or three arguments, of which the first is a value."""
    first = _value(rng, "v1", only)
    like = value_of(first)
    out = [first]
    for name in ("v2", "v3")[: rng.choice([1, 1, 2])]:
        if rng.random() < 0.45:
            out.append(_value(rng, name, only, shape=like.shape))
        else:
            out.append(_array(rng, name, like))
    return tuple(out)


def _value(
    rng: random.Random, name: str, only: tuple[str, ...], shape: tuple[int, ...] | None = None
) -> Argument:
    names = [n for n in known() if not only or n in only]
    pairs = [(n, case) for n in names for case in cases(n) if shape in (None, case.shape)]
    if shape is None or not pairs:  # each type as often as any other
        subject = rng.choice(names)
        case = rng.choice(cases(subject))
    else:
        subject, case = rng.choice(pairs)
    case = replace(case, seed=rng.randrange(3))
    if rng.random() < 0.25:
        nested = _nested(rng, name, subject, case)
        if nested is not None:
            return nested
    return Argument(name, f"{_imports(subject)}\n{name} = {_make(subject, case)}", (subject,))


def _nested(rng: random.Random, name: str, outer: str, case: Case) -> Argument | None:
    """A value with another one in the place of an array that it holds, if there is such a one."""
    value = known()[outer][1].value(case)
    leaves = jax.tree.leaves(value)
    places = [
        i
        for i, x in enumerate(leaves)
        if x.size and jnp.issubdtype(x.dtype, jnp.inexact) and x.ndim
    ]
    if not places:
        return None
    place = rng.choice(places)
    leaf = leaves[place]
    # A dimension, or names, for one of several arrays has no meaning.
    inner = [
        (n, c)
        for n in known()
        for c in cases(n)
        if (c.shape, c.dtype) == (leaf.shape, str(leaf.dtype)) and n != outer
        if n not in _WRAPPERS or (len(leaves) == 1 and outer in _WRAPPERS and _below(outer, n))
    ]
    if not inner:
        return None
    other, of_other = rng.choice(inner)
    setup = "\n".join(
        [
            _imports(outer, other),
            f"leaves, tree = jax.tree.flatten({_make(outer, case)})",
            f"leaves[{place}] = {_make(other, replace(of_other, seed=rng.randrange(3)))}",
            f"{name} = tree.unflatten(leaves)",
        ]
    )
    return Argument(name, setup, (outer, other))


def _below(outer: str, inner: str) -> bool:
    """Names are outside of units, units outside of what represents an array."""
    return outer == "named" and inner != "named"


def _imports(*names: str) -> str:
    modules = {known()[n][0].rpartition(".")[0].removesuffix("._subjects") for n in names}
    lines = [f"import {module}._subjects" for module in sorted(modules)]
    return "\n".join([*lines, "from duckarray.core.testing import Case"])


def _make(subject: str, case: Case) -> str:
    fields = [repr(case.shape)]
    if case.dtype != "float32":
        fields.append(repr(case.dtype))
    fields += ["weak_type=True"] if case.weak_type else []
    fields += [f"variant={case.variant!r}"] if case.variant else []
    fields += [f"seed={case.seed}"] if case.seed else []
    return f"{known()[subject][0]}.make(Case({', '.join(fields)}))"


def _array(rng: random.Random, name: str, like: Any) -> Argument:
    shape = tuple(like.shape)
    shapes = [shape, shape, shape[-1:], (*shape[:-1], 1) if shape else (), (), shape[::-1]]
    dtype = rng.choice([str(like.dtype), str(like.dtype), "float32", "int32", "bool"])
    case = Case(rng.choice(shapes), dtype, seed=rng.randrange(3))
    text = f"(Case({case.shape!r}, {dtype!r}, seed={case.seed})).arrays({case.shape!r})[0]"
    setup = f"from duckarray.core.testing import Case\n{name} = {text}"
    return Argument(name, setup)
