"""Economy: the calls that a subject names never build the dense array."""

import functools
from collections.abc import Iterator
from typing import Any

import jax
from jax import tree_util as jtu

from duckarray.core._quaxify import quaxify
from duckarray.core._value import is_value

from ._compare import Mismatch, require
from ._guard import never_dense
from ._operands import operands
from ._subject import Case, Subject
from ._table import Call, chosen, on_dense


class NotApplicable(Exception):  # noqa: N818  # not an error: it is reported as skipped
    """A check has nothing to say about a case."""


def economical(subject: Subject, case: Case, call: Call, keeps: bool) -> None:
    """The call does not make the value dense, and if it `keeps`, gives values of the same type."""
    values, arrays = operands(subject, case)
    struct = on_dense(call, case, arrays)
    if isinstance(struct, Exception) and not call.concrete:
        raise NotApplicable(f"dense JAX raises {type(struct).__name__} for this case")
    given = [values[name] for name in call.parameters]
    cls = type(values["x"])
    with never_dense(cls):
        outs = [_run(call, given, compiled=True)] if not call.concrete else []
        if call.concrete or case == subject.cases[0]:
            outs.append(_run(call, given, compiled=False))
    for out in outs:
        leaves = jtu.tree_leaves(out, is_leaf=is_value)
        found = {type(x).__name__ for x in leaves if not isinstance(x, cls)}
        require(not (keeps and found), f"the result is {found}, not a `{cls.__name__}`")


def _run(call: Call, given: list[Any], compiled: bool) -> Any:
    run = quaxify(call.function)
    try:
        return jax.eval_shape(run, *given) if compiled else run(*given)
    except Mismatch:
        raise
    except Exception as error:
        raise Mismatch(f"{type(error).__name__}: {error}") from error


def checks(subject: Subject) -> Iterator[tuple[str, Case, Any]]:
    """The checks of this family: name, case and what to run."""
    keeps = {call.name: call for call in chosen(subject, "keeps")}
    others = {call.name: call for call in chosen(subject, "without_dense")}
    for case in subject.cases:
        for name, call in {**others, **keeps}.items():
            yield name, case, functools.partial(economical, subject, case, call, name in keeps)
