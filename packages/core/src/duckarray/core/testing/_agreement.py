"""Agreement: each call of the table gives on a value what it gives on the dense array.

The calls of a group are compiled together, and one by one only if that raises, to find which of
them did.
"""

import functools
import operator
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from duckarray.core._checking import checking_rules
from duckarray.core._materialize import materialize
from duckarray.core._quaxify import quaxify

from ._compare import Comparison, Mismatch, eps, require, take_apart, with_notes
from ._once import run_once
from ._operands import operands
from ._otherwise import is_right_otherwise
from ._subject import Case, Subject
from ._table import (
    Call,
    calls_of,
    is_made_eagerly,
    is_made_for,
    on_dense,
    together,
    used,
)


def agree(subject: Subject, case: Case, call: Call) -> None:
    """The call gives the same compiled, and where it is made so, eagerly."""
    agreement = _agreement(subject, case)
    if not call.concrete:
        agreement.compiled(call)
        agreement.differentiated(call)
    if is_made_eagerly(call, case, subject):
        agreement.eager(call)


@functools.lru_cache(maxsize=64)
def _agreement(subject: Subject, case: Case) -> "_Agreement":
    return _Agreement(subject, case)


class _Agreement:
    """What has been run for one case of one subject."""

    def __init__(self, subject: Subject, case: Case) -> None:
        self._subject, self._case = subject, case
        self._values, self._arrays = operands(subject, case)
        self._comparison = Comparison(subject, dtype=case.dtype)
        # Where terms that are about as large as the numbers of a case may cancel.
        self._of_terms = Comparison(subject, dtype=case.dtype, scale=0.1)
        self._groups: dict[str, dict[str, tuple[Any, Any]]] = {}
        self._calls = calls_of(subject).values()
        self._is_first = case == subject.cases[0]

    def compiled(self, call: Call) -> None:
        """Raises a `Mismatch` unless the call agrees when compiled."""
        struct = on_dense(call, self._case, self._arrays)
        if isinstance(struct, Exception):
            self._raises(call, struct)
            return
        got, want = self._found(call)
        if isinstance(want, Exception):
            self._raises(call, want)
        elif not isinstance(got, Exception):
            self._compare("compiled", call, got, want, struct)
        elif not isinstance(got, self._subject.refuses):
            raise _unexpected("compiled", got) from got

    def differentiated(self, call: Call) -> None:
        """Raises a `Mismatch` unless its derivative along a change of the leaves agrees."""
        groups = _DIFFERENTIABLE if self._subject.thorough else _DIFFERENTIATED
        if call.group not in groups or not (self._is_first and self._case.is_real):
            return
        got, want = self._tangents_of(call.group).get(call.name, (None, None))
        if want is None or isinstance(want, Exception) or isinstance(got, self._subject.refuses):
            return
        how = "the derivative with respect to the leaves"
        if isinstance(got, Exception):
            raise _unexpected(how, got) from got
        if take_apart(got)[1] == take_apart(want)[1]:
            got = jtu.tree_map(_where_defined, got, want)
        self._compare(how, call, got, want, None, loose=5.0, comparison=self._of_terms)

    def eager(self, call: Call) -> None:
        """Raises a `Mismatch` unless the call agrees when run eagerly."""
        struct = None if call.concrete else on_dense(call, self._case, self._arrays)
        if isinstance(struct, Exception):
            return
        want = _outcome(lambda: call(self._arrays)) if call.concrete else self._found(call)[1]
        if isinstance(want, Exception):
            self._raises(call, want)
            return
        given = [self._values[name] for name in call.parameters]
        before = take_apart(given)
        try:
            got = quaxify(call.function)(*given)
        except self._subject.refuses:
            return
        except Exception as error:
            raise _unexpected("run eagerly", error) from error
        _require_unchanged(before, take_apart(given))
        self._compare("run eagerly", call, got, want, struct)

    def _compare(
        self,
        how: str,
        call: Call,
        got: Any,
        want: Any,
        struct: Any,
        loose: float = 1.0,
        comparison: Comparison | None = None,
    ) -> None:
        of_terms = comparison is None and call.group == "SAME"
        compare = comparison or (self._of_terms if of_terms else self._comparison)
        loose *= _LOOSE.get(call.group, 1.0)
        try:
            if call.exact and _bits(self._case) < 32:
                compare.alike(got, struct)  # the last digit may be rounded otherwise
            else:
                compare.same(got, want, struct, loose=loose)
        except Mismatch as error:
            # Numbers that are not rounded have one answer, and so has a derivative.
            if comparison is None and self._case.is_inexact:
                operands = self._values, self._arrays
                if is_right_otherwise(call, got, struct, *operands, compare, loose):
                    return
            raise Mismatch(f"{how}: {error}") from None

    def _raises(self, call: Call, dense_error: Exception) -> None:
        """What raises on the dense array raises on the value too."""
        given = [self._values[name] for name in call.parameters]
        run = quaxify(call.function)
        with checking_rules(False):  # which would raise in the place of a rule that does not
            out = _outcome(lambda: run(*given) if call.concrete else jax.jit(run)(*given))
        if not isinstance(out, Exception):
            raise Mismatch(
                f"dense JAX raises {type(dense_error).__name__} ({_first_line(dense_error)}), but"
                f" on the value it gives {out}"
            )

    def _found(self, call: Call) -> tuple[Any, Any]:
        """What the call gives on the value and on the dense array, or the exceptions it raises."""
        return self._found_of(call.group if self._is_first else "sample")[call.name]

    def _found_of(self, group: str) -> dict[str, tuple[Any, Any]]:
        if group not in self._groups:
            self._groups[group] = self._run(group)
        return self._groups[group]

    def _tangents_of(self, group: str) -> dict[str, tuple[Any, Any]]:
        key = f"derivatives of {group}"
        if key not in self._groups:
            self._groups[key] = self._differentiate(group)
        return self._groups[key]

    def _differentiate(self, group: str) -> dict[str, tuple[Any, Any]]:
        found = self._found_of(group)
        names = {name for name, outs in found.items() if not any(map(_is_error, outs))}
        calls = [call for call in self._calls if call.name in names]
        values = {name: self._values[name] for name in ("x", "z")}
        steps = jtu.tree_map(_step, {"x": values["z"], "z": values["x"]})
        try:
            arrays, changes = jax.jvp(materialize, (values,), (steps,))
        except self._subject.refuses:
            return {}

        def derivative(run: Any, before: Any, steps: Any) -> Any:
            def along(operands: dict[str, Any]) -> Any:
                at, by = ({k: t[k] for k in t if k in operands} for t in (before, steps))
                return jax.jvp(lambda v: materialize(run(operands | v)), (at,), (by,))[1]

            return along

        wants = _run_all(calls, self._arrays, lambda run: derivative(run, arrays, changes))
        gots = _run_all(calls, self._values, lambda run: derivative(quaxify(run), values, steps))
        return {call.name: (gots[call.name], wants[call.name]) for call in calls}

    def _run(self, group: str) -> dict[str, tuple[Any, Any]]:
        calls = [
            call
            for call in self._calls
            if (call.group == group or not self._is_first)
            and not call.concrete
            and is_made_for(call, self._case, self._subject)
            and not isinstance(on_dense(call, self._case, self._arrays), Exception)
        ]
        wants = _run_all(calls, self._arrays, lambda run: run)
        gots = _run_all(calls, self._values, quaxify)
        return {call.name: (gots[call.name], wants[call.name]) for call in calls}


def _run_all(calls: list[Call], given: dict[str, Any], transform: Any) -> dict[str, Any]:
    """What the calls give, or the exceptions they raise; compiled together as far as possible."""
    out: dict[str, Any] = {}

    def run(some: list[Call]) -> None:
        found = _outcome(lambda: run_once(transform(together(some)), used(some, given)))
        if not isinstance(found, Exception):
            out.update({call.name: x for call, x in zip(some, found, strict=True)})
        elif len(some) == 1:
            out[some[0].name] = found
        else:
            run(some[: len(some) // 2])
            run(some[len(some) // 2 :])

    if calls:
        run(calls)
    return out


def _require_unchanged(before: tuple[list[Any], Any], after: tuple[list[Any], Any]) -> None:
    """A value is what it was, although it took part in an operation."""
    same = before[1] == after[1] and all(map(operator.is_, before[0], after[0]))
    require(same, "run eagerly: it changed a value that it was given")


def _outcome(run: Any) -> Any:
    try:
        return run()
    except Exception as error:
        return error


# How much more than rounding once the results of these groups may differ.
_LOOSE = {"LINALG": 50.0, "REDUCTIONS": 2.0, "CUMULATIVE": 2.0, "NN": 2.0}


# The groups of calls that are differentiated as well, for the first case.
_DIFFERENTIATED = ("UNARY", "SCALAR", "PRODUCTS")
_DIFFERENTIABLE = (
    *(*_DIFFERENTIATED, "BINARY", "SAME", "BROADCAST", "MOVES", "REPEATS", "PARTS", "CHOICES"),
    *("READS", "WRITES", "REDUCTIONS", "CUMULATIVE", "NN"),
)


def _where_defined(got: Any, want: Any) -> Any:
    """An entry that does not depend on the leaves has a derivative even where a call has none."""
    if want.dtype == jax.dtypes.float0 or jnp.shape(got) != want.shape:
        return got
    defined = jnp.isfinite(want)
    return got if jnp.all(defined) else jnp.where(defined, got, want)


def _step(x: Any) -> Any:
    inexact = jnp.issubdtype(jnp.result_type(x), jnp.inexact)
    return x if inexact else np.zeros(jnp.shape(x), jax.dtypes.float0)


def _is_error(out: Any) -> bool:
    return isinstance(out, Exception)


def _bits(case: Case) -> int:
    return 16 if case.is_inexact and eps(case.dtype) > eps("float32") else 32


def _unexpected(how: str, error: Exception) -> Mismatch:
    kind = type(error).__name__
    text = with_notes(error)
    return Mismatch(f"{how}, it works on the dense array, but raised {kind} on the value: {text}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]


def checks(subject: Subject) -> Iterator[tuple[str, Case, Any]]:
    """The checks of this family: name, case and what to run."""
    for case in subject.cases:
        for call in calls_of(subject).values():
            if is_made_for(call, case, subject):
                yield call.name, case, functools.partial(agree, subject, case, call)
