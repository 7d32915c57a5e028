"""Pairs: a value next to one of another type gives the right answer or a clear error."""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from duckarray.core._errors import (
    AmbiguousRuleError,
    BranchTypeError,
    CarryTypeError,
    MaterializeError,
    NoRuleError,
)
from duckarray.core._quaxify import quaxify

from ._compare import Comparison, Mismatch
from ._economy import NotApplicable
from ._once import run_once
from ._subject import Case, Subject

Binary = Callable[[Any, Any], Any]

# What a user is told in so many words is an answer, if a poorer one.
CLEAR = (MaterializeError, NoRuleError, AmbiguousRuleError, BranchTypeError, CarryTypeError)

_ALIKE: dict[str, Binary] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "max": jnp.maximum,
    "less": lambda a, b: a < b,
    "arctan2": jnp.arctan2,
    "where": lambda a, b: jnp.where(b > 0, a, b),
    "select": lambda a, b: lax.select(jnp.ones(a.shape, bool), a, b),
    "concatenate": lambda a, b: jnp.concatenate([a, b], axis=-1),
    "stack": lambda a, b: jnp.stack([a, b]),
    "tensordot": lambda a, b: jnp.tensordot(a, b, a.ndim),
    "inner": jnp.inner,
    "at_set": lambda a, b: a.at[:].set(b),
    "cond": lambda a, b: [lax.cond(p, lambda: a, lambda: b) for p in (True, False)],
    "scan": lambda a, b: lax.scan(lambda c, _: (c + b, c), a, None, length=2),
    "vmap": lambda a, b: jax.vmap(jnp.multiply, in_axes=(0, 0))(a, b),
    "jvp": lambda a, b: jax.jvp(jnp.sin, (a,), (b,)),
    "grad": lambda a, b: jax.grad(lambda v: jnp.sum(v * b * v))(a),
}
_CHAINED: dict[str, Binary] = {
    "matmul": lambda a, b: a @ b,
    "einsum": lambda a, b: jnp.einsum("...ij,...jk->...ki", a, b),
}

_NO_CASES = "no cases of the two types fit together: they are of other shapes or dtypes"
_NOT_WITH_ITSELF = """of one type, two cases that differ in their `variant` alone are put together.
Add one to `cases`: `Case((4, 4), variant="transposed")`."""

_MOST = 2  # combinations of cases for each operation


def pair(one: Subject, other: Subject, operation: str) -> None:
    """The operation in both orders, on values of the two types that fit together."""
    binary = {**_ALIKE, **_CHAINED}[operation]
    combinations = _combinations(one, other, operation in _CHAINED)
    if not combinations:
        raise NotApplicable(_NOT_WITH_ITSELF if one == other else _NO_CASES)
    for a, b in combinations:
        _compare(one, other, binary, (one, a), (other, b))
        if (one, a) != (other, b):
            _compare(one, other, binary, (other, b), (one, a))


def _compare(
    one: Subject,
    other: Subject,
    binary: Binary,
    left: tuple[Subject, Case],
    right: tuple[Subject, Case],
) -> None:
    seed = 1 if left[0] == right[0] else 0
    arrays = left[0].array(left[1]), right[0].array(right[1], seed)
    try:
        struct = jax.eval_shape(binary, *arrays)
    except Exception:
        return  # it does not work on dense arrays: agreement looks at that
    values = left[0].value(left[1]), right[0].value(right[1], seed)
    try:
        got = run_once(quaxify(binary), *values)
    except Exception as error:
        if isinstance(error, (*CLEAR, *one.refuses, *other.refuses)):
            return
        raise Mismatch(f"{_order(left, right)} raised {type(error).__name__}: {error}") from error
    try:
        want = run_once(binary, *arrays)
        Comparison(one, other).same(got, want, struct, loose=5)
    except Mismatch as error:
        raise Mismatch(f"{_order(left, right)}: {error}") from None


def _order(left: tuple[Subject, Case], right: tuple[Subject, Case]) -> str:
    (a, of_a), (b, of_b) = left, right
    return f"on {a.name} {of_a.name} and {b.name} {of_b.name}"


def _combinations(one: Subject, other: Subject, chained: bool) -> list[tuple[Case, Case]]:
    """Pairs of cases with operands that fit together, of as many kinds as may be."""
    fits = _fit_in_product if chained else _fit_alike
    found = [(a, b) for a in one.cases for b in other.cases if fits(a, b)]
    if one == other:  # two of one case are what agreement looks at
        found = [(a, b) for a, b in found if a.name < b.name]
    several: dict[Any, tuple[Case, Case]] = {}
    for a, b in found:
        several.setdefault((a.shape, a.variant, b.variant), (a, b))
    return list(several.values())[:_MOST]


def _fit_alike(a: Case, b: Case) -> bool:
    alike = (a.shape, a.dtype, a.weak_type) == (b.shape, b.dtype, b.weak_type)
    return alike and bool(a.shape)


def _fit_in_product(a: Case, b: Case) -> bool:
    return len(a.shape) == len(b.shape) == 2 and a.shape == b.shape[::-1] and a.dtype == b.dtype


def checks(subject: Subject, against: Iterable[Subject]) -> Iterator[tuple[str, str, Any]]:
    """The checks of this family: operation, name of the other type and what to run."""
    for other in against:
        if other == subject and len(subject.cases) < 2:
            continue
        for operation in (*_ALIKE, *_CHAINED):
            run = functools.partial(pair, subject, other, operation)
            yield operation, other.name, run
