"""Functions of values, each compiled once, and what compiling one hides made visible again.

A function that is called eagerly with values is a `jax.jit` of the quaxified function, kept for one
state of the rules and the policy. Warnings that its first call gave are given by every call. Of a
number among the operands a rule may ask which one it is: only then there is a program for each.
"""

import functools
import operator
import threading
from collections.abc import Callable
from typing import Any

import jax
from jax import tree_util as jtu

from ._constants import look_up, note_constant, times_asked
from ._lift import inside
from ._materialize import recorded_warnings, warn_dense
from ._quaxify import quaxify
from ._state import current_state
from ._value import Value

Function = Callable[..., Any]

# How many numbers a function is compiled for, where a rule asks which one it is given.
_MOST_CONSTANTS = 64

# What JAX raises where a program that it compiles asks for an entry.
_NOT_CONCRETE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)


class Compiled:
    """A function of values compiled for one state of the rules."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._jitted = jax.jit(self._trace)
        self._traced = 0
        self._warnings: dict[Any, list[str]] = {}
        self._refused: set[tuple[type, ...]] = set()
        self._is_plain = True  # neither of the two holds anything
        # Where a rule asks for the value of a number, by the types of the operands: the numbers.
        self.constants: dict[tuple[type, ...], set[_Key]] = {}

    def __call__(self, *operands: Any) -> Any:
        if self._is_plain:
            try:
                return self._jitted(*operands)
            except _NOT_CONCRETE:
                self._refused.add(tuple(map(type, operands)))
                self._is_plain = False
        if self.refuses(*operands):
            return quaxify(self._function)(*operands)
        return self._with_warnings(operands)

    def refuses(self, *operands: Any) -> bool:
        """Whether a rule has to see the entries of operands like these."""
        return tuple(map(type, operands)) in self._refused

    def _with_warnings(self, operands: tuple[Any, ...]) -> Any:
        traced = self._traced
        try:
            out = self._jitted(*operands)
        except _NOT_CONCRETE:
            self._refused.add(tuple(map(type, operands)))
            return quaxify(self._function)(*operands)
        if self._traced == traced:
            for warning in self._warnings.get(_signature(operands), ()):
                warn_dense(warning)
        return out

    def _trace(self, *operands: Any) -> Any:
        self._traced += 1
        with recorded_warnings() as recorded:
            out = self._run(*operands)
        if recorded:
            self._warnings[_signature(operands)] = recorded
            self._is_plain = False
        return out

    def _run(self, *operands: Any) -> Any:
        return quaxify(self._function)(*operands)


def _signature(operands: tuple[Any, ...]) -> Any:
    leaves, structure = jtu.tree_flatten(operands)
    return structure, tuple([(a.shape, a.dtype) for a in map(jax.typeof, leaves)])


@functools.lru_cache(maxsize=1024)
def _compiled(function: Function, *state: Any) -> Compiled:
    return Compiled(function)


def compiled(function: Function) -> Compiled:
    """The compiled function for the rules and the policy that are in force."""
    return _compiled(function, *current_state())


class _AsksForConstant(Exception):  # noqa: N818  # nothing is wrong
    """Ends the compilation of a function for any scalar, where a rule wants to know which."""


class _Scalar(threading.local):
    now: Any = None


_scalar = _Scalar()


class _CompiledForAnyScalar(Compiled):
    """A function of a value and a scalar of which no rule asks the value."""

    def _run(self, *operands: Any) -> Any:
        before = times_asked()
        constant = look_up(_scalar.now)
        with inside:
            for x in operands:
                if isinstance(x, jax.Array) and constant is not None:
                    note_constant(x, constant)
            out = quaxify(self._function)(*operands)
        if times_asked() > before:
            raise _AsksForConstant
        return out


@functools.lru_cache(maxsize=256)
def _compiled_for_any_scalar(function: Function, *state: Any) -> Compiled:
    return _CompiledForAnyScalar(function)


def call_with_scalar(function: Function, x: Any, y: Any) -> Any:
    """`function` of a value and a number, of which a rule may ask the value."""
    for_any = _compiled_for_any_scalar(function, *current_state())
    types = (type(x), type(y))
    first = not isinstance(x, Value)
    constants = for_any.constants.get(types)
    if constants is None:
        # An exponent that is a number is another matter than an array of one, for JAX itself.
        if first or function is not operator.pow:
            _scalar.now = x if first else y
            try:
                return for_any(x, y)
            except _AsksForConstant:
                pass
        constants = for_any.constants[types] = set()
    key = _Key(x if first else y)
    if key not in constants and len(constants) >= _MOST_CONSTANTS:
        return quaxify(function)(x, y)
    constants.add(key)
    if first:
        return compiled(_with_first(function, key))(y)
    return compiled(_with_second(function, key))(x)


class _Key:
    """A scalar as a part of a key: by its text, since `0`, `0.0`, `-0.0` and `False` are equal."""

    def __init__(self, scalar: Any) -> None:
        self.scalar = scalar
        self._text = type(scalar), repr(scalar)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


@functools.lru_cache(maxsize=1024)
def _with_first(function: Function, key: _Key) -> Function:
    return lambda y: function(key.scalar, y)


@functools.lru_cache(maxsize=1024)
def _with_second(function: Function, key: _Key) -> Function:
    return lambda x: function(x, key.scalar)
