"""Functions applied to values from anywhere: outside `quaxify`, inside it, inside a rule.

Operators in eager mode go through a compiled call. `w @ x` with a value `w` would otherwise be
`jnp.matmul`, which JAX evaluates in Python because a trace other than its eager one is current. The
same function compiled for the value as a pytree costs about what it costs for arrays. Whatever
cannot be compiled, such as a rule that looks at the entries of an array, takes the usual way.
"""

import functools
import operator
import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import tree_util as jtu
from jax.core import Tracer
from jax.extend.core import set_current_trace, take_current_trace

from ._checking import checking
from ._constants import look_up, note, times_asked
from ._jax import is_jit_disabled
from ._lift import inside, is_traced, lift
from ._materialize import current_policy, recorded_warnings, warn_dense
from ._quaxify import quaxify
from ._registry import registry_version
from ._trace import DuckTracer
from ._value import Value, is_value

Function = Callable[..., Any]

# How many scalars a function is compiled for, where a rule asks which one it is given.
_MOST_CONSTANTS = 64

# What JAX raises where a program that it compiles asks for an entry.
_NOT_CONCRETE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)


def call(function: Function, /, *args: Any, **kwargs: Any) -> Any:
    """`function` of arguments that hold values, as the program around it would run it.

    Inside `quaxify` values that nobody passed in become arrays of the trace; elsewhere, and inside
    a rule, this is `quaxify(function)(*args, **kwargs)`.
    """
    if inside.noted and is_traced():
        args, kwargs = jtu.tree_map(
            lambda x: lift(x) if is_value(x) else x, (args, kwargs), is_leaf=is_value
        )
        return function(*args, **kwargs)
    return quaxify(function)(*args, **kwargs)


def unary(function: Function, x: Any) -> Any:
    """`function` of a value."""
    if x._eager or (inside.noted and is_traced()):
        return call(function, x)
    return _run(_compiled(function, *_state()), x)


def binary(function: Function, x: Any, y: Any) -> Any:
    """`function` of two operands, one a value; `NotImplemented` if the other is no array."""
    other = y if isinstance(x, Value) else x
    kind = type(other)
    if kind not in _operand_types and not _is_operand(other):
        return NotImplemented
    if inside.noted and (kind is DuckTracer or is_traced() or _is_known_array(other)):
        return call(function, x, y)
    if _is_eager(x) or _is_eager(y):
        return call(function, x, y)
    if kind in _scalar_types:
        return _with_scalar(function, x, y)
    if kind is np.ndarray and other.ndim == 0:
        return binary(function, *(a[()] if a is other else a for a in (x, y)))
    return _run(_compiled(function, *_state()), x, y)


def _state() -> tuple[Any, ...]:
    """What decides, besides the operands, how they are computed with."""
    return current_policy(), registry_version(), checking.get()


def _is_eager(x: Any) -> bool:
    return isinstance(x, Value) and x._eager


def _is_known_array(x: Any) -> bool:
    return isinstance(x, jax.Array) and look_up(x) is not None


_scalar_types: set[type] = {bool, int, float, complex}  # both are added to as types are met
_operand_types: set[type] = {np.ndarray, *_scalar_types}


def _is_operand(x: Any) -> bool:
    """Whether `x` is something that an operator of JAX takes; remembers its type."""
    kind = type(x)
    if isinstance(x, bool | int | float | complex | np.generic):
        _scalar_types.add(kind)
    elif not (isinstance(x, jax.Array | np.ndarray | Value) or hasattr(x, "__jax_array__")):
        return False
    _operand_types.add(kind)
    return True


class _Compiled:
    """A function of values compiled for one state of the rules."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.jitted = jax.jit(self._trace)
        self.traced = 0
        self.warnings: dict[Any, list[str]] = {}
        self.not_compilable: set[tuple[type, ...]] = set()
        # Where a rule asks for the value of a scalar, by the types of the operands: the scalars.
        self.constants: dict[tuple[type, ...], set[_Key]] = {}

    def _trace(self, *operands: Any) -> Any:
        self.traced += 1
        with recorded_warnings() as recorded:
            out = self._traced(*operands)
        if recorded:
            self.warnings[_signature(operands)] = recorded
        return out

    def _traced(self, *operands: Any) -> Any:
        return quaxify(self.function)(*operands)

    def __call__(self, *operands: Any) -> Any:
        traced = self.traced
        out = self.jitted(*operands)
        if self.warnings and self.traced == traced:
            for warning in self.warnings.get(_signature(operands), ()):
                warn_dense(warning)
        return out


def _signature(operands: tuple[Any, ...]) -> Any:
    leaves, structure = jtu.tree_flatten(operands)
    return structure, tuple([(a.shape, a.dtype) for a in map(jax.typeof, leaves)])


@functools.lru_cache(maxsize=1024)
def _compiled(function: Function, *state: Any) -> _Compiled:
    return _Compiled(function)


def _run(compiled: _Compiled, *operands: Any) -> Any:
    """A compiled function of its operands; the function itself where a rule has to see entries."""
    types = tuple(map(type, operands))
    if types not in compiled.not_compilable:
        try:
            return compiled(*operands)
        except _NOT_CONCRETE:
            compiled.not_compilable.add(types)
    return quaxify(compiled.function)(*operands)


class _AsksForConstant(Exception):  # noqa: N818  # nothing is wrong
    """Ends the compilation of a function for any scalar, where a rule wants to know which."""


class _Scalar(threading.local):
    now: Any = None


_scalar = _Scalar()


class _CompiledForAnyScalar(_Compiled):
    """A function of a value and a scalar of which no rule asks the value."""

    def _traced(self, *operands: Any) -> Any:
        before = times_asked()
        with inside:
            for x in operands:
                if isinstance(x, jax.Array) and _scalar.now is not None:
                    note(x, _scalar.now)
            out = quaxify(self.function)(*operands)
        if times_asked() > before:
            raise _AsksForConstant
        return out


@functools.lru_cache(maxsize=256)
def _compiled_for_any_scalar(function: Function, *state: Any) -> _Compiled:
    return _CompiledForAnyScalar(function)


def _with_scalar(function: Function, x: Any, y: Any) -> Any:
    """`function` of a value and a scalar, of which a rule may ask the value."""
    for_any = _compiled_for_any_scalar(function, *_state())
    types = (type(x), type(y))
    constants = for_any.constants.get(types)
    if constants is None:
        # An exponent that is a number is another matter than an array of one, for JAX itself.
        if function is not operator.pow or isinstance(y, Value):
            _scalar.now = look_up(y if isinstance(x, Value) else x)
            try:
                return _run(for_any, x, y)
            except _AsksForConstant:
                pass
        constants = for_any.constants[types] = set()
    key = _Key(y if isinstance(x, Value) else x)
    if key not in constants and len(constants) >= _MOST_CONSTANTS:
        return quaxify(function)(x, y)
    constants.add(key)
    if isinstance(x, Value):
        return _run(_compiled(_with_second(function, key), *_state()), x)
    return _run(_compiled(_with_first(function, key), *_state()), y)


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


@functools.lru_cache(maxsize=1024, typed=True)
def method(name: str, *args: Any, **kwargs: Any) -> Function:
    """The method `name` of an array, with these arguments, as a function of the array."""
    return lambda x: getattr(x, name)(*args, **kwargs)


_BINARY = ("add", "sub", "mul", "truediv", "matmul", "lt", "le", "gt", "ge", "eq", "ne")


def _apply(function: Function, tracer: DuckTracer, other: Any) -> Any:
    """`function` of both, or `NotImplemented` where the usual way has to be taken."""
    trace = tracer._trace
    if not trace.is_over_eager or is_jit_disabled() or tracer.value._eager:
        return NotImplemented
    if type(other) is DuckTracer and other._trace is trace:
        other = other.value
        if other._eager:
            return NotImplemented
    elif (
        not isinstance(other, jax.Array)
        or isinstance(other, Tracer)
        or look_up(other) is not None  # a compiled call would not know it
    ):
        return NotImplemented
    with take_current_trace() as current:
        if current is not trace:
            with set_current_trace(current):
                return NotImplemented
        with set_current_trace(trace.parent_trace):
            compiled = _compiled(function, *_state())
            if (type(tracer.value), type(other)) in compiled.not_compilable:
                return NotImplemented
            return trace.wrap(_run(compiled, tracer.value, other))


def _traced_method(name: str) -> Callable[[DuckTracer, Any], Any]:
    function = getattr(operator, name)
    usual = getattr(Tracer, f"__{name}__")

    def method(self: DuckTracer, other: Any) -> Any:
        out = _apply(function, self, other)
        return usual(self, other) if out is NotImplemented else out

    method.__name__ = f"__{name}__"
    return method


for _name in _BINARY:
    setattr(DuckTracer, f"__{_name}__", _traced_method(_name))
DuckTracer.__hash__ = Tracer.__hash__  # type: ignore[method-assign]  # `__eq__` alone would unset it
