"""What the staging of a loop or a branch gave, recalled for the next one like it.

The layers of a model run the same code, of which JAX traces each copy. While one `quaxify` runs,
two programs are told to be alike by their equations, and what rewriting the first for its operands
gave is bound again for the second. Nothing is kept when it ends.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal, Primitive

from duckarray.core import _watch
from duckarray.core._constants import (
    constants_key,
    constants_of,
    count_asked,
    times_asked,
)
from duckarray.core._derivatives import is_of_derivative
from duckarray.core._jax import debug_info_of, open_jaxpr, typeof
from duckarray.core._lift import inside
from duckarray.core._materialize import recorded_warnings, warn_dense
from duckarray.core._state import current_state
from duckarray.core._structure import flatten

_MOST = 256
# What JAX traces by that is not part of an equation.
_SETTINGS = (
    "jax_disable_jit",
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_numpy_rank_promotion",
    "jax_numpy_dtype_promotion",
)


class Recall:
    """What was found out about an operation like this one; `found` is None if nothing was.

    Args:
        primitive: of the operation.
        operands: its operands, of which structures, abstract values and constants count.
        params: its parameters, the programs among them.
    """

    def __init__(
        self, primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]
    ) -> None:
        self.found: Any = None
        self._key = None
        self._asked, self._warnings = False, list[str]()
        if not inside.noted or (_watch.active and _watch.here.watcher is not None):
            return
        if len(inside.kept) >= _MOST:
            inside.kept.clear()
        leaves, trees = flatten(operands)
        try:
            key = (
                primitive,
                _form(tuple(params.items())),
                tuple(map(typeof, leaves)),
                trees,
                constants_key(constants_of(operands)),
                current_state(),
                is_of_derivative(),
                tuple([getattr(jax.config, name) for name in _SETTINGS]),
                jax.sharding.get_abstract_mesh(),
            )
            kept = inside.kept.get(("operation", key))
        except (_Unlike, TypeError, ValueError):  # no hash, or `==` gives no truth
            return
        self._key = key
        if kept is not None:
            self.found, asked, warnings = kept
            if asked:
                count_asked()  # what is being rewritten around this depends on constants too
            for warning in warnings:
                warn_dense(warning)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Notes what is asked and warned of while what may be kept is found out."""
        before = times_asked()
        with recorded_warnings() as warnings:
            yield
        self._asked, self._warnings = times_asked() > before, list(dict.fromkeys(warnings))

    def keep(self, found: Any) -> None:
        """Keeps what was found out, which may hold no arrays, for operations like this one."""
        self.found = found
        if self._key is not None:
            inside.kept["operation", self._key] = (found, self._asked, self._warnings)


class _Unlike(Exception):  # noqa: N818  # nothing is wrong
    """Says that a program is like no other, or that this is not found out."""


def _form(x: Any) -> Hashable:
    """What `x`, a parameter of a primitive, has in common with all that are like it."""
    if type(x) is tuple:
        return tuple(map(_form, x))
    if hasattr(x, "eqns"):
        return _form_of_program(x)
    if type(x) in (bool, int, float, complex):
        return type(x), repr(x)  # since 1, 1.0 and True are equal, and -0.0 and 0.0
    return x  # type: ignore[no-any-return]  # functions are like themselves only


def _form_of_program(program: Any) -> Hashable:
    known = inside.kept.get(("program", id(program)))
    if known is not None:
        return known[1]  # type: ignore[no-any-return]
    jaxpr = open_jaxpr(program)
    if jaxpr.constvars or getattr(program, "consts", ()) or jaxpr.effects:
        raise _Unlike
    numbers = {v: i for i, v in enumerate(jaxpr.invars)}
    equations = []
    for equation in jaxpr.eqns:
        inputs = [_literal(v) if type(v) is Literal else numbers[v] for v in equation.invars]
        params = _form(tuple(equation.params.items()))
        where = equation.source_info.name_stack
        equations.append((equation.primitive, tuple(inputs), params, equation.ctx, where))
        for v in equation.outvars:
            numbers[v] = len(numbers)
    outputs = [_literal(v) if type(v) is Literal else numbers[v] for v in jaxpr.outvars]
    avals = tuple([v.aval for v in jaxpr.invars])
    debug_info = debug_info_of(program)
    is_derived = debug_info.arg_names is None, debug_info.result_paths is None
    form = (debug_info.func_src_info, is_derived, avals, tuple(equations), tuple(outputs))
    # A token in place of what is long; the program itself, so that no other gets its number.
    token: object = inside.kept.setdefault(("form", form), object())
    inside.kept["program", id(program)] = (program, token)
    return token


def _literal(literal: Literal) -> Hashable:
    value = np.asarray(literal.val)
    if value.size != 1:
        raise _Unlike
    return (literal.aval, value.tobytes())
