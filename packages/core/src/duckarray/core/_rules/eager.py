"""Control flow that meets values outside any `jit`: compiled once, not staged anew at each call."""

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive

from duckarray.core._constants import (
    Constants,
    constants_of,
    for_program,
    note_all,
)
from duckarray.core._dispatch import Handler
from duckarray.core._jax import current_trace, is_eager, is_jit_disabled
from duckarray.core._lift import inside
from duckarray.core._structure import flatten, unflatten

from .kept import call_kept


def compiled_when_eager(handler: Handler) -> Handler:
    """Runs `handler` through a `jax.jit` kept for the programs it is given, in eager mode.

    Each staging makes a new program, which JAX would compile anew; this way one that is called
    again with operands of the same types is compiled once.
    """

    @functools.wraps(handler)
    def handle(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
        if not is_eager(current_trace()) or is_jit_disabled():
            return handler(primitive, operands, params)
        leaves, trees = flatten(operands)
        fixed, jaxprs = _split(params)
        constants = for_program(constants_of(operands), sum(len(j.eqns) for j in jaxprs))

        def make(references: list[Any], constants: Constants) -> Any:
            return _jit(handler, primitive, references, params, trees, constants)

        return call_kept((primitive, fixed, trees), jaxprs, constants, leaves, make)

    return handle


def _split(params: dict[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Parameters as a key in which programs stand by identity, and those programs."""
    jaxprs: list[Any] = []

    def identify(x: Any) -> Any:
        if hasattr(x, "eqns"):
            jaxprs.append(x)
            return id(x)
        return tuple(map(identify, x)) if type(x) is tuple else x

    fixed = tuple((name, identify(value)) for name, value in sorted(params.items()))
    return fixed, jaxprs


def _jit(
    handler: Handler,
    primitive: Primitive,
    references: list[Any],
    params: dict[str, Any],
    trees: Sequence[Any],
    constants: Constants,
) -> Any:
    positions = iter(range(len(references)))

    def detach(x: Any) -> Any:
        if hasattr(x, "eqns"):
            return references[next(positions)]
        return tuple(map(detach, x)) if type(x) is tuple else x

    def attach(x: Any) -> Any:
        if isinstance(x, weakref.ref):
            return x()
        return tuple(map(attach, x)) if type(x) is tuple else x

    detached = {name: detach(value) for name, value in sorted(params.items())}

    def compiled(*leaves: Any) -> Any:
        attached = {name: attach(value) for name, value in detached.items()}
        operands = unflatten(trees, leaves)
        with inside:
            note_all(operands, constants)
            return handler(primitive, operands, attached)

    compiled.__name__ = compiled.__qualname__ = str(primitive)
    return jax.jit(compiled)
