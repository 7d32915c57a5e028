"""Control flow that meets values outside any `jit`: compiled once, not staged anew at each call."""

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Primitive, set_current_trace, take_current_trace

from duckarray.core._dispatch import Handler
from duckarray.core._jax import is_eager
from duckarray.core._materialize import current_policy
from duckarray.core._registry import registry_version
from duckarray.core._structure import flatten, unflatten

_cache: dict[tuple[Any, ...], tuple[list[Any], Any]] = {}


def compiled_when_eager(handler: Handler) -> Handler:
    """Runs `handler` through a `jax.jit` kept for the programs it is given, in eager mode.

    Each staging makes a new program, which JAX would compile anew; this way one that is called
    again with operands of the same types is compiled once.
    """

    @functools.wraps(handler)
    def handle(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
        with take_current_trace() as trace:
            eager = is_eager(trace) and not jax.config.jax_disable_jit
            with set_current_trace(trace):
                if not eager:
                    return handler(primitive, operands, params)
                leaves, trees = flatten(operands)
                fixed, jaxprs = _split(params)
                key = (primitive, fixed, trees, current_policy(), registry_version())
                try:
                    hit = _cache.get(key)
                except TypeError:  # a parameter that cannot be hashed
                    return handler(primitive, operands, params)
                if hit is None:
                    drop = functools.partial(_drop, key)
                    references = [weakref.ref(j, drop) for j in jaxprs]
                    hit = _cache[key] = (
                        references,
                        _jit(handler, primitive, references, params, trees),
                    )
                return hit[1](*leaves)

    return handle


def _drop(key: tuple[Any, ...], reference: Any) -> None:
    _cache.pop(key, None)


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
        return handler(primitive, unflatten(trees, leaves), attached)

    compiled.__name__ = compiled.__qualname__ = str(primitive)
    return jax.jit(compiled)
