"""Which call of a library function a program is: with what other arguments, under which `vmap`.

A `jit` equation names the function it was traced from, but not the arguments that are no arrays
(`UPLO="U"`), and it keeps that name when `vmap` has changed what it does. So the function is traced
anew, on arguments of the same shapes, and the call is recognised where that gives the same program.
"""

import inspect
import itertools
import re
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from ._jax import debug_info_of, jit_p, struct

Mask = tuple[bool, ...]
_MOST_MAPPED = 3  # dimensions that `vmap` has added


class Function(NamedTuple):
    """A function a rule is for, called with these other arguments than arrays."""

    public: Callable[..., Any]
    jitted: Callable[..., Any]
    parameters: tuple[str, ...]  # of the jitted one
    source: str  # what JAX says a program was traced from
    arguments: Mapping[str, Any]

    def order(self, names: Sequence[str]) -> list[int]:
        """Where the operands called `names` are, in the order of the parameters.

        JAX sorts those passed by name.
        """

        def position(i: int) -> int:
            name = re.split(r"[.[]", names[i])[0]  # of a leaf of an argument: the argument
            return self.parameters.index(name) if name in self.parameters else i

        return sorted(range(len(names)), key=position)


# For a program that was met, by function, what was found.
_found: dict[int, tuple[weakref.ref[Any], dict[int, tuple[Mask, ...] | None]]] = {}


def recognise(function: Function, program: Any, names: Sequence[str]) -> tuple[Mask, ...] | None:
    """For each `vmap` around the call, which operands it maps over their leading axis.

    None if `program` is another call of the function, or one of a derivative. The outermost comes
    first; `names` are those of the operands.

    Cost:
        The first time for a program, tracing the function; up to about a dozen times if it is not
        the call as such.
    """
    key = id(program)
    if key not in _found:
        _found[key] = weakref.ref(program, lambda _: _found.pop(key, None)), {}
    known = _found[key][1]
    if id(function) not in known:
        known[id(function)] = _compare(function, program, names)
    return known[id(function)]


def _compare(function: Function, program: Any, names: Sequence[str]) -> tuple[Mask, ...] | None:
    call = _call_of(function, names)
    if call is None:
        return None
    structs = [struct(aval) for aval in program.in_avals]
    text = None
    for mapped in _ways_to_map([len(s.shape) for s in structs]):
        traced = _trace(call, structs, mapped, function.source)
        if traced is program:
            return mapped
        if traced is not None:
            text = text or str(program)
            if str(traced) == text:
                return mapped
    return None


def _call_of(function: Function, names: Sequence[str]) -> Callable[..., Any] | None:
    """The function on arrays alone, those called `names`; None if it cannot be called so."""
    for target in (function.public, function.jitted):
        signature = inspect.signature(target)
        try:
            arguments = _bind(signature, names, function.arguments)
        except (TypeError, ValueError):
            continue
        return lambda *arrays, target=target, arguments=arguments: target(
            *[arrays[i] if is_array else i for i, is_array in arguments[0]],
            **{k: arrays[i] if is_array else i for k, (i, is_array) in arguments[1].items()},
        )
    return None


def _bind(
    signature: inspect.Signature, names: Sequence[str], others: Mapping[str, Any]
) -> tuple[list[tuple[Any, bool]], dict[str, tuple[Any, bool]]]:
    """Positional and named arguments: the position of an array and True, or another and False.

    A parameter without a default that is neither is None: of that there is nothing to be seen.
    """
    given: dict[str, Any] = {name: (value, False) for name, value in others.items()}
    variadic: list[tuple[Any, bool]] = []
    parameters = signature.parameters
    for i, name in enumerate(names):
        base, *path = re.split(r"[.[]", name)
        kind = parameters[base].kind if base in parameters else None
        if path and kind is inspect.Parameter.VAR_POSITIONAL and len(path) == 1:
            variadic.append((i, True))
        elif path or kind is None or kind is inspect.Parameter.VAR_POSITIONAL or base in given:
            raise TypeError(name)  # part of an argument, or none at all
        else:
            given[base] = (i, True)
    positional: list[tuple[Any, bool]] = []
    in_order = True
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += variadic
            in_order = False
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            if name not in given and parameter.default is parameter.empty:
                given[name] = (None, False)
            # JAX sorts what is passed by name, so that only the first operands are by position.
            arrays = sum(is_array for _, is_array in positional)
            in_order = in_order and _follows(given.get(name), arrays)
            if in_order:
                positional.append(given.pop(name))
    if set(given) - set(parameters):
        raise TypeError(", ".join(given))
    return positional, given


def _ways_to_map(ranks: Sequence[int]) -> Iterator[tuple[Mask, ...]]:
    """No `vmap`, then one, then two around the call, and so on, of every choice of operands."""
    yield ()
    masks = [m for m in itertools.product((True, False), repeat=len(ranks)) if any(m)]
    for depth in range(1, _MOST_MAPPED + 1):
        of_this_depth = itertools.product(masks, repeat=depth) if len(masks) <= 3 else ()
        for mapped in of_this_depth:
            axes = [sum(mask[i] for mask in mapped) for i in range(len(ranks))]
            if all(n <= rank for n, rank in zip(axes, ranks, strict=True)):
                yield mapped


def _trace(
    call: Callable[..., Any], structs: Sequence[Any], mapped: tuple[Mask, ...], source: str
) -> Any:
    """The program of the function in this call, or None if the call does more or cannot be."""
    for mask in reversed(mapped):
        call = jax.vmap(call, in_axes=tuple(0 if m else None for m in mask))
    try:
        traced = jax.make_jaxpr(call)(*structs)
    except Exception:
        return None  # it is not what was called, which could be traced
    found = list(_programs(traced.jaxpr, source))
    if not found:
        return traced  # the function has been inlined
    (program, whole), *others = found
    return program if not others and (whole or not mapped) else None


def _programs(jaxpr: Any, source: str) -> Iterator[tuple[Any, bool]]:
    """The programs traced from `source`, and whether nothing else happens to their operands."""
    for eqn in jaxpr.eqns:
        whole = list(eqn.invars) == jaxpr.invars and list(eqn.outvars) == jaxpr.outvars
        if eqn.primitive is jit_p:
            program = eqn.params["jaxpr"]
            if debug_info_of(program).func_src_info == source:
                yield program, whole
        elif "call_jaxpr" in eqn.params:  # of `custom_jvp`
            inside = eqn.params["call_jaxpr"]
            for program, also in _programs(getattr(inside, "jaxpr", inside), source):
                yield program, whole and also


def _follows(argument: tuple[Any, bool] | None, arrays: int) -> bool:
    """Whether an argument can be the next one by position, after so many arrays."""
    return argument is not None and (not argument[1] or argument[0] == arrays)
