"""Known constants: scalars, and arrays made of one, whose value is known while tracing.

`maximum(x, 0)`, `where(c, x, 0)` and `0 + x` mean something for a quantity or a symbolic zero only
because the other operand is zero. Python and NumPy scalars are known as they are. What broadcasts,
conversions and reshapes make of one is noted in a table while the program runs; the results
themselves stay plain arrays. A program that is run anew for the values it meets is given the
constants among its operands, and they are part of what it is kept by.
"""

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive, primitives

from ._value import Value
from ._zeros import gives_zero

Scalar = bool | int | float | complex


class _Ordinary:
    """In place of a constant that a long program is not told: the program is kept for all such."""

    def __repr__(self) -> str:
        return "ordinary"


ORDINARY = _Ordinary()


class _AlmostZero(float):
    """A zero that may have been multiplied with what is infinite."""

    def __repr__(self) -> str:
        return "almost 0.0"


ALMOST_ZERO = _AlmostZero(0.0)
Constants = tuple[Scalar | _Ordinary | None, ...]

# These pass on the one value their operand is full of.
passing_on: frozenset[Primitive] = frozenset(
    {
        primitives.broadcast_in_dim_p,
        primitives.convert_element_type_p,
        primitives.copy_p,
        primitives.reshape_p,
        primitives.squeeze_p,
    }
)

# A long program is kept for these constants only: any other that changes from call to call, such
# as the number of the step, would compile it anew each time.
_SPECIAL = (0, 1, -1, float("inf"), float("-inf"))
_SHORT = 16  # the programs behind `//` and `%` are not long
# No program is kept for more different constants than this; further ones are not known inside.
_MOST = 64


class _Table(threading.local):
    """For each array known to be full of one scalar, by identity: a reference to it, the scalar."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[Any, Scalar | _Ordinary]] = {}
        self.asked = 0
        self.almost = False


_known = _Table()


def known_constant(x: Any) -> Scalar | None:
    """The scalar that `x` is known to be full of while tracing, or None.

    What is asked is what the program says, not what an array holds: the entries of a concrete array
    are not looked at. A value is asked by its `known_constant`.

    Args:
        x: an operand of a rule, or any array or value.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import known_constant
        >>> known_constant(0.0), known_constant(jnp.zeros(3))
        (0.0, None)
    """
    if isinstance(x, Value):
        return x.known_constant()  # part of its structure, by which programs are kept anyway
    noted = noted_constant(x)
    if noted is not None:
        count_asked()
    return None if isinstance(noted, _Ordinary) else noted


def look_up(x: Any) -> Scalar | None:
    """`known_constant`, where nothing that is kept depends on the answer."""
    if isinstance(x, Value):
        return x.known_constant()
    noted = noted_constant(x)
    return None if isinstance(noted, _Ordinary) else noted


def noted_constant(x: Any) -> Scalar | _Ordinary | None:
    """What is noted of an array or a scalar: a constant, or that it has one that is not told."""
    if isinstance(x, jax.Array):
        entry = _known.entries.get(id(x))
        return entry[1] if entry is not None and entry[0]() is x else None
    if isinstance(x, Value) or np.ndim(x) or isinstance(x, jax.Ref):
        return None
    scalar = np.asarray(x)
    return scalar.item() if scalar.dtype.kind in "biufcV" else None  # type: ignore[no-any-return]


@contextmanager
def noting_almost_zeros(on: bool) -> Iterator[None]:
    """Notes meanwhile also what is zero if it is made of what is finite: for types, not values."""
    before, _known.almost = _known.almost, on or _known.almost
    try:
        yield
    finally:
        _known.almost = before


def notes_almost_zeros() -> bool:
    """Whether `noting_almost_zeros` is in force in this thread."""
    return _known.almost


def note_almost_zero(primitive: Primitive, operands: Sequence[Any], params: Any, out: Any) -> None:
    """Notes that what `primitive` made of plain arrays is almost zero, if it is."""
    if gives_zero(primitive, [noted_constant(x) == 0 for x in operands], params):
        for x in out if primitive.multiple_results else [out]:
            if isinstance(x, jax.Array):
                note_constant(x, ALMOST_ZERO)


def count_asked() -> None:
    """Notes that what is being rewritten depends on a constant."""
    _known.asked += 1


def times_asked() -> int:
    """How often a constant was asked for in this thread, and known."""
    return _known.asked


def note_constant(x: Any, constant: Scalar | _Ordinary) -> None:
    """Notes that an array is full of one number, until the program that made it has run.

    `known_constant` tells rules of it.

    Args:
        x: an array, seen inside a rule.
        constant: the number, as a Python scalar.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend, known_constant
        >>> x = jnp.array(2.0)
        >>> extend.note_constant(x, 2.0)
        >>> known_constant(x)
        2.0
    """
    _known.entries[id(x)] = weakref.ref(x), constant


def pass_on(primitive: Primitive, operand: Any, params: Any, out: Any) -> None:
    """Notes what `primitive`, one of `passing_on`, made of an operand that may be known."""
    constant = noted_constant(operand)
    if constant is None or not isinstance(out, jax.Array):
        return
    converts = primitive is primitives.convert_element_type_p
    if converts and not isinstance(constant, _Ordinary | _AlmostZero):
        dtype = params["new_dtype"]
        if jnp.issubdtype(dtype, jax.dtypes.extended) or not _holds(dtype, constant):
            return
        with np.errstate(all="ignore"):
            constant = np.asarray(constant).astype(dtype).item()
    note_constant(out, constant)


def note_created(primitive: Primitive, out: Any) -> None:
    """Notes what `primitive`, which has no operands, made: memory nobody wrote to may be zero."""
    if primitive.name == "empty2" and isinstance(out, jax.Array):
        note_constant(out, 0)


def _holds(dtype: Any, constant: Scalar) -> bool:
    """Whether a conversion does the same in NumPy and in XLA, which saturates, not wraps."""
    if isinstance(constant, int) or not jnp.issubdtype(dtype, jnp.integer):
        return True
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    if limits is None:  # a dtype of `ml_dtypes`
        return False
    return isinstance(constant, float) and limits.min <= constant <= limits.max


def each_constant(operands: Sequence[Any]) -> list[Any]:
    """For each operand the scalar it is known to be, or None."""
    entries = _known.entries
    return [
        None
        if isinstance(x, Value) or (isinstance(x, jax.Array) and id(x) not in entries)
        else noted_constant(x)
        for x in operands
    ]


def constants_of(operands: Sequence[Any]) -> Constants:
    """For each operand the scalar it is known to be; empty if none is."""
    found = each_constant(operands)
    return () if all(c is None for c in found) else tuple(found)


def for_program(constants: Constants, equations: int) -> Constants:
    """Of the constants among its operands, those that a program of this length is kept for.

    Others become `ORDINARY`: the program is not told them, yet if a rule asks, it is another than
    the one for a constant that it is told.
    """
    if equations > _SHORT:
        return tuple(c if c is None or c in _SPECIAL else ORDINARY for c in constants)
    return constants


def constants_key(constants: Constants) -> tuple[str, ...]:
    """Constants as part of a key: `0`, `0.0`, `-0.0` and `False` differ, and NaN equals itself."""
    return tuple(map(repr, constants))


class Limit:
    """Counts for how many different constants each program is kept."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def reached(self, program: int) -> bool:
        """Whether `program` is kept for as many as it may be; counts one more if not."""
        count = self._counts.get(program, 0)
        if count >= _MOST:
            return True
        self._counts[program] = count + 1
        return False

    def forget(self, program: int) -> None:
        """Forgets a program that no longer exists."""
        self._counts.pop(program, None)


def noted() -> int:
    """How much is noted; what is noted later can be forgotten by this number."""
    return len(_known.entries)


def forget_from(count: int) -> None:
    """Forgets what was noted since there were `count` notes."""
    entries = _known.entries
    while len(entries) > count:
        entries.popitem()


def note_all(operands: Sequence[Any], constants: Constants) -> None:
    """Notes the constants that a program was given, for its operands as it sees them."""
    for x, constant in zip(operands, constants, strict=False):
        if constant is not None and isinstance(x, jax.Array):
            note_constant(x, constant)
